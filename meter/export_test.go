package meter

// Remembered counts the open holds that a meter remembers.
func Remembered(m *Meter) (n int) {
	m.open.Range(func(any, any) bool { n++; return true })
	return n
}

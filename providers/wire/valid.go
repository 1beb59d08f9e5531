package wire

// Valid tells whether a provider's bytes are JSON that may be parsed, as its readers take it: gjson's own check recurses,
// and some megabytes of "[" would end the process.
func Valid(b []byte) bool {
	_, ok := readable(b)
	return ok
}

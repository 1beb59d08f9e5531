package sqlite

// BusyTimeout is how long a write waits for another process's.
const BusyTimeout = busyTimeout

// Waiting counts the writes that wait for the batch being written.
func Waiting(s *Store) int { return len(s.writer.queue) }

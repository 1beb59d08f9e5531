package sqlite

// Waiting counts the writes that wait for the batch being written.
func Waiting(s *Store) int { return len(s.writer.queue) }

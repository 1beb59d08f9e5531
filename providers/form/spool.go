package form

import (
	"bytes"
	"errors"
	"io"
	"os"
)

// spool keeps what is written to it: a little in memory, more on the disk.
type spool struct {
	memory bytes.Buffer
	file   *os.File // nil = all is in memory
	size   int64
	err    error // what ended the writing
}

func (s *spool) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	if s.file == nil && s.memory.Len()+len(p) > maxMemory {
		if s.err = s.move(); s.err != nil {
			return 0, s.err
		}
	}
	to := io.Writer(&s.memory)
	if s.file != nil {
		to = s.file
	}
	n, err := to.Write(p)
	s.size, s.err = s.size+int64(n), err
	return n, err
}

// move puts what is in memory on the disk.
func (s *spool) move() error {
	file, err := os.CreateTemp("", "perdiem-form-")
	if err != nil {
		return err
	}
	s.file = file
	_, err = s.memory.WriteTo(file)
	s.memory = bytes.Buffer{}
	return err
}

// section reads a range of what was kept.
func (s *spool) section(from, to int64) io.Reader {
	if s.file == nil {
		return bytes.NewReader(s.memory.Bytes()[from:to])
	}
	return io.NewSectionReader(s.file, from, to-from)
}

func (s *spool) close() error {
	if s.file == nil {
		return nil
	}
	err := errors.Join(s.file.Close(), os.Remove(s.file.Name()))
	s.file = nil
	return err
}

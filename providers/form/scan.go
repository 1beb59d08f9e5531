package form

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"mime"
	"net/textproto"
	"strings"

	"perdiem/providers/wire"
)

// guarded are the fields that decide what is held or booked.
var guarded = []string{"model", "stream", "n"}

const (
	lineBytes  = 64 << 10 // how much of a file is looked at at once
	maxHeaders = 16 << 10 // of one part
	maxValue   = 1 << 10  // of a guarded field
	maxParts   = 1000
)

// field is a guarded field's value, and where it stands.
type field struct {
	value string
	at    span
}

// scanner goes through a form line by line; a file's lines may come in pieces.
type scanner struct {
	r         *bufio.Reader
	delimiter string
	pos       int64 // behind the line that was read last
	afterCR   bool  // the piece before ended in CR
	afterCRLF bool  // the line before ended as delimiters want it
	fields    map[string]field
}

func invalid(param, message string) *wire.Invalid {
	return &wire.Invalid{Param: param, Message: message}
}

// scan reads a form to its end and returns its guarded fields.
func scan(body io.Reader, boundary string) (map[string]field, error) {
	s := &scanner{r: bufio.NewReaderSize(body, lineBytes), delimiter: "--" + boundary, afterCRLF: true, fields: map[string]field{}}
	last, err := s.skip(nil)
	for parts := 0; err == nil && !last; parts++ {
		if parts == maxParts {
			return s.fields, invalid("", "The form has too many parts.")
		}
		last, err = s.part()
	}
	if err == nil {
		_, err = io.Copy(io.Discard, s.r) // what stands behind the form is passed on, too
	}
	if errors.Is(err, io.EOF) {
		err = invalid("", "The form breaks off before its end.")
	}
	return s.fields, err
}

// line reads a line, or a piece of one that is longer than the buffer, and tells whether a delimiter may stand there.
func (s *scanner) line() (line []byte, begins bool, err error) {
	line, err = s.r.ReadSlice('\n')
	begins = s.afterCRLF
	s.pos += int64(len(line))
	s.afterCRLF = bytes.HasSuffix(line, []byte("\r\n")) || s.afterCR && string(line) == "\n"
	s.afterCR = bytes.HasSuffix(line, []byte("\r"))
	if errors.Is(err, bufio.ErrBufferFull) || errors.Is(err, io.EOF) && len(line) > 0 {
		err = nil
	}
	return line, begins, err
}

// isDelimiter tells whether a line parts two parts, and whether it is the last one.
func (s *scanner) isDelimiter(line []byte) (yes, last bool) {
	rest, ok := bytes.CutPrefix(line, []byte(s.delimiter))
	if !ok {
		return false, false
	}
	rest, last = bytes.CutPrefix(rest, []byte("--"))
	if last {
		return len(bytes.TrimSpace(rest)) == 0, true
	}
	return string(bytes.TrimLeft(rest, " \t")) == "\r\n", false
}

// skip goes to the next delimiter, and calls keep, if there is one, with the lines before it.
func (s *scanner) skip(keep func(line []byte) error) (last bool, err error) {
	for {
		line, begins, err := s.line()
		if err != nil {
			return false, err
		}
		if begins {
			if yes, last := s.isDelimiter(line); yes {
				s.afterCRLF = true
				return last, nil
			}
		}
		if keep != nil {
			if err := keep(line); err != nil {
				return false, err
			}
		}
	}
}

// part reads one part, and keeps it if it is a guarded field.
func (s *scanner) part() (last bool, err error) {
	name, err := s.name()
	if err != nil {
		return false, err
	}
	if name == "" {
		return s.skip(nil)
	}
	start := s.pos
	var value []byte
	last, err = s.skip(func(line []byte) error {
		if value = append(value, line...); len(value) > maxValue {
			return invalid(name, "The field \""+name+"\" is too long.")
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	value = bytes.TrimSuffix(value, []byte("\r\n")) // it belongs to the delimiter
	if _, twice := s.fields[name]; twice {
		delete(s.fields, name)
		return false, invalid(name, "The field \""+name+"\" is there twice; please send it once.")
	}
	s.fields[name] = field{string(value), span{start, start + int64(len(value))}}
	return last, nil
}

// plain are the transfer encodings that change nothing; Java's clients name them.
var plain = map[string]bool{"": true, "7bit": true, "8bit": true, "binary": true}

// name reads a part's headers and returns its name if it is that of a guarded field; else "".
func (s *scanner) name() (string, error) {
	var head []byte
	for {
		line, _, err := s.line()
		if err != nil {
			return "", err
		}
		if head = append(head, line...); len(head) > maxHeaders {
			return "", invalid("", "A part of the form has headers that are too long.")
		}
		if string(line) == "\r\n" {
			break
		}
	}
	headers, err := textproto.NewReader(bufio.NewReader(bytes.NewReader(head))).ReadMIMEHeader()
	if err != nil || len(headers["Content-Disposition"]) != 1 {
		return "", invalid("", "A part of the form has headers that cannot be read.")
	}
	_, params, err := mime.ParseMediaType(headers.Get("Content-Disposition"))
	if err != nil || strings.ContainsAny(params["name"], `\/`) { // some parsers leave these out (aiohttp), and see another name
		return "", invalid("", "A part of the form has a name that cannot be read.")
	}
	for _, name := range guarded {
		if !strings.EqualFold(params["name"], name) {
			continue
		}
		_, file := params["filename"]
		if params["name"] != name || file || !plain[strings.ToLower(headers.Get("Content-Transfer-Encoding"))] {
			return "", invalid(name, "Please send the field \""+name+"\" as a plain one of that name.")
		}
		return name, nil
	}
	return "", nil
}

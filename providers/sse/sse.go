// Package sse scans event streams (the text/event-stream format that model providers answer with). It is the only
// scanner in the project: every wire reads its stream through it.
//
// Invariants:
//   - The Raw bytes of all events, in order, are the stream, byte for byte, so that a relay can pass on what came.
//   - An event is returned as soon as its blank line has arrived; the scanner never waits for bytes behind it.
//   - How the stream was cut into reads does not change the events.
//
// The format: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
package sse

import (
	"bytes"
	"errors"
	"io"
)

// MaxEvent bounds one event, in bytes. Images come inside events, so the bound is far above any text.
const MaxEvent = 64 << 20

// ErrEventTooLong is what Next returns, from then on, for an event above MaxEvent.
var ErrEventTooLong = errors.New("event stream: an event is longer than 64 MiB")

// Event is one event, valid until the next call of Next.
type Event struct {
	Raw  []byte // the bytes as they came, comments and the ending blank line included
	Name string // the last event field, "" when there was none
	Data []byte // the data lines joined by LF; empty for keep-alives and comments
	// Error is what a field "error" says, or JSON that stands where fields should: the format has neither, but some
	// providers tell in this way what went wrong.
	Error []byte
	ID    bool // it names itself, which clients remember
	// Partial tells that the stream ended inside this event. A reader of the format would drop it; a relay passes it on,
	// and some providers end with "data: [DONE]" and no blank line.
	Partial bool
}

// minRead is the least free room that a read is given, in bytes.
const minRead = 4 << 10

// maxEmptyReads is how often a reader may return nothing and no error before it counts as broken, as in bufio.
const maxEmptyReads = 100

// Scanner reads events from a stream. It is not safe for concurrent use.
type Scanner struct {
	r   io.Reader
	err error // what ended the stream; returned once the buffer is used up

	buf   []byte // bytes read and not yet returned; buf[start:] is the event being read
	start int    // where the current event begins
	line  int    // where the current line begins
	pos   int    // up to where the current line was searched for its end

	data   []byte
	name   string
	last   string // the event field before, kept so that the same one costs nothing
	fault  []byte
	id     bool
	skipLF bool // the last line ended in CR: an LF that follows belongs to that line ending
	begun  bool // the first line, which may carry a byte order mark, is behind us
}

// NewScanner returns a scanner of r. It reads from r only inside Next.
func NewScanner(r io.Reader) *Scanner { return &Scanner{r: r} }

// Next returns the next event. At the end of the stream it returns io.EOF, or the error that the reader ended with;
// bytes of an unfinished event come first, as an event that is Partial.
func (s *Scanner) Next() (Event, error) {
	s.data, s.fault, s.name, s.id = s.data[:0], s.fault[:0], "", false
	for {
		if ev, ok := s.scan(); ok {
			return ev, nil
		}
		if s.err != nil {
			return s.rest()
		}
		s.err = s.fill()
	}
}

// Ready tells whether the next event has wholly arrived, so that Next will not wait for it. False may be wrong for streams
// whose lines end in CR alone.
func (s *Scanner) Ready() bool {
	rest := s.buf[s.start:]
	return bytes.Contains(rest, []byte("\n\n")) || bytes.Contains(rest, []byte("\n\r\n"))
}

// scan goes through the lines in the buffer up to the end of the event; false asks for more bytes.
func (s *Scanner) scan() (Event, bool) {
	if s.skipLF && s.pos < len(s.buf) {
		s.skipLF = false
		if s.buf[s.pos] == '\n' {
			s.pos++
			s.line = s.pos
			if s.pos == s.start+1 {
				// The LF of a CR LF that was cut between two reads, after its event was returned: passed on at once.
				return s.take(false), true
			}
		}
	}
	for {
		n := endOfLine(s.buf[s.pos:])
		if n < 0 {
			s.pos = len(s.buf)
			return Event{}, false
		}
		end := s.pos + n
		blank := s.field(s.buf[s.line:end])
		s.pos = end + 1
		if s.buf[end] == '\r' {
			if s.pos == len(s.buf) {
				s.skipLF = true
			} else if s.buf[s.pos] == '\n' {
				s.pos++
			}
		}
		s.line = s.pos
		if blank {
			return s.take(false), true
		}
	}
}

// endOfLine returns where the first LF or CR is, or -1.
func endOfLine(b []byte) int {
	n := bytes.IndexByte(b, '\n')
	if n < 0 {
		return bytes.IndexByte(b, '\r')
	}
	if cr := bytes.IndexByte(b[:n], '\r'); cr >= 0 {
		return cr
	}
	return n
}

// field takes in one line without its ending, and tells whether it was the blank line that ends an event.
func (s *Scanner) field(line []byte) (blank bool) {
	if !s.begun {
		s.begun = true
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	if len(line) == 0 {
		return true
	}
	if line[0] == '{' || len(s.fault) > 0 {
		s.fault = append(append(s.fault, line...), '\n')
		return false
	}
	key, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(key) {
	case "data":
		s.data = append(append(s.data, value...), '\n')
	case "event":
		if s.name = s.last; s.name != string(value) { // mostly the same one again and again
			s.name = string(value)
			s.last = s.name
		}
	case "id":
		s.id = true
	case "error":
		s.fault = append(s.fault, value...)
	}
	return false
}

// take returns the event that ends at pos, and moves on behind it.
func (s *Scanner) take(partial bool) Event {
	ev := Event{Raw: s.buf[s.start:s.pos:s.pos], Name: s.name, Error: s.fault, ID: s.id, Partial: partial}
	if n := len(s.data); n > 0 {
		ev.Data = s.data[: n-1 : n-1] // without the LF that joined the last line to nothing
	}
	s.start, s.line = s.pos, s.pos
	return ev
}

// rest returns what an ended stream left in the buffer, then the error that ended it.
func (s *Scanner) rest() (Event, error) {
	if s.start == len(s.buf) || errors.Is(s.err, ErrEventTooLong) {
		return Event{}, s.err
	}
	if s.line < len(s.buf) {
		s.field(s.buf[s.line:])
	}
	s.pos = len(s.buf)
	return s.take(true), nil
}

// fill reads once more behind the current event, making room first.
func (s *Scanner) fill() error {
	if len(s.buf)-s.start > MaxEvent {
		return ErrEventTooLong
	}
	s.makeRoom()
	for range maxEmptyReads {
		n, err := s.r.Read(s.buf[len(s.buf):cap(s.buf)])
		s.buf = s.buf[:len(s.buf)+n]
		if n > 0 || err != nil {
			return err
		}
	}
	return io.ErrNoProgress
}

// makeRoom moves the current event to the front of the buffer, and doubles the buffer if that is not enough.
func (s *Scanner) makeRoom() {
	if cap(s.buf)-len(s.buf) >= minRead {
		return
	}
	kept := s.buf[s.start:]
	room := s.buf[:cap(s.buf)]
	if len(room)-len(kept) < minRead {
		room = make([]byte, 2*max(len(room), minRead))
	}
	s.buf = room[:copy(room, kept)]
	s.line -= s.start
	s.pos -= s.start
	s.start = 0
}

package gateway

import (
	"net/http"
	"sync"
	"time"
)

const streamType = "text/event-stream; charset=utf-8"

// stream writes events to the caller. Its own goroutine, a timer's, keeps a silent stream alive,
// between events only.
type stream struct {
	c       *call
	control *http.ResponseController

	mu        sync.Mutex
	begun     bool
	ended     bool
	waiting   []byte // whole events that go out together
	quiet     *time.Timer
	keepAlive []byte // what this dialect bears between events; nothing, where it bears nothing
}

func newStream(c *call) *stream {
	return &stream{c: c, control: http.NewResponseController(c.w)}
}

// watch keeps the caller from giving up while the provider is silent: headers first, then what
// clients of the dialect pass over.
func (s *stream) watch(keepAlive []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keepAlive = keepAlive
	s.quiet = time.AfterFunc(s.c.g.Limits.Silence, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.ended {
			return
		}
		s.begin()
		s.waiting = append(s.waiting, s.keepAlive...)
		_ = s.send() // the relay finds out by itself that the caller left
	})
}

// headers runs set on the answer's headers if they have not gone out yet.
func (s *stream) headers(set func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.begun {
		set()
	}
}

// write sends whole events, at once, and what may be sent when nothing comes after them.
func (s *stream) write(events, keepAlive []byte) error {
	if err := s.add(events, keepAlive); err != nil {
		return err
	}
	return s.flush()
}

// add is write for events that go out with those that follow at once; flush sends them.
func (s *stream) add(events, keepAlive []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin()
	s.keepAlive = keepAlive
	s.waiting = append(s.waiting, events...)
	if len(s.waiting) >= writePiece {
		return s.send()
	}
	return nil
}

func (s *stream) flush() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) == 0 {
		return nil
	}
	return s.send()
}

// send sends what waits.
func (s *stream) send() error {
	err := s.c.writePieces(s.waiting)
	if s.waiting = s.waiting[:0]; cap(s.waiting) > 2*writePiece {
		s.waiting = nil
	}
	if err != nil {
		return err
	}
	if s.quiet != nil {
		s.quiet.Reset(s.c.g.Limits.Silence)
	}
	return s.control.Flush()
}

// begin sends the headers of a stream, once.
func (s *stream) begin() {
	if s.begun {
		return
	}
	s.begun = true
	h := s.c.w.Header()
	s.c.heldHeaders()
	h.Set("Content-Type", streamType)
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no") // a proxy in between must not gather events
	h.Del("Content-Length")
	s.c.w.WriteHeader(http.StatusOK)
}

func (s *stream) begunNow() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.begun
}

// stop ends the timer; nothing of it writes after this returns.
func (s *stream) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	if len(s.waiting) > 0 {
		_ = s.send() // a caller who left is nobody to tell
	}
	if s.quiet != nil {
		s.quiet.Stop()
	}
}

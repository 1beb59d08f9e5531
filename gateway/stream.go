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
	waiting   bool // something was written and not flushed
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
		if s.begin(); s.push(s.keepAlive) == nil {
			s.quiet.Reset(s.c.g.Limits.Silence)
		}
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
	if s.quiet != nil {
		s.quiet.Reset(s.c.g.Limits.Silence)
	}
	s.waiting = true
	_, err := s.c.w.Write(events)
	return err
}

func (s *stream) flush() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.waiting {
		return nil
	}
	s.waiting = false
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

// push writes and flushes.
func (s *stream) push(b []byte) error {
	if _, err := s.c.w.Write(b); err != nil {
		return err
	}
	return s.control.Flush()
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
	if s.quiet != nil {
		s.quiet.Stop()
	}
}

package gateway

import (
	"net/http"
	"sync"
	"time"
)

// lull is how long the end event of a stream is kept back at most, for its connection to end with it.
const lull = 100 * time.Millisecond

// lastWord keeps a stream's end event back until the call is booked, so that what the caller reads
// next is right. It is booked when the provider's stream ends, which is at once with most; some go on
// with another reply behind the end event, and some leave the connection open. Nothing of the call is
// touched by its timer but under mu, and by the relay only before keep and after say.
type lastWord struct {
	c     *call
	e     *ending
	out   *stream
	over  func() // ends the call, whose provider leaves the connection open
	mu    sync.Mutex
	event []byte
	timer *time.Timer
}

// keep keeps an end event back.
func (l *lastWord) keep(event []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.event = append([]byte{}, event...) // not nil, though there be nothing to say
	l.timer = time.AfterFunc(lull, func() { l.say(true) })
}

// say sends what was kept back, after booking the call if it is over.
func (l *lastWord) say(over bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.event == nil {
		return
	}
	l.timer.Stop()
	l.c.kept.add(l.event)
	if over {
		l.c.kept.end(l.e, http.StatusOK, streamType)
		l.c.finish(l.e)
	}
	_ = l.out.write(l.event, nil) // a caller who left is nobody to tell
	l.event = nil
	if over {
		l.over()
	}
}

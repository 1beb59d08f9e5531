package meter

import (
	"context"
	"sync"
	"time"
)

// guard keeps sliding-window counters in memory: the last whole minute's count, weighted by how
// much of it still lies within the past sixty seconds, and this minute's. A burst across a
// minute's edge cannot double the rate so.
type guard struct {
	mu      sync.Mutex
	windows map[string]*window
	sweptAt int64 // Unix minutes
}

type window struct {
	minute   int64 // Unix minutes
	requests counter
	tokens   counter
	images   counter

	savedAt int64 // Unix seconds
}

type counter struct{ previous, current int64 }

// admit counts one request and its images, unless that would be over the rate.
func (g *guard) admit(_ context.Context, subject string, r Rate, images int64, now time.Time) (*overRate, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	w := g.window(subject, now)
	over := w.over(r, images, now)
	if over == nil {
		w.requests.current++
		w.images.current += images
	}
	return over, nil
}

// adjust changes what was counted in a minute, if that still counts.
func (g *guard) adjust(subject string, minute int64, by counted, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	w := g.window(subject, now)
	switch w.minute {
	case minute:
		w.requests.current = max(w.requests.current+by.requests, 0)
		w.tokens.current = max(w.tokens.current+by.tokens, 0)
		w.images.current = max(w.images.current+by.images, 0)
	case minute + 1:
		w.requests.previous = max(w.requests.previous+by.requests, 0)
		w.tokens.previous = max(w.tokens.previous+by.tokens, 0)
		w.images.previous = max(w.images.previous+by.images, 0)
	}
}

// window finds a subject's counters, turned to the minute of now.
func (g *guard) window(subject string, now time.Time) *window {
	minute := minuteOf(now)
	g.sweep(minute)
	w := g.windows[subject]
	if w == nil {
		w = &window{minute: minute}
		g.windows[subject] = w
	}
	w.turn(minute)
	return w
}

func minuteOf(t time.Time) int64 { return t.Unix() / 60 }

// turn brings a window to a minute: the last minute's count becomes the previous one.
func (w *window) turn(minute int64) {
	switch minute - w.minute {
	case 0:
	case 1:
		w.requests = counter{previous: w.requests.current}
		w.tokens = counter{previous: w.tokens.current}
		w.images = counter{previous: w.images.current}
	default: // longer ago, or the clock was set back
		w.requests, w.tokens, w.images = counter{}, counter{}, counter{}
	}
	w.minute = minute
}

// over tells whether one more request, and its images, would be over the rate, at now in the window's minute.
func (w *window) over(r Rate, images int64, now time.Time) *overRate {
	into := intoMinute(now)
	for _, c := range [...]struct {
		of    string
		count counter
		limit *int64
		need  int64
	}{
		{"requests", w.requests, r.Requests, 1},
		{"tokens", w.tokens, r.Tokens, 0}, // those of a request are known only when it is held
		{"images", w.images, r.Images, images},
	} {
		if c.limit == nil || c.of == "images" && images == 0 {
			continue
		}
		if wait := c.count.wait(*c.limit-c.need, into); wait > 0 {
			return &overRate{wait, *c.limit, c.of}
		}
	}
	return nil
}

func intoMinute(now time.Time) time.Duration {
	return time.Duration(now.UnixNano() - minuteOf(now)*int64(time.Minute))
}

// sweep forgets callers of earlier minutes, once a minute, so that a stranger with many addresses
// cannot fill the memory for long.
func (g *guard) sweep(minute int64) {
	if g.windows == nil {
		g.windows = map[string]*window{}
	}
	if minute == g.sweptAt {
		return
	}
	g.sweptAt = minute
	for subject, w := range g.windows {
		if w.minute < minute-1 || w.minute > minute {
			delete(g.windows, subject)
		}
	}
}

// wait is how long it takes until the window's count has fallen to most, if nothing else comes.
func (c counter) wait(most int64, into time.Duration) time.Duration {
	left := time.Minute - into
	if most < 0 {
		return left // nothing is ever admitted; say something finite
	}
	if fits(c, most, into) {
		return 0
	}
	if c.current <= most {
		// Within this minute: previous × (remaining share) must fall to most − current.
		share := float64(most-c.current) / float64(c.previous)
		return max(left-time.Duration(share*float64(time.Minute)), time.Millisecond)
	}
	// In the next minute this minute's count is the previous one.
	share := float64(most) / float64(c.current)
	return left + time.Duration((1-share)*float64(time.Minute))
}

func fits(c counter, most int64, into time.Duration) bool {
	weighted := float64(c.previous) * float64(time.Minute-into) / float64(time.Minute)
	return weighted+float64(c.current) <= float64(most)
}

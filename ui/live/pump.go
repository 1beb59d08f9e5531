package live

import (
	"context"
	"sync"
	"time"
)

// Beat is how often the pump looks: four times a second, which the eye takes for at once and two cores do not notice.
const Beat = 250 * time.Millisecond

// A View is one page as the pump sees it. Both methods run off the drawing goroutine and return what is to run on it,
// or nil where there is nothing to draw.
type View interface {
	// Load reads all that the page shows. It is called when the page comes into view and when the books changed.
	Load(ctx context.Context) (show func())
	// Tick is called at each beat, for what moves without a change of the books: countdowns, streams in flight.
	Tick(now time.Time) (show func())
}

// Pump feeds one view at a time. Create it with NewPump; Run it on a goroutine of its own.
type Pump struct {
	changed func(context.Context) (uint64, error)
	draw    func(func())
	now     func() time.Time

	mu   sync.Mutex
	view View
	wake chan struct{}
}

// NewPump returns a pump that polls changed (a figure that differs after any commit), and hands what is to be drawn to
// draw, which must run it on the drawing goroutine and may return before it ran.
func NewPump(changed func(context.Context) (uint64, error), draw func(func()), now func() time.Time) *Pump {
	return &Pump{changed: changed, draw: draw, now: now, wake: make(chan struct{}, 1)}
}

// Show makes v the view in sight, and has it loaded at once.
func (p *Pump) Show(v View) {
	p.mu.Lock()
	p.view = v
	p.mu.Unlock()
	p.Reload()
}

// Reload has the view in sight loaded again, whether or not the books changed.
func (p *Pump) Reload() {
	select {
	case p.wake <- struct{}{}:
	default: // a reload is already due
	}
}

// restAfter is how many times as long as a reading took the next one waits, unless the owner asked for it: a page over a
// long day is read less often, not with more of the machine.
const restAfter = 4

// Run pumps until ctx ends, beating with each value of beats (a ticker's channel).
func (p *Pump) Run(ctx context.Context, beats <-chan time.Time) {
	var seen uint64
	var rest time.Time // until when what changed may wait
	owed := false      // something changed that was not read yet
	for {
		asked := false
		select {
		case <-ctx.Done():
			return
		case <-p.wake:
			asked = true
		case <-beats:
		}
		// The figure is taken before the page is read: a commit in between is then seen again, never missed.
		figure, err := p.changed(ctx)
		owed = owed || err != nil || figure != seen // when the store cannot even say, the page's own reading tells the owner why
		seen = figure
		began := p.now()
		read := asked || owed && !began.Before(rest)
		took := p.feed(ctx, read)
		if read {
			owed, rest = false, began
			if took > Beat/10 {
				rest = began.Add((1 + restAfter) * took)
			}
		}
	}
}

// feed draws the view in sight once, and waits until it is drawn, so that a slow screen is never sent more than it can
// show. It tells how long the reading took.
func (p *Pump) feed(ctx context.Context, load bool) (took time.Duration) {
	p.mu.Lock()
	view := p.view
	p.mu.Unlock()
	if view == nil {
		return 0
	}
	var shows []func()
	if load {
		began := p.now()
		if show := view.Load(ctx); show != nil {
			shows = append(shows, show)
		}
		took = p.now().Sub(began)
	}
	if show := view.Tick(p.now()); show != nil {
		shows = append(shows, show)
	}
	if len(shows) == 0 || ctx.Err() != nil {
		return took
	}
	drawn := make(chan struct{})
	p.draw(func() {
		defer close(drawn)
		if p.inSight(view) {
			for _, show := range shows {
				show()
			}
		}
	})
	select {
	case <-drawn:
	case <-ctx.Done():
	}
	return took
}

func (p *Pump) inSight(v View) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.view == v
}

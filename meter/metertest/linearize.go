package metertest

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"perdiem/meter"
)

// Linearize records what concurrent callers saw of one budget, and looks for an order of their calls
// that one caller after another could have seen.
func Linearize(t *testing.T, e Engine) {
	for round := range 10 {
		t.Run(fmt.Sprint("history ", round), func(t *testing.T) {
			b := newBooks(t, e.Open)
			history := record(t, e, b)
			if result := porcupine.CheckOperationsTimeout(budgetModel, history, patience); result != porcupine.Ok {
				t.Errorf("the history of %d calls is %s: %+v", len(history), result, history)
			}
		})
	}
}

const roomForHolds = 4

// budgetState is a budget of roomForHolds requests.
type budgetState struct {
	open    uint64 // the holds that are open, a bit each
	counted int
}

func (s budgetState) held() int { return bits.OnesCount64(s.open) }

// call is what a caller asked, and seen what it was told.
type call struct {
	verb string
	hold int
}

type seen struct {
	admitted      bool
	counted, held int
}

var budgetModel = porcupine.Model{
	Init: func() any { return budgetState{} },
	Step: func(state, input, output any) (bool, any) {
		s, c, o := state.(budgetState), input.(call), output.(seen)
		bit := uint64(1) << c.hold
		switch c.verb {
		case "reserve":
			if room := s.counted+s.held() < roomForHolds; room != o.admitted {
				return false, s
			}
			if o.admitted {
				s.open |= bit
			}
		case "settle":
			if s.open&bit != 0 {
				s.counted++
			}
			s.open &^= bit
		case "release":
			s.open &^= bit
		case "read":
			return s.counted == o.counted && s.held() == o.held, s
		}
		return true, s
	},
}

// recorder notes calls with when they began and ended.
type recorder struct {
	mu    sync.Mutex
	start time.Time
	calls []porcupine.Operation
}

func (r *recorder) note(client int, c call, do func() seen) seen {
	began := time.Since(r.start)
	got := do()
	ended := time.Since(r.start)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, porcupine.Operation{ClientId: client, Input: c, Call: int64(began), Output: got, Return: int64(ended)})
	return got
}

// record lets callers reserve, read, and end each hold twice at the same time. Settles are rare, so
// that the budget is not soon spent.
func record(t *testing.T, e Engine, b *Books) []porcupine.Operation {
	const callers, turns = 6, 5
	p := b.person("Ada", n(roomForHolds), nil)
	r := &recorder{start: time.Now()}
	inParallel(callers, func(caller int) {
		m := b.over(e.Again(t, b.Store), fmt.Sprint("gateway ", caller%2))
		for turn := range turns {
			hold := caller*turns + turn
			var h meter.Hold
			got := r.note(caller, call{"reserve", hold}, func() seen {
				var err error
				h, err = m.Reserve(context.Background(), one(p))
				if no := (*meter.Refusal)(nil); err != nil && !errors.As(err, &no) {
					t.Errorf("reserve: %v", err)
				}
				return seen{admitted: err == nil}
			})
			r.note(caller, call{verb: "read"}, func() seen {
				s, err := standingIn(m, p, model)
				if err != nil {
					t.Errorf("read: %v", err)
				}
				return seen{counted: int(s.UsedRequests), held: int(s.HeldRequests)}
			})
			if got.admitted {
				endTwice(t, r, m, h, caller, hold)
			}
		}
	})
	return r.calls
}

func endTwice(t *testing.T, r *recorder, m *meter.Meter, h meter.Hold, caller, hold int) {
	second := "release"
	if rand.N(3) == 0 {
		second = "settle"
	}
	var both sync.WaitGroup
	for i, verb := range []string{"release", second} {
		// Two at once are two clients to the checker.
		both.Go(func() {
			r.note(caller+100*i, call{verb, hold}, func() seen {
				if err := end(m, h, verb); err != nil {
					t.Errorf("%s: %v", verb, err)
				}
				return seen{}
			})
		})
	}
	both.Wait()
}

func end(m *meter.Meter, h meter.Hold, verb string) error {
	if verb == "settle" {
		return m.Settle(context.Background(), h.ID, meter.Usage{Input: 1, Output: 1}, meter.Reported)
	}
	return m.Release(context.Background(), h.ID, "test")
}

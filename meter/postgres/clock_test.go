package postgres

import (
	"errors"
	"testing"
	"time"
)

// askedAt makes a machine's clock that is off by so much, and a database that answers after trips.
func askedAt(off time.Duration, trips ...time.Duration) (*clock, func(*int64) error) {
	truth := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	c := &clock{machine: func() time.Time { return truth.Add(off) }}
	return c, func(micros *int64) error {
		truth = truth.Add(trips[0] / 4) // the way there is the shorter one: halving it errs
		*micros = truth.UnixMicro()
		truth = truth.Add(trips[0] * 3 / 4)
		trips = trips[1:]
		return nil
	}
}

func TestTheClockGoesByTheQuickestAnswer(t *testing.T) {
	c, ask := askedAt(-3*time.Second, time.Second, 4*time.Millisecond, 2*time.Second)
	if err := c.measure(ask); err != nil {
		t.Fatal(err)
	}
	if off := time.Duration(c.offset.Load()); off != 3*time.Second-time.Millisecond {
		t.Errorf("the database is taken to be %s ahead, want 3 s less a quarter of 4 ms", off)
	}
	if err := c.check(); err != nil {
		t.Error(err)
	}
}

func TestAClockThatIsWrongIsRefused(t *testing.T) {
	quick := time.Millisecond
	for _, step := range []struct {
		off     time.Duration
		refused bool
	}{{0, false}, {time.Hour, true}, {-6 * time.Second, true}, {4 * time.Second, false}} {
		c, ask := askedAt(step.off, quick, quick, quick)
		if err := c.measure(ask); err != nil {
			t.Fatal(err)
		}
		if err := c.check(); step.refused != errors.Is(err, ErrDrift) {
			t.Errorf("off by %s: %v", step.off, err)
		}
	}
}

func TestAnAnswerThatDoesNotComeChangesNothing(t *testing.T) {
	c, _ := askedAt(0)
	c.offset.Store(7)
	if err := c.measure(func(*int64) error { return errors.New("lost") }); err == nil || c.offset.Load() != 7 {
		t.Errorf("%v, offset %d", err, c.offset.Load())
	}
}

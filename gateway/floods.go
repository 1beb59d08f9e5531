package gateway

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"perdiem/meter"
)

// floods keeps callers from filling the log, as refused calls count against no rate: of a person's refusals, and of all
// strangers' together, the first few of each minute are logged one by one, and the others as one row for each reason
// that says how many there were.
type floods struct {
	mu     sync.Mutex
	minute int64
	logged map[string]int // by person; all strangers are one
	merged map[flood]*meter.Refusal
}

// flood is what is summed up in one row.
type flood struct {
	person string
	reason meter.Reason
}

// loggedAMinute is how many refusals of one caller are logged one by one.
const loggedAMinute = 60

// note takes a refusal in: it tells whether to log it now, and gives the rows that sum up a minute that is over.
func (f *floods) note(no *meter.Refusal, now time.Time) (logNow bool, over []*meter.Refusal) {
	f.mu.Lock()
	defer f.mu.Unlock()
	over = f.turn(now)
	if f.logged[no.PersonID] < loggedAMinute {
		f.logged[no.PersonID]++
		return true, over
	}
	of := flood{no.PersonID, no.Reason}
	if f.merged[of] == nil {
		first := *no
		f.merged[of] = &first
	}
	f.merged[of].Times++
	return false, over
}

// turn begins another minute if it is time, and gives the rows that sum up the one before.
func (f *floods) turn(now time.Time) (over []*meter.Refusal) {
	minute := now.Unix() / 60
	if minute == f.minute && f.logged != nil {
		return nil
	}
	over = f.take()
	f.minute, f.logged, f.merged = minute, map[string]int{}, map[flood]*meter.Refusal{}
	return over
}

// take gives the rows that sum up what was not logged one by one.
func (f *floods) take() []*meter.Refusal {
	rows := make([]*meter.Refusal, 0, len(f.merged))
	for _, row := range f.merged {
		row.Detail = strings.TrimSpace(fmt.Sprintf("%s (%s such calls within a minute)", row.Detail, meter.Group(row.Times)))
		rows = append(rows, row)
	}
	clear(f.merged)
	return rows
}

// SumUp logs what a minute that is over had of refusals that were not logged one by one. Whoever keeps house calls it from time to time,
// since the next refusal may be long in coming.
func (g *Gateway) SumUp(ctx context.Context) error {
	g.floods.mu.Lock()
	rows := g.floods.turn(g.now())
	g.floods.mu.Unlock()
	return g.logRows(ctx, rows)
}

// flushFloods logs what is left at the end.
func (g *Gateway) flushFloods(ctx context.Context) {
	g.floods.mu.Lock()
	rows := g.floods.take()
	g.floods.mu.Unlock()
	if err := g.logRows(ctx, rows); err != nil {
		g.Log.Error("refusals could not be logged", "error", err)
	}
}

func (g *Gateway) logRows(ctx context.Context, rows []*meter.Refusal) error {
	var errs []error
	for _, no := range rows {
		errs = append(errs, g.Meter.LogRefusal(ctx, no))
	}
	return errors.Join(errs...)
}

package gateway

import (
	"context"
	"fmt"
	"sync"
	"time"

	"perdiem/meter"
)

// strangers keeps callers without a good pass from filling the log: of their refusals, the first few
// of each minute are logged one by one, and the others as one row for each reason that says how many
// there were.
type strangers struct {
	mu     sync.Mutex
	minute int64
	logged int
	merged map[meter.Reason]*meter.Refusal
	counts map[meter.Reason]int64
}

// loggedAMinute is how many refusals of strangers are logged one by one.
const loggedAMinute = 60

// note takes a refusal of a stranger in: it tells whether to log it now, and gives the rows that sum
// up a minute that is over.
func (s *strangers) note(no *meter.Refusal, now time.Time) (logNow bool, over []*meter.Refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if minute := now.Unix() / 60; minute != s.minute {
		over = s.take()
		s.minute, s.logged = minute, 0
	}
	if s.logged < loggedAMinute {
		s.logged++
		return true, over
	}
	if s.merged == nil {
		s.merged, s.counts = map[meter.Reason]*meter.Refusal{}, map[meter.Reason]int64{}
	}
	if s.merged[no.Reason] == nil {
		s.merged[no.Reason] = no
	}
	s.counts[no.Reason]++
	return false, over
}

// take gives the rows that sum up what was not logged one by one.
func (s *strangers) take() []*meter.Refusal {
	rows := make([]*meter.Refusal, 0, len(s.merged))
	for reason, no := range s.merged {
		row := *no
		row.Times = s.counts[reason]
		row.Detail = fmt.Sprintf("%s (%s such calls within a minute)", no.Detail, meter.Group(row.Times))
		rows = append(rows, &row)
	}
	s.merged, s.counts = nil, nil
	return rows
}

// flush logs what is left at the end.
func (g *Gateway) flushStrangers(ctx context.Context) {
	g.strangers.mu.Lock()
	rows := g.strangers.take()
	g.strangers.mu.Unlock()
	for _, no := range rows {
		if err := g.Meter.LogRefusal(ctx, no); err != nil {
			g.Log.Error("refusals could not be logged", "error", err)
		}
	}
}

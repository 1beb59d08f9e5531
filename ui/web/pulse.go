package web

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"time"

	"perdiem/meter"
)

// pulse is what the page asks for each second. It reads no figures: only whether any have changed
// since, and what runs.
type pulse struct {
	Now      time.Time `json:"now"`
	Day      string    `json:"day"`
	ResetsAt time.Time `json:"resetsAt"`
	// Changed differs after any change to the books. It is text: a script's numbers are too short for it.
	Changed   string    `json:"changed"`
	Person    string    `json:"person"`
	Suspended bool      `json:"suspended"`
	PassID    string    `json:"passId"`
	Running   []running `json:"running"`
}

type running struct {
	RequestID    string    `json:"requestId"`
	Model        string    `json:"modelId"`
	Tool         string    `json:"tool"`
	Started      time.Time `json:"started"`
	InputTokens  int64     `json:"inputTokens"`
	OutputTokens int64     `json:"outputTokens"`
}

func (p *page) pulse(r *http.Request, who asker) (any, error) {
	changed, err := p.Books.Changed(r.Context())
	if err != nil {
		return nil, err
	}
	now := p.Books.Now()
	beat := pulse{
		Now: now, Day: meter.Day(now), ResetsAt: meter.ResetsAt(now), Changed: strconv.FormatUint(changed, 10),
		Person: who.Name, Suspended: who.Suspended, PassID: who.passID, Running: []running{},
	}
	for _, f := range p.InFlight() {
		if f.PersonID == who.ID {
			beat.Running = append(beat.Running, running{f.RequestID, f.Model, f.Tool, f.Started, f.InputTokens, f.OutputTokens})
		}
	}
	slices.SortFunc(beat.Running, func(a, b running) int {
		return cmp.Or(a.Started.Compare(b.Started), cmp.Compare(a.RequestID, b.RequestID))
	})
	return beat, nil
}

package web

import (
	"net/http"
	"time"

	"perdiem/meter"
)

const (
	historyDays   = 30
	refusalsShown = 20
)

// past is what a person did on each of the last days, and how they were last refused.
type past struct {
	Days     []daySum  `json:"days"` // every day, the oldest first
	Refusals []refusal `json:"refusals"`
}

type daySum struct {
	Day      string `json:"day"`
	Requests int64  `json:"requests"`
	Tokens   int64  `json:"tokens"`
	Cost     int64  `json:"costMicroUSD"`
}

type refusal struct {
	At       time.Time    `json:"at"`
	Reason   meter.Reason `json:"reason"`
	Words    string       `json:"words"`
	Model    string       `json:"modelId"`
	Tool     string       `json:"tool"`
	ResetsAt *time.Time   `json:"resetsAt"`
}

func (p *page) log(r *http.Request, who asker) (any, error) {
	now := p.Books.Now()
	told := past{Refusals: []refusal{}}
	var err error
	if told.Days, err = p.history(r, who, now); err != nil {
		return nil, err
	}
	refused, err := p.Books.Refusals(r.Context(), meter.RefusalFilter{PersonID: who.ID, Limit: refusalsShown})
	if err != nil {
		return nil, err
	}
	for _, no := range refused {
		told.Refusals = append(told.Refusals, refusal{no.At, no.Reason, words(no, now), no.Model, no.Tool, no.ResetsAt})
	}
	return told, nil
}

// words are a refusal's at this moment while it lasts, and as they were told once it is over.
func words(no meter.Refusal, now time.Time) string {
	if no.ResetsAt == nil || !now.Before(*no.ResetsAt) {
		now = no.At
	}
	return no.Words(now, no.Model)
}

// history is a person's last days, today included, also those on which they did nothing.
func (p *page) history(r *http.Request, who asker, now time.Time) ([]daySum, error) {
	first := now.UTC().AddDate(0, 0, 1-historyDays)
	sums, err := p.Books.PersonHistory(r.Context(), who.ID, meter.Day(first), meter.Day(now))
	if err != nil {
		return nil, err
	}
	used := map[string]meter.Sum{}
	for _, s := range sums {
		used[s.Day] = s.Sum
	}
	days := make([]daySum, historyDays)
	for i := range days {
		day := meter.Day(first.AddDate(0, 0, i))
		days[i] = daySum{day, used[day].Requests, used[day].Tokens, used[day].CostMicroUSD}
	}
	return days, nil
}

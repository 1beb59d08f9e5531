package live

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"perdiem/meter"
)

// ReportBooks is what reports are made of.
type ReportBooks interface {
	Hours(ctx context.Context, day string) ([24]meter.Hour, error)
	History(ctx context.Context, from, to string) ([]meter.DaySum, error)
	Spenders(ctx context.Context, from, to string) ([]meter.PersonSum, error)
	ModelsUsed(ctx context.Context, from, to string) ([]meter.ModelSum, error)
}

// Kind is by what a report divides what was used.
type Kind int

// The kinds of report.
const (
	ByHour   Kind = iota // today
	ByDay                // the last 30 days
	ByPerson             // over the last 30 days
	ByModel              // over the last 30 days
)

// Title names a kind on the screen and in files.
func (k Kind) Title() string {
	return [...]string{"Today by hour", "The last 30 days", "People, over 30 days", "Models, over 30 days"}[k]
}

// reportDays is how far back a report looks.
const reportDays = 30

// Report is what was used, divided.
type Report struct {
	Kind Kind
	Rows []ReportRow
	Now  int // the row that is still going on; -1 if none is
}

// ReportRow is one part of a report.
type ReportRow struct {
	Name         string `json:"name"`
	Requests     int64  `json:"requests"`
	Tokens       int64  `json:"tokens"`
	CostMicroUSD int64  `json:"costMicroUSD"`
}

// ReadReport makes a report as of now.
func ReadReport(ctx context.Context, books ReportBooks, kind Kind, now time.Time) (Report, error) {
	r := Report{Kind: kind, Now: -1}
	today := now.UTC()
	from, to := meter.Day(today.AddDate(0, 0, 1-reportDays)), meter.Day(today)
	add := func(name string, s meter.Sum) {
		r.Rows = append(r.Rows, ReportRow{name, s.Requests, s.InputTokens + s.OutputTokens, s.CostMicroUSD})
	}
	switch kind {
	case ByHour:
		hours, err := books.Hours(ctx, to)
		for i, h := range hours {
			r.Rows = append(r.Rows, ReportRow{fmt.Sprintf("%02d:00–%02d:00 UTC", i, (i+1)%24), h.Requests, h.Tokens, h.CostMicroUSD})
		}
		r.Now = today.Hour()
		return r, err
	case ByDay:
		days, err := books.History(ctx, from, to)
		used := make(map[string]meter.Sum, len(days))
		for _, d := range days {
			used[d.Day] = d.Sum
		}
		for i := range reportDays {
			day := meter.Day(today.AddDate(0, 0, 1-reportDays+i))
			add(day, used[day])
		}
		r.Now = reportDays - 1
		return r, err
	case ByPerson:
		people, err := books.Spenders(ctx, from, to)
		for _, p := range people {
			add(OrGuest(p.Name, p.PersonID), p.Sum)
		}
		return r, err
	}
	models, err := books.ModelsUsed(ctx, from, to)
	for _, m := range models {
		add(m.Model, m.Sum)
	}
	return r, err
}

// Busiest is the row with the most tokens, or with requests where no tokens were counted; -1 if nothing was used.
func (r Report) Busiest() int {
	best := -1
	for i, row := range r.Rows {
		if row.Requests > 0 && (best < 0 || row.Tokens > r.Rows[best].Tokens) {
			best = i
		}
	}
	return best
}

// Same tells whether two reports would be drawn alike.
func (r Report) Same(o Report) bool {
	return r.Kind == o.Kind && r.Now == o.Now && slices.Equal(r.Rows, o.Rows)
}

// Words writes a row in full.
func (w ReportRow) Words() string {
	return w.Name + " · " + Many(w.Tokens, "token") + " · " + Many(w.Requests, "request") + " · " + Cents(w.CostMicroUSD)
}

// WriteCSV writes the report for a spreadsheet, the cost in dollars.
func (r Report) WriteCSV(to io.Writer) error {
	w := csv.NewWriter(to)
	head := [...]string{"hour", "day", "person", "model"}[r.Kind]
	lines := [][]string{{head, "requests", "tokens", "cost_usd"}}
	for _, row := range r.Rows {
		name := row.Name
		if strings.ContainsAny(name[:min(1, len(name))], "=+-@\t\r") {
			name = "'" + name // a spreadsheet would take it for a formula
		}
		lines = append(lines, []string{name, strconv.FormatInt(row.Requests, 10), strconv.FormatInt(row.Tokens, 10), fmt.Sprintf("%.6f", float64(row.CostMicroUSD)/1e6)})
	}
	if err := w.WriteAll(lines); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// WriteJSON writes the report as one JSON value.
func (r Report) WriteJSON(to io.Writer) error {
	e := json.NewEncoder(to)
	e.SetIndent("", "  ")
	rows := r.Rows
	if rows == nil {
		rows = []ReportRow{}
	}
	if err := e.Encode(map[string]any{"title": r.Kind.Title(), "rows": rows}); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

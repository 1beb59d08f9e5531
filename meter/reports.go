package meter

import (
	"context"
	"database/sql"
	"fmt"
)

// Sum is what was used over some days.
type Sum struct {
	Requests, Tokens          int64
	InputTokens, OutputTokens int64
	CostMicroUSD              int64
}

// DaySum is what everybody together used on one day.
type DaySum struct {
	Day string
	Sum
}

// PersonSum is what one person used.
type PersonSum struct {
	PersonID, Name string // Name is empty for a person who was removed
	Sum
}

// ModelSum is what everybody together used of one model.
type ModelSum struct {
	Model string
	Sum
}

const sums = `SUM(u.requests), SUM(u.tokens), SUM(u.input), SUM(u.output), SUM(u.cost)`

func (s *Sum) fields() []any {
	return []any{&s.Requests, &s.Tokens, &s.InputTokens, &s.OutputTokens, &s.CostMicroUSD}
}

// History adds up each day from one to another, both included; days without any use are left out.
func (m *Meter) History(ctx context.Context, from, to string) ([]DaySum, error) {
	return report(ctx, m, "history", `
		SELECT u.day, `+sums+` FROM usage_daily u
		WHERE u.scope = 'ceiling' AND u.subject = '*' AND u.model = '*' AND u.day BETWEEN $1 AND $2
		GROUP BY u.day ORDER BY u.day`, from, to,
		func(s *DaySum) []any { return append([]any{&s.Day}, s.fields()...) })
}

// PersonHistory is History of one person alone. What credit paid for is in the tokens and not in the
// cost.
func (m *Meter) PersonHistory(ctx context.Context, personID, from, to string) ([]DaySum, error) {
	return report(ctx, m, "a person's history", `
		SELECT u.day, `+sums+` FROM usage_daily u
		WHERE u.scope = 'person' AND u.subject = $3 AND u.day BETWEEN $1 AND $2
		GROUP BY u.day ORDER BY u.day`, from, to,
		func(s *DaySum) []any { return append([]any{&s.Day}, s.fields()...) }, personID)
}

// Spenders adds up each person over some days, the largest cost first, then the most tokens. What
// credit paid for is in the tokens and not in the cost.
func (m *Meter) Spenders(ctx context.Context, from, to string) ([]PersonSum, error) {
	return report(ctx, m, "spenders", `
		SELECT u.subject, COALESCE(MAX(p.name), ''), `+sums+`
		FROM usage_daily u LEFT JOIN people p ON p.id = u.subject
		WHERE u.scope = 'person' AND u.day BETWEEN $1 AND $2
		GROUP BY u.subject ORDER BY SUM(u.cost) DESC, SUM(u.tokens) DESC, u.subject`, from, to,
		func(s *PersonSum) []any { return append([]any{&s.PersonID, &s.Name}, s.fields()...) })
}

// ModelsUsed adds up each model over some days, the largest cost first, then the most tokens.
func (m *Meter) ModelsUsed(ctx context.Context, from, to string) ([]ModelSum, error) {
	return report(ctx, m, "models used", `
		SELECT u.model, `+sums+` FROM usage_daily u
		WHERE u.scope = 'ceiling' AND u.subject = '*' AND u.model <> '*' AND u.day BETWEEN $1 AND $2
		GROUP BY u.model ORDER BY SUM(u.cost) DESC, SUM(u.tokens) DESC, u.model`, from, to,
		func(s *ModelSum) []any { return append([]any{&s.Model}, s.fields()...) })
}

// report runs a query over a range of days and scans each row into the fields that a T gives; further
// arguments follow the two days.
func report[T any](ctx context.Context, m *Meter, name, query, from, to string, fields func(*T) []any, further ...any) ([]T, error) {
	for _, day := range []string{from, to} {
		if _, err := dayStart(day); err != nil {
			return nil, err
		}
	}
	rows, err := m.store.Read().QueryContext(ctx, query, append([]any{from, to}, further...)...)
	all, err := collect(rows, err, func(r *sql.Rows) (T, error) {
		var one T
		err := r.Scan(fields(&one)...)
		return one, err
	})
	if err != nil {
		return nil, fmt.Errorf("report %s: %w", name, err)
	}
	return all, nil
}

package meter

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
)

// refusalRecord is a refusal's figures as they stand in the log.
type refusalRecord struct {
	Figures
	Detail string `json:"detail,omitempty"`
}

// maxForeign is how much of a caller's own words, a User-Agent or a model's name, the log keeps, in bytes.
const maxForeign = 120

// foreign keeps of a caller's words what can be stored and shown: PostgreSQL takes no NUL.
func foreign(s string) string {
	s = strings.ToValidUTF8(s[:min(len(s), maxForeign)], "")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, s)
}

// LogRefusal notes a refusal, with its figures and never an address or a prompt.
func (m *Meter) LogRefusal(ctx context.Context, r *Refusal) error {
	figures, err := json.Marshal(refusalRecord{r.Figures, r.Detail})
	if err != nil {
		return fmt.Errorf("encode refusal: %w", err)
	}
	err = m.store.Write(ctx, func(ctx context.Context, tx Tx) error {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO refusals (at, day, reason, person, person_name, model, tool, request, figures, resets_at, times)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
			millis(r.At), Day(r.At), r.Reason, r.PersonID, r.Person, foreign(r.Model), foreign(r.Tool), r.RequestID,
			string(figures), nullMillis(r.ResetsAt), max(r.Times, 1))
		return err
	})
	if err != nil {
		return fmt.Errorf("log refusal: %w", err)
	}
	return nil
}

// RefusalFilter chooses refusals; empty fields choose all.
type RefusalFilter struct {
	PersonID string
	Model    string
	Reason   Reason
	Before   int64 // only those with a smaller Seq, to read on from an earlier answer
	Limit    int   // 100 if zero
}

// Refusals reads the log, the newest first.
func (m *Meter) Refusals(ctx context.Context, f RefusalFilter) ([]Refusal, error) {
	if f.Limit == 0 {
		f.Limit = 100
	}
	rows, err := m.store.Read().QueryContext(ctx, `
		SELECT r.seq, r.at, r.reason, r.person, COALESCE(p.name, r.person_name), r.model, r.tool, r.request, r.figures, r.resets_at, r.times
		FROM refusals r LEFT JOIN people p ON p.id = r.person
		WHERE ($1 = '' OR r.person = $1) AND ($2 = '' OR r.model = $2) AND ($3 = '' OR r.reason = $3)
			AND (CAST($4 AS BIGINT) = 0 OR r.seq < $4)
		ORDER BY r.seq DESC LIMIT $5`, f.PersonID, f.Model, f.Reason, f.Before, f.Limit)
	all, err := collect(rows, err, func(r *sql.Rows) (Refusal, error) {
		var no Refusal
		var at int64
		var resets sql.NullInt64
		var text string
		err := r.Scan(&no.Seq, &at, &no.Reason, &no.PersonID, &no.Person, &no.Model, &no.Tool, &no.RequestID, &text, &resets, &no.Times)
		if err != nil {
			return no, err
		}
		var record refusalRecord
		if err := json.Unmarshal([]byte(text), &record); err != nil {
			return no, fmt.Errorf("decode refusal %d: %w", no.Seq, err)
		}
		no.At, no.ResetsAt = fromMillis(at), fromNullMillis(resets)
		no.Figures, no.Detail = record.Figures, record.Detail
		return no, nil
	})
	if err != nil {
		return nil, fmt.Errorf("read refusals: %w", err)
	}
	return all, nil
}

package soak

import (
	"database/sql"
	"fmt"
	"testing"

	"perdiem/testing/harness"
)

// line is what the ledger says of one request: that it was held, and each end of that.
type line struct {
	request, person string
	ends            []end
}

type end struct {
	verb, provenance        string
	requests, input, output int64
}

// ledger is everything that was held, by the gateway's id of the request, and by person in order.
type ledger struct {
	byRequest map[string]*line
	byPerson  map[string][]*line
}

// readLedger reads the books from outside of the gateway.
func readLedger(t *testing.T, data string) ledger {
	t.Helper()
	l := ledger{map[string]*line{}, map[string][]*line{}}
	harness.Books(t, data, func(db *sql.DB) error {
		rows, err := db.QueryContext(t.Context(), `
			SELECT verb, request, person, provenance, requests, input, output FROM ledger
			WHERE verb IN ('reserve', 'settle', 'release', 'expire', 'correct') ORDER BY seq`)
		if err != nil {
			return fmt.Errorf("reading the ledger: %w", err)
		}
		defer rows.Close()
		for rows.Next() {
			var request, person string
			var e end
			if err := rows.Scan(&e.verb, &request, &person, &e.provenance, &e.requests, &e.input, &e.output); err != nil {
				return fmt.Errorf("reading the ledger: %w", err)
			}
			if e.verb == "reserve" {
				if l.byRequest[request] != nil {
					t.Errorf("%s was held twice", request)
				}
				one := &line{request: request, person: person}
				l.byRequest[request], l.byPerson[person] = one, append(l.byPerson[person], one)
			} else if one := l.byRequest[request]; one != nil {
				one.ends = append(one.ends, e)
			} else {
				t.Errorf("%s ended, and was never held", request)
			}
		}
		return rows.Err()
	})
	return l
}

// match finds each call's line. Most callers were told the request's id. A few left before any header,
// or lost the gateway: each caller makes one call after the other, so that theirs are the lines that are
// left between those of the calls around them. Of two such calls, those that reached the provider were
// held for certain.
func (l ledger) match(calls []*call, person string) (map[*call]*line, error) {
	found := map[*call]*line{}
	lines := l.byPerson[person]
	var unknown []*call
	claim := func(until int) error {
		between := lines[:until]
		if len(between) != len(unknown) { // else each was held
			reached := unknown[:0:0]
			for _, c := range unknown {
				if len(c.visits) > 0 {
					reached = append(reached, c)
				}
			}
			unknown = reached
		}
		if len(between) != len(unknown) {
			return fmt.Errorf("%d calls reached the provider unseen by their caller, and the ledger has %d", len(unknown), len(between))
		}
		for i, c := range unknown {
			found[c] = between[i]
		}
		unknown = nil
		return nil
	}
	for _, c := range calls {
		if c.requestID == "" {
			unknown = append(unknown, c)
			continue
		}
		one := l.byRequest[c.requestID]
		if one == nil {
			continue // refused, or free
		}
		found[c] = one
		for i, other := range lines {
			if other == one {
				if err := claim(i); err != nil {
					return nil, fmt.Errorf("before %s: %w", c.requestID, err)
				}
				lines = lines[i+1:]
				break
			}
		}
	}
	return found, claim(len(lines))
}

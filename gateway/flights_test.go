package gateway_test

import (
	"database/sql"
	"testing"
	"time"

	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
)

// What a provider took it bills, though this process should die before its reply begins.
func TestThatAProviderTookACallIsKnownBeforeItsReplyBegins(t *testing.T) {
	for name, body := range map[string]string{
		"whole":    ask(model),
		"streamed": askWith(`,"stream":true`),
	} {
		t.Run(name, func(t *testing.T) {
			h, _, pass := house(t)
			gate := fakeprovider.NewGate()
			h.Upstream.Next(fakeprovider.Chat{}.Held(1, gate)) // with its head, less than a word of the body
			answer := h.Begin(pass, model, harness.Question{Body: body})
			gate.Await(t, 1)
			look := time.NewTicker(2 * time.Millisecond)
			defer look.Stop()
			late := time.After(20 * time.Second)
			for accepted := 0; accepted == 0; {
				harness.Books(t, h.Data, func(db *sql.DB) error {
					return db.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM holds WHERE state = 'open' AND accepted = 1`).Scan(&accepted)
				})
				select {
				case <-look.C:
				case <-late:
					t.Error("the books do not know it")
					accepted = -1
				}
			}
			gate.Open()
			answer().WantStatus(t, 200)
			h.AtRest()
		})
	}
}

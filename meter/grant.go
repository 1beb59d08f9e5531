package meter

import (
	"context"
	"fmt"
)

// Grant gives a person more of a model, today only; it adds to earlier grants and admits even to
// a model that is not allowed.
func (m *Meter) Grant(ctx context.Context, personID, model string, requests, tokens int64) error {
	if requests < 0 || tokens < 0 || requests > maxTokens || tokens > maxTokens || requests+tokens == 0 {
		return fmt.Errorf("grant of %d requests and %d tokens: %w", requests, tokens, ErrInvalid)
	}
	if model == "" || model == AnyModel {
		return fmt.Errorf("a grant is for one model: %w", ErrInvalid)
	}
	err := m.store.Write(ctx, func(ctx context.Context, tx Tx) error {
		if err := mustHaveHolder(ctx, tx, Holder{ForPerson, personID}); err != nil {
			return err
		}
		return m.book(ctx, tx, entry{
			verb: verbGrant, person: personID, model: model, day: Day(m.now()),
			changes: []change{{budget: budget{ScopePerson, personID, model, Day(m.now())}, Granted: Amount{Requests: requests, Tokens: tokens}}},
		})
	})
	if err != nil {
		return fmt.Errorf("grant: %w", err)
	}
	return nil
}

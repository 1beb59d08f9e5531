package live_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"perdiem/meter"
	"perdiem/providers/check"
	"perdiem/providers/registry"
	"perdiem/ui/live"
)

func TestErrorsAreToldInPlainWords(t *testing.T) {
	for want, err := range map[string]error{
		"":                                       nil,
		`A person named "Ada" is there already.`: fmt.Errorf("add person: %w", fmt.Errorf("a person named %q: %w", "Ada", meter.ErrExists)),
		"The name is empty.":                     fmt.Errorf("the name is empty: %w", meter.ErrInvalid),
		"The address must begin with http:// or https:// and name a host.": fmt.Errorf("adding p: %w", fmt.Errorf("the address must begin with http:// or https:// and name a host: %w", registry.ErrInvalid)),
		`Provider "p" is gone; somebody may have removed it.`:              fmt.Errorf("adding a key: %w", fmt.Errorf("provider %q: %w", "p", registry.ErrNotFound)),
		"The key does not work": fmt.Errorf("listing the models of p: %w", &check.Problem{Message: "the key does not work"}),
		"This took too long and was given up. Nothing was changed, as far as we know; look before you try again.": fmt.Errorf("x: %w", context.DeadlineExceeded),
		"Disk is full": errors.New("disk is full"),
	} {
		if got := live.Plain(err); got != want {
			t.Errorf("Plain(%v) = %q, want %q", err, got, want)
		}
	}
}

package gateway

import (
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/sony/gobreaker/v2"
)

// When a provider is taken to be down, and for how long it is then left alone before one call tries
// it again.
const (
	failuresInARow = 10
	leftAlone      = 15 * time.Second
)

// errProviderFailed tells the breaker of a failure that was the provider's.
var errProviderFailed = errors.New("the provider failed")

// breakers keep calls from piling up on providers that are down.
type breakers struct {
	mu  sync.Mutex
	all map[string]*gobreaker.TwoStepCircuitBreaker[struct{}]
}

func (b *breakers) of(provider string) *gobreaker.TwoStepCircuitBreaker[struct{}] {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.all == nil {
		b.all = map[string]*gobreaker.TwoStepCircuitBreaker[struct{}]{}
	}
	br := b.all[provider]
	if br == nil {
		br = gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
			Name: provider, Timeout: leftAlone,
			ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= failuresInARow },
		})
		b.all[provider] = br
	}
	return br
}

// checkBreaker refuses at once what would only wait for a provider that is down.
func (c *call) checkBreaker() error {
	if c.g.breakers.of(c.target.Provider.Name).State() != gobreaker.StateOpen {
		return nil
	}
	no := c.no(ProviderDown, "The provider of "+c.title()+" has failed many times in a row. It is left alone for a moment.")
	no.Figures.RetryAfterMSec = leftAlone.Milliseconds()
	return no
}

// providerFailed tells whether an answer, or its lack, was the provider's failure.
func providerFailed(resp *http.Response, err error) error {
	if err != nil || resp.StatusCode >= http.StatusInternalServerError {
		return errProviderFailed
	}
	return nil
}

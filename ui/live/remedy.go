package live

import (
	"context"
	"errors"
	"fmt"
	"math"

	"perdiem/meter"
)

// Remedy is what one click does about a refusal: more of one unit. To is the new limit for good, Grant the extra for today.
type Remedy struct {
	Tokens bool // else requests
	To     int64
	Grant  int64
}

// RemedyDesk is what a remedy reads and writes.
type RemedyDesk interface {
	FindPerson(ctx context.Context, nameOrID string) (meter.Person, error)
	Standings(ctx context.Context, people []meter.Person, models []string) ([]meter.Standing, error)
	SetAllowance(ctx context.Context, a meter.Allowance) error
	Grant(ctx context.Context, personID, model string, requests, tokens int64) error
}

// ErrEnough is the answer to a raise that would lower: the limit was raised since the refusal.
var ErrEnough = errors.New("the limit has been raised since; nothing was changed")

// RaiseFor gives the refused person an allowance of their own, so high that the refused request would pass.
func RaiseFor(ctx context.Context, desk RemedyDesk, r Refusal) error {
	if r.Raise == nil {
		return fmt.Errorf("raise: no allowance stood in the way: %w", meter.ErrInvalid)
	}
	person, err := desk.FindPerson(ctx, r.PersonID)
	if err != nil {
		return err
	}
	standings, err := desk.Standings(ctx, []meter.Person{person}, []string{r.Model})
	if err != nil {
		return err
	}
	limits := base(standings[0])
	limit := &limits.Requests
	if r.Raise.Tokens {
		limit = &limits.Tokens
	}
	if *limit == nil || **limit >= r.Raise.To {
		return ErrEnough
	}
	*limit = &r.Raise.To
	return desk.SetAllowance(ctx, meter.Allowance{Holder: meter.Holder{Kind: meter.ForPerson, ID: r.PersonID}, Model: r.Model, Limits: limits})
}

// GrantFor gives the refused person what was missing, for today alone.
func GrantFor(ctx context.Context, desk RemedyDesk, r Refusal) error {
	switch {
	case r.Raise == nil:
		return fmt.Errorf("grant: no allowance stood in the way: %w", meter.ErrInvalid)
	case r.Raise.Tokens:
		return desk.Grant(ctx, r.PersonID, r.Model, 0, r.Raise.Grant)
	}
	return desk.Grant(ctx, r.PersonID, r.Model, r.Raise.Grant, 0)
}

// base is what a standing's limits are without today's grants.
func base(s meter.Standing) meter.Limits {
	less := func(limit *int64, granted int64) *int64 {
		if limit == nil {
			return nil
		}
		n := max(0, *limit-granted)
		return &n
	}
	return meter.Limits{Requests: less(s.MaxRequests, s.GrantedRequests), Tokens: less(s.MaxTokens, s.GrantedTokens)}
}

// remedy works out the smallest round figures with which the refused request would pass, and at least half as much
// again; nil where no allowance of a person stood in the way.
func remedy(r meter.Refusal) *Remedy {
	f := r.Figures
	switch {
	case r.PersonID == "":
		return nil
	case r.Reason == meter.DailyTokenLimit && f.MaxTokens != nil:
		return remedyFor(true, f.UsedTokens+f.HeldTokens+f.NeededTokens, *f.MaxTokens)
	case r.Reason == meter.DailyRequestLimit && f.MaxRequests != nil:
		return remedyFor(false, f.UsedRequests+f.HeldRequests+1, *f.MaxRequests)
	}
	return nil
}

func remedyFor(tokens bool, needed, limit int64) *Remedy {
	to := round(max(needed, limit+limit/2, limit+1))
	return &Remedy{Tokens: tokens, To: to, Grant: to - limit}
}

// round rounds up to two significant digits, so that the figure on a button is one that a person would type.
func round(n int64) int64 {
	if n < 10 {
		return n
	}
	step := int64(math.Pow10(int(math.Log10(float64(n))) - 1))
	return (n + step - 1) / step * step
}

// Unit names what a remedy gives.
func (r Remedy) Unit() string {
	if r.Tokens {
		return "tokens"
	}
	return "requests"
}

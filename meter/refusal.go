package meter

import (
	"errors"
	"time"
)

// Reason is why a request was refused. The gateway has further ones for its own gates.
type Reason string

// The meter's own reasons.
const (
	PersonSuspended   Reason = "PERSON_SUSPENDED"
	ModelNotAllowed   Reason = "MODEL_NOT_ALLOWED"
	RateLimit         Reason = "RATE_LIMIT"
	DailyRequestLimit Reason = "DAILY_REQUEST_LIMIT"
	DailyTokenLimit   Reason = "DAILY_TOKEN_LIMIT"
	DailyCostLimit    Reason = "DAILY_COST_LIMIT"
	TeamCeiling       Reason = "TEAM_CEILING"
	KeysSpent         Reason = "KEYS_SPENT"
	PriceUnknown      Reason = "PRICE_UNKNOWN" // money is limited and the model has no price
)

// Daily tells whether the refusal ends when the day does.
func (r Reason) Daily() bool {
	switch r {
	case DailyRequestLimit, DailyTokenLimit, DailyCostLimit, TeamCeiling, KeysSpent:
		return true
	}
	return false
}

// Figures are the numbers behind a refusal, of the first budget that had no room.
type Figures struct {
	Scope          Scope  `json:"scope,omitempty"`
	UsedRequests   int64  `json:"usedRequests"`
	HeldRequests   int64  `json:"heldRequests"`
	MaxRequests    *int64 `json:"maxRequests"`
	UsedTokens     int64  `json:"usedTokens"`
	HeldTokens     int64  `json:"heldTokens"`
	MaxTokens      *int64 `json:"maxTokens"`
	NeededTokens   int64  `json:"neededTokens"`
	UsedCost       int64  `json:"usedCostMicroUSD"`
	HeldCost       int64  `json:"heldCostMicroUSD"`
	MaxCost        *int64 `json:"maxCostMicroUSD"`
	NeededCost     int64  `json:"neededCostMicroUSD"`
	MaxPerMinute   int64  `json:"maxPerMinute,omitempty"`
	NeverFits      bool   `json:"neverFits,omitempty"`    // not even a fresh day has room for this request
	OthersLeft     bool   `json:"othersLeft,omitempty"`   // the person may go on with another model today
	Of             string `json:"of,omitempty"`           // what a rate is of: requests, tokens, images
	RetryAfterMSec int64  `json:"retryAfterMs,omitempty"` // of a rate: the true wait
}

// Refusal is a "no" that says why and when it ends. It is an error, and the one type in which a
// reason and its figures travel from any gate to the caller, the log and the screens.
type Refusal struct {
	Seq       int64 // its place in the log
	At        time.Time
	Reason    Reason
	Detail    string // what exactly was wrong, where the reason alone does not tell; never a prompt
	PersonID  string // empty for a guest or an unknown caller
	Person    string
	Model     string
	Times     int64  // how many such there were, where several are one entry; else 0
	Tool      string // what the caller says it is: the start of its User-Agent
	RequestID string
	ResetsAt  *time.Time // when a daily refusal ends
	Figures   Figures
}

func (r *Refusal) Error() string { return string(r.Reason) + ": " + r.Words(r.At, r.Model) }

// RetryAfter is how long the caller has to wait at now; zero if waiting does not help.
func (r *Refusal) RetryAfter(now time.Time) time.Duration {
	if r.ResetsAt != nil {
		return max(r.ResetsAt.Sub(now), 0)
	}
	return time.Duration(r.Figures.RetryAfterMSec) * time.Millisecond
}

// refuse begins a refusal without figures.
func (m *Meter) refuse(reason Reason, now time.Time) *Refusal {
	r := &Refusal{At: now, Reason: reason}
	if reason.Daily() {
		at := ResetsAt(now)
		r.ResetsAt = &at
	}
	return r
}

// addressed fills in whose request a refusal answers.
func (m *Meter) addressed(err error, r Request) error {
	if no, ok := asRefusal(err); ok {
		no.PersonID, no.Model, no.RequestID = r.PersonID, r.Model, r.ID
	}
	return err
}

// asRefusal finds a refusal in an error's chain.
func asRefusal(err error) (*Refusal, bool) {
	var no *Refusal
	ok := errors.As(err, &no)
	return no, ok
}

func (m *Meter) refuseShort(s *shortfall, now time.Time) *Refusal {
	no := m.refuse(s.reason, now)
	no.Figures = s.figures
	return no
}

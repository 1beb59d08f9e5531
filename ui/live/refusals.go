package live

import (
	"context"
	"strings"
	"time"

	"perdiem/gateway"
	"perdiem/meter"
)

// RefusalBooks is what the page of refusals reads.
type RefusalBooks interface {
	Refusals(ctx context.Context, f meter.RefusalFilter) ([]meter.Refusal, error)
}

// Refusal is a "no" as the owner sees it, with what may be done about it.
type Refusal struct {
	meter.Refusal
	Who    string
	Why    string // the reason in a few words
	Raise  *Remedy
	GiveUp *time.Time // when it ends by itself; nil if waiting does not help
}

// pageSize is how many refusals are read at once.
const pageSize = 200

// ReadRefusals reads the newest refusals that match f.
func ReadRefusals(ctx context.Context, books RefusalBooks, f meter.RefusalFilter) ([]Refusal, error) {
	f.Limit = pageSize
	found, err := books.Refusals(ctx, f)
	if err != nil {
		return nil, err
	}
	all := make([]Refusal, len(found))
	for i, r := range found {
		all[i] = refusalOf(r)
	}
	return all, nil
}

func refusalOf(r meter.Refusal) Refusal {
	v := Refusal{Refusal: r, Who: r.Person, Why: Reason(r.Reason), GiveUp: r.ResetsAt}
	if v.Who == "" {
		v.Who = "Guest"
		if r.Reason == gateway.PassInvalid || r.Reason == gateway.PassRequired || r.Reason == gateway.PassThrottled {
			v.Who = "Unknown"
		}
	}
	if wait := r.RetryAfter(r.At); v.GiveUp == nil && wait > 0 {
		at := r.At.Add(wait)
		v.GiveUp = &at
	}
	v.Raise = remedy(r)
	return v
}

// Ends writes when the refusal ends, at now.
func (r Refusal) Ends(now time.Time) string {
	switch {
	case r.Figures.NeverFits:
		return "fits no day"
	case r.GiveUp == nil:
		return "until changed"
	case !now.Before(*r.GiveUp):
		return "over"
	}
	return "in " + Remaining(r.GiveUp.Sub(now))
}

// Reason puts a reason in a few words.
func Reason(r meter.Reason) string {
	if words, ok := reasons[r]; ok {
		return words
	}
	return string(r) // a reason of a newer version in the log is still better named than hidden
}

var reasons = map[meter.Reason]string{
	gateway.ForeignHost:           "Call under a foreign host name",
	gateway.BodyTooLarge:          "Request too large",
	gateway.MemoryTaken:           "Too many large requests at once",
	gateway.ModelNotFound:         "No such model",
	gateway.PassRequired:          "No pass given",
	gateway.PassInvalid:           "Pass not valid",
	gateway.PassThrottled:         "Too many bad passes from one network",
	meter.PersonSuspended:         "Person suspended",
	meter.ModelNotAllowed:         "Model not allowed",
	gateway.ProviderNotConfigured: "Provider has no usable key",
	gateway.ProviderDown:          "Provider is down, and left alone",
	gateway.DialectNotServed:      "Provider does not speak this dialect",
	meter.RateLimit:               "Too many a minute",
	gateway.InvalidRequest:        "Request not valid",
	gateway.ContextLimit:          "Prompt too long for the model",
	meter.InProgress:              "Same request still running",
	meter.KeyReused:               "Idempotency key used twice",
	meter.AnswerNotKept:           "Answered before, too long to be kept",
	gateway.ObjectNotFound:        "No such stored response",
	meter.DailyRequestLimit:       "Out of today's requests",
	meter.DailyTokenLimit:         "Out of today's tokens",
	meter.DailyCostLimit:          "Out of today's money",
	meter.TeamCeiling:             "Team ceiling reached",
	meter.KeysSpent:               "Provider keys spent for today",
	gateway.BodyEncoded:           "Body compressed in an unknown way",
	gateway.Closing:               "The gateway was closing",
	meter.PriceUnknown:            "Price of the model unknown",
	gateway.MeterUnavailable:      "The books could not be written",
}

// MatchingRefusals are those whose person, model, tool or reason has the words looked for, in any case.
func MatchingRefusals(all []Refusal, words string) []Refusal {
	return Matching(all, words, func(r Refusal) string { return r.Who + " " + r.Model + " " + r.Tool + " " + r.Why })
}

// FigureWords writes the figures behind a refusal and the tool that asked, as far as there are any.
func (r Refusal) FigureWords() string {
	f := r.Figures
	var lines []string
	add := func(b Budget, unit string) {
		if b.Max == nil {
			return
		}
		line := b.Words() + " " + unit
		if b.Held > 0 {
			line += ", " + meter.Group(b.Held) + " more held"
		}
		lines = append(lines, line)
	}
	add(Budget{f.UsedRequests, f.HeldRequests, f.MaxRequests}, "requests")
	add(Budget{f.UsedTokens, f.HeldTokens, f.MaxTokens}, "tokens")
	if f.MaxCost != nil {
		lines = append(lines, meter.Dollars(f.UsedCost)+" of "+meter.Dollars(*f.MaxCost))
	}
	if f.NeededTokens > 0 && f.MaxTokens != nil {
		lines = append(lines, "needed about "+meter.Group(f.NeededTokens)+" tokens")
	}
	if r.Tool != "" {
		lines = append(lines, "asked by "+r.Tool)
	}
	return strings.Join(lines, "\n")
}

// Advice says what to do about a refusal that no button ends.
func (r Refusal) Advice() string {
	if r.Raise != nil {
		return ""
	}
	switch r.Reason {
	case meter.ModelNotAllowed:
		return "Set an allowance for this person, their tier or everyone on the page Allowances."
	case meter.TeamCeiling:
		return "The team's ceiling holds for everybody; raise it to go on today."
	case meter.KeysSpent, gateway.ProviderNotConfigured:
		return "Add another key, or replace the one there is, on the page Models & providers."
	case gateway.PassInvalid, gateway.PassRequired:
		return "Give the caller a pass on the page People. A pass is shown once; a lost one is replaced."
	case gateway.ModelNotFound:
		return "Import the model on the page Models & providers, or have the caller name one that is there."
	}
	return ""
}

package gateway

import (
	"errors"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"perdiem/meter"
)

// refusal is the meter's refusal and the field of the request that it is about.
type refusal struct {
	*meter.Refusal
	param string
}

func (r *refusal) Unwrap() error { return r.Refusal }

// no begins a refusal of this call. The detail is told to the caller where the reason alone does
// not say it all.
func (c *call) no(reason meter.Reason, detail string) *refusal {
	return c.address(&meter.Refusal{At: c.g.now(), Reason: reason, Detail: detail})
}

// address fills in whose call a refusal answers.
func (c *call) address(no *meter.Refusal) *refusal {
	no.PersonID, no.Person, no.RequestID, no.Tool = c.person.ID, c.person.Name, c.id, meter.WithoutPasses(c.r.UserAgent())
	no.Model, no.Detail = c.target.Model.ID, meter.WithoutPasses(no.Detail)
	if no.Model == "" {
		no.Model = meter.WithoutPasses(shorten(c.facts.Model))
	}
	return &refusal{Refusal: no, param: paramOf(no.Reason)}
}

func paramOf(r meter.Reason) string {
	switch r {
	case ModelNotFound, meter.ModelNotAllowed, meter.DailyRequestLimit, meter.DailyTokenLimit, meter.DailyCostLimit,
		meter.TeamCeiling, meter.KeysSpent, meter.PriceUnknown:
		return "model"
	case ContextLimit:
		return "messages"
	}
	return ""
}

// refuse answers with the refusal in err. Any other error means that the books could not be read
// or written, and then the provider is not called: fail closed.
func (c *call) refuse(err error) {
	if errors.Is(err, c.r.Context().Err()) && c.r.Context().Err() != nil {
		panic(http.ErrAbortHandler) // the caller left; if they only say so, an empty answer would look like a good one
	}
	var no *refusal
	if !errors.As(err, &no) {
		c.log.Error("the meter is unavailable", "error", err)
		no = c.no(MeterUnavailable, "The gateway cannot write its books at the moment, so it does not spend. Please tell its owner.")
	}
	no.Figures.OthersLeft = c.othersLeft(no)
	if no.Reason == MeterUnavailable {
		c.answerFirst(no)
		return
	}
	c.logRefusal(no)
	c.writeRefusal(no)
}

// answerFirst answers before it logs, and as the last of its connection: what the books have to wait for, the caller and
// their next request need not.
func (c *call) answerFirst(no *refusal) {
	c.w.Header().Set("Connection", "close")
	c.writeRefusal(no)
	_ = http.NewResponseController(c.w).Flush() // a caller who left is nobody to tell
	c.logRefusal(no)
}

// othersLeft tells whether a person whose allowance on one model is out has another to go on with.
func (c *call) othersLeft(no *refusal) bool {
	if c.person.ID == "" || no.Figures.Scope != meter.ScopePerson {
		return false
	}
	models, err := c.g.Catalogue.Models(c.r.Context())
	if err != nil {
		return false
	}
	standings, err := c.standings(models)
	return err == nil && slices.ContainsFunc(standings, func(s meter.Standing) bool {
		return s.Model != no.Model && s.Allowed() && s.Left()
	})
}

// logRefusal notes the refusal; a caller is answered even if that fails.
func (c *call) logRefusal(no *refusal) {
	c.log.Info("refused", "reason", no.Reason, "person", no.PersonID, "model", no.Model)
	c.g.Observer.Refused(c.target.Model.ID, no.Reason)
	now, rows := c.g.floods.note(no.Refusal, no.At)
	if now {
		rows = append(rows, no.Refusal)
	}
	ctx, cancel := c.booksContext()
	defer cancel()
	if err := c.g.logRows(ctx, rows); err != nil {
		c.log.Error("a refusal could not be logged", "error", err)
	}
}

// refusalFigures stand beside the error in every dialect.
type refusalFigures struct {
	Reason       meter.Reason `json:"reason"`
	ModelID      string       `json:"modelId,omitempty"`
	MaxPerMinute int64        `json:"maxPerMinute,omitempty"`
	*dailyFigures
	RequestID string `json:"requestId"`
}

// dailyFigures are those of the budget that had no room; a null limit is no limit.
type dailyFigures struct {
	Scope        meter.Scope `json:"scope"`
	UsedRequests int64       `json:"usedRequests"`
	HeldRequests int64       `json:"heldRequests"`
	MaxRequests  *int64      `json:"maxRequests"`
	UsedTokens   int64       `json:"usedTokens"`
	HeldTokens   int64       `json:"heldTokens"`
	MaxTokens    *int64      `json:"maxTokens"`
	NeededTokens int64       `json:"neededTokens"`
	UsedCost     int64       `json:"usedCostMicroUSD"`
	MaxCost      *int64      `json:"maxCostMicroUSD"`
	Fits         bool        `json:"fits"` // whether a fresh day would have room
	ResetsAt     string      `json:"resetsAt"`
}

func (c *call) writeRefusal(no *refusal) {
	now := c.g.now()
	t := told{
		answer: answerTo(no.Reason), message: no.Words(now, c.title()), param: no.param,
		daily: no.Reason.Daily(), wait: no.RetryAfter(now), resetsAt: no.ResetsAt, figures: figures(no.Refusal),
	}
	if t.daily && goesOnAt429(c.r) {
		t.status, t.wait = http.StatusPaymentRequired, 0
	}
	h := c.w.Header()
	h.Set("X-Should-Retry", strconv.FormatBool(t.retry))
	if t.wait > 0 {
		seconds := int64(math.Ceil(t.wait.Seconds()))
		if t.daily {
			seconds = max(seconds, leastDailyWait)
		}
		h.Set("Retry-After", strconv.FormatInt(seconds, 10))
	}
	if f := no.Figures; t.daily {
		c.voice.budget(h, meter.Left{
			Requests: f.UsedRequests + f.HeldRequests, MaxRequests: f.MaxRequests,
			Tokens: f.UsedTokens + f.HeldTokens, MaxTokens: f.MaxTokens,
		}, now)
	}
	tell(c.w, c.voice, t)
}

// leastDailyWait is the shortest Retry-After of a daily refusal, in seconds: below a minute SDKs
// wait and try again by themselves.
const leastDailyWait = 61

// goesOnAt429 names the agents that ask again at any 429, whatever its body and headers say, and sleep
// until midnight at its Retry-After; a 402 stops them at once (docs/tools/measured.md).
func goesOnAt429(r *http.Request) bool { return strings.HasPrefix(r.UserAgent(), "opencode/") }

func figures(no *meter.Refusal) *refusalFigures {
	n := no.Figures
	f := &refusalFigures{Reason: no.Reason, ModelID: no.Model, MaxPerMinute: n.MaxPerMinute, RequestID: no.RequestID}
	if no.ResetsAt == nil {
		return f
	}
	f.dailyFigures = &dailyFigures{
		Scope:        n.Scope,
		UsedRequests: n.UsedRequests, HeldRequests: n.HeldRequests, MaxRequests: n.MaxRequests,
		UsedTokens: n.UsedTokens, HeldTokens: n.HeldTokens, MaxTokens: n.MaxTokens, NeededTokens: n.NeededTokens,
		UsedCost: n.UsedCost, MaxCost: n.MaxCost, Fits: !n.NeverFits, ResetsAt: no.ResetsAt.Format(time.RFC3339),
	}
	return f
}

package meter

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Words tells a person why they were refused and when that ends, at now. Model is the model's name
// as people know it.
//
// The text keeps clear of words on which agents retry by themselves, such as status numbers,
// "rate_limit" and "try again in".
func (r *Refusal) Words(now time.Time, model string) string {
	f := r.Figures
	switch r.Reason {
	case PersonSuspended:
		return "Your pass is suspended. Ask the owner of this gateway to resume it."
	case ModelNotAllowed:
		return model + " is not among the models that you may use here. Ask the owner for an allowance."
	case PriceUnknown:
		return model + " has no price, so it cannot be used under a budget in money. Ask the owner to set its price."
	case InProgress:
		return "The same request, with the same Idempotency-Key, is running at this moment. Its answer will be ready when it ends."
	case KeyReused:
		return "This Idempotency-Key came with another request before. Use a new key for each request."
	case AnswerNotKept:
		return "This request was answered before, at too great a length to keep the answer. Use a new Idempotency-Key to ask again."
	case RateLimit:
		return fmt.Sprintf("More than %s %s a minute. There is room again in %s.", Group(f.MaxPerMinute), cmp.Or(f.Of, "requests"), wait(r.RetryAfter(now)))
	case DailyRequestLimit:
		return r.daily(now, model, "is out of today's requests", Group(f.UsedRequests+f.HeldRequests), f.MaxRequests, "")
	case DailyTokenLimit:
		return r.daily(now, model, "is out of today's tokens", Group(f.UsedTokens+f.HeldTokens), f.MaxTokens, "about "+Group(f.NeededTokens))
	case DailyCostLimit:
		return fmt.Sprintf("Today's budget of %s has no room for this request (%s spent or held; it needs about %s). %s",
			Dollars(deref(f.MaxCost)), Dollars(f.UsedCost+f.HeldCost), Dollars(f.NeededCost), r.ends(now))
	case TeamCeiling:
		return fmt.Sprintf("The team's ceiling for today has no room for %s. %s", model, r.ends(now))
	case KeysSpent:
		return fmt.Sprintf("The provider's keys for %s are spent for today. %s", model, r.ends(now))
	default:
		return r.Detail
	}
}

func (r *Refusal) daily(now time.Time, model, what, stands string, limit *int64, needs string) string {
	figures := fmt.Sprintf("%s of %s", stands, Group(deref(limit)))
	if needs != "" {
		figures += "; this request needs " + needs
	}
	return fmt.Sprintf("%s %s (%s). %s", model, what, figures, r.ends(now))
}

// ends tells when a daily refusal ends, or that waiting is no use.
func (r *Refusal) ends(now time.Time) string {
	if r.Figures.NeverFits {
		return "It would not fit a fresh day either: make the request smaller, or ask the owner for more."
	}
	end := "It resets at 00:00 UTC, in " + wait(r.RetryAfter(now))
	if r.Figures.OthersLeft {
		end += "; your other models are still available"
	}
	return end + "."
}

func deref(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// Group writes a number with its thousands apart: 9,640.
func Group(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	var b strings.Builder
	b.WriteString(sign)
	for i, d := range s {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}

// Dollars writes micro-dollars as people read them: to the cent, or finer where a cent is too coarse.
func Dollars(micro int64) string {
	sign := ""
	if micro < 0 {
		sign, micro = "-", -micro
	}
	whole, rest := Group(micro/tokensPerPrice), micro%tokensPerPrice
	if rest%10_000 == 0 || micro >= 10*tokensPerPrice {
		return fmt.Sprintf("%s$%s.%02d", sign, whole, rest/10_000)
	}
	return sign + "$" + whole + "." + strings.TrimRight(fmt.Sprintf("%06d", rest), "0")
}

// wait writes how long something takes, rounded up to what a person waits for: 5 h 12 min, 3 min, 40 s.
func wait(d time.Duration) string {
	switch {
	case d <= time.Second:
		return "1 s"
	case d < time.Minute:
		return fmt.Sprintf("%d s", int64((d+time.Second-1)/time.Second))
	}
	minutes := int64((d + time.Minute - 1) / time.Minute)
	if minutes < 60 {
		return fmt.Sprintf("%d min", minutes)
	}
	if minutes%60 == 0 {
		return fmt.Sprintf("%d h", minutes/60)
	}
	return fmt.Sprintf("%d h %d min", minutes/60, minutes%60)
}

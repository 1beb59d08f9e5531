package meter

import (
	"math"
	"math/bits"
)

// Counts tells which tokens a person's own allowance on a model counts. Ceilings and keys count
// all tokens whatever this says.
type Counts string

// The ways to count.
const (
	CountTotal    Counts = "total"    // input and output
	CountInput    Counts = "input"    // input only, for models whose output is free
	CountWeighted Counts = "weighted" // output weighed by its price relative to input

	countNothing Counts = "nothing" // of the allowance of a request that credit pays
)

// Price is what a model costs, in micro-dollars per million tokens.
type Price struct {
	Input   int64 `json:"input"`
	Cached  int64 `json:"cached"`            // input that the provider read from its cache
	Written int64 `json:"written,omitempty"` // input that it wrote there; never below Input
	Output  int64 `json:"output"`
}

// Usage is what a request used, in tokens. Input includes Cached and Written.
type Usage struct {
	Input   int64 `json:"input"`
	Cached  int64 `json:"cached,omitempty"`
	Written int64 `json:"written,omitempty"` // only prices it; the ledger has its cost
	Output  int64 `json:"output"`
}

// Provenance is how a settled figure is known.
type Provenance string

// The provenances.
const (
	Reported Provenance = "reported" // by the provider
	Counted  Provenance = "counted"  // by us, from what passed
	Held     Provenance = "held"     // the worst case: what the hold had reserved
)

// Cost is what usage costs in micro-dollars, rounded up once. A nil price costs nothing: such a
// model is refused wherever money is limited.
func (p *Price) Cost(u Usage) int64 {
	if p == nil {
		return 0
	}
	cached := min(u.Cached, u.Input)
	written := min(u.Written, u.Input-cached)
	var hi, lo uint64
	for _, part := range [...][2]int64{
		{u.Input - cached - written, p.Input}, {cached, p.Cached}, {written, max(p.Written, p.Input)}, {u.Output, p.Output},
	} {
		h, l := bits.Mul64(uint64(part[0]), uint64(part[1]))
		var carry uint64
		lo, carry = bits.Add64(lo, l, 0)
		hi, _ = bits.Add64(hi, h, carry)
	}
	lo, carry := bits.Add64(lo, tokensPerPrice-1, 0)
	return quotient(hi+carry, lo, tokensPerPrice)
}

// quotient divides a 128-bit number, saturating at maxCost.
func quotient(hi, lo, by uint64) int64 {
	if hi >= by {
		return maxCost
	}
	q, _ := bits.Div64(hi, lo, by)
	return int64(min(q, maxCost))
}

const (
	tokensPerPrice = 1_000_000
	maxCost        = 1 << 53 // nine billion dollars: beyond any budget, and a thousand of such still add up
)

// tokens is what usage takes of a budget that counts so.
func (c Counts) tokens(u Usage, p *Price) int64 {
	switch {
	case c == CountInput:
		return u.Input
	case c == CountWeighted && p != nil && p.Input > 0:
		return u.Input + mulDiv(u.Output, p.Output, p.Input, p.Input-1)
	default:
		return u.Input + u.Output
	}
}

// mulDiv is (a×b+add)/c without overflow on the way; the result is at most maxCost.
func mulDiv(a, b, c, add int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	lo, carry := bits.Add64(lo, uint64(add), 0)
	return quotient(hi+carry, lo, uint64(c))
}

// amount is what one request with this usage takes of a budget that counts so.
func (c Counts) amount(u Usage, p *Price) Amount {
	if c == countNothing {
		return Amount{}
	}
	return Amount{Requests: 1, Tokens: c.tokens(u, p), Cost: p.Cost(u)}
}

// outputRoom is how many output tokens still fit a budget after the input, given the room left in
// it; ok is false where the input itself does not fit. Where output is not limited, it is noLimit.
func (w want) outputRoom(room Caps, input int64, p *Price) (int64, bool) {
	out := int64(noLimit)
	if room.Tokens != nil {
		left := *room.Tokens - input
		switch {
		case left < 0:
			return 0, false
		case w.counts == CountInput:
		case w.counts == CountWeighted && p != nil && p.Input > 0 && p.Output > 0:
			out = mulDiv(left, p.Input, p.Output, 0)
		default:
			out = left
		}
	}
	if room.CostMicroUSD != nil && p != nil {
		left := *room.CostMicroUSD - p.Cost(Usage{Input: input})
		if left < 0 {
			return 0, false
		}
		if p.Output > 0 {
			// Rounded up once: exactly what is left after the input's unrounded price is divided.
			exact := min(*room.CostMicroUSD, math.MaxInt64/tokensPerPrice)*tokensPerPrice - input*p.Input
			out = min(out, exact/p.Output)
		}
	}
	return out, true
}

// noLimit stands for "as much as you like" where a number of tokens is asked for.
const noLimit = 1 << 40

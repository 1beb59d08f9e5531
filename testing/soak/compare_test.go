package soak

import (
	"errors"
	"fmt"
	"net/http"
)

// totals add up what was compared.
type totals struct {
	calls, refused, replayed, lost int // lost: the gateway was ended meanwhile

	reported, counted, released int
	served, booked              [2]int64 // tokens in and out, of calls that are counted
	exact, difference           int64    // tokens of calls that the provider reported
	lostServed, lostBooked      int64    // output tokens of calls that a restart came across
}

// compare holds one call's line in the ledger against what its provider and its caller saw.
func (sum *totals) compare(c *call, l *line) error {
	sum.calls++
	if err := c.sawWhatItShould(); err != nil && !c.broken {
		return err
	}
	if c.replayed {
		sum.replayed++
	}
	if len(c.visits) == 0 || c.kind.free {
		return sum.compareUnserved(c, l)
	}
	last := c.visits[len(c.visits)-1]
	if l == nil {
		return errors.New("it reached the provider, and was never held")
	}
	if len(l.ends) != 1 {
		return fmt.Errorf("its hold ended %d times", len(l.ends))
	}
	e := l.ends[0]
	if c.broken || c.lostAlone(e) {
		return sum.compareLost(last, e)
	}
	switch last.want {
	case nothing:
		sum.released++
		if e != (end{verb: "release"}) {
			return fmt.Errorf("it was worth nothing, and is booked as %+v", e)
		}
	case reported:
		sum.reported++
		sum.exact += e.input + e.output
		sum.difference += abs(e.input-c.prompt) + abs(e.output-last.output)
		if e != (end{"settle", "reported", 1, c.prompt, last.output}) {
			return fmt.Errorf("the provider reported %d + %d, and booked is %+v", c.prompt, last.output, e)
		}
	default:
		sum.counted++
		for i, of := range [2]int64{c.prompt, last.output} {
			sum.served[i] += of
		}
		sum.booked[0], sum.booked[1] = sum.booked[0]+e.input, sum.booked[1]+e.output
		if e.verb != "settle" || e.provenance != "counted" || e.requests != 1 || e.input < c.prompt-idTokens || e.input > 2*c.prompt+60 || !near(e.output, last.output) {
			return fmt.Errorf("the provider served %d + %d, and counted is %+v", c.prompt, last.output, e)
		}
	}
	return nil
}

// compareUnserved is for calls that the provider never saw, or that cost nothing.
func (sum *totals) compareUnserved(c *call, l *line) error {
	if refusals[c.status] {
		sum.refused++
	}
	if l == nil {
		return nil
	}
	if len(l.ends) != 1 || l.ends[0].requests != 0 || l.ends[0].input+l.ends[0].output != 0 {
		return fmt.Errorf("nothing was served, and booked is %+v", l.ends)
	}
	sum.released++
	return nil
}

// lostAlone tells whether the gateway was ended while it read a reply on whose caller had left, and so could not tell: what it held
// the next one ended.
func (c *call) lostAlone(e end) bool {
	return c.kind.act == leaves && !c.stream && c.serves.over && e.verb == "expire"
}

// compareLost is for calls in whose middle the gateway was ended: what it had noted is booked, never
// more than was served, and no call is booked twice.
func (sum *totals) compareLost(last *visit, e end) error {
	sum.lost++
	sum.lostServed, sum.lostBooked = sum.lostServed+last.output, sum.lostBooked+e.output
	if e.requests > 1 || e.output > last.output && !near(e.output, last.output) {
		return fmt.Errorf("the gateway was ended in its middle; the provider served %d, and booked is %+v", last.output, e)
	}
	return nil
}

func abs(n int64) int64 { return max(n, -n) }

// near tells whether our own count is right: it is a cheap one that may be a little above, never below.
func near(counted, served int64) bool {
	return counted >= served && counted <= served+1+served/10
}

// refusals are the statuses of a gateway that says no.
var refusals = map[int]bool{http.StatusUnauthorized: true, http.StatusForbidden: true, http.StatusTooManyRequests: true}

// sawWhatItShould tells whether the caller got an answer that fits what happened.
func (c *call) sawWhatItShould() error {
	leftAway := c.kind.act == leaves || c.kind.act == leavesHalf
	switch {
	case refusals[c.status], c.status == http.StatusNotFound && c.model == limited, c.kind.model == flaky || c.kind.model == fallsOn || c.kind.model == vanished:
		return nil // limits change all the time; a flaky provider is left alone now and then
	case c.kind.status != 0 && c.status != c.kind.status:
		return fmt.Errorf("status %d, want %d", c.status, c.kind.status)
	case c.kind.status != 0 || c.kind.pass != nil || c.kind.free || c.replayed:
		return nil
	case len(c.visits) == 0 && c.of == nil:
		return fmt.Errorf("status %d, and the provider never saw it", c.status)
	case c.of != nil:
		return errors.New("it was tried again, and not answered from the books")
	case len(c.visits) > 1:
		return fmt.Errorf("it reached the provider %d times", len(c.visits))
	case !c.kind.fault && (c.status != http.StatusOK || c.err != nil):
		return fmt.Errorf("status %d, with nothing wrong", c.status)
	case leftAway && c.err == nil && c.visits[len(c.visits)-1].ended == "left":
		return errors.New("its caller left, and yet saw the end")
	}
	return nil
}

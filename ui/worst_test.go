package ui

import (
	"testing"

	"perdiem/meter"
)

// bookWorst books a request at what it had reserved.
func (r *rig) bookWorst(p meter.Person, model string, input, output int64) {
	r.t.Helper()
	hold, err := r.books.Reserve(r.t.Context(), meter.Request{ID: "r", PersonID: p.ID, Model: model, Input: input, Output: output, MinOutput: output,
		Counts: meter.CountTotal, Price: &meter.Price{Input: 1_000_000, Output: 1_000_000}})
	r.must(err)
	r.must(r.books.Settle(r.t.Context(), hold.ID, meter.Usage{Input: hold.Input, Output: hold.Output}, meter.Held))
}

func TestWhatWasBookedAtTheWorstCaseIsGivenBackInOneClick(t *testing.T) {
	r := newRig(t)
	r.models("openai/gpt-5")
	amara := r.person("Amara", "")
	r.allow(meter.Holder{Kind: meter.ForEveryone}, "*", 10, 100_000)
	r.open(pageOverview)
	r.notSee("worst case")
	r.bookWorst(amara, "openai/gpt-5", 20_000, 10_000)
	r.bookWorst(amara, "openai/gpt-5", 40_000, 20_000)
	r.settle()
	r.see("Booked at the worst case: 60,000 tokens, $0.06 for Amara on openai/gpt-5")
	r.see("1 more after this one.")
	r.press("Give back")
	r.settle()
	r.see("60,000 tokens, $0.06 given back to Amara.")
	r.see("Booked at the worst case: 30,000 tokens")
	if s := r.standing(amara, "openai/gpt-5"); s.UsedTokens != 30_000 || s.UsedRequests != 1 {
		t.Fatalf("%d tokens and %d requests are booked, want 30,000 and 1", s.UsedTokens, s.UsedRequests)
	}
	r.press("Give back")
	r.settle()
	r.notSee("Booked at the worst case")
}

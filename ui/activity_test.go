package ui

import (
	"fmt"
	"testing"

	"perdiem/meter"
	"perdiem/ui/live"
)

func TestRunningRequestsAreSeenWithTheirTokensAsTheyPass(t *testing.T) {
	r := newRig(t)
	r.gate.flights = []live.Flight{{Person: "Amara", Model: "openai/gpt-5", Tool: "curl/8", Started: afternoon, InputTokens: 1200, OutputTokens: 40}}
	r.open(pageActivity)
	r.see("curl/8")
	r.see("1,200")
	r.see("40")
	r.gate.flights[0].OutputTokens = 57
	r.settle()
	r.see("57")
	r.notSee("40")
}

func TestEveryEndIsSeenWithHowItIsKnown(t *testing.T) {
	r := newRig(t)
	amara := r.person("Amara", "")
	r.allow(meter.Holder{Kind: meter.ForEveryone}, "*", -1, -1)
	r.open(pageActivity)
	r.see("Nobody has called yet")
	r.call(amara, "openai/gpt-5", 1234, 56)
	hold, err := r.books.Reserve(t.Context(), meter.Request{ID: "r2", PersonID: amara.ID, Model: "openai/gpt-5", Input: 9, Output: 9})
	r.must(err)
	r.must(r.books.Release(t.Context(), hold.ID, "the provider was not reached"))
	r.settle()
	r.see("As the provider reported")
	r.see("1,234")
	r.see("Cost nothing")
	r.pages[pageActivity].(*activity).ends.list.Select(0)
	r.see("Cost nothing: the provider was not reached")
}

func TestTheWorstCaseCanBeGivenBackWhereItIsListed(t *testing.T) {
	r := newRig(t)
	amara := r.person("Amara", "")
	r.allow(meter.Holder{Kind: meter.ForEveryone}, "*", -1, 90_000)
	r.bookWorst(amara, "openai/gpt-5", 30_000, 10_000)
	r.open(pageActivity)
	r.see("Worst case")
	r.pages[pageActivity].(*activity).ends.list.Select(0)
	r.press("Give back")
	r.settle()
	r.see("Given back")
	if s := r.standing(amara, "openai/gpt-5"); s.UsedTokens != 0 {
		t.Fatalf("%d tokens are still booked", s.UsedTokens)
	}
	if button(r.screen(), "Give back") != nil {
		t.Fatal("it can be given back once more")
	}
}

func TestActivityIsSearchedAndReadOnWhenScrolled(t *testing.T) {
	r := newRig(t)
	amara, bjorn := r.person("Amara", ""), r.person("Björn", "")
	r.allow(meter.Holder{Kind: meter.ForEveryone}, "*", -1, -1)
	r.call(bjorn, "openai/gpt-5", 777, 1)
	for range endsAtOnce + 20 {
		r.call(amara, "openai/gpt-5", 10, 1)
	}
	r.open(pageActivity)
	a := r.pages[pageActivity].(*activity)
	if len(a.all) != endsAtOnce {
		t.Fatalf("%d ends are read at first, want %d", len(a.all), endsAtOnce)
	}
	a.ends.list.ScrollToBottom()
	r.settle()
	a.ends.list.ScrollToBottom()
	r.see("777")
	r.choose("Perdiem", "Find")
	r.typeText("björn")
	r.settle()
	r.see(fmt.Sprintf("1 of the newest %d", endsAtOnce+21))
	r.see("777")
	r.notSee("Amara")
}

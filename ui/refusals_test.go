package ui

import (
	"testing"
	"time"

	"perdiem/meter"
	"perdiem/ui/live"
)

// refusedRig has one refusal: 9,640 of 10,000 tokens used, 1,200 needed.
func refusedRig(t *testing.T) (*rig, meter.Person) {
	r := newRig(t)
	r.models("openai/gpt-5")
	amara := r.person("Amara", "")
	r.allow(meter.Holder{Kind: meter.ForEveryone}, "openai/gpt-5", -1, 10_000)
	r.call(amara, "openai/gpt-5", 9000, 640)
	r.call(amara, "openai/gpt-5", 800, 400)
	r.open(pageRefusals)
	r.pages[pageRefusals].(*refusals).list.list.Select(0)
	r.settle()
	return r, amara
}

func TestARefusalSaysWhyWithFiguresAndWhenItEnds(t *testing.T) {
	r, _ := refusedRig(t)
	r.see("Out of today's tokens")
	r.see("9,640 of 10,000 tokens")
	r.see("needed about 1,200 tokens")
	r.see("asked by OpenAI/Python")
	r.see("This ends in 5 h 12 min.")
	r.at(afternoon.Add(5*time.Hour + 12*time.Minute + 20*time.Second))
	r.settle()
	r.see("This ends in 28 s.")
	r.at(afternoon.Add(6 * time.Hour))
	r.settle()
	r.see("This is over.")
}

func TestARaiseIsInTheMeterWithOneClick(t *testing.T) {
	r, amara := refusedRig(t)
	r.press("Raise to 15,000 tokens a day")
	r.settle()
	r.see("Amara can go on with openai/gpt-5")
	if s := r.standing(amara, "openai/gpt-5"); *s.MaxTokens != 15_000 || s.From.Holder != someone(amara) {
		t.Fatalf("the meter has %+v", s)
	}
	if _, err := r.books.Reserve(t.Context(), meter.Request{ID: "again", PersonID: amara.ID, Model: "openai/gpt-5", Input: 800, Output: 400, MinOutput: 400, Counts: meter.CountTotal}); err != nil {
		t.Fatalf("the refused request still does not pass: %v", err)
	}
}

func TestARaiseNeverLowersWhatWasRaisedMeanwhile(t *testing.T) {
	r, amara := refusedRig(t)
	r.allow(someone(amara), "openai/gpt-5", -1, 90_000)
	r.press("Raise to 15,000 tokens a day")
	r.settle()
	r.see("raised since")
	if s := r.standing(amara, "openai/gpt-5"); *s.MaxTokens != 90_000 {
		t.Fatalf("the meter has %d tokens, want 90,000", *s.MaxTokens)
	}
}

func TestAGrantFromARefusalLastsForTodayOnly(t *testing.T) {
	r, amara := refusedRig(t)
	r.press("Grant 5,000 more tokens for today")
	r.settle()
	if s := r.standing(amara, "openai/gpt-5"); *s.MaxTokens != 15_000 || s.GrantedTokens != 5000 {
		t.Fatalf("the meter has %+v", s)
	}
	r.at(meter.ResetsAt(afternoon))
	if s := r.standing(amara, "openai/gpt-5"); *s.MaxTokens != 10_000 {
		t.Fatalf("the next day has %d tokens, want 10,000", *s.MaxTokens)
	}
}

func TestASuspendedPersonIsResumedFromTheirRefusal(t *testing.T) {
	r := newRig(t)
	amara := r.person("Amara", "")
	r.must(r.books.SuspendPerson(t.Context(), amara.ID, true))
	r.call(amara, "openai/gpt-5", 1, 1)
	r.open(pageRefusals)
	r.pages[pageRefusals].(*refusals).list.list.Select(0)
	r.press("Resume this person")
	r.settle()
	if p, err := r.books.FindPerson(t.Context(), amara.ID); err != nil || p.Suspended {
		t.Fatalf("the meter has %+v, %v", p, err)
	}
}

func TestWithoutRefusalsThePageSaysWhatWouldStandThere(t *testing.T) {
	r := newRig(t)
	r.open(pageRefusals)
	r.see("Nobody was refused")
}

func TestSearchLeavesTheRefusalsThatMatch(t *testing.T) {
	all := []live.Refusal{{Who: "Amara", Why: "Out of today's tokens"}, {Who: "Björn", Why: "Model not allowed"}}
	if got := live.MatchingRefusals(all, "TOKENS"); len(got) != 1 || got[0].Who != "Amara" {
		t.Fatalf("found %+v", got)
	}
}

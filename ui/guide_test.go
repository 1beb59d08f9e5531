package ui

import (
	"context"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"perdiem/meter"
	"perdiem/testing/fakeprovider"
	"perdiem/ui/live"
)

func (r *rig) putGuideAway() { r.app.Preferences().SetBool(guidedKey, true) }

// serve starts the real gateway of the rig's books, and shows its address.
func (r *rig) serve() {
	r.t.Helper()
	r.must(r.house.Start(context.Background()))
	r.gate.addresses = nil
	for _, a := range r.house.Addresses() {
		r.gate.addresses = append(r.gate.addresses, Address(a))
	}
}

func TestTheGuideLeadsToACallThatWorks(t *testing.T) {
	r := newRig(t)
	r.serve()
	r.open(pageOverview)
	r.see("Five steps to a working team")
	r.press("Add a provider")
	r.typeText("OpenAI-compatible")
	r.key(fyne.KeyReturn)
	r.form().name.SetText("fake")
	r.form().address.SetText(vendor(t).URL)
	r.window.Canvas().Focus(r.form().secret)
	r.typeText(fakeprovider.Key)
	r.key(fyne.KeyReturn)
	r.settle()
	r.see("Import models of fake")
	r.key(fyne.KeyEscape) // not yet: the guide offers it

	r.open(pageOverview)
	r.press("Import models")
	r.settle()
	r.settle()
	r.press("Choose all")
	r.press("Import")
	r.settle()

	r.open(pageOverview)
	r.press("Add a person")
	r.typeText("Amara")
	r.key(fyne.KeyReturn)
	r.settle()
	r.press("Done")

	r.open(pageOverview)
	r.press("Try it")
	r.settle()
	r.press("Send")
	r.settle()
	r.see("is not among the models that you may use here") // a step was left out, and the gateway says so
	r.press("Close")

	r.press("Set an allowance")
	r.key(fyne.KeyReturn)
	r.settle()
	r.press("Try it")
	r.settle()
	r.press("Send")
	r.settle()
	r.see("It works: ")
	if answer := find(r.screen(), "word word"); answer == nil {
		t.Errorf("the answer is not in sight: %q", r.texts())
	}
	r.press("Close")
	r.settle()
	r.notSee("Five steps")
	r.see("Latest refusals")
	people, err := r.books.People(t.Context())
	r.must(err)
	if s := r.standing(people[0], "fake/gpt-5"); s.UsedRequests != 1 || s.UsedTokens == 0 {
		t.Errorf("the call was metered as %+v", s)
	}
	passes, err := r.books.Passes(t.Context(), people[0].ID)
	r.must(err)
	for _, p := range passes {
		if (p.Label == live.TryLabel) != (p.RevokedAt != nil) {
			t.Errorf("the pass %q was revoked at %v", p.Label, p.RevokedAt)
		}
	}
}

func TestTheGuideCanBePutAway(t *testing.T) {
	r := newRig(t)
	r.open(pageOverview)
	r.press("Put the guide away")
	r.settle()
	r.notSee("Five steps")
	r.see("Nothing yet today.")
}

func TestAStepThatBuildsOnAnotherWaitsForIt(t *testing.T) {
	r := newRig(t)
	r.open(pageOverview)
	if !button(r.screen(), "Import models").Disabled() {
		t.Fatal("models can be imported from no provider")
	}
	r.models("openai/gpt-5")
	r.settle()
	if button(r.screen(), "Import models").Disabled() {
		t.Fatal("models cannot be imported, though there is a provider")
	}
}

func TestTryingWhileTheGatewayIsPausedSaysSo(t *testing.T) {
	r := newRig(t)
	r.serve()
	r.models("openai/gpt-5")
	r.person("Amara", "")
	r.allow(meter.Holder{Kind: meter.ForEveryone}, "*", -1, -1)
	r.open(pageOverview)
	r.must(r.house.Stop())
	r.press("Try it")
	r.settle()
	r.press("Send")
	r.settle()
	if !strings.Contains(strings.Join(r.texts(), "\n"), "The gateway does not answer; is it paused?") {
		t.Fatalf("it says %q", r.texts())
	}
}

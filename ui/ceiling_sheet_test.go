package ui

import (
	"testing"

	"fyne.io/fyne/v2"

	"perdiem/meter"
)

// ceilings are those in the books.
func (r *rig) ceilings() []meter.Ceiling {
	r.t.Helper()
	all, err := r.books.Ceilings(r.t.Context())
	r.must(err)
	return all
}

func TestACeilingIsAddedChangedAndRemoved(t *testing.T) {
	r := newRig(t)
	r.models("openai/gpt-5")
	r.putGuideAway()
	r.open(pageOverview)
	r.see("No ceilings are set.")
	r.press("Add a ceiling")
	r.key(fyne.KeyReturn)
	r.see("Set at least one limit")
	r.typeText("1.5M")
	r.window.Canvas().FocusNext()
	r.window.Canvas().FocusNext()
	r.typeText("2.50")
	r.key(fyne.KeyReturn)
	r.settle()
	if all := r.ceilings(); len(all) != 1 || all[0].Model != meter.AnyModel || all[0].Guests || *all[0].Caps.Requests != 1_500_000 || all[0].Caps.Tokens != nil || *all[0].Caps.CostMicroUSD != 2_500_000 {
		t.Fatalf("the books have %+v", all)
	}
	r.see("$0.00 of $2.50")
	r.pages[pageOverview].(*overview).ceilings.list.Select(0)
	r.see("Ceiling on Everything")
	r.typeText("0")
	r.key(fyne.KeyReturn)
	r.settle()
	if all := r.ceilings(); *all[0].Caps.Requests != 0 {
		t.Fatalf("the change left %d requests", *all[0].Caps.Requests)
	}
	r.pages[pageOverview].(*overview).ceilings.list.Select(0)
	r.press("Remove the ceiling")
	r.settle()
	r.see("No ceilings are set.")
	if all := r.ceilings(); len(all) != 0 {
		t.Fatalf("the books still have %+v", all)
	}
}

func TestACeilingForGuestsOnOneModel(t *testing.T) {
	r := newRig(t)
	r.models("openai/gpt-5")
	r.putGuideAway()
	r.open(pageOverview)
	r.press("Add a ceiling")
	r.press("All guests together")
	form := r.pages[pageOverview].(*overview).form
	form.model.SetSelected("openai/gpt-5")
	r.window.Canvas().Focus(form.requests)
	r.typeText("100")
	r.key(fyne.KeyReturn)
	r.settle()
	r.see("openai/gpt-5 (guests)")
	if all := r.ceilings(); len(all) != 1 || !all[0].Guests || all[0].Model != "openai/gpt-5" || *all[0].Caps.Requests != 100 {
		t.Fatalf("the books have %+v", all)
	}
}

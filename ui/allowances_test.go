package ui

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"perdiem/meter"
)

// gridRig has one person under everyone's allowance of 20 requests and 10,000 tokens on one model.
func gridRig(t *testing.T) (*rig, meter.Person) {
	r := newRig(t)
	r.models("openai/gpt-5", "openai/gpt-5-mini")
	amara := r.person("Amara", "")
	r.allow(meter.Holder{Kind: meter.ForEveryone}, "openai/gpt-5", 20, 10_000)
	r.open(pageAllowances)
	return r, amara
}

// amarasCell is Amara's on openai/gpt-5: below everyone, right of any model.
var amarasCell = widget.TableCellID{Row: 1, Col: 1}

func (r *rig) focusCell(id widget.TableCellID) {
	r.t.Helper()
	g := r.pages[pageAllowances].(*allowances).grid
	r.window.Canvas().Focus(g)
	g.Select(id)
}

func (r *rig) standing(p meter.Person, model string) meter.Standing {
	r.t.Helper()
	all, err := r.books.Standings(r.t.Context(), []meter.Person{p}, []string{model})
	r.must(err)
	return all[0]
}

func TestAnAllowanceIsEditedInPlaceByKeyboard(t *testing.T) {
	r, amara := gridRig(t)
	r.choose("Perdiem", "Find")
	r.key(fyne.KeyDown) // the first key only shows where one is
	r.key(fyne.KeyDown)
	r.key(fyne.KeyRight)
	r.see("Amara on openai/gpt-5")
	r.see("Inherited from everyone.")
	r.key(fyne.KeyReturn)
	r.typeText("25k")
	r.key(fyne.KeyReturn)
	r.settle()
	r.see("Set here.")
	s := r.standing(amara, "openai/gpt-5")
	if s.MaxTokens == nil || *s.MaxTokens != 25_000 {
		t.Fatalf("the meter has %v tokens, want 25,000", s.MaxTokens)
	}
	if s.MaxRequests == nil || *s.MaxRequests != 20 {
		t.Fatalf("limiting tokens changed the limit of requests to %v", s.MaxRequests)
	}
}

func TestAFigureTypedOnACellBeginsItsEdit(t *testing.T) {
	r, amara := gridRig(t)
	r.focusCell(amarasCell)
	r.typeText("7")
	r.typeText("00")
	r.key(fyne.KeyReturn)
	r.settle()
	if s := r.standing(amara, "openai/gpt-5"); s.MaxTokens == nil || *s.MaxTokens != 700 {
		t.Fatalf("the meter has %v tokens, want 700", s.MaxTokens)
	}
}

func TestEscapeLeavesAnAllowanceAsItWas(t *testing.T) {
	r, amara := gridRig(t)
	r.focusCell(amarasCell)
	r.key(fyne.KeyReturn)
	r.typeText("5")
	r.key(fyne.KeyEscape)
	r.settle()
	if s := r.standing(amara, "openai/gpt-5"); *s.MaxTokens != 10_000 {
		t.Fatalf("the meter has %d tokens, want 10,000", *s.MaxTokens)
	}
}

func TestTextThatIsNoLimitIsExplainedAndNotSaved(t *testing.T) {
	r, amara := gridRig(t)
	r.focusCell(amarasCell)
	r.key(fyne.KeyReturn)
	r.typeText("lots")
	r.key(fyne.KeyReturn)
	r.settle()
	r.see("Not a limit")
	r.key(fyne.KeyEscape)
	r.notSee("Not a limit")
	if s := r.standing(amara, "openai/gpt-5"); *s.MaxTokens != 10_000 {
		t.Fatalf("the meter has %d tokens, want 10,000", *s.MaxTokens)
	}
}

func TestTabSavesAndGoesOnToTheNextCell(t *testing.T) {
	r, amara := gridRig(t)
	r.focusCell(amarasCell)
	r.key(fyne.KeyReturn)
	r.typeText("1,000")
	r.key(fyne.KeyTab)
	r.see("Amara on openai/gpt-5-mini")
	r.typeText("none")
	r.key(fyne.KeyReturn)
	r.settle()
	if s := r.standing(amara, "openai/gpt-5"); *s.MaxTokens != 1000 {
		t.Fatalf("the first cell has %d tokens, want 1,000", *s.MaxTokens)
	}
	if s := r.standing(amara, "openai/gpt-5-mini"); s.MaxTokens != nil || s.MaxRequests != nil || !s.Allowed() {
		t.Fatalf("the second cell is %+v, want no limit", s)
	}
}

func TestAnEmptiedCellInheritsAgain(t *testing.T) {
	r, amara := gridRig(t)
	r.allow(someone(amara), "openai/gpt-5", -1, 5)
	r.settle()
	r.focusCell(amarasCell)
	r.see("Set here.")
	r.press("Inherit")
	r.settle()
	r.see("Inherited from everyone.")
	if s := r.standing(amara, "openai/gpt-5"); *s.MaxTokens != 10_000 {
		t.Fatalf("the meter has %d tokens, want 10,000", *s.MaxTokens)
	}
}

func TestZeroIsNotAllowed(t *testing.T) {
	r, amara := gridRig(t)
	r.focusCell(amarasCell)
	r.typeText("0")
	r.key(fyne.KeyReturn)
	r.settle()
	r.see("not allowed")
	if r.standing(amara, "openai/gpt-5").Allowed() {
		t.Fatal("the meter still allows it")
	}
}

func TestATierIsAddedAndGetsARow(t *testing.T) {
	r, _ := gridRig(t)
	r.choose("Perdiem", "Add")
	r.typeText("Staff")
	r.key(fyne.KeyReturn)
	r.settle()
	r.see("Staff")
	r.focusCell(widget.TableCellID{Row: 1, Col: 0})
	r.typeText("9")
	r.key(fyne.KeyReturn)
	r.settle()
	set, err := r.books.Allowances(t.Context())
	r.must(err)
	want := meter.Holder{Kind: meter.ForTier, ID: "Staff"}
	for _, a := range set {
		if a.Holder == want && a.Model == meter.AnyModel && *a.Limits.Tokens == 9 {
			return
		}
	}
	t.Fatalf("the tier's allowance is not set: %+v", set)
}

func TestAGrantAddsForToday(t *testing.T) {
	r, amara := gridRig(t)
	r.focusCell(amarasCell)
	r.press("Grant for today")
	r.typeText("5,000")
	r.key(fyne.KeyReturn)
	r.settle()
	r.see("5,000 of it granted for today")
	if s := r.standing(amara, "openai/gpt-5"); *s.MaxTokens != 15_000 {
		t.Fatalf("the meter has %d tokens, want 15,000", *s.MaxTokens)
	}
}

func TestTheEditorOfACellStandsOverIt(t *testing.T) {
	r, _ := gridRig(t)
	r.focusCell(amarasCell)
	r.key(fyne.KeyReturn)
	g := r.pages[pageAllowances].(*allowances).grid
	pos, size, ok := g.place()
	if !ok || !g.editor.Visible() {
		t.Fatal("the cell or its editor is out of sight")
	}
	at := g.editor.Position()
	if at.X > pos.X || at.X+g.editor.Size().Width < pos.X+size.Width || at.Y > pos.Y || at.Y+g.editor.Size().Height < pos.Y+size.Height {
		t.Fatalf("the editor at %v %v does not cover the cell at %v %v", at, g.editor.Size(), pos, size)
	}
}

func TestWithoutModelsTheGridSaysWhatToDoFirst(t *testing.T) {
	r := newRig(t)
	r.open(pageAllowances)
	r.see("No models yet")
	r.press("Add a provider")
	r.see("Type to find a vendor")
}

func TestTheGridIsSearchedAndTheFocusStaysOnItsCell(t *testing.T) {
	r, _ := gridRig(t)
	r.person("Björn", "")
	r.settle()
	r.focusCell(widget.TableCellID{Row: 2, Col: 2})
	r.see("Björn on openai/gpt-5-mini")
	r.choose("Perdiem", "Find")
	r.typeText("bj mini")
	r.notSee("Amara")
	r.see("Björn on openai/gpt-5-mini")
	r.key(fyne.KeyDown)
	r.key(fyne.KeyReturn)
	r.typeText("9")
	r.key(fyne.KeyReturn)
	r.settle()
	r.see("Set here.")
	r.choose("Perdiem", "Find")
	r.key(fyne.KeyEscape)
	r.see("Amara")
	r.see("Björn on openai/gpt-5-mini")
	r.see("Set here.")
}

func TestASearchThatFindsNothingSaysSo(t *testing.T) {
	r, _ := gridRig(t)
	r.choose("Perdiem", "Find")
	r.typeText("nobody")
	r.see("No person, tier or model is called that.")
	r.see("Choose a cell")
	r.key(fyne.KeyDown) // leads nowhere
	r.key(fyne.KeyEscape)
	r.see("Amara")
}

func TestTheFocusStaysWithAPersonWhomOthersJoin(t *testing.T) {
	r, _ := gridRig(t)
	r.focusCell(amarasCell)
	r.person("Aaron", "")
	r.settle()
	r.see("Aaron")
	r.see("Amara on openai/gpt-5")
	r.key(fyne.KeyUp)
	r.see("Aaron on openai/gpt-5")
}

func TestSettingSeveralReachesWhomTheSearchLeftOut(t *testing.T) {
	r, amara := gridRig(t)
	bjorn := r.person("Björn", "")
	r.settle()
	r.choose("Perdiem", "Find")
	r.typeText("björn")
	r.focusCell(widget.TableCellID{Row: 0, Col: 1})
	r.press("Set several …")
	r.selectIn(1)
	r.see("Sets 2 limits.")
	r.typeText("500")
	r.key(fyne.KeyReturn)
	r.settle()
	for _, p := range []meter.Person{amara, bjorn} {
		if s := r.standing(p, "openai/gpt-5"); s.MaxTokens == nil || *s.MaxTokens != 500 {
			t.Errorf("%s has %v tokens, want 500", p.Name, s.MaxTokens)
		}
	}
}

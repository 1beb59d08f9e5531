package ui

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"perdiem/meter"
)

// teamRig has two people of the tier Staff and one of none, on two models.
func teamRig(t *testing.T) (r *rig, staff []meter.Person, other meter.Person) {
	r = newRig(t)
	r.models("openai/gpt-5", "openai/gpt-5-mini")
	r.must(r.books.AddTier(t.Context(), "Staff"))
	staff = []meter.Person{r.person("Amara", "Staff"), r.person("Björn", "Staff")}
	other = r.person("Chiara", "")
	r.allow(meter.Holder{Kind: meter.ForEveryone}, "*", -1, 10_000)
	r.allow(someone(staff[1]), "openai/gpt-5", -1, 77)
	r.open(pageAllowances)
	return r, staff, other
}

// tokens are a person's limits on the two models; -1 is none.
func (r *rig) tokens(p meter.Person) [2]int64 {
	var all [2]int64
	for i, model := range []string{"openai/gpt-5", "openai/gpt-5-mini"} {
		all[i] = -1
		if s := r.standing(p, model); s.MaxTokens != nil {
			all[i] = *s.MaxTokens
		}
	}
	return all
}

func TestSeveralLimitsAreSetAtOnceAndUndoneAtOnce(t *testing.T) {
	// The rows are everyone, Staff, Amara, Björn, Chiara; the columns any model, gpt-5, gpt-5-mini.
	amara := widget.TableCellID{Row: 2, Col: 1}
	before := [3][2]int64{{10_000, 10_000}, {77, 10_000}, {10_000, 10_000}}
	for name, c := range map[string]struct {
		which int
		typed string
		sets  string
		want  [3][2]int64
	}{
		"a row":                      {0, "5", "Sets 2 limits", [3][2]int64{{5, 5}, {77, 10_000}, {10_000, 10_000}}},
		"a column":                   {1, "5", "Sets 3 limits", [3][2]int64{{5, 10_000}, {5, 10_000}, {5, 10_000}}},
		"a tier on one model":        {2, "5", "Sets 2 limits", [3][2]int64{{5, 10_000}, {5, 10_000}, {10_000, 10_000}}},
		"a tier on each model":       {3, "none", "Sets 4 limits", [3][2]int64{{-1, -1}, {-1, -1}, {10_000, 10_000}}},
		"a column that inherits now": {1, "", "Sets 3 limits", [3][2]int64{{10_000, 10_000}, {10_000, 10_000}, {10_000, 10_000}}},
	} {
		t.Run(name, func(t *testing.T) {
			r, staff, other := teamRig(t)
			stands := func() [3][2]int64 { return [3][2]int64{r.tokens(staff[0]), r.tokens(staff[1]), r.tokens(other)} }
			if stands() != before {
				t.Fatalf("the team begins with %v", stands())
			}
			r.focusCell(amara)
			r.press("Set several …")
			r.selectIn(c.which)
			r.see(c.sets)
			r.typeText(c.typed)
			r.key(fyne.KeyReturn)
			r.settle()
			if stands() != c.want {
				t.Fatalf("the limits are %v, want %v", stands(), c.want)
			}
			r.choose("Perdiem", "Undo")
			r.settle()
			r.see("Undone")
			if stands() != before {
				t.Fatalf("undone, the limits are %v, want %v", stands(), before)
			}
			if own, err := r.books.Allowances(t.Context()); err != nil || len(own) != 2 {
				t.Fatalf("undoing left %v, %v", own, err)
			}
		})
	}
}

// selectIn chooses in the form's one select, and gives the focus back to its field.
func (r *rig) selectIn(i int) {
	r.t.Helper()
	field := r.window.Canvas().Focused()
	walk(r.screen(), func(o fyne.CanvasObject) bool {
		s, ok := o.(*widget.Select)
		if ok {
			s.SetSelectedIndex(i)
		}
		return ok
	})
	r.window.Canvas().Focus(field)
}

func TestEditsAreUndoneTheLatestFirst(t *testing.T) {
	r, amara := gridRig(t)
	for _, typed := range []string{"500", "600"} {
		r.focusCell(amarasCell)
		r.key(fyne.KeyReturn)
		r.typeText(typed)
		r.key(fyne.KeyReturn)
		r.settle()
	}
	for _, want := range []int64{500, 10_000} {
		r.press("Undo")
		r.settle()
		if s := r.standing(amara, "openai/gpt-5"); *s.MaxTokens != want {
			t.Fatalf("undone, the limit is %d, want %d", *s.MaxTokens, want)
		}
	}
	if !button(r.screen(), "Undo").Disabled() {
		t.Fatal("there is more to undo than was done")
	}
}

func TestMoneyIsLimitedAcrossModels(t *testing.T) {
	r, amara := gridRig(t)
	r.call(amara, "openai/gpt-5", 1000, 100) // 0.45 cents
	r.press("Money")
	anyModel := widget.TableCellID{Row: 1, Col: 0}
	r.focusCell(anyModel)
	r.see("Nothing is set, so money is not limited.")
	r.key(fyne.KeyReturn)
	r.typeText("2.50")
	r.key(fyne.KeyReturn)
	r.settle()
	r.see("Set here.")
	purses, err := r.books.Purses(t.Context())
	r.must(err)
	if len(purses) != 1 || *purses[0].CostMicroUSD != 2_500_000 || purses[0].Holder != someone(amara) {
		t.Fatalf("the books have %+v", purses)
	}
	r.call(amara, "openai/gpt-5", 200_000, 100_000)
	if all, err := r.books.Refusals(t.Context(), meter.RefusalFilter{}); err != nil || len(all) != 1 {
		t.Fatalf("the purse lets a costly call pass: %v, %v", all, err)
	}
	r.focusCell(widget.TableCellID{Row: 1, Col: 1})
	r.key(fyne.KeyReturn)
	r.see("Money is limited across all models")
	if r.pages[pageAllowances].(*allowances).grid.editing {
		t.Fatal("a purse can be typed for one model")
	}
	r.press("Undo")
	r.settle()
	if purses, err := r.books.Purses(t.Context()); err != nil || len(purses) != 0 {
		t.Fatalf("undone, the books have %+v, %v", purses, err)
	}
}

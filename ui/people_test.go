package ui

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
)

// typeText types into the field that has the focus, as a keyboard would.
func (r *rig) typeText(words string) {
	r.t.Helper()
	focused := r.window.Canvas().Focused()
	if focused == nil {
		r.t.Fatal("nothing has the focus")
	}
	test.Type(focused, words)
}

func (r *rig) key(name fyne.KeyName) {
	r.t.Helper()
	r.window.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: name})
}

// choose runs an item of the main menu.
func (r *rig) choose(menu, item string) {
	r.t.Helper()
	for _, m := range r.window.MainMenu().Items {
		for _, i := range m.Items {
			if m.Label == menu && i.Label == item {
				i.Action()
				return
			}
		}
	}
	r.t.Fatalf("the menu has no %s > %s", menu, item)
}

func TestAnAddedPersonGetsAPassThatIsShownOnce(t *testing.T) {
	r := newRig(t)
	r.models("openai/gpt-5")
	r.open(pagePeople)
	r.see("Nobody is on the team yet")
	r.choose("Perdiem", "Add")
	r.typeText("Amara Okafor")
	r.key(fyne.KeyReturn)
	r.settle()

	r.see("The pass of Amara Okafor")
	shown := find(r.screen(), "pdm_")
	if shown == nil {
		t.Fatalf("the pass is not in sight: %q", r.texts())
	}
	r.press("Copy")
	pass := r.app.Clipboard().Content()
	person, _, err := r.books.Authenticate(t.Context(), pass)
	if err != nil || person.Name != "Amara Okafor" {
		t.Fatalf("the copied pass is %v's: %v", person.Name, err)
	}
	r.see("Copied")
	r.window.Canvas().OnTypedKey()(&fyne.KeyEvent{Name: fyne.KeyEscape})
	r.see("The pass of Amara Okafor") // not left by a stray key: nobody could read it again
	r.press("Done")
	r.settle()
	r.see("Amara Okafor")
	if find(r.screen(), strings.TrimPrefix(pass, "pdm_")[9:]) != nil {
		t.Fatal("the pass is still in sight after it was shown once")
	}
}

func TestAddingTheSameNameTwiceSaysSoAndKeepsTheForm(t *testing.T) {
	r := newRig(t)
	r.person("Amara", "")
	r.open(pagePeople)
	r.press("Add a person")
	r.typeText("Amara")
	r.key(fyne.KeyReturn)
	r.settle()
	r.see(`A person named "Amara" is there already.`)
	r.typeText(" B")
	r.key(fyne.KeyReturn)
	r.settle()
	r.see("The pass of Amara B")
}

func TestEscapeLeavesAForm(t *testing.T) {
	r := newRig(t)
	r.open(pagePeople)
	r.press("Add a person")
	r.typeText("Nobody")
	r.key(fyne.KeyEscape)
	r.settle()
	if r.window.Canvas().Overlays().Top() != nil {
		t.Fatal("the form is still there")
	}
	if team, err := r.books.People(t.Context()); err != nil || len(team) != 0 {
		t.Fatalf("the team is %v, %v", team, err)
	}
}

func (r *rig) focusPerson(name string) {
	r.t.Helper()
	r.open(pagePeople)
	p := r.pages[pagePeople].(*people)
	for i, one := range p.shown {
		if one.Name == name {
			p.list.list.Select(i)
			r.settle()
			return
		}
	}
	r.t.Fatalf("%s is not in the list", name)
}

func TestASuspendedPersonIsTurnedAwayAndCanBeResumed(t *testing.T) {
	r := newRig(t)
	amara := r.person("Amara", "")
	suspended := func() bool {
		p, err := r.books.FindPerson(t.Context(), amara.ID)
		r.must(err)
		return p.Suspended
	}
	r.focusPerson("Amara")
	r.press("Suspend")
	r.settle()
	r.see("Suspended: every call is turned away")
	if !suspended() {
		t.Fatal("the meter does not know")
	}
	r.press("Resume")
	r.settle()
	r.see("Active")
	if suspended() {
		t.Fatal("the meter does not know of the resumption")
	}
}

func TestRemovingAPersonAsksFirst(t *testing.T) {
	r := newRig(t)
	r.person("Amara", "")
	r.focusPerson("Amara")
	r.press("Remove …")
	r.see("What they used stays in the books.")
	r.window.Canvas().OnTypedKey()(&fyne.KeyEvent{Name: fyne.KeyEscape})
	r.settle()
	r.notSee("What they used stays in the books.")
	r.see("Amara")
	r.press("Remove …")
	r.press("Remove")
	r.settle()
	r.see("Nobody is on the team yet")
}

func TestARevokedPassNoLongerWorks(t *testing.T) {
	r := newRig(t)
	amara := r.person("Amara", "")
	_, secret, err := r.books.IssuePass(t.Context(), amara.ID, "Laptop", nil)
	r.must(err)
	r.focusPerson("Amara")
	r.see("Laptop")
	r.pages[pagePeople].(*people).detail.list.list.Select(0)
	r.press("Revoke")
	r.press("Revoke")
	r.settle()
	r.see("revoked")
	if _, _, err := r.books.Authenticate(t.Context(), secret); err == nil {
		t.Fatal("the revoked pass still works")
	}
}

func TestSearchLeavesThePeopleThatMatch(t *testing.T) {
	r := newRig(t)
	r.person("Amara", "")
	r.person("Björn", "")
	r.open(pagePeople)
	r.choose("Perdiem", "Find")
	r.typeText("bjö")
	r.see("Björn")
	r.notSee("Amara")
	r.key(fyne.KeyEscape)
	r.see("Amara")
}

func TestARotatedPassIsReplacedByOneThatIsShownOnce(t *testing.T) {
	r := newRig(t)
	amara := r.person("Amara", "")
	expires := afternoon.AddDate(0, 0, 30)
	_, old, err := r.books.IssuePass(t.Context(), amara.ID, "Laptop", &expires)
	r.must(err)
	r.at(afternoon.AddDate(0, 0, 10))
	r.focusPerson("Amara")
	r.see("in 20 days")
	r.pages[pagePeople].(*people).detail.list.list.Select(0)
	r.press("Rotate")
	r.press("Rotate")
	r.settle()
	r.see("The pass of Amara")
	r.press("Copy")
	fresh := r.app.Clipboard().Content()
	r.press("Done")
	if _, _, err := r.books.Authenticate(t.Context(), old); err == nil {
		t.Error("the old pass still works")
	}
	_, pass, err := r.books.Authenticate(t.Context(), fresh)
	if err != nil || pass.ExpiresAt == nil || !pass.ExpiresAt.Equal(r.clock().AddDate(0, 0, 30)) {
		t.Errorf("the new pass: %+v, %v; want one for another 30 days", pass, err)
	}
}

func TestAPassMayBeMadeForSomeDays(t *testing.T) {
	r := newRig(t)
	amara := r.person("Amara", "")
	r.focusPerson("Amara")
	r.press("New pass")
	r.selectIn(2)
	r.typeText("CI")
	r.key(fyne.KeyReturn)
	r.settle()
	r.press("Done")
	passes, err := r.books.Passes(t.Context(), amara.ID)
	r.must(err)
	if len(passes) != 1 || passes[0].Label != "CI" || passes[0].ExpiresAt == nil || !passes[0].ExpiresAt.Equal(afternoon.AddDate(0, 0, 90)) {
		t.Fatalf("the books have %+v", passes)
	}
}

func TestCreditIsPaidIn(t *testing.T) {
	r := newRig(t)
	amara := r.person("Amara", "")
	r.focusPerson("Amara")
	r.press("Pay in …")
	r.typeText("2.50")
	r.key(fyne.KeyReturn)
	r.settle()
	r.see("$2.50 left of $2.50")
	if c, err := r.books.Credit(t.Context(), amara.ID); err != nil || c.Balance() != 2_500_000 {
		t.Fatalf("the books have %+v, %v", c, err)
	}
}

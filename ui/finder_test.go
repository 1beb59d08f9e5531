package ui

import (
	"testing"

	"fyne.io/fyne/v2"
)

func TestAnythingIsFoundFromAnyPage(t *testing.T) {
	for words, c := range map[string]struct {
		page int
		sees string
	}{
		"ama":       {pagePeople, "No pass: this person cannot call anything."},
		"okafor st": {pagePeople, "No pass: this person cannot call anything."},
		"gpt-5":     {pageModels, "https://openai.example"},
		"refus":     {pageRefusals, "Nobody was refused"},
	} {
		t.Run(words, func(t *testing.T) {
			r := newRig(t)
			r.models("openai/gpt-5", "ollama/qwen3")
			r.must(r.books.AddTier(t.Context(), "Staff"))
			r.person("Björn", "")
			r.person("Amara Okafor", "Staff")
			r.open(pageSettings)
			r.choose("Perdiem", "Find anywhere")
			r.settle()
			r.typeText(words)
			r.key(fyne.KeyReturn)
			r.settle()
			if r.inView() != r.pages[c.page] {
				t.Fatalf("%s is in view", r.inView().title())
			}
			r.see(c.sees)
		})
	}
}

func TestTheArrowsChooseAmongWhatIsFound(t *testing.T) {
	r := newRig(t)
	r.person("Amara", "")
	r.person("Amaya", "")
	r.open(pageOverview)
	r.choose("Perdiem", "Find")
	r.settle()
	r.typeText("ama")
	r.key(fyne.KeyDown)
	r.key(fyne.KeyReturn)
	r.settle()
	if got := r.pages[pagePeople].(*people).detail.who; got == nil || got.Name != "Amaya" {
		t.Fatalf("%+v is in focus", got)
	}
}

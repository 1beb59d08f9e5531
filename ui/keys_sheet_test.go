package ui

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"perdiem/providers"
	"perdiem/testing/fakeprovider"
	"perdiem/ui/live"
)

// poolRig has one provider, which really answers, with one key that was disabled, and its keys in sight.
func poolRig(t *testing.T) *rig {
	r := newRig(t)
	p := providers.Provider{Name: "fake", BaseURL: vendor(t).URL}
	_, err := live.Connect(t.Context(), r.shelf, r.secrets, p, &live.NewKey{Source: providers.Keychain, Secret: fakeprovider.Key})
	r.must(err)
	r.must(r.shelf.DisableKey(t.Context(), r.keys()[0].ID, "the provider refused it"))
	r.open(pageModels)
	m := r.pages[pageModels].(*models)
	m.list.list.Select(0)
	r.press("Keys …")
	r.see("does not work: the provider refused it")
	return r
}

func (r *rig) keys() []providers.Key {
	r.t.Helper()
	all, err := r.shelf.Keys(r.t.Context(), "fake")
	r.must(err)
	return all
}

// pickRow selects a row of the form in sight.
func (r *rig) pickRow(i int) {
	r.t.Helper()
	walk(r.screen(), func(o fyne.CanvasObject) bool {
		list, ok := o.(*widget.List)
		if ok {
			list.Select(i)
		}
		return ok
	})
}

func TestAKeyThatWorksAgainIsTestedAndEnabled(t *testing.T) {
	r := poolRig(t)
	r.pickRow(0)
	r.press("Test and enable")
	r.settle()
	r.see("in use")
	if r.keys()[0].Disabled {
		t.Fatal("the key is still disabled")
	}
}

func TestAFurtherKeyIsAddedOnlyIfItWorks(t *testing.T) {
	r := poolRig(t)
	r.typeText("sk-wrong")
	r.key(fyne.KeyReturn)
	r.settle()
	if len(r.keys()) != 1 {
		t.Fatal("a key that does not work was added")
	}
	r.typeText(fakeprovider.Key)
	r.key(fyne.KeyReturn)
	r.settle()
	if len(r.keys()) != 2 {
		t.Fatalf("there are %d keys", len(r.keys()))
	}
}

func TestAKeysDayIsLimited(t *testing.T) {
	r := poolRig(t)
	r.pickRow(0)

	var fields []*entry
	walk(r.screen(), func(o fyne.CanvasObject) bool {
		if e, ok := o.(*entry); ok {
			fields = append(fields, e)
		}
		return false
	})
	fields[0].SetText("50")
	r.press("Set")
	r.settle()
	if caps := r.keys()[0].Caps; caps.Requests == nil || *caps.Requests != 50 || caps.Tokens != nil {
		t.Fatalf("the key's caps are %+v", caps)
	}
}

func TestARemovedKeyIsGoneFromTheKeychain(t *testing.T) {
	r := poolRig(t)
	r.pickRow(0)
	r.press("Remove")
	r.settle()
	if len(r.keys()) != 1 {
		t.Fatal("it is removed without a question")
	}
	r.press(removeForGood)
	r.settle()
	r.see("No key yet.")
	if len(r.keys()) != 0 || len(r.secrets.secrets) != 0 {
		t.Fatal("the key or its secret is still there")
	}
}

func TestAModelIsChanged(t *testing.T) {
	r := newRig(t)
	r.models("openai/gpt-5", "openai/gpt-5-mini")
	r.open(pageModels)
	m := r.pages[pageModels].(*models)
	m.list.list.Select(0)
	m.table.list.Select(0)
	r.press("Edit …")
	r.typeText("big")
	r.selectIn(1)
	r.key(fyne.KeyReturn)
	r.settle()
	all, err := r.shelf.Models(t.Context())
	r.must(err)
	if len(all[0].Aliases) != 1 || all[0].Aliases[0] != "big" || all[0].Fallback != "openai/gpt-5-mini" || all[0].Price == nil || all[0].Price.Input != 3_000_000 || all[0].Context != 200_000 {
		t.Fatalf("the model is %+v", all[0])
	}
}

func TestALongestReplyAboveTheContextIsRefused(t *testing.T) {
	newRig(t)
	f := newModelForm(providers.Model{ID: "a/m", Context: 8_000, MaxReply: 8_000}, nil)
	if _, err := f.read(); err != nil {
		t.Fatal(err)
	}
	f.reply.SetText("8,001")
	if _, err := f.read(); err == nil || err.Error() != "the longest reply is a part of the context: type 8,000 tokens at most" {
		t.Errorf("got %v", err)
	}
	f.context.SetText("") // unknown
	if _, err := f.read(); err != nil {
		t.Error(err)
	}
}

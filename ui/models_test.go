package ui

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"perdiem/providers"
	"perdiem/providers/catalog"
	"perdiem/providers/keys"
	"perdiem/testing/fakeprovider"
	"perdiem/ui/live"
)

// vendor is a real server on a loopback port that has two models, of which one is in no catalogue.
func vendor(t *testing.T) *fakeprovider.Server {
	s := fakeprovider.New(t)
	for _, model := range []string{"gpt-5", "gpt-5-in-house"} {
		s.On(model, fakeprovider.Chat{}.Answer)
	}
	return s
}

// fillProvider opens the form, chooses the vendor at an address of ours, and pastes a key.
func (r *rig) fillProvider(id, address, key string) {
	r.t.Helper()
	v, ok := catalog.Vendor(id)
	if !ok {
		r.t.Fatalf("the catalogue has no %q", id)
	}
	r.open(pageModels)
	r.press("Add a provider")
	r.typeText(v.Title)
	r.key(fyne.KeyReturn)
	r.see("Add " + v.Title)
	r.form().address.SetText(address)
	r.window.Canvas().Focus(r.form().secret)
	r.typeText(key)
}

// withProvider is a rig on the page of models, with a provider, its key and none of its models.
func withProvider(t *testing.T) *rig {
	t.Helper()
	r := newRig(t)
	r.fillProvider("openai", vendor(t).URL, fakeprovider.Key)
	r.key(fyne.KeyReturn)
	r.settle()
	r.press("Cancel")
	return r
}

// form is the provider form that was opened last.
func (r *rig) form() *providerForm { return r.pages[pageModels].(*models).form }

func TestAProviderIsAddedWithItsKeyAndModels(t *testing.T) {
	r := newRig(t)
	r.open(pageModels)
	r.see("No providers yet")
	r.fillProvider("openai", vendor(t).URL, fakeprovider.Key)
	r.key(fyne.KeyReturn)
	r.settle()
	r.see("Import models of openai")
	r.see("unknown") // gpt-5-in-house's price
	r.see("$1.25 in, $10.00 out")
	r.press("Choose all")
	r.press("Import")
	r.settle()
	r.see("Key stored")
	r.see("openai/gpt-5-in-house")

	stored, err := r.shelf.Keys(t.Context(), "openai")
	r.must(err)
	if len(stored) != 1 || r.secrets.secrets[stored[0].ID] != fakeprovider.Key {
		t.Fatalf("the registry has %d keys, and the keychain not the one that was pasted", len(stored))
	}
	models, err := r.shelf.Models(t.Context())
	r.must(err)
	if len(models) != 2 || models[0].ID != "openai/gpt-5" || models[0].Price == nil || models[0].Price.Output != 10_000_000 || models[1].Price != nil {
		t.Fatalf("the registry has %+v", models)
	}
}

func TestAKeyThatDoesNotWorkIsNotStored(t *testing.T) {
	r := newRig(t)
	r.fillProvider("openai", vendor(t).URL, "sk-wrong")
	r.key(fyne.KeyReturn)
	r.settle()
	r.see("does not accept this key")
	if all, err := r.shelf.Providers(t.Context()); err != nil || len(all) != 0 || len(r.secrets.secrets) != 0 {
		t.Fatalf("something was stored: %v, %v, %d secrets", all, err, len(r.secrets.secrets))
	}
}

func TestWithoutAKeychainTheOwnerIsToldAndNothingIsHalfStored(t *testing.T) {
	r := newRig(t)
	r.secrets.missing = keys.ErrNoKeychain
	r.fillProvider("openai", vendor(t).URL, fakeprovider.Key)
	r.key(fyne.KeyReturn)
	r.settle()
	r.see("this session has no keychain")
	if all, err := r.shelf.Providers(t.Context()); err != nil || len(all) != 0 {
		t.Fatalf("the provider is there without its key: %v, %v", all, err)
	}
	r.press("Environment variable")
	r.see("Set PERDIEM_KEY_OPENAI or OPENAI_API_KEY before Perdiem starts.")
	r.secrets.secrets["env:openai"] = fakeprovider.Key
	r.press("Test and add")
	r.settle()
	r.see("Import models of openai")
}

func TestAProviderThatHangsDoesNotHoldTheWindow(t *testing.T) {
	r := newRig(t)
	silent, err := net.Listen("tcp", "127.0.0.1:0") // takes connections, and never answers
	r.must(err)
	t.Cleanup(func() { _ = silent.Close() })
	r.fillProvider("openai", "http://"+silent.Addr().String()+"/v1", fakeprovider.Key)
	r.key(fyne.KeyReturn) // asks, and returns at once
	r.press("Cancel")
	r.notSee("Test and add")
	r.goTo(pagePeople)
	r.see("Nobody is on the team yet")
	r.stop() // the window closes while the provider still has not answered
	r.tasks.Wait()
}

func TestADeadlineIsToldInWords(t *testing.T) {
	r := newRig(t)
	r.open(pageModels)
	r.work(1, func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, func(err error) { r.shell.tell(colorSpent, live.Plain(err)) })
	r.settle()
	r.see("This took too long and was given up.")
}

func TestALocalServerNeedsNoKey(t *testing.T) {
	r := newRig(t)
	open := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"object":"list","data":[{"id":"qwen3:8b"}]}`))
	}))
	t.Cleanup(open.Close)
	r.fillProvider("ollama", open.URL+"/v1", "")
	r.see("A server of your own needs no key")
	r.press("Test and add")
	r.settle()
	r.see("Import models of ollama")
}

func TestAnEmptyFormSaysWhatIsMissing(t *testing.T) {
	r := newRig(t)
	r.open(pageModels)
	r.press("Add a provider")
	r.typeText("nobody of that name")
	r.see("No vendor has these words")
	r.key(fyne.KeyReturn)
	r.see("Choose one of the list")
	r.key(fyne.KeyEscape)
	r.fillProvider("openai", "https://api.openai.com/v1", "")
	r.press("Test and add")
	r.see("OpenAI wants a key")
}

func TestVendorsAreChosenByKeyboardOrClick(t *testing.T) {
	r := newRig(t)
	r.open(pageModels)
	r.press("Add a provider")
	r.key(fyne.KeyDown)
	r.key(fyne.KeyReturn)
	r.see("Add Anthropic")
	r.press("Cancel")
	r.press("Add a provider")
	r.typeText("any openai")
	test.TapCanvas(r.window.Canvas(), r.app.Driver().AbsolutePositionForObject(find(r.screen(), "Any OpenAI-compatible address")).AddXY(4, 4))
	r.see("Add an OpenAI-compatible address")
}

func TestShortcutsDoNotReachThePageBehindAForm(t *testing.T) {
	r := newRig(t)
	r.open(pageModels)
	r.press("Add a provider")
	r.choose("Go", "People")
	r.choose("Perdiem", "Add")
	r.key(fyne.KeyEscape)
	if r.inView() != r.pages[pageModels] || r.window.Canvas().Overlays().Top() != nil {
		t.Fatal("a shortcut acted behind the form")
	}
}

func TestAReplacedKeyTakesTheOldOnesPlace(t *testing.T) {
	r := withProvider(t)
	before, err := r.shelf.Keys(t.Context(), "openai")
	r.must(err)
	r.press("Replace the key")
	r.typeText(fakeprovider.Key)
	r.key(fyne.KeyReturn)
	r.settle()
	after, err := r.shelf.Keys(t.Context(), "openai")
	r.must(err)
	if len(after) != 1 || after[0].ID == before[0].ID || len(r.secrets.secrets) != 1 {
		t.Fatalf("keys before %v, after %v, %d secrets", before, after, len(r.secrets.secrets))
	}
}

func TestRemovingAProviderDeletesItsSecret(t *testing.T) {
	r := withProvider(t)
	r.press("Remove …")
	r.press("Remove")
	r.settle()
	r.see("No providers yet")
	if len(r.secrets.secrets) != 0 {
		t.Fatal("the secret is still in the keychain")
	}
}

func TestTheStoredKeyIsTested(t *testing.T) {
	r := withProvider(t)
	r.press("Test the key")
	r.settle()
	r.see("openai answers: 2 models")
	for id := range r.secrets.secrets {
		r.secrets.secrets[id] = "sk-gone"
	}
	r.press("Test the key")
	r.settle()
	r.see("openai cannot be used:")
	r.see("does not accept this key")
}

func TestASecretIsNeverInSight(t *testing.T) {
	r := newRig(t)
	server := vendor(t)
	server.Close()
	r.fillProvider("openai", server.URL, fakeprovider.Key)
	r.notSee(fakeprovider.Key)
	r.key(fyne.KeyReturn)
	r.settle()
	r.notSee(fakeprovider.Key)
}

func TestAVendorsOwnDialectsComeWithIt(t *testing.T) {
	v, _ := catalog.Vendor("anthropic")
	f := newProviderForm(v, "anthropic")
	f.secret.SetText("sk-x")
	p, _, err := f.read()
	if err != nil || !slices.Contains(p.Dialects, providers.Anthropic) || !slices.Contains(p.Dialects, providers.OpenAI) {
		t.Fatalf("%+v, %v", p, err)
	}
}

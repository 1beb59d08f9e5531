package doctor

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"perdiem/gateway/boot"
	"perdiem/providers"
	"perdiem/providers/keys"
	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// want fails the test unless something was found so, and says so.
func want(t *testing.T, found []Finding, what string, state State, says string) {
	t.Helper()
	for _, f := range found {
		if f.What == what {
			if f.State != state || !strings.Contains(f.Says+f.Do, says) {
				t.Errorf("%s is %s: %s %s", what, f.State, f.Says, f.Do)
			}
			if f.State == Fault && f.Do == "" {
				t.Errorf("%s: nothing is said of what to do", what)
			}
			return
		}
	}
	t.Errorf("%s was not looked at: %+v", what, found)
}

func TestAHouseInGoodOrder(t *testing.T) {
	h := harness.Start(t, harness.Options{Models: []string{"swift"}})
	h.Person("Ada")
	found := Examine(t.Context(), h.App)
	want(t, found, "database", Good, "0 requests today")
	want(t, found, "keychain", Good, "answers")
	want(t, found, "port", Good, "A gateway serves")
	want(t, found, "addresses", Mind, "--listen :") // a test listens on loopback alone
	want(t, found, "set-up", Good, "models 1, people 1")
	want(t, found, "provider "+harness.Provider, Good, "takes the key")
	want(t, found, "clock", Good, "agrees")
}

func TestTheCertificateIsLookedAt(t *testing.T) {
	h := harness.Start(t, harness.Options{HTTPS: true})
	found := Examine(t.Context(), h.App)
	want(t, found, "port", Good, "A gateway serves")
	want(t, found, "https", Good, "good until 2036-11-26")
	for what, c := range map[string]struct {
		at    time.Time
		state State
		says  string
	}{"its end is far": {harness.Noon, Good, "speaks HTTPS"}, "it has ended": {harness.Noon.AddDate(11, 0, 0), Fault, "has ended"}} {
		if f := encryption(t.Context(), h.App, c.at); f.State != c.state || !strings.Contains(f.Says, c.says) {
			t.Errorf("%s: %+v", what, f)
		}
	}
	if err := h.SetSettings(t.Context(), boot.Settings{HostNames: []string{"llm.example.net"}}); err != nil {
		t.Fatal(err)
	}
	want(t, Examine(t.Context(), h.App), "https", Mind, "llm.example.net")
	plain := harness.Start(t, harness.Options{})
	want(t, Examine(t.Context(), plain.App), "https", Good, "plain HTTP")
}

// sick is an app that is not served, with a key that no one set and a provider that is not there.
func sick(t *testing.T, listen string, secrets keys.Source) *boot.App {
	t.Helper()
	app, err := boot.Open(t.Context(), boot.Options{Data: t.TempDir(), Listen: listen, Secrets: secrets})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = app.Close() })
	if _, err := app.Providers.AddProvider(t.Context(), providers.Provider{Name: "gone", BaseURL: fakeprovider.RefusedURL(t)}); err != nil {
		t.Fatal(err)
	}
	return app
}

func none(string) (string, bool) { return "", false }

func TestWhatIsInTheWayIsNamed(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { // a program that is no gateway
		for {
			c, err := taken.Accept()
			if err != nil {
				return
			}
			_ = c.Close()
		}
	}()
	defer taken.Close()
	app := sick(t, taken.Addr().String(), keys.NewEnv(none, nil))
	found := Examine(t.Context(), app)
	want(t, found, "port", Fault, "no gateway")
	want(t, found, "set-up", Mind, "no model yet")
	want(t, found, "provider gone", Fault, "perdiem provider list")
	want(t, found, "clock", Mind, "could not be compared")

	if _, err := app.Providers.AddKey(t.Context(), "gone", "spare", providers.Environment); err != nil {
		t.Fatal(err)
	}
	want(t, Examine(t.Context(), app), "provider gone, key spare", Fault, "cannot be read")
}

func TestAPortThatIsFreeIsNoFault(t *testing.T) {
	want(t, Examine(t.Context(), sick(t, "127.0.0.1:0", keys.NewEnv(none, nil))), "port", Mind, "perdiem serve")
}

// noKeychain is a machine without one.
type noKeychain struct{ keys.Source }

func (noKeychain) Get(context.Context, providers.Key) (string, error) {
	return "", errors.New("there is no keychain")
}

func TestAKeychainIsMissedOnlyByWhoNeedsIt(t *testing.T) {
	app := sick(t, "127.0.0.1:0", noKeychain{})
	want(t, Examine(t.Context(), app), "keychain", Mind, "PERDIEM_KEY_NAME")
	if _, err := app.Providers.AddKey(t.Context(), "gone", "", providers.Keychain); err != nil {
		t.Fatal(err)
	}
	want(t, Examine(t.Context(), app), "keychain", Fault, "there is no keychain")
}

// A machine without a keychain that has the encrypted file in its place wants nothing.
func TestTheEncryptedFileStandsInForAKeychain(t *testing.T) {
	file := keys.NewFile(filepath.Join(t.TempDir(), "keys.age"), func(context.Context) (string, error) { return "a passphrase", nil }, nil)
	secrets := keys.Chain{Keychain: absent{}, Env: keys.NewEnv(none, nil), File: file}
	app := sick(t, "127.0.0.1:0", secrets)
	key, err := app.Providers.AddKey(t.Context(), "gone", "", providers.Keychain)
	if err != nil {
		t.Fatal(err)
	}
	want(t, Examine(t.Context(), app), "keychain", Fault, "no keychain") // its secret is nowhere
	if err := secrets.Set(t.Context(), key, "sk-1"); err != nil {
		t.Fatal(err)
	}
	want(t, Examine(t.Context(), app), "keychain", Good, "encrypted file")
}

// absent is a keychain that this session does not have.
type absent struct{}

func (absent) Get(context.Context, providers.Key) (string, error) { return "", keys.ErrNoKeychain }
func (absent) Set(context.Context, providers.Key, string) error   { return keys.ErrNoKeychain }
func (absent) Delete(context.Context, providers.Key) error        { return keys.ErrNoKeychain }

func TestAClockThatIsOffIsAFault(t *testing.T) {
	for off, state := range map[time.Duration]State{0: Good, time.Minute: Good, -3 * time.Minute: Fault, time.Hour: Fault} {
		want(t, []Finding{clock([]reading{{}, {off, true}})}, "clock", state, "")
	}
}

func TestThisDiskHasRoomThatCanBeRead(t *testing.T) {
	if free, err := freeBytes(t.TempDir()); err != nil || free <= 0 {
		t.Errorf("%d bytes, %v", free, err)
	}
	if _, err := freeBytes("/nowhere"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("nowhere gives %v", err)
	}
}

package keys

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zalando/go-keyring"

	"perdiem/providers"
)

// insideVar names the one test that a test process of ours is to run on a bus of its own. The process-wide connection to
// the bus cannot be changed, so that each kind of bus needs a process.
const insideVar = "PERDIEM_KEYS_INSIDE"

// alone runs the rest of a test in a process of its own: inside is false in the first process, which is done then.
func alone(t *testing.T, command ...string) (inside bool) {
	t.Helper()
	if os.Getenv(insideVar) == t.Name() {
		return true
	}
	args := slices.Concat(command, []string{os.Args[0], "-test.run=^" + t.Name() + "$", "-test.v"})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	home := t.TempDir()
	cmd.Env = append(os.Environ(), insideVar+"="+t.Name(), "HOME="+home, "XDG_RUNTIME_DIR="+home, "XDG_DATA_HOME="+home,
		"DISPLAY=", "WAYLAND_DISPLAY=", "DBUS_SESSION_BUS_ADDRESS=unix:path="+filepath.Join(home, "no-bus"))
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

// onAnEmptyBus is alone, on a bus on which nothing answers and nothing is started on demand.
func onAnEmptyBus(t *testing.T, command ...string) (inside bool) {
	t.Helper()
	if os.Getenv(insideVar) == t.Name() {
		return true
	}
	if _, err := exec.LookPath("dbus-run-session"); err != nil {
		t.Skip("needs dbus-run-session (the package dbus-daemon)")
	}
	config := filepath.Join(t.TempDir(), "bus.conf")
	err := os.WriteFile(config, []byte(`<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen><policy context="default">
<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	return alone(t, append([]string{"dbus-run-session", "--config-file=" + config, "--"}, command...)...)
}

// needsKeyring skips a test where the test command did not start a keyring.
func needsKeyring(t *testing.T) {
	t.Helper()
	if os.Getenv("PERDIEM_TEST_KEYRING") != "1" {
		t.Skip("needs an unlocked gnome-keyring, which `make test` starts (PERDIEM_TEST_KEYRING=1)")
	}
}

func someKey(id string) providers.Key {
	return providers.Key{ID: "test-" + id, Provider: "p", Source: providers.Keychain}
}

func TestARealKeychainKeepsSecrets(t *testing.T) {
	needsKeyring(t)
	k, key := NewKeychain(nil), someKey("keeps")
	t.Cleanup(func() { _ = k.Delete(context.Background(), key) })
	if err := k.Set(t.Context(), key, "  sk-CANARY/one+two==\n"); err != nil {
		t.Fatal(err)
	}
	for name, source := range map[string]*Keychain{"same": k, "fresh": NewKeychain(nil)} {
		if got, err := source.Get(t.Context(), key); err != nil || got != "sk-CANARY/one+two==" {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
	if got, err := keyring.Get("Perdiem", key.ID); err != nil || got != "sk-CANARY/one+two==" {
		t.Errorf("as other programs see it: got %q, %v", got, err)
	}
	if err := k.Set(t.Context(), key, "sk-CANARY-three"); err != nil {
		t.Fatal(err)
	}
	if got, err := k.Get(t.Context(), key); err != nil || got != "sk-CANARY-three" {
		t.Errorf("after a change: got %q, %v", got, err)
	}
}

func TestARealKeychainForgetsSecrets(t *testing.T) {
	needsKeyring(t)
	k, key := NewKeychain(nil), someKey("forgets")
	if err := k.Set(t.Context(), key, "sk-CANARY"); err != nil {
		t.Fatal(err)
	}
	for range 2 { // deleting what is not there is no error
		if err := k.Delete(t.Context(), key); err != nil {
			t.Error(err)
		}
	}
	for name, source := range map[string]*Keychain{"same": k, "fresh": NewKeychain(nil)} {
		if got, err := source.Get(t.Context(), key); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
}

func TestSecretsAreReadFromMemoryAfterTheFirstTime(t *testing.T) {
	needsKeyring(t)
	k, key := NewKeychain(nil), someKey("memory")
	if err := keyring.Set(service, key.ID, "sk-first"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = k.Delete(context.Background(), key) })
	for _, step := range []struct {
		do   func() error
		want string
	}{
		{func() error { return nil }, "sk-first"},
		{func() error { return keyring.Set(service, key.ID, "sk-second") }, "sk-first"},
		{func() error { k.Forget(key); return nil }, "sk-second"},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		if got, err := k.Get(t.Context(), key); err != nil || got != step.want {
			t.Errorf("got %q, %v; want %q", got, err, step.want)
		}
	}
}

func TestAFailureIsRememberedForTenSeconds(t *testing.T) {
	needsKeyring(t)
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	k, key := NewKeychain(func() time.Time { return now }), someKey("failure")
	t.Cleanup(func() { _ = k.Delete(context.Background(), key) })
	if _, err := k.Get(t.Context(), key); !errors.Is(err, ErrNotFound) {
		t.Fatal(err)
	}
	if err := keyring.Set(service, key.ID, "sk-late"); err != nil {
		t.Fatal(err)
	}
	now = now.Add(9 * time.Second)
	if got, err := k.Get(t.Context(), key); !errors.Is(err, ErrNotFound) {
		t.Errorf("after 9 s: got %q, %v", got, err)
	}
	now = now.Add(2 * time.Second)
	if got, err := k.Get(t.Context(), key); err != nil || got != "sk-late" {
		t.Errorf("after 11 s: got %q, %v", got, err)
	}
}

func TestWhatIsNoKeyIsNotStored(t *testing.T) {
	k := NewKeychain(nil) // asked nothing: the checks come first
	for name, c := range map[string]struct {
		secret string
		want   error
	}{
		"nothing":        {"", ErrUnusable},
		"blanks":         {" \n\t ", ErrUnusable},
		"two lines":      {"sk-a\nsk-b", ErrUnusable},
		"a blank inside": {"sk-a b", ErrUnusable},
		"a header break": {"sk-a\r\nX-Evil: 1", ErrUnusable},
		"a control code": {"sk-\x00a", ErrUnusable},
		"not ASCII":      {"sk-ключ", ErrUnusable},
		"far too long":   {strings.Repeat("k", 20_000), ErrTooLong},
	} {
		t.Run(name, func(t *testing.T) {
			if err := k.Set(t.Context(), someKey("bad"), c.secret); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
}

// noKeychain checks that every verb says in plain words that there is no keychain, and soon.
func noKeychain(t *testing.T) {
	t.Helper()
	k := NewKeychain(nil)
	_, getErr := k.Get(t.Context(), someKey("a"))
	for verb, err := range map[string]error{
		"Get": getErr, "Set": k.Set(t.Context(), someKey("a"), "sk-CANARY"), "Delete": k.Delete(t.Context(), someKey("a")),
	} {
		if !errors.Is(err, ErrNoKeychain) || strings.Contains(err.Error(), "dbus") || strings.Contains(err.Error(), "CANARY") {
			t.Errorf("%s: got %v", verb, err)
		}
	}
}

func TestWithoutABusTheWordsArePlain(t *testing.T) {
	if alone(t) {
		noKeychain(t)
	}
}

func TestOnABusWithoutAKeychainTheWordsArePlain(t *testing.T) {
	if onAnEmptyBus(t) {
		noKeychain(t)
	}
}

func TestAKeyringThatWasNeverUnlockedIsLocked(t *testing.T) {
	if _, err := exec.LookPath("gnome-keyring-daemon"); err != nil {
		t.Skip("needs gnome-keyring-daemon (the package gnome-keyring)")
	}
	if !onAnEmptyBus(t, "bash", "-c", `gnome-keyring-daemon --start --components=secrets >/dev/null 2>&1; "$0" "$@"; code=$?; exit $code`) {
		return
	}
	k := NewKeychain(nil)
	if got, err := k.Get(t.Context(), someKey("a")); !errors.Is(err, ErrLocked) {
		t.Errorf("Get: got %q, %v", got, err)
	}
	if err := k.Set(t.Context(), someKey("a"), "sk-CANARY"); !errors.Is(err, ErrLocked) {
		t.Errorf("Set: got %v", err)
	}
}

func TestErrorsBecomeWords(t *testing.T) {
	for text, want := range map[string]error{
		`exec: "dbus-launch": executable file not found in $PATH`:                                       ErrNoKeychain,
		"dbus: couldn't determine address of session bus":                                               ErrNoKeychain,
		"The name org.freedesktop.secrets was not provided by any .service files":                       ErrNoKeychain,
		"No such interface “org.freedesktop.Secret.Service” on object at path /org/freedesktop/secrets": ErrNoKeychain,
		"dial unix /run/user/1000/bus: connect: no such file or directory":                              ErrNoKeychain,
		"failed to unlock correct collection '/org/freedesktop/secrets/aliases/default'":                ErrLocked,
		"Cannot create an item in a locked collection":                                                  ErrLocked,
		"exit status 128": ErrLocked,
	} {
		if got := inWords(errors.New(text)); !errors.Is(got, want) {
			t.Errorf("%s: got %v", text, got)
		}
	}
	if got := inWords(keyring.ErrSetDataTooBig); !errors.Is(got, ErrTooLong) {
		t.Errorf("too big: got %v", got)
	}
	if got := inWords(errors.New("a new trouble")); got == nil || !strings.Contains(got.Error(), "a new trouble") {
		t.Errorf("unknown: got %v", got)
	}
}

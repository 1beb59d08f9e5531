package boot_test

import (
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"

	"perdiem/gateway/boot"
	"perdiem/testing/harness"
)

func TestAnotherPortIsTakenAtOnceAndKept(t *testing.T) {
	data, first, second := t.TempDir(), harness.FreePort(t), harness.FreePort(t)
	app := settled(t, data, boot.Settings{Listen: first})
	if answers(t, first, "") == 0 {
		t.Fatal("the first port does not answer")
	}
	if err := app.SetSettings(t.Context(), boot.Settings{Listen: second}); err != nil {
		t.Fatal(err)
	}
	if answers(t, second, "") == 0 || answers(t, first, "") != 0 {
		t.Fatal("the gateway did not move")
	}
	if err := app.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := boot.Open(t.Context(), boot.Options{Data: data})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if s, err := again.Settings(t.Context()); err != nil || s.Listen != second || again.Port() == 7427 {
		t.Fatalf("after a restart: %+v, %v, port %d", s, err, again.Port())
	}
}

func TestAPortThatIsTakenChangesNothing(t *testing.T) {
	first := harness.FreePort(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	app := settled(t, t.TempDir(), boot.Settings{Listen: first})
	err = app.SetSettings(t.Context(), boot.Settings{Listen: taken.Addr().String()})
	if err == nil || !strings.Contains(err.Error(), "taken by another program") {
		t.Fatalf("got %v", err)
	}
	if !app.On() || app.ListenError() != nil || answers(t, first, "") == 0 {
		t.Fatal("the gateway does not go on where it was")
	}
	if s, err := app.Settings(t.Context()); err != nil || s.Listen != first {
		t.Fatalf("the settings are %+v, %v", s, err)
	}
}

func TestAHostNameCountsFromTheNextRequest(t *testing.T) {
	at := harness.FreePort(t)
	app := settled(t, t.TempDir(), boot.Settings{Listen: at})
	if got := answers(t, at, "llm.example.net"); got != http.StatusForbidden {
		t.Fatalf("an unknown name gets %d", got)
	}
	if err := app.SetSettings(t.Context(), boot.Settings{Listen: at, HostNames: []string{"llm.example.net"}}); err != nil {
		t.Fatal(err)
	}
	if got := answers(t, at, "LLM.example.net"); got == http.StatusForbidden || got == 0 {
		t.Fatalf("the owner's name gets %d", got)
	}
}

func TestSettingsThatCannotBeAreRefused(t *testing.T) {
	app := open(t, "")
	for _, s := range []boot.Settings{{Listen: "7427"}, {Listen: ":70000"}, {Listen: "a b:1"}, {HostNames: []string{"http://x"}}, {HostNames: []string{""}}, {KeepDays: -1}} {
		if err := app.SetSettings(t.Context(), s); !errors.Is(err, boot.ErrSettings) {
			t.Errorf("%+v gave %v", s, err)
		}
	}
}

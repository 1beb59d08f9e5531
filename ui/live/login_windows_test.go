package live_test

import (
	"testing"

	"golang.org/x/sys/windows/registry"

	"perdiem/ui/live"
)

// The registry is left as it was found.
func TestPerdiemIsAmongTheProgramsThatWindowsRunsAtLogin(t *testing.T) {
	l := live.NewLogin("windows", "", "", `C:\Program Files\Perdiem\perdiem.exe`)
	if !l.Possible() {
		t.Fatal("starting at login is not offered")
	}
	if l.On() {
		t.Skip("Perdiem starts at login on this machine, and shall go on to")
	}
	for range 2 { // asked twice, it does not fail
		if err := l.Set(true); err != nil {
			t.Fatal(err)
		}
	}
	key, err := registry.OpenKey(registry.CURRENT_USER, `Software\Microsoft\Windows\CurrentVersion\Run`, registry.QUERY_VALUE)
	if err != nil {
		t.Fatal(err)
	}
	defer key.Close()
	if got, _, err := key.GetStringValue("Perdiem"); err != nil || got != `"C:\Program Files\Perdiem\perdiem.exe"` {
		t.Errorf("the registry says %s, %v", got, err)
	}
	if !l.On() {
		t.Error("it is not on")
	}
	for range 2 {
		if err := l.Set(false); err != nil {
			t.Fatal(err)
		}
	}
	if l.On() {
		t.Error("it is still on")
	}
}

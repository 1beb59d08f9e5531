package ui

import (
	"errors"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"perdiem/meter"
	"perdiem/ui/live"
)

func TestTheGatewayIsSwitchedOffAndOn(t *testing.T) {
	r := newRig(t)
	r.open(pageOverview)
	r.see("Serving")
	r.see("http://192.168.1.20:7427/v1")
	r.press("Pause")
	r.settle()
	r.see("Paused: every call is turned away")
	r.notSee("http://192.168.1.20:7427/v1")
	if r.gate.On() {
		t.Fatal("the gateway still serves")
	}
	r.press("Start")
	r.settle()
	r.see("Serving")
}

func TestAGatewayThatCannotListenSaysWhyAndNeverServing(t *testing.T) {
	r := newRig(t)
	r.gate.on, r.gate.fail = false, errors.New("port 7427 is taken by another program")
	r.open(pageOverview)
	r.see("Stopped")
	r.see("Port 7427 is taken by another program")
	r.press("Start")
	r.settle()
	r.see("Could not start the gateway: Port 7427 is taken by another program")
	r.notSee("Serving")
}

func TestTheAddressIsCopied(t *testing.T) {
	r := newRig(t)
	r.open(pageOverview)
	r.press("Copy")
	if got := r.app.Clipboard().Content(); got != "http://192.168.1.20:7427/v1" {
		t.Fatalf("copied %q", got)
	}
}

func TestTodayIsCountedLive(t *testing.T) {
	r := newRig(t)
	r.models("openai/gpt-5")
	amara := r.person("Amara", "")
	r.allow(meter.Holder{Kind: meter.ForEveryone}, "*", -1, -1)
	r.putGuideAway()
	r.open(pageOverview)
	r.see("Nothing yet today.")
	r.call(amara, "openai/gpt-5", 12_000, 345)
	r.gate.flights = []live.Flight{{Person: "Amara", Model: "openai/gpt-5", Started: afternoon, InputTokens: 5000, OutputTokens: 77}}
	r.settle()
	r.see("12,345")
	r.see("12,000 in, 345 out")
	r.see("Busiest: 18:00–19:00 UTC")
	r.see("5,077")
	r.gate.flights = nil
	r.settle()
	r.see("Nothing is running.")
}

func TestTheCountdownIsAlwaysInView(t *testing.T) {
	r := newRig(t)
	for page := range r.pages {
		r.open(page)
		r.see("5 h 12 min")
		r.see("at 00:00 UTC")
	}
}

func TestPagesAreReachedByShortcut(t *testing.T) {
	r := newRig(t)
	for i, item := range r.window.MainMenu().Items[1].Items {
		want := &desktop.CustomShortcut{KeyName: fyne.KeyName('1' + rune(i)), Modifier: fyne.KeyModifierShortcutDefault}
		if got := item.Shortcut.ShortcutName(); got != want.ShortcutName() {
			t.Errorf("%s has the shortcut %s, want %s", item.Label, got, want.ShortcutName())
		}
		item.Action()
		if r.inView() != r.pages[i] {
			t.Errorf("%s brings another page into view", item.Label)
		}
	}
}

func TestAPageThatCannotBeReadSaysSoUntilItCan(t *testing.T) {
	r := newRig(t)
	r.shelf.fail = errors.New("the disk is gone")
	r.open(pageOverview)
	r.see("This page may be out of date: The disk is gone")
	r.shelf.fail = nil
	r.settle()
	r.notSee("out of date")
}

func TestNoPageMakesTheWindowGrow(t *testing.T) {
	for state, prepare := range map[string]func(*rig){"first run": func(*rig) {}, "busy": busyTeam, "trouble": trouble} {
		t.Run(state, func(t *testing.T) {
			r := newRig(t)
			prepare(r)
			r.shell.tell(colorSpent, "Something is wrong, and it takes a line of its own to say what.")
			for i, p := range r.pages {
				r.open(i)
				if least := r.window.Content().MinSize(); least.Width > 1024 || least.Height > 700 {
					t.Errorf("%s wants at least %v of the screen", p.title(), least)
				}
			}
		})
	}
}

// pass lets seconds go by, as the pump would see them.
func (r *rig) pass(seconds int) {
	r.t.Helper()
	for range seconds {
		r.at(r.clock().Add(time.Second))
		r.settle()
	}
}

func TestASleepAndAnotherAddressAreToldUntilPutAway(t *testing.T) {
	r := newRig(t)
	r.open(pageOverview)
	r.pass(2)
	r.notSee("slept")
	r.gate.addresses[0].URL = "http://10.1.2.3:7427/v1"
	slept := r.clock().Local().Format("15:04") + " to " + r.clock().Add(time.Hour).Local().Format("15:04")
	r.at(r.clock().Add(time.Hour))
	test.AssertNotificationSent(t, fyne.NewNotification("Teammates need another address", "This computer slept from "+slept+"; calls that ran then may have been cut off. "+
		"The address changed: teammates' tools need http://10.1.2.3:7427/v1 in place of http://192.168.1.20:7427/v1."), func() { r.pass(10) })
	r.see("The address changed")
	r.open(pagePeople)
	r.open(pageOverview)
	r.see("The address changed")
	r.pages[pageOverview].(*overview).gate.news.Objects[2].(*widget.Button).OnTapped()
	r.notSee("The address changed")
}

func TestAnotherAddressIsToldOnWhicheverPageIsInView(t *testing.T) {
	r := newRig(t)
	r.open(pagePeople)
	r.pass(2)
	r.gate.addresses = r.gate.addresses[1:]
	r.pass(10)
	r.see("It is in no network now: only tools on this computer reach the gateway.")
}

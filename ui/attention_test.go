package ui

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"perdiem/meter"
	"perdiem/providers"
	"perdiem/ui/live"
)

// alertRig has one person with an allowance of 1,000 tokens, and a window that has looked once.
func alertRig(t *testing.T) (*rig, meter.Person) {
	r := newRig(t)
	r.models("openai/gpt-5")
	amara := r.person("Amara ’; calc; ‘", "")
	r.allow(meter.Holder{Kind: meter.ForEveryone}, "*", -1, 1000)
	r.open(pageModels)
	return r, amara
}

func TestTheOwnerIsNotifiedAtEightyAndAHundredPercent(t *testing.T) {
	r, amara := alertRig(t)
	r.call(amara, "openai/gpt-5", 500, 50)
	r.settle()
	r.notSee("used")
	test.AssertNotificationSent(t, fyne.NewNotification("80 % used", "Amara '; calc; ' on openai/gpt-5"), func() {
		r.call(amara, "openai/gpt-5", 250, 50)
		r.settle()
	})
	r.see("80 % used: Amara '; calc; ' on openai/gpt-5.")
	test.AssertNotificationSent(t, fyne.NewNotification("Spent for today", "Amara '; calc; ' on openai/gpt-5"), func() {
		r.call(amara, "openai/gpt-5", 100, 50)
		r.settle()
	})
}

func TestAFailedKeyIsToldOnceWithoutItsSecret(t *testing.T) {
	r, _ := alertRig(t)
	_, err := live.Connect(t.Context(), r.shelf, r.secrets, providers.Provider{Name: "anthropic", BaseURL: "https://a.example"}, &live.NewKey{Source: providers.Keychain, Secret: "sk-secret"})
	r.must(err)
	keys, err := r.shelf.Keys(t.Context(), "anthropic")
	r.must(err)
	r.settle()
	test.AssertNotificationSent(t, fyne.NewNotification("A key of anthropic does not work", "The provider refused it"), func() {
		r.must(r.shelf.DisableKey(t.Context(), keys[0].ID, "the provider refused it"))
		r.settle()
	})
	test.AssertNotificationSent(t, nil, r.settle)
}

func TestWhoWantsNoNotificationsStillSeesTheNotice(t *testing.T) {
	r, amara := alertRig(t)
	r.app.Preferences().SetBool(quietKey, true)
	test.AssertNotificationSent(t, nil, func() {
		r.call(amara, "openai/gpt-5", 900, 50)
		r.settle()
	})
	r.see("80 % used")
}

func TestASecondStartBringsTheFirstWindowToTheFront(t *testing.T) {
	r := newRig(t)
	r.open(pageOverview)
	shown := make(chan bool)
	go func() {
		ok, err := live.ShowFirst(t.Context(), r.books)
		if err != nil {
			t.Error(err)
		}
		shown <- ok
	}()
	for {
		select {
		case ok := <-shown:
			if !ok {
				t.Fatal("the second start was not told that there is a first")
			}
			r.see("Perdiem was open already")
			return
		default:
			r.settle()
		}
	}
}

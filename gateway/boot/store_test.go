package boot_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"perdiem/gateway/boot"
	"perdiem/meter"
	"perdiem/testing/scratchpg"
)

func TestTwoGatewaysServeOneSharedStore(t *testing.T) {
	scratchpg.Need(t)
	address := scratchpg.Schema(t)
	one, two := open(t, address), open(t, address)
	ctx := context.Background()
	for _, app := range []*boot.App{one, two} {
		if err := app.Start(ctx); err != nil {
			t.Fatal(err)
		}
	}
	ada, err := one.Meter.AddPerson(ctx, "Ada", "")
	if err != nil {
		t.Fatal(err)
	}
	last := int64(1)
	err = two.Meter.SetAllowance(ctx, meter.Allowance{
		Holder: meter.Holder{Kind: meter.ForPerson, ID: ada.ID}, Model: meter.AnyModel, Limits: meter.Limits{Requests: &last},
	})
	if err != nil {
		t.Fatal(err)
	}
	ask := meter.Request{ID: "r", PersonID: ada.ID, Model: "acme/gauge"}
	if _, err := one.Meter.Reserve(ctx, ask); err != nil {
		t.Fatal(err)
	}
	var no *meter.Refusal
	if _, err := two.Meter.Reserve(ctx, ask); !errors.As(err, &no) {
		t.Errorf("the other gateway gave the same room away: %v", err)
	}
	if ended, err := two.Meter.Recover(ctx); err != nil || ended != 0 {
		t.Errorf("%d holds of a living gateway were ended, %v", ended, err)
	}
}

func TestOneGatewayServesAFolder(t *testing.T) {
	data := t.TempDir()
	apps := make([]*boot.App, 2)
	for i := range apps {
		app, err := boot.Open(t.Context(), boot.Options{Data: data, Listen: "127.0.0.1:0"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := app.Close(); err != nil {
				t.Error(err)
			}
		})
		apps[i] = app
	}
	if err := apps[0].Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := apps[1].Start(t.Context()); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("a second start gave %v", err)
	}
	if err := apps[0].Stop(); err != nil {
		t.Fatal(err)
	}
	if err := apps[1].Start(t.Context()); err != nil {
		t.Errorf("after the first ended: %v", err)
	}
}

func TestAStoreThatIsNoneIsToldWithoutItsPassword(t *testing.T) {
	for _, store := range []string{"mysql://ada:secret@host/books", "ada:secret@host", "postgres://ada:secret@127.0.0.1:1/books"} {
		_, err := boot.Open(t.Context(), boot.Options{Data: t.TempDir(), Store: store})
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("got %v", err)
		}
	}
}

package metertest

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"perdiem/meter"
)

func testJoin(t *testing.T, b *Books) {
	ctx := context.Background()
	ada, bo := b.person("Ada", nil, nil), b.person("Bo", nil, nil)
	code := func(p meter.Person) string {
		t.Helper()
		code, expires, err := b.MakeJoinCode(ctx, p.ID)
		if err != nil || !expires.Equal(b.Clock.Now().Add(10*time.Minute)) {
			t.Fatalf("a code until %v, %v", expires, err)
		}
		return code
	}
	refused := func(what, code string) {
		t.Helper()
		if _, pass, secret, err := b.RedeemJoinCode(ctx, code, "phone"); !errors.Is(err, meter.ErrJoinInvalid) || pass.ID != "" || secret != "" {
			t.Errorf("%s: a pass %+v, %v", what, pass, err)
		}
	}

	// Many at once: one gets a pass, and it is the person's whose code it was.
	shared := code(ada)
	var won, lost atomic.Int64
	inParallel(20, func(int) {
		who, pass, secret, err := b.RedeemJoinCode(ctx, shared, " laptop ")
		switch {
		case err == nil:
			won.Add(1)
			p, found, err := b.Authenticate(ctx, secret)
			if err != nil || p.ID != ada.ID || who.Name != "Ada" || found.ID != pass.ID || pass.Label != "laptop" || pass.PersonID != ada.ID {
				t.Errorf("the pass %+v of %+v opens for %+v, %v", pass, who, p, err)
			}
		case errors.Is(err, meter.ErrJoinInvalid):
			lost.Add(1)
		default:
			t.Error(err)
		}
	})
	if won.Load() != 1 || lost.Load() != 19 {
		t.Fatalf("%d got a pass, %d were refused", won.Load(), lost.Load())
	}
	if all, err := b.Passes(ctx, ada.ID); err != nil || len(all) != 1 {
		t.Errorf("%d passes, %v", len(all), err)
	}
	refused("a code that was used", shared)
	refused("a code that never was", strings.Repeat("A", len(shared)))
	refused("no code", "")

	first := code(ada)
	others := code(bo)
	second := code(ada)
	refused("a code that another took the place of", first)
	if who, _, _, err := b.RedeemJoinCode(ctx, others, "phone"); err != nil || who.ID != bo.ID {
		t.Errorf("another person's code gave %+v, %v", who, err)
	}
	if _, _, _, err := b.RedeemJoinCode(ctx, second, ""); err == nil || errors.Is(err, meter.ErrJoinInvalid) {
		t.Errorf("a device without a name: %v", err)
	}
	b.Clock.Add(10*time.Minute - time.Millisecond)
	if _, _, _, err := b.RedeemJoinCode(ctx, second, "phone"); err != nil {
		t.Errorf("in the last moment, after a mistake: %v", err)
	}

	late := code(ada)
	b.Clock.Add(10 * time.Minute)
	refused("a code that expired", late)

	gone := code(bo)
	if err := b.RemovePerson(ctx, bo.ID); err != nil {
		t.Fatal(err)
	}
	refused("a code of somebody who left", gone)
	if _, _, err := b.MakeJoinCode(ctx, "nobody"); !errors.Is(err, meter.ErrNotFound) {
		t.Errorf("a code for nobody: %v", err)
	}

	// What is stored opens nothing.
	kept := code(ada)
	var hash string
	if err := b.Store.Read().QueryRowContext(ctx, `SELECT hash FROM join_codes WHERE person = $1`, ada.ID).Scan(&hash); err != nil || len(hash) != 64 || strings.Contains(hash, kept) {
		t.Errorf("stored is %q, %v", hash, err)
	}
	refused("its hash", hash)
}

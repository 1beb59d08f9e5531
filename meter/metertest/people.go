package metertest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"perdiem/meter"
)

func testPeople(t *testing.T, b *Books) {
	ctx := context.Background()
	if err := b.AddTier(ctx, "interns"); err != nil {
		t.Fatal(err)
	}
	ada, err := b.AddPerson(ctx, "  Ada 张三 ", "interns")
	if err != nil || ada.Name != "Ada 张三" {
		t.Fatalf("%+v, %v", ada, err)
	}
	for name, c := range map[string]struct {
		person, tier string
		want         error
	}{
		"same name":    {"Ada 张三", "", meter.ErrExists},
		"no name":      {"  ", "", meter.ErrInvalid},
		"control":      {"a\nb", "", meter.ErrInvalid},
		"zero width":   {"Ada\u200b", "", meter.ErrInvalid},
		"a holder":     {"Everyone", "", meter.ErrInvalid},
		"a tier":       {"tier:interns", "", meter.ErrInvalid},
		"too long":     {strings.Repeat("x", 81), "", meter.ErrInvalid},
		"no such tier": {"Bo", "kings", meter.ErrNotFound},
	} {
		if _, err := b.AddPerson(ctx, c.person, c.tier); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	for _, by := range []string{ada.ID, ada.Name} {
		if got, err := b.FindPerson(ctx, by); err != nil || got != ada {
			t.Errorf("find by %q: %+v, %v", by, got, err)
		}
	}
	if err := errors.Join(b.SetPersonTier(ctx, ada.ID, ""), b.SuspendPerson(ctx, ada.ID, true)); err != nil {
		t.Fatal(err)
	}
	if got, err := b.FindPerson(ctx, ada.Name); err != nil || !got.Suspended || got.Tier != "" {
		t.Errorf("after the changes: %+v, %v", got, err)
	}
	b.allow(meter.Holder{Kind: meter.ForEveryone}, meter.AnyModel, nil, nil)
	_, err = b.reserve(ada, model, 1, 1)
	wantRefusal(t, err, meter.PersonSuspended)
	if err := b.SuspendPerson(ctx, ada.ID, false); err != nil {
		t.Fatal(err)
	}
	b.settle(b.mustReserve(ada, model, 1, 1), 1, 1)
	if err := b.RemovePerson(ctx, ada.ID); err != nil {
		t.Fatal(err)
	}
	if err := b.RemovePerson(ctx, ada.ID); !errors.Is(err, meter.ErrNotFound) {
		t.Errorf("removing twice gave %v", err)
	}
	if _, err := b.reserve(ada, model, 1, 1); !errors.Is(err, meter.ErrNotFound) {
		t.Errorf("a removed person's hold gave %v", err)
	}
}

// testNamesInUnicode has names whose accents are characters of their own, as macOS writes them into files.
func testNamesInUnicode(t *testing.T, b *Books) {
	ctx := context.Background()
	const composed, decomposed = "Jos\u00e9", "Jose\u0301"
	if err := b.AddTier(ctx, decomposed); err != nil {
		t.Fatal(err)
	}
	if err := b.AddTier(ctx, composed); !errors.Is(err, meter.ErrExists) {
		t.Errorf("the tier was added twice: %v", err)
	}
	p, err := b.AddPerson(ctx, decomposed, decomposed)
	if err != nil || p.Name != composed || p.Tier != composed {
		t.Fatalf("%+q in %+q, %v", p.Name, p.Tier, err)
	}
	if err := b.SetPersonTier(ctx, p.ID, decomposed); err != nil {
		t.Error(err)
	}
	// Older books have names as they were typed.
	write := func(statement, name string) {
		t.Helper()
		err := b.Store.Write(ctx, func(ctx context.Context, tx meter.Tx) error {
			_, err := tx.ExecContext(ctx, statement, name)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, stored := range []string{composed, decomposed} {
		write(`UPDATE people SET name = $1`, stored)
		write(`UPDATE tiers SET name = $1`, stored)
		for _, typed := range []string{composed, decomposed} {
			if got, err := b.FindPerson(ctx, typed); err != nil || got.ID != p.ID || got.Name != stored {
				t.Errorf("%+q, looked for as %+q: %+q, %v", stored, typed, got.Name, err)
			}
			if got, err := b.FindTier(ctx, typed); err != nil || got != stored {
				t.Errorf("the tier %+q, looked for as %+q: %+q, %v", stored, typed, got, err)
			}
			if _, err := b.AddPerson(ctx, typed, ""); !errors.Is(err, meter.ErrExists) {
				t.Errorf("%+q was added beside %+q: %v", typed, stored, err)
			}
		}
	}
	if _, err := b.FindPerson(ctx, "jos\u00e9"); !errors.Is(err, meter.ErrNotFound) {
		t.Errorf("another case was found: %v", err)
	}
	if _, err := b.FindTier(ctx, "Jose"); !errors.Is(err, meter.ErrNotFound) {
		t.Errorf("another tier was found: %v", err)
	}
}

func testPasses(t *testing.T, b *Books) {
	ctx := context.Background()
	p := b.person("Ada", nil, nil)
	end := b.Now().Add(time.Hour)
	_, short, err := b.IssuePass(ctx, p.ID, "laptop", &end)
	if err != nil {
		t.Fatal(err)
	}
	kept, long, err := b.IssuePass(ctx, p.ID, "", nil)
	if err != nil || !strings.HasPrefix(long, "pdm_"+kept.ID+"_") || len(long) != 4+8+1+32 {
		t.Fatalf("%+v, %v", kept, err)
	}
	check := func(secret string, want error) {
		t.Helper()
		who, _, err := b.Authenticate(ctx, secret)
		if !errors.Is(err, want) || (want == nil && who.ID != p.ID) {
			t.Errorf("got %v, %v; want %v", who, err, want)
		}
	}
	check(short, nil)
	check(long, nil)
	for _, wrong := range []string{"", "sk-123", "pdm_", long[:len(long)-1], long + "x", strings.ToUpper(long), long[:44] + "!", "pdm_" + strings.Repeat("A", 8) + long[12:]} {
		check(wrong, meter.ErrPassInvalid)
	}
	b.Clock.Add(time.Hour)
	check(short, meter.ErrPassInvalid)
	if _, err := b.Reserve(ctx, meter.Request{PersonID: p.ID, PassID: kept.ID, Model: model}); err != nil {
		t.Fatal(err)
	}
	if err := b.RevokePass(ctx, kept.ID); err != nil {
		t.Fatal(err)
	}
	check(long, meter.ErrPassInvalid)
	passes, err := b.Passes(ctx, p.ID)
	if err != nil || len(passes) != 2 {
		t.Fatalf("%+v, %v", passes, err)
	}
	for _, got := range passes {
		if got.ID == kept.ID && (got.RevokedAt == nil || got.LastUsedAt == nil || !got.LastUsedAt.Equal(b.Now())) {
			t.Errorf("the used and revoked pass is %+v", got)
		}
	}
}

func testReplacingPasses(t *testing.T, b *Books) {
	ctx := context.Background()
	ada, ben := b.person("Ada", nil, nil), b.person("Ben", nil, nil)
	old, secret, err := b.IssuePass(ctx, ada.ID, "laptop", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.ReplacePass(ctx, ben.ID, old.ID, nil); !errors.Is(err, meter.ErrNotFound) {
		t.Errorf("another's: %v", err)
	}
	end := b.Now().Add(time.Hour)
	fresh, next, err := b.ReplacePass(ctx, ada.ID, old.ID, &end)
	if err != nil || fresh.Label != "laptop" {
		t.Fatalf("%+v, %v", fresh, err)
	}
	if _, _, err := b.Authenticate(ctx, secret); !errors.Is(err, meter.ErrPassInvalid) {
		t.Errorf("the old one: %v", err)
	}
	if who, p, err := b.Authenticate(ctx, next); err != nil || who.ID != ada.ID || p.ID != fresh.ID || !p.ExpiresAt.Equal(end) {
		t.Errorf("the new one: %+v, %+v, %v", who, p, err)
	}
	if _, _, err := b.ReplacePass(ctx, ada.ID, old.ID, nil); !errors.Is(err, meter.ErrNotFound) {
		t.Errorf("one that was revoked: %v", err)
	}
	b.Clock.Add(time.Hour)
	if _, _, err := b.ReplacePass(ctx, ada.ID, fresh.ID, nil); !errors.Is(err, meter.ErrNotFound) {
		t.Errorf("one that expired: %v", err)
	}
}

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

func testSettings(t *testing.T, b *Books) {
	ctx := context.Background()
	want := func(value string) {
		t.Helper()
		if got, err := b.Setting(ctx, "s"); err != nil || got != value {
			t.Errorf("the setting is %q, %v; want %q", got, err, value)
		}
	}
	want("")
	for _, try := range []string{"first", "second"} {
		if got, err := b.SetSettingOnce(ctx, "s", try); err != nil || got != "first" {
			t.Errorf("setting %q gave %q, %v", try, got, err)
		}
	}
	want("first")
	for _, value := range []string{"second", ""} {
		if err := b.SetSetting(ctx, "s", value); err != nil {
			t.Fatal(err)
		}
		want(value)
	}
}

func testObjects(t *testing.T, b *Books) {
	ctx := context.Background()
	mine := meter.Object{ID: "resp_1", PersonID: "ada", Provider: "acme", KeyID: "k"}
	theirs := mine
	theirs.PersonID = "bo"
	for _, o := range []meter.Object{mine, theirs} {
		if err := b.KeepObject(ctx, o); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := b.FindObject(ctx, "ada", "resp_1"); err != nil || got != mine {
		t.Errorf("found %+v, %v", got, err)
	}
	for _, c := range [][2]string{{"bo", "resp_1"}, {"ada", "resp_2"}, {"", "resp_1"}} {
		if _, err := b.FindObject(ctx, c[0], c[1]); !errors.Is(err, meter.ErrNotFound) {
			t.Errorf("%v found %v", c, err)
		}
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

func testLookupOrder(t *testing.T, b *Books) {
	ctx := context.Background()
	if err := b.AddTier(ctx, "staff"); err != nil {
		t.Fatal(err)
	}
	p, err := b.AddPerson(ctx, "Ada", "staff")
	if err != nil {
		t.Fatal(err)
	}
	person, tier, everyone := meter.Holder{Kind: meter.ForPerson, ID: p.ID}, meter.Holder{Kind: meter.ForTier, ID: "staff"}, meter.Holder{Kind: meter.ForEveryone}
	_, err = b.reserve(p, model, 1, 1)
	wantRefusal(t, err, meter.ModelNotAllowed)
	// From the most general to the nearest, each one takes over from the last, columns and all.
	for i, from := range []meter.Source{
		{Holder: everyone, Model: meter.AnyModel}, {Holder: everyone, Model: model},
		{Holder: tier, Model: meter.AnyModel}, {Holder: tier, Model: model},
		{Holder: person, Model: meter.AnyModel}, {Holder: person, Model: model},
	} {
		limit := int64(100 + i)
		if i%2 == 0 {
			b.allow(from.Holder, from.Model, n(limit), nil)
		} else {
			b.allow(from.Holder, from.Model, nil, n(limit))
		}
		s := b.standing(p, model)
		if s.From != from || (i%2 == 0) != (s.MaxRequests != nil) || (i%2 == 1) != (s.MaxTokens != nil) {
			t.Errorf("after setting %+v: %+v", from, s)
		}
	}
	b.allow(person, model, n(0), nil)
	_, err = b.reserve(p, model, 1, 1)
	wantRefusal(t, err, meter.ModelNotAllowed)
	if err := b.RemoveAllowance(ctx, person, model); err != nil {
		t.Fatal(err)
	}
	b.mustReserve(p, model, 1, 1)
	b.allow(meter.Holder{Kind: meter.ForTier, ID: "staff"}, "acme/other", n(0), n(0))
	if s := b.standing(p, "acme/other"); !s.Allowed() {
		t.Errorf("the person's own row for any model decides over the tier's: %+v", s)
	}
	for _, bad := range []meter.Allowance{
		{Holder: meter.Holder{Kind: meter.ForTier, ID: "kings"}, Model: model},
		{Holder: meter.Holder{Kind: meter.ForPerson, ID: "nobody"}, Model: model},
		{Holder: meter.Holder{Kind: "club"}, Model: model},
		{Holder: everyone, Model: ""},
		{Holder: everyone, Model: model, Limits: meter.Limits{Tokens: n(-1)}},
	} {
		if err := b.SetAllowance(ctx, bad); !errors.Is(err, meter.ErrInvalid) && !errors.Is(err, meter.ErrNotFound) {
			t.Errorf("%+v gave %v", bad, err)
		}
	}
}

func testLimitEdit(t *testing.T, b *Books) {
	p := b.person("Ada", n(1), nil)
	own := meter.Holder{Kind: meter.ForPerson, ID: p.ID}
	b.mustReserve(p, model, 1, 1)
	_, err := b.reserve(p, model, 1, 1)
	wantRefusal(t, err, meter.DailyRequestLimit)
	b.allow(own, model, n(2), nil)
	b.mustReserve(p, model, 1, 1)
	b.allow(own, model, n(1), nil) // below what is held already
	_, err = b.reserve(p, model, 1, 1)
	wantRefusal(t, err, meter.DailyRequestLimit)
}

func testGrant(t *testing.T, b *Books) {
	ctx := context.Background()
	p := b.person("Ada", n(1), n(10))
	b.settle(b.mustReserve(p, model, 5, 5), 5, 5)
	if err := b.Grant(ctx, p.ID, model, 1, 20); err != nil {
		t.Fatal(err)
	}
	b.settle(b.mustReserve(p, model, 10, 10), 10, 10)
	_, err := b.reserve(p, model, 1, 0)
	wantRefusal(t, err, meter.DailyRequestLimit)

	// To a model that is not allowed: what is not granted of is not limited.
	_, err = b.reserve(p, "acme/other", 1, 1)
	wantRefusal(t, err, meter.ModelNotAllowed)
	if err := b.Grant(ctx, p.ID, "acme/other", 0, 10); err != nil {
		t.Fatal(err)
	}
	b.settle(b.mustReserve(p, "acme/other", 5, 5), 5, 5)
	_, err = b.reserve(p, "acme/other", 1, 0)
	wantRefusal(t, err, meter.DailyTokenLimit)

	b.Clock.Add(24 * time.Hour)
	_, err = b.reserve(p, "acme/other", 1, 1)
	wantRefusal(t, err, meter.ModelNotAllowed)
	for _, bad := range [][2]int64{{0, 0}, {-1, 5}, {1, -5}} {
		if err := b.Grant(ctx, p.ID, model, bad[0], bad[1]); !errors.Is(err, meter.ErrInvalid) {
			t.Errorf("a grant of %v gave %v", bad, err)
		}
	}
}

func testRefusalLog(t *testing.T, b *Books) {
	ctx := context.Background()
	p := b.person("Ada", n(0), nil)
	b.allow(meter.Holder{Kind: meter.ForPerson, ID: p.ID}, model, n(1), nil)
	b.mustReserve(p, model, 1, 1)
	_, err := b.reserve(p, model, 1, 1)
	no := refusalIn(t, err, meter.DailyRequestLimit)
	no.Tool = strings.Repeat("openai-python/2 ", 20)
	if err := b.LogRefusal(ctx, &meter.Refusal{At: b.Now(), Reason: "MODEL_NOT_FOUND", Model: "a\x00b\xff\n"}); err != nil {
		t.Fatalf("words that cannot be stored: %v", err)
	}
	for range 3 {
		if err := b.LogRefusal(ctx, no); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.LogRefusal(ctx, &meter.Refusal{At: b.Now(), Reason: "PASS_INVALID"}); err != nil {
		t.Fatal(err)
	}
	all, err := b.Refusals(ctx, meter.RefusalFilter{})
	if err != nil || len(all) != 5 || all[4].Model != "ab" || all[0].Reason != "PASS_INVALID" {
		t.Fatalf("%+v, %v", all, err)
	}
	got := all[1]
	if got.Person != "Ada" || got.Model != model || got.Figures.UsedRequests+got.Figures.HeldRequests != 1 || *got.Figures.MaxRequests != 1 ||
		!got.ResetsAt.Equal(*no.ResetsAt) || !strings.HasPrefix(got.Tool, "openai-python/2") || len(got.Tool) > 120 {
		t.Errorf("logged as %+v", got)
	}
	page, err := b.Refusals(ctx, meter.RefusalFilter{PersonID: p.ID, Before: got.Seq, Limit: 1})
	if err != nil || len(page) != 1 || page[0].Seq >= got.Seq {
		t.Errorf("the next page is %+v, %v", page, err)
	}
	if totals, err := b.Totals(ctx, meter.Day(b.Now())); err != nil || totals.Refusals != 5 {
		t.Errorf("totals %+v, %v", totals, err)
	}
}

func testHours(t *testing.T, b *Books) {
	ctx := context.Background()
	p := b.person("Ada", nil, nil)
	b.settle(b.mustReserve(p, model, 1, 1), 3, 4)
	b.Clock.Add(3 * time.Hour)
	late := b.mustReserve(p, model, 1, 1)
	expired := b.mustReserve(p, model, 1, 1)
	if _, err := b.Touch(ctx, expired.ID, meter.Observed{Accepted: true, Input: 5}); err != nil {
		t.Fatal(err)
	}
	b.settle(late, 10, 10)
	b.Clock.Add(time.Hour)
	if _, err := b.Expire(ctx); err != nil {
		t.Fatal(err)
	}
	b.settle(expired, 5, 6)
	if err := b.LogRefusal(ctx, &meter.Refusal{At: b.Now(), Reason: "X"}); err != nil {
		t.Fatal(err)
	}
	hours, err := b.Hours(ctx, meter.Day(b.Now()))
	want := [24]meter.Hour{12: {Requests: 1, Tokens: 7}, 15: {Requests: 1, Tokens: 20}, 16: {Requests: 1, Tokens: 11, Refusals: 1}}
	if err != nil || hours != want {
		t.Errorf("got %+v, %v", hours, err)
	}
}

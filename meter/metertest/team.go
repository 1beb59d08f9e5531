package metertest

import (
	"context"
	"testing"

	"perdiem/meter"
)

// testTeamEditions edits in one meter and looks in another, as the window or a command beside the gateway.
func testTeamEditions(t *testing.T, b *Books) {
	ctx := context.Background()
	p, beside := b.person("Ada", nil, nil), b.another("beside")
	one, everyone := int64(1), meter.Holder{Kind: meter.ForEveryone}
	team := func() *meter.Team {
		t.Helper()
		team, err := b.Team(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return team
	}
	by := func(statement string) func() error { // as another program writes it
		return func() error {
			return b.Store.Write(ctx, func(ctx context.Context, tx meter.Tx) error {
				_, err := tx.ExecContext(ctx, statement)
				return err
			})
		}
	}
	var pass meter.Pass
	for _, edit := range []struct {
		name string
		do   func() error
	}{
		{"a person is added", func() error { _, err := beside.AddPerson(ctx, "Bo", ""); return err }},
		{"one is suspended", func() error { return beside.SuspendPerson(ctx, p.ID, true) }},
		{"one is resumed", func() error { return beside.SuspendPerson(ctx, p.ID, false) }},
		{"a pass is issued", func() (err error) { pass, _, err = beside.IssuePass(ctx, p.ID, "", nil); return err }},
		{"a pass is revoked", func() error { return beside.RevokePass(ctx, pass.ID) }},
		{"an allowance is set", func() error {
			return beside.SetAllowance(ctx, meter.Allowance{Holder: everyone, Model: "*", Limits: meter.Limits{Requests: &one}})
		}},
		{"an allowance is changed", func() error { return beside.SetAllowance(ctx, meter.Allowance{Holder: everyone, Model: "*"}) }},
		{"an allowance is removed", func() error { return beside.RemoveAllowance(ctx, everyone, "*") }},
		{"a rate is set", func() error { return beside.SetRate(ctx, meter.Rate{Holder: everyone, Requests: &one}) }},
		{"a rate is changed", func() error { return beside.SetRate(ctx, meter.Rate{Holder: everyone}) }},
		{"a rate is removed", func() error { return beside.RemoveRate(ctx, everyone) }},
		{"somebody is put into a tier", func() error {
			if err := beside.AddTier(ctx, "interns"); err != nil {
				return err
			}
			return beside.SetPersonTier(ctx, p.ID, "interns")
		}},
		{"a tier is removed", func() error { return beside.RemoveTier(ctx, "interns") }},
		{"a person is added in one statement with others", by(`INSERT INTO people (id, name, created_at) VALUES ('c', 'Cy', 0), ('d', 'Di', 0)`)},
		{"a pass of theirs is written", by(`INSERT INTO passes (id, person, hash, created_at) VALUES ('cccccccc', 'c', '', 0)`)},
		{"a limit is written over", by(`INSERT INTO limits (scope, holder_kind, holder, model) VALUES ('person', 'person', '` + p.ID + `', '` + model + `')
			ON CONFLICT (scope, holder_kind, holder, model) DO UPDATE SET max_requests = 5`)},
		{"nothing but a pass is moved to another", by(`UPDATE passes SET person = 'd' WHERE id = 'cccccccc'`)},
		{"a person goes, and their pass with them", by(`DELETE FROM people WHERE id = 'd'`)},
	} {
		before := team()
		if err := edit.do(); err != nil {
			t.Fatalf("%s: %v", edit.name, err)
		}
		if team() == before {
			t.Errorf("%s, and it is not seen", edit.name)
		}
	}

	before := team()
	h := b.mustReserve(p, model, 1, 1)
	b.settle(h, 1, 1)
	if team() != before {
		t.Error("the team is read anew, and nobody edited it")
	}
	if err := beside.RemovePerson(ctx, p.ID); err != nil {
		t.Fatal(err)
	}
	if team() == before {
		t.Error("a person is removed, and it is not seen")
	}
}

// testTeamGoesBack puts books back to an earlier edition under a running meter, as who restores a database beneath it.
func testTeamGoesBack(t *testing.T, b *Books) {
	ctx := context.Background()
	p := b.person("Ada", nil, nil)
	b.settle(b.mustReserve(p, model, 1, 1), 1, 1) // the meter knows the team
	err := b.Store.Write(ctx, func(ctx context.Context, tx meter.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE people SET suspended = 1`); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE team_edition SET n = 0`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	suspended := func() {
		t.Helper()
		_, err := b.reserve(p, model, 1, 1)
		wantRefusal(t, err, meter.PersonSuspended)
	}
	suspended()
	everyone := meter.Holder{Kind: meter.ForEveryone}
	for range 3 {
		b.allow(everyone, model, n(7), nil)
		team, err := b.Team(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if may, err := b.MayUse(ctx, team, meter.Person{ID: "anyone"}, model); err != nil || !may {
			t.Errorf("what was set since is not seen: %v, %v", may, err)
		}
		if err := b.RemoveAllowance(ctx, everyone, model); err != nil {
			t.Fatal(err)
		}
		suspended()
	}
}

// testEditWhileTheTeamIsRead removes a person, whose own allowance keeps them from what everyone may use, while a hold
// reads the team: by either edition they may not.
func testEditWhileTheTeamIsRead(t *testing.T, e Engine, b *Books) {
	p := b.person("Ada", n(0), nil)
	b.allow(meter.Holder{Kind: meter.ForEveryone}, model, nil, nil)
	reading := e.stop(t, b.Store, "FROM limits")
	holdEnds := aside(func() {
		h, err := b.over(reading, "first").Reserve(context.Background(), one(p))
		if err == nil {
			t.Errorf("it was judged by half of two editions: %+v", h)
		}
	})
	<-reading.reached
	edited := make(chan struct{})
	editEnds := aside(func() {
		defer close(edited)
		if err := b.over(e.Again(t, b.Store), "second").RemovePerson(context.Background(), p.ID); err != nil {
			t.Errorf("remove: %v", err)
		}
	})
	e.awaitOr(t, b.Store, 1, edited) // where writes run one after the other, it waits
	reading.letGo()
	holdEnds()
	editEnds()
}

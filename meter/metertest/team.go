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
	var pass meter.Pass
	for _, edit := range []struct {
		name string
		do   func() error
	}{
		{"a person is added", func() error { _, err := beside.AddPerson(ctx, "Bo", ""); return err }},
		{"one is renamed", func() error { return beside.RenamePerson(ctx, p.ID, "Ada L") }},
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

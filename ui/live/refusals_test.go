package live_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"perdiem/meter"
	"perdiem/ui/live"
)

// log is a log of refusals.
type log []meter.Refusal

func (l log) Refusals(context.Context, meter.RefusalFilter) ([]meter.Refusal, error) { return l, nil }

func read(t interface {
	Fatal(...any)
	Context() context.Context
}, r meter.Refusal) live.Refusal {
	all, err := live.ReadRefusals(t.Context(), log{r}, meter.RefusalFilter{})
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

func TestARemedyMakesRoomForTheRefusedRequest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.Int64Range(0, 1e12)
		f := meter.Figures{UsedTokens: most.Draw(t, "used"), HeldTokens: most.Draw(t, "held"), NeededTokens: most.Draw(t, "needed"), MaxTokens: limit(most.Draw(t, "limit"))}
		r := read(t, meter.Refusal{PersonID: "1", Reason: meter.DailyTokenLimit, Figures: f})
		if r.Raise.To < f.UsedTokens+f.HeldTokens+f.NeededTokens || r.Raise.To <= *f.MaxTokens {
			t.Fatalf("a raise to %d is no remedy for %+v of %d", r.Raise.To, f, *f.MaxTokens)
		}
		if *f.MaxTokens+r.Raise.Grant != r.Raise.To {
			t.Fatalf("a grant of %d on %d is not the same as a raise to %d", r.Raise.Grant, *f.MaxTokens, r.Raise.To)
		}
	})
}

func TestOnlyAPersonsOwnAllowanceHasARemedy(t *testing.T) {
	figures := meter.Figures{MaxTokens: limit(10), MaxRequests: limit(1)}
	for name, c := range map[string]struct {
		r    meter.Refusal
		want bool
	}{
		"a person's tokens":   {meter.Refusal{PersonID: "1", Reason: meter.DailyTokenLimit, Figures: figures}, true},
		"a person's requests": {meter.Refusal{PersonID: "1", Reason: meter.DailyRequestLimit, Figures: figures}, true},
		"a guest":             {meter.Refusal{Reason: meter.DailyTokenLimit, Figures: figures}, false},
		"the team's ceiling":  {meter.Refusal{PersonID: "1", Reason: meter.TeamCeiling, Figures: figures}, false},
		"a rate":              {meter.Refusal{PersonID: "1", Reason: meter.RateLimit, Figures: figures}, false},
	} {
		r := read(t, c.r)
		if got := r.Raise != nil; got != c.want {
			t.Errorf("%s: has a remedy %v, want %v", name, got, c.want)
		}
		if r.Reason == meter.TeamCeiling && r.Advice() == "" {
			t.Errorf("%s: no button ends it and no advice is given", name)
		}
	}
}

func TestARefusalCountsDownToItsEnd(t *testing.T) {
	at := time.Date(2026, 10, 19, 18, 47, 0, 0, time.UTC)
	reset := meter.ResetsAt(at)
	for name, c := range map[string]struct {
		r    meter.Refusal
		now  time.Time
		want string
	}{
		"to the reset":       {meter.Refusal{At: at, Reason: meter.DailyTokenLimit, ResetsAt: &reset}, at, "in 5 h 13 min"},
		"past the reset":     {meter.Refusal{At: at, Reason: meter.DailyTokenLimit, ResetsAt: &reset}, reset, "over"},
		"a rate's own wait":  {meter.Refusal{At: at, Reason: meter.RateLimit, Figures: meter.Figures{RetryAfterMSec: 30_000}}, at.Add(10 * time.Second), "in 20 s"},
		"until changed":      {meter.Refusal{At: at, Reason: meter.ModelNotAllowed}, at, "until changed"},
		"larger than a day":  {meter.Refusal{At: at, Reason: meter.DailyTokenLimit, ResetsAt: &reset, Figures: meter.Figures{NeverFits: true}}, at, "fits no day"},
		"suspended for good": {meter.Refusal{At: at, Reason: meter.PersonSuspended}, at.Add(time.Hour), "until changed"},
	} {
		if got := read(t, c.r).Ends(c.now); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestWhoWasRefusedIsNamed(t *testing.T) {
	for want, r := range map[string]meter.Refusal{
		"Ada":     {PersonID: "1", Person: "Ada", Reason: meter.RateLimit},
		"Guest":   {Reason: meter.RateLimit},
		"Unknown": {Reason: "PASS_INVALID"},
	} {
		if got := read(t, r).Who; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestSetUpTextIsReadyToPaste(t *testing.T) {
	for what, to := range map[string]live.Target{
		"in plain":   {Base: "http://192.168.1.20:7427/v1", Pass: "pdm_x", Model: "openai/gpt-5"},
		"with HTTPS": {Base: "https://192.168.1.20:7427/v1", Pass: "pdm_x", Model: "openai/gpt-5", CA: "/home/ada/ca.pem"},
	} {
		tools := map[string]bool{}
		for _, s := range append(live.SetUps(to), live.ToolSetUps(to)...) {
			tools[s.Tool] = true
			for _, gap := range []string{"{base}", "{root}", "{pass}", "{model}", "{ca}"} {
				if strings.Contains(s.Text, gap) {
					t.Errorf("%s, %s has a gap: %s", what, s.Tool, s.Text)
				}
			}
			if !strings.Contains(s.Text, strings.TrimSuffix(to.Base, "/v1")) || !strings.Contains(s.Text, to.Pass) {
				t.Errorf("%s, %s lacks the address or the pass: %s", what, s.Tool, s.Text)
			}
			if to.CA != "" && !strings.Contains(s.Text, to.CA) {
				t.Errorf("%s does not say what to trust: %s", s.Tool, s.Text)
			}
			if to.CA == "" && (strings.Contains(s.Text, "CERT") || strings.HasSuffix(s.Text, "\n")) {
				t.Errorf("%s tells of a certificate that is not there: %s", s.Tool, s.Text)
			}
		}
		for _, tool := range []string{"curl", "Python", "JavaScript", "Environment"} {
			if !tools[tool] {
				t.Errorf("no set-up text for %s", tool)
			}
		}
	}
}

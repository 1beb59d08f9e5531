package soak

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"perdiem/gateway/boot"
	"perdiem/meter"
	"perdiem/providers"
	"perdiem/providers/keys"
	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
)

// prepare sets the house up and starts the gateway.
func prepare(t *testing.T) *soak {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	s := &soak{t: t, long: length(t), upstream: fakeprovider.New(t), register: newRegister()}
	s.upstream.On("", s.register.answer)
	s.upstream.Watch(s.register.told)
	p := harness.NewProgram(t)
	for _, name := range []string{"chat", "claude", "gem", "flaky", "gone"} {
		p.Env = append(p.Env, keys.EnvName(name)+"="+fakeprovider.Key)
	}
	log, err := os.Create(filepath.Join(t.TempDir(), "gateway.log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = log.Close() // the gateways write through handles of their own
		if said, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("the gateways' log ends:\n%s", said[max(0, len(said)-4096):])
		}
	})
	p.Log = log
	s.setUp(p.Data, seed)
	s.gateway = startGateway(p)
	s.office = &office{program: p, callers: s.callers, random: rand.New(rand.NewPCG(seed, people))}
	if s.rested, err = s.gateway.measure(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// setUp fills the books, as the owner would by many commands.
func (s *soak) setUp(data string, seed uint64) {
	t, ctx := s.t, s.t.Context()
	app, err := boot.Open(ctx, boot.Options{Data: data})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := app.Close(); err != nil {
			t.Fatal(err)
		}
	}()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	add := func(name, address string, speaks []providers.Dialect, keys int) {
		p := providers.Provider{Name: name, BaseURL: address, Dialects: speaks}
		switch root := strings.TrimSuffix(address, "/v1"); {
		case len(speaks) == 1 && speaks[0] == providers.Gemini:
			p.BaseURL = root
		case len(speaks) > 1:
			p.Bases = map[providers.Dialect]string{providers.Gemini: root}
		}
		_, err := app.Providers.AddProvider(ctx, p)
		must(err)
		for range keys {
			_, err := app.Providers.AddKey(ctx, name, "", providers.Environment)
			must(err)
		}
		_, err = app.Providers.AddModel(ctx, providers.Model{Provider: name, Upstream: "m"})
		must(err)
	}
	for model, speaks := range healthy {
		add(strings.TrimSuffix(model, "/m"), s.upstream.URL, speaks, 1)
	}
	add("flaky", s.upstream.URL, healthy["fake/m"], 2)
	add("gone", fakeprovider.RefusedURL(t), healthy["fake/m"], 1)
	_, err = app.Providers.AddModel(ctx, providers.Model{Provider: "flaky", Upstream: "n", Fallback: "fake/m"})
	must(err)
	must(app.Meter.SetRate(ctx, meter.Rate{Holder: meter.Holder{Kind: meter.ForEveryone}}))
	must(app.Meter.SetAllowance(ctx, meter.Allowance{Holder: meter.Holder{Kind: meter.ForEveryone}, Model: meter.AnyModel}))
	for i := range people + 1 {
		person, err := app.Meter.AddPerson(ctx, "caller "+strconv.Itoa(i), "")
		must(err)
		_, pass, err := app.Meter.IssuePass(ctx, person.ID, "", nil)
		must(err)
		who := &caller{number: i, person: person.ID, beat: make(chan struct{}, 1), random: rand.New(rand.NewPCG(seed, uint64(i)))}
		who.pass.Store(&pass)
		if i == people {
			s.patient = who
			continue
		}
		s.callers = append(s.callers, who)
	}
}

package registry

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"perdiem/providers"
)

// fileStore is a Store on a SQLite file.
type fileStore struct{ db *sql.DB }

func (s fileStore) Read() Tx { return s.db }

func (s fileStore) Write(ctx context.Context, do func(context.Context, Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(ctx, tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

func (s fileStore) Figure(ctx context.Context, query string) (n int64, err error) {
	err = s.db.QueryRowContext(ctx, query).Scan(&n)
	return n, err
}

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

func open(t testing.TB) *Registry {
	t.Helper()
	dsn := "file:" + filepath.ToSlash(filepath.Join(t.TempDir(), "test.db")) +
		"?_pragma=busy_timeout(5000)&_pragma=foreign_keys(1)&_pragma=journal_mode(WAL)&_txlock=immediate"
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	files, err := fs.Glob(Migrations, "migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		schema, err := Migrations.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.ExecContext(t.Context(), string(schema)); err != nil {
			t.Fatal(err)
		}
	}
	return New(fileStore{db}, func() time.Time { return noon })
}

func withProvider(t testing.TB, names ...string) *Registry {
	t.Helper()
	r := open(t)
	for _, name := range names {
		if _, err := r.AddProvider(t.Context(), providers.Provider{Name: name, Vendor: "openai", BaseURL: "https://api.openai.com/v1"}); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func TestAProviderComesBackAsItWasStored(t *testing.T) {
	r := open(t)
	added, err := r.AddProvider(t.Context(), providers.Provider{
		Name: "team-1", Vendor: "anthropic", BaseURL: "https://api.anthropic.com/", Dialects: []providers.Dialect{providers.OpenAI, providers.Anthropic},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := providers.Provider{
		Name: "team-1", Vendor: "anthropic", BaseURL: "https://api.anthropic.com/v1",
		Dialects: []providers.Dialect{providers.OpenAI, providers.Anthropic}, CreatedAt: noon,
	}
	all, err := r.Providers(t.Context())
	if err != nil || !reflect.DeepEqual(all, []providers.Provider{want}) || !reflect.DeepEqual(added, want) {
		t.Errorf("got %+v, %v\nadded %+v\nwant %+v", all, err, added, want)
	}
}

func TestEverySpellingOfABaseURLJoinsToTheSameEndpoint(t *testing.T) {
	for raw, want := range map[string]string{
		"https://api.openai.com":                                   "https://api.openai.com/v1",
		"https://api.openai.com/":                                  "https://api.openai.com/v1",
		"https://api.openai.com/v1":                                "https://api.openai.com/v1",
		"https://api.openai.com/v1/":                               "https://api.openai.com/v1",
		"https://api.openai.com//v1//":                             "https://api.openai.com/v1",
		"https://api.openai.com/v1/chat/completions":               "https://api.openai.com/v1",
		"https://api.openai.com/v1/chat/completions/":              "https://api.openai.com/v1",
		"https://api.openai.com/v1/v1":                             "https://api.openai.com/v1",
		"https://api.openai.com/v1/v1/responses":                   "https://api.openai.com/v1",
		"https://api.openai.com/v1/models":                         "https://api.openai.com/v1",
		"https://api.openai.com/v1/embeddings":                     "https://api.openai.com/v1",
		"https://a.services.ai.azure.com/models":                   "https://a.services.ai.azure.com/models",
		"http://localhost:11434":                                   "http://localhost:11434/v1",
		"http://[::1]:1234/":                                       "http://[::1]:1234/v1",
		"https://api.groq.com/openai/v1":                           "https://api.groq.com/openai/v1",
		"https://generativelanguage.googleapis.com/v1beta/openai/": "https://generativelanguage.googleapis.com/v1beta/openai",
		"https://api.z.ai/api/coding/paas/v4":                      "https://api.z.ai/api/coding/paas/v4",
	} {
		if got, err := NormalizeBaseURL(raw, providers.OpenAI); err != nil || got != want {
			t.Errorf("%q: got %q, %v; want %q", raw, got, err, want)
		}
	}
	if got, err := NormalizeBaseURL(" https://api.openai.com/v1\n", providers.OpenAI); err != nil || got != "https://api.openai.com/v1" {
		t.Errorf("blanks of a paste: got %q, %v", got, err)
	}
	for dialect, c := range map[providers.Dialect]struct {
		want string
		raw  []string
	}{
		providers.Anthropic: {"https://a.example/x/v1", []string{"https://a.example/x", "https://a.example/x/", "https://a.example/x/v1", "https://a.example/x/v1/messages", "https://a.example/x/v1/v1"}},
		providers.Gemini:    {"https://a.example/x", []string{"https://a.example/x", "https://a.example/x/v1beta", "https://a.example/x/v1/", "https://a.example/x/v1beta/models", "https://a.example/x/v1beta/models/gemini-3:generateContent"}},
		providers.Responses: {"https://a.example/v1", []string{"https://a.example", "https://a.example/v1", "https://a.example/v1/responses"}},
	} {
		for _, raw := range c.raw {
			if got, err := NormalizeBaseURL(raw, dialect); err != nil || got != c.want {
				t.Errorf("%s, %q: got %q, %v", dialect, raw, got, err)
			}
		}
	}
}

func TestEachDialectHasItsBaseURL(t *testing.T) {
	r := open(t)
	for _, p := range []providers.Provider{
		{Name: "gemini", Vendor: "gemini", BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai/"},
		{Name: "all", BaseURL: "http://localhost:8000/v1", Dialects: []providers.Dialect{providers.OpenAI, providers.Responses, providers.Anthropic, providers.Gemini}},
		{Name: "two", BaseURL: "http://a.example", Dialects: []providers.Dialect{providers.Anthropic, providers.OpenAI}, Bases: map[providers.Dialect]string{providers.OpenAI: "http://b.example"}},
	} {
		if _, err := r.AddProvider(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		if _, err := r.AddModel(t.Context(), providers.Model{ID: p.Name + "/m"}); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]map[providers.Dialect]string{
		"gemini": {providers.OpenAI: "https://generativelanguage.googleapis.com/v1beta/openai", providers.Gemini: "https://generativelanguage.googleapis.com", providers.Anthropic: ""},
		"all":    {providers.OpenAI: "http://localhost:8000/v1", providers.Responses: "http://localhost:8000/v1", providers.Anthropic: "http://localhost:8000/v1", providers.Gemini: "http://localhost:8000"},
		"two":    {providers.Anthropic: "http://a.example/v1", providers.OpenAI: "http://b.example/v1", providers.Gemini: ""},
	} {
		target, err := r.Resolve(t.Context(), name+"/m")
		if err != nil {
			t.Fatal(err)
		}
		for d, base := range want {
			if got, ok := target.Provider.Base(d); got != base || ok != (base != "") {
				t.Errorf("%s, %s: got %q, %v; want %q", name, d, got, ok, base)
			}
		}
	}
	_, err := r.AddProvider(t.Context(), providers.Provider{Name: "bad", BaseURL: "http://a.example", Dialects: []providers.Dialect{providers.OpenAI}, Bases: map[providers.Dialect]string{providers.OpenAI: "x"}})
	if !errors.Is(err, ErrInvalid) {
		t.Errorf("a base URL that is none: got %v", err)
	}
}

func TestWrongInputIsRefusedInWords(t *testing.T) {
	r := withProvider(t, "openai")
	provider := func(name, url string, dialects ...providers.Dialect) func() error {
		return func() error {
			_, err := r.AddProvider(t.Context(), providers.Provider{Name: name, BaseURL: url, Dialects: dialects})
			return err
		}
	}
	model := func(m providers.Model) func() error {
		return func() error { _, err := r.AddModel(t.Context(), m); return err }
	}
	price := func(n int64) *providers.Price { return &providers.Price{Input: n} }
	good := "https://example.com"
	for name, c := range map[string]struct {
		do   func() error
		want error
	}{
		"provider without a name":       {provider("", good), ErrInvalid},
		"provider with a slash":         {provider("a/b", good), ErrInvalid},
		"provider with a blank":         {provider("a b", good), ErrInvalid},
		"provider beginning with a dot": {provider(".a", good), ErrInvalid},
		"provider twice":                {provider("openai", good), ErrExists},
		"no URL":                        {provider("a", ""), ErrInvalid},
		"a URL without a scheme":        {provider("a", "api.example.com/v1"), ErrInvalid},
		"a file":                        {provider("a", "file:///etc/passwd"), ErrInvalid},
		"a URL without a host":          {provider("a", "https://"), ErrInvalid},
		"a URL with a port alone":       {provider("a", "http://:80"), ErrInvalid},
		"a key in the URL":              {provider("a", "https://example.com/?key=CANARY"), ErrInvalid},
		"a password in the URL":         {provider("a", "https://me:CANARY@example.com/"), ErrInvalid},
		"a broken URL with a key":       {provider("a", "https://example.com/%zz?key=CANARY"), ErrInvalid},
		"an unknown dialect":            {provider("a", good, "klingon"), ErrInvalid},
		"a key of nobody":               {func() error { _, err := r.AddKey(t.Context(), "none", "", providers.Keychain); return err }, ErrNotFound},
		"a key from nowhere":            {func() error { _, err := r.AddKey(t.Context(), "openai", "", "file"); return err }, ErrInvalid},
		"disabling no key":              {func() error { return r.DisableKey(t.Context(), "none", "x") }, ErrNotFound},
		"removing no key":               {func() error { return r.RemoveKey(t.Context(), "none") }, ErrNotFound},
		"removing no provider":          {func() error { return r.RemoveProvider(t.Context(), "none") }, ErrNotFound},
		"removing no model":             {func() error { return r.RemoveModel(t.Context(), "none") }, ErrNotFound},
		"model of nobody":               {model(providers.Model{ID: "none/m"}), ErrNotFound},
		"model without a provider":      {model(providers.Model{ID: "m"}), ErrInvalid},
		"model of another provider":     {model(providers.Model{ID: "openai/m", Provider: "other"}), ErrInvalid},
		"model without a name":          {model(providers.Model{ID: "openai/"}), ErrInvalid},
		"model with a blank":            {model(providers.Model{ID: "openai/a b"}), ErrInvalid},
		"model with a zero-width mark":  {model(providers.Model{ID: "openai/a\u200b"}), ErrInvalid},
		"model counting oddly":          {model(providers.Model{ID: "openai/m", Counts: "bytes"}), ErrInvalid},
		"model capped oddly":            {model(providers.Model{ID: "openai/m", CapField: "limit"}), ErrInvalid},
		"model with a negative figure":  {model(providers.Model{ID: "openai/m", Context: -1}), ErrInvalid},
		"model with an absurd figure":   {model(providers.Model{ID: "openai/m", MaxReply: 1 << 40}), ErrInvalid},
		"model with a negative price":   {model(providers.Model{ID: "openai/m", Price: price(-1)}), ErrInvalid},
		"model with an absurd price":    {model(providers.Model{ID: "openai/m", Price: price(1 << 60)}), ErrInvalid},
		"alias named *":                 {model(providers.Model{ID: "openai/m", Aliases: []string{"*"}}), ErrInvalid},
		"alias twice in one model":      {model(providers.Model{ID: "openai/m", Aliases: []string{"a", "a"}}), ErrExists},
		"alias that is its own id":      {model(providers.Model{ID: "openai/m", Aliases: []string{"openai/m"}}), ErrExists},
		"alias of no model":             {func() error { return r.AddAlias(t.Context(), "openai/none", "a") }, ErrNotFound},
		"alias with a blank":            {func() error { return r.AddAlias(t.Context(), "openai/none", " a") }, ErrInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.do()
			if !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), "CANARY") {
				t.Errorf("the error repeats a secret: %v", err)
			}
		})
	}
	if all, err := r.Models(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("refused models were stored: %v, %v", all, err)
	}
}

func TestAModelComesBackAsItWasStored(t *testing.T) {
	r := withProvider(t, "openai")
	full := providers.Model{
		ID: "openai/org/gpt-5:latest", Provider: "openai", Upstream: "gpt-5", Title: "GPT-5", Aliases: []string{"big", "gpt-5"},
		Context: 400_000, MaxReply: 128_000, DefaultReply: 16_000, Counts: providers.CountWeighted, Guests: true, CapField: "max_completion_tokens",
		Price:   &providers.Price{Input: 1_250_000, CacheRead: 125_000, CacheWrite: 1_250_000, Output: 10_000_000, Source: "list", Date: "2026-08-19"},
		Reasons: true, SeesImages: true, AtZero: providers.Ladder, Fallback: "openai/tiny", MayDropTurns: true,
	}
	least, err := r.AddModel(t.Context(), providers.Model{Provider: "openai", Upstream: "tiny", MaxReply: 100})
	if err != nil {
		t.Fatal(err)
	}
	want := providers.Model{
		ID: "openai/tiny", Provider: "openai", Upstream: "tiny", Title: "tiny", MaxReply: 100, DefaultReply: 100,
		Counts: providers.CountTotal, CapField: "max_tokens", AtZero: providers.Refuse,
	}
	if _, err := r.AddModel(t.Context(), full); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(least, want) {
		t.Errorf("defaults: got %+v, want %+v", least, want)
	}
	if all, err := r.Models(t.Context()); err != nil || !reflect.DeepEqual(all, []providers.Model{full, want}) {
		t.Errorf("got  %+v, %v\nwant %+v", all, err, []providers.Model{full, want})
	}
}

func TestResolveFindsIdAndAliasExactly(t *testing.T) {
	r := withProvider(t, "openai")
	if _, err := r.AddModel(t.Context(), providers.Model{ID: "openai/gpt-5", Aliases: []string{"Smart"}}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"openai/gpt-5", "Smart"} {
		got, err := r.Resolve(t.Context(), name)
		if err != nil || got.Model.ID != "openai/gpt-5" || got.Model.Upstream != "gpt-5" ||
			got.Provider.Name != "openai" || got.Provider.BaseURL != "https://api.openai.com/v1" || len(got.Provider.Dialects) != 2 {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
	for _, name := range []string{"smart", "SMART", " Smart", "Smart ", "OpenAI/gpt-5", "gpt-5", "openai/gpt-5/", "openai//gpt-5", "", "*", "%", "Sm_rt"} {
		if got, err := r.Resolve(t.Context(), name); !errors.Is(err, ErrNotFound) {
			t.Errorf("%q: got %+v, %v", name, got, err)
		}
	}
}

func TestANameMeansOneModel(t *testing.T) {
	r := withProvider(t, "a", "b")
	add := func(id string, aliases ...string) error {
		_, err := r.AddModel(t.Context(), providers.Model{ID: id, Aliases: aliases})
		return err
	}
	if err := add("a/m", "fast", "b/taken"); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"an id twice":            add("a/m"),
		"an alias twice":         add("b/m", "fast"),
		"an alias that is an id": add("b/m", "a/m"),
		"an id that is an alias": add("b/taken"),
		"AddAlias, taken":        r.AddAlias(t.Context(), "a/m", "fast"),
		"AddAlias, an id":        r.AddAlias(t.Context(), "a/m", "a/m"),
	} {
		if !errors.Is(err, ErrExists) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if all, err := r.Models(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("a refused model was stored in part: %+v, %v", all, err)
	}
}

func TestUpdateChangesFieldsAndAliasesAndNothingElse(t *testing.T) {
	r := withProvider(t, "a")
	for _, m := range []providers.Model{{ID: "a/m", Aliases: []string{"old", "kept"}}, {ID: "a/n", Aliases: []string{"other"}}} {
		if _, err := r.AddModel(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	changed := providers.Model{ID: "a/m", Title: "M", Aliases: []string{"kept", "new"}, Guests: true, Price: &providers.Price{Output: 7}}
	if err := r.UpdateModel(t.Context(), changed); err != nil {
		t.Fatal(err)
	}
	changed.Aliases = []string{"other"}
	if err := r.UpdateModel(t.Context(), changed); !errors.Is(err, ErrExists) {
		t.Errorf("taking another's alias: got %v", err)
	}
	if err := r.UpdateModel(t.Context(), providers.Model{ID: "a/none"}); !errors.Is(err, ErrNotFound) {
		t.Errorf("changing no model: got %v", err)
	}
	all, err := r.Models(t.Context())
	if err != nil || len(all) != 2 || all[0].Title != "M" || !all[0].Guests || all[0].Price.Output != 7 ||
		!reflect.DeepEqual(all[0].Aliases, []string{"kept", "new"}) || !reflect.DeepEqual(all[1].Aliases, []string{"other"}) {
		t.Errorf("got %+v, %v", all, err)
	}
	if _, err := r.Resolve(t.Context(), "old"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a dropped alias still resolves: %v", err)
	}
}

func TestAliasesComeAndGo(t *testing.T) {
	r := withProvider(t, "a")
	if _, err := r.AddModel(t.Context(), providers.Model{ID: "a/m"}); err != nil {
		t.Fatal(err)
	}
	if err := r.AddAlias(t.Context(), "a/m", "fast"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Resolve(t.Context(), "fast"); err != nil {
		t.Error(err)
	}
	if err := r.RemoveAlias(t.Context(), "a/m"); !errors.Is(err, ErrNotFound) {
		t.Errorf("an id was taken from its model: %v", err)
	}
	if err := r.RemoveAlias(t.Context(), "fast"); err != nil {
		t.Error(err)
	}
	if _, err := r.Resolve(t.Context(), "fast"); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

func TestKeysAreAddedDisabledEnabledAndRemoved(t *testing.T) {
	r := withProvider(t, "a", "b")
	one, err := r.AddKey(t.Context(), "a", " main ", providers.Keychain)
	if err != nil || one.ID == "" || one.Label != "main" || one.CreatedAt != noon {
		t.Fatalf("got %+v, %v", one, err)
	}
	two, err := r.AddKey(t.Context(), "b", "", providers.Environment)
	if err != nil || two.ID == one.ID {
		t.Fatalf("got %+v, %v", two, err)
	}
	if err := r.DisableKey(t.Context(), one.ID, "the provider does not accept it"); err != nil {
		t.Fatal(err)
	}
	got, err := r.Keys(t.Context(), "a")
	if err != nil || len(got) != 1 || !got[0].Disabled || got[0].Reason != "the provider does not accept it" {
		t.Errorf("disabled: got %+v, %v", got, err)
	}
	if err := r.EnableKey(t.Context(), one.ID); err != nil {
		t.Fatal(err)
	}
	all, err := r.Keys(t.Context(), "")
	if err != nil || !reflect.DeepEqual(all, []providers.Key{one, two}) {
		t.Errorf("got %+v, %v", all, err)
	}
	requests, cost := int64(50), int64(0)
	one.Caps = providers.Caps{Requests: &requests, CostMicroUSD: &cost}
	if err := r.CapKey(t.Context(), one.ID, one.Caps); err != nil {
		t.Fatal(err)
	}
	if all, err = r.Keys(t.Context(), ""); err != nil || !reflect.DeepEqual(all, []providers.Key{one, two}) {
		t.Errorf("capped: got %+v, %v", all, err)
	}
	negative := int64(-1)
	if err := r.CapKey(t.Context(), one.ID, providers.Caps{Tokens: &negative}); !errors.Is(err, ErrInvalid) {
		t.Errorf("a negative cap: got %v", err)
	}
	if err := r.CapKey(t.Context(), "none", providers.Caps{}); !errors.Is(err, ErrNotFound) {
		t.Errorf("no such key: got %v", err)
	}
	if err := r.RemoveKey(t.Context(), one.ID); err != nil {
		t.Fatal(err)
	}
	if p, err := r.Providers(t.Context()); err != nil || !p[0].Keyed {
		t.Errorf("that it had a key is forgotten: %+v, %v", p, err)
	}
	if left, err := r.Keys(t.Context(), ""); err != nil || len(left) != 1 || left[0].ID != two.ID {
		t.Errorf("got %+v, %v", left, err)
	}
}

func TestRemovingAProviderTakesAllThatIsItsOwn(t *testing.T) {
	r := withProvider(t, "a", "b")
	for _, p := range []string{"a", "b"} {
		if _, err := r.AddKey(t.Context(), p, "", providers.Keychain); err != nil {
			t.Fatal(err)
		}
		if _, err := r.AddModel(t.Context(), providers.Model{ID: p + "/m", Aliases: []string{p + "-alias"}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.RemoveProvider(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	keys, err := r.Keys(t.Context(), "")
	models, err2 := r.Models(t.Context())
	if err != nil || err2 != nil || len(keys) != 1 || len(models) != 1 || models[0].ID != "b/m" {
		t.Errorf("left: %+v %+v, %v %v", keys, models, err, err2)
	}
	// The names are free again.
	if _, err := r.AddModel(t.Context(), providers.Model{ID: "b/n", Aliases: []string{"a-alias", "a/m"}}); err != nil {
		t.Error(err)
	}
}

func TestRemovingAModelFreesItsNames(t *testing.T) {
	r := withProvider(t, "a")
	for range 2 {
		if _, err := r.AddModel(t.Context(), providers.Model{ID: "a/m", Aliases: []string{"fast"}}); err != nil {
			t.Fatal(err)
		}
		if err := r.RemoveModel(t.Context(), "a/m"); err != nil {
			t.Fatal(err)
		}
	}
}

func BenchmarkResolve(b *testing.B) {
	r := withProvider(b, "a")
	for i := range 300 {
		if _, err := r.AddModel(b.Context(), providers.Model{ID: fmt.Sprintf("a/m%d", i), Aliases: []string{fmt.Sprintf("m%d", i)}}); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if _, err := r.Resolve(b.Context(), "m150"); err != nil {
			b.Fatal(err)
		}
	}
}

func TestNoTwoProvidersShareAKeyVariable(t *testing.T) {
	r := open(t)
	if _, err := r.AddProvider(t.Context(), providers.Provider{Name: "team-a", BaseURL: "http://127.0.0.1:1/v1"}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"team.a", "TEAM_A"} {
		if _, err := r.AddProvider(t.Context(), providers.Provider{Name: name, BaseURL: "http://127.0.0.1:2/v1"}); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What calls look up is kept from one call to the next, and yet an edit counts at once, also one that was made elsewhere.
func TestAnEditElsewhereCountsAtOnce(t *testing.T) {
	here := withProvider(t, "openai")
	elsewhere := New(here.store, nil)
	if _, err := here.AddModel(t.Context(), providers.Model{ID: "openai/m"}); err != nil {
		t.Fatal(err)
	}
	for i, edit := range []func() error{
		func() error {
			_, err := elsewhere.AddKey(t.Context(), "openai", "", providers.Keychain)
			return err
		},
		func() error {
			m, err := here.Resolve(t.Context(), "openai/m")
			if err != nil {
				return err
			}
			m.Model.Title = "Edited"
			return elsewhere.UpdateModel(t.Context(), m.Model)
		},
		func() error {
			keys, err := here.Keys(t.Context(), "openai")
			if err != nil {
				return err
			}
			return elsewhere.DisableKey(t.Context(), keys[0].ID, "refused")
		},
		func() error { return elsewhere.AddAlias(t.Context(), "openai/m", "n") },
		func() error { return elsewhere.RemoveAlias(t.Context(), "n") },
		func() error { return elsewhere.RemoveModel(t.Context(), "openai/m") },
	} {
		look := func(r *Registry) string {
			var seen strings.Builder
			for _, name := range []string{"openai/m", "n"} {
				target, err := r.Resolve(t.Context(), name)
				fmt.Fprintln(&seen, target.Model, errors.Is(err, ErrNotFound))
			}
			keys, err := r.Keys(t.Context(), "openai")
			fmt.Fprintln(&seen, keys, err)
			return seen.String()
		}
		before := look(here)
		if look(here) != before {
			t.Fatalf("%d: what was kept is not what was read", i)
		}
		if err := edit(); err != nil {
			t.Fatal(err)
		}
		after := look(here)
		if after == before || after != look(New(here.store, nil)) {
			t.Errorf("%d: the edit does not count:\n%s", i, after)
		}
	}
}

package registry

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
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

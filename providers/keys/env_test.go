package keys

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"html"
	"net/url"
	"strings"
	"testing"

	"perdiem/providers"
)

func env(vars map[string]string) *Env {
	lookup := func(name string) (string, bool) { v, ok := vars[name]; return v, ok }
	return NewEnv(lookup, func(_ context.Context, provider string) string {
		if provider == "openai" {
			return "OPENAI_API_KEY"
		}
		return ""
	})
}

func TestEnvironmentVariablesAreFoundByTheProvidersName(t *testing.T) {
	for name, c := range map[string]struct {
		provider string
		vars     map[string]string
		want     string
		err      error
	}{
		"its own variable":          {"openai", map[string]string{"PERDIEM_KEY_OPENAI": "sk-own", "OPENAI_API_KEY": "sk-vendor"}, "sk-own", nil},
		"the vendor's variable":     {"openai", map[string]string{"OPENAI_API_KEY": "sk-vendor"}, "sk-vendor", nil},
		"another's is not its own":  {"team-2.eu", map[string]string{"OPENAI_API_KEY": "sk-vendor"}, "", ErrNotFound},
		"odd characters in a name":  {"team-2.eu", map[string]string{"PERDIEM_KEY_TEAM_2_EU": "sk-team"}, "sk-team", nil},
		"empty is not set":          {"openai", map[string]string{"PERDIEM_KEY_OPENAI": "", "OPENAI_API_KEY": "sk-vendor"}, "sk-vendor", nil},
		"a line break at the end":   {"openai", map[string]string{"PERDIEM_KEY_OPENAI": "sk-own\n"}, "sk-own", nil},
		"a line break in the midst": {"openai", map[string]string{"PERDIEM_KEY_OPENAI": "sk\nown"}, "", ErrUnusable},
		"nothing":                   {"openai", nil, "", ErrNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := env(c.vars).Get(t.Context(), EnvKey(c.provider))
			if got != c.want || !errors.Is(err, c.err) {
				t.Errorf("got %q, %v; want %q, %v", got, err, c.want, c.err)
			}
		})
	}
}

func TestTheEnvironmentIsReadOnly(t *testing.T) {
	if err := env(nil).Set(t.Context(), EnvKey("a"), "sk-x"); !errors.Is(err, ErrReadOnly) {
		t.Errorf("got %v", err)
	}
}

// scripted is a source that answers as it was told, for the order in a chain.
type scripted struct {
	secret string
	err    error
}

func (s scripted) Get(context.Context, providers.Key) (string, error) { return s.secret, s.err }
func (s scripted) Set(context.Context, providers.Key, string) error   { return s.err }
func (s scripted) Delete(context.Context, providers.Key) error        { return s.err }

func TestTheKeychainComesFirstAndTheEnvironmentWhereThereIsNone(t *testing.T) {
	key, inEnv := providers.Key{ID: "k", Provider: "openai", Source: providers.Keychain}, EnvKey("openai")
	set := map[string]string{"PERDIEM_KEY_OPENAI": "sk-env"}
	for name, c := range map[string]struct {
		key      providers.Key
		keychain scripted
		vars     map[string]string
		want     string
		err      error
	}{
		"in both":                      {key, scripted{secret: "sk-chain"}, set, "sk-chain", nil},
		"no keychain":                  {key, scripted{err: ErrNoKeychain}, set, "sk-env", nil},
		"nothing in the keychain":      {key, scripted{err: ErrNotFound}, set, "sk-env", nil},
		"nowhere, no keychain":         {key, scripted{err: ErrNoKeychain}, nil, "", ErrNoKeychain},
		"nowhere":                      {key, scripted{err: ErrNotFound}, nil, "", ErrNotFound},
		"locked is not none":           {key, scripted{err: ErrLocked}, set, "", ErrLocked},
		"an unusable variable is said": {key, scripted{err: ErrNotFound}, map[string]string{"PERDIEM_KEY_OPENAI": "a b"}, "", ErrUnusable},
		"a key of the environment":     {inEnv, scripted{secret: "sk-chain"}, set, "sk-env", nil},
		"and only of the environment":  {inEnv, scripted{secret: "sk-chain"}, nil, "", ErrNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Chain{Keychain: c.keychain, Env: env(c.vars)}.Get(t.Context(), c.key)
			if got != c.want || !errors.Is(err, c.err) {
				t.Errorf("got %q, %v; want %q, %v", got, err, c.want, c.err)
			}
		})
	}
}

func TestRedactLeavesNoSpellingOfASecret(t *testing.T) {
	secret := `sk-CANARY/a+b="c"<d>&é`
	quoted, err := json.Marshal(map[string]string{"m": "Incorrect key: " + secret})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"plain":            "Incorrect API key provided: " + secret + ". Twice: " + secret,
		"JSON":             string(quoted),
		"JSON of PHP":      `{"m":"sk-CANARY\/a+b=\"c\"<d>&é"}`,
		"a query":          "https://example.com/?key=" + url.QueryEscape(secret),
		"a path":           "https://example.com/" + url.PathEscape(secret) + "/x",
		"in small letters": strings.NewReplacer("%2F", "%2f", "%2B", "%2b", "%3D", "%3d", "%3C", "%3c", "%3E", "%3e", "%C3", "%c3", "%A9", "%a9").Replace(url.QueryEscape(secret)),
		"a page":           "<p>" + html.EscapeString(secret) + "</p>",
		"among other text": "x" + secret + "y",
	} {
		got := Redact(text, "sk-OTHER", secret)
		if strings.Contains(got, "CANARY") || !strings.Contains(got, Redacted) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// base64 spells the same bytes in three ways, by where they stand in a text.
func TestRedactFindsASecretAnywhereInBase64AndHex(t *testing.T) {
	secret := "sk-CANARY>>?~0123456789"
	for _, before := range []string{"", "u", "u:", "user:", "Bearer "} {
		for _, after := range []string{"", "x", "xy", "xyz"} {
			text := []byte(before + secret + after)
			for name, spelled := range map[string]string{
				"base64":              base64.StdEncoding.EncodeToString(text),
				"base64 of addresses": base64.RawURLEncoding.EncodeToString(text),
				"hex":                 hex.EncodeToString(text),
				"hex in capitals":     strings.ToUpper(hex.EncodeToString(text)),
			} {
				got := Redact("key "+spelled+".", secret)
				if !strings.Contains(got, Redacted) || len(got) > len("key [key].")+2*(len(before)+len(after))+6 {
					t.Errorf("%s of %q: %q", name, text, got)
				}
				if !Holds([]byte(spelled), secret) {
					t.Errorf("%s of %q is not seen", name, text)
				}
			}
		}
	}
}

func TestRedactKnowsASecretInBase64(t *testing.T) {
	secret := "sk-CANARY>?~0123456789"
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		spelled := enc.EncodeToString([]byte(secret))
		if got := Redact("sent "+spelled, secret); strings.TrimRight(got, "=") != "sent "+Redacted {
			t.Errorf("got %q", got)
		}
	}
}

func TestRedactLeavesOtherTextAlone(t *testing.T) {
	text := "a key is a key"
	if got := Redact(text, "", "key", "sk-none-here"); got != text {
		t.Errorf("got %q", got)
	}
}

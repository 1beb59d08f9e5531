package registry

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"perdiem/providers"
	"perdiem/providers/wire"
)

// maxName bounds every name, in bytes.
const maxName = 200

// DefaultReply is what is held for a reply, in tokens, where neither the model nor its owner says anything.
const DefaultReply = 4096

// OwnersPrice is the source of a price that came from the owner.
const OwnersPrice = "the owner"

var (
	providerName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	slashes      = regexp.MustCompile(`/+`)
	scheme       = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://`)
	versions     = regexp.MustCompile(`(/v1)+$`)
	geminiCall   = regexp.MustCompile(`/models(/.*)?$`)
)

func notValid(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), ErrInvalid)
}

func validProvider(p providers.Provider) (providers.Provider, error) {
	if !providerName.MatchString(p.Name) || len(p.Name) > maxName {
		return p, notValid("a provider's name is made of letters, digits, and . _ -, such as \"openai\" or \"team-2\"")
	}
	for _, d := range p.Dialects {
		switch d {
		case providers.OpenAI, providers.Responses, providers.Anthropic, providers.Gemini:
		default:
			return p, notValid("the dialect %q is not known", string(d))
		}
	}
	base, err := NormalizeBaseURL(p.BaseURL, p.Dialects[0])
	if err != nil {
		return p, err
	}
	bases := map[providers.Dialect]string{}
	for _, d := range p.Dialects {
		own, ok := p.Bases[d]
		if !ok {
			own = base
		}
		if own, err = NormalizeBaseURL(own, d); err != nil {
			return p, err
		}
		if own != base {
			bases[d] = own
		}
	}
	p.BaseURL, p.Bases = base, nil
	if len(bases) > 0 {
		p.Bases = bases
	}
	return p, nil
}

// endpoints are what owners paste behind a base URL. Just "/models" is none of them: Azure's addresses end in it.
var endpoints = []string{"/chat/completions", "/completions", "/embeddings", "/responses", "/messages"}

// NormalizeBaseURL brings a provider's address into the form to which a dialect's paths are joined, without a trailing
// slash: for OpenAI's dialects with /v1 where a bare host was given; for Anthropic's always with /v1, which most write
// without; for Gemini's without the version, which is a part of its paths. Errors: ErrInvalid, in words for the owner.
func NormalizeBaseURL(raw string, dialect providers.Dialect) (string, error) {
	u, err := url.Parse(strings.TrimSpace(raw))
	switch {
	case err != nil && scheme.MatchString(strings.TrimSpace(raw)): // its text would repeat the address, which may hold a key
		return "", notValid("this is not a web address")
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return "", notValid("the address must begin with http:// or https:// and name a host")
	case u.User != nil, u.RawQuery != "", u.Fragment != "":
		return "", notValid("the address must not carry a name, a key or a query; the key is stored apart from it")
	}
	path := strings.TrimRight(slashes.ReplaceAllString(u.EscapedPath(), "/"), "/")
	for _, end := range endpoints {
		path = strings.TrimSuffix(path, end)
	}
	if rest, ok := strings.CutSuffix(path, "/v1/models"); ok {
		path = rest + "/v1"
	}
	path = versions.ReplaceAllString(path, "/v1")
	switch dialect {
	case providers.OpenAI, providers.Responses:
		if path == "" {
			path = "/v1"
		}
	case providers.Anthropic:
		if !strings.HasSuffix(path, "/v1") {
			path += "/v1"
		}
	case providers.Gemini:
		path = geminiCall.ReplaceAllString(path, "")
		path = strings.TrimSuffix(strings.TrimSuffix(path, "/v1"), "/v1beta")
	}
	return u.Scheme + "://" + u.Host + path, nil
}

func validKey(k providers.Key) error {
	if len(k.Label) > maxName {
		return notValid("a key's label has at most %d characters", maxName)
	}
	if k.Source != providers.Keychain && k.Source != providers.Environment {
		return notValid("a key's secret comes from %q or %q", string(providers.Keychain), string(providers.Environment))
	}
	return nil
}

// validName checks a model's id or alias. "*" is what allowances call every model.
func validName(name string) error {
	bad := func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) || r == unicode.ReplacementChar }
	if name == "" || len(name) > maxName || name == "*" || strings.ContainsFunc(name, bad) {
		return notValid("a model's name is 1 to %d characters without blanks, and not \"*\"", maxName)
	}
	return nil
}

func validModel(m providers.Model) (providers.Model, error) {
	if m.ID == "" {
		m.ID = m.Provider + "/" + m.Upstream
	}
	if m.Provider == "" {
		m.Provider, _, _ = strings.Cut(m.ID, "/")
	}
	name, ok := strings.CutPrefix(m.ID, m.Provider+"/")
	if !ok || name == "" {
		return m, notValid("a model's id is provider/model, such as \"openai/gpt-5\"")
	}
	for _, n := range append([]string{m.ID}, m.Aliases...) {
		if err := validName(n); err != nil {
			return m, err
		}
	}
	setDefault(&m.Upstream, name)
	setDefault(&m.Title, name)
	setDefault(&m.Counts, providers.CountTotal)
	setDefault(&m.CapField, wire.MaxTokensField)
	setDefault(&m.DefaultReply, DefaultReply)
	setDefault(&m.AtZero, providers.Refuse)
	if m.Price != nil && m.Price.Source == "" {
		own := *m.Price
		own.Source = OwnersPrice
		m.Price = &own
	}
	for _, most := range []int64{m.MaxReply, m.Context} { // a reply is a part of the context
		if most > 0 {
			m.DefaultReply = min(m.DefaultReply, most)
		}
	}
	return m, validFigures(m)
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func validFigures(m providers.Model) error {
	switch m.Counts {
	case providers.CountTotal, providers.CountInput, providers.CountWeighted:
	default:
		return notValid("a model counts \"total\", \"input\" or \"weighted\" tokens, not %q", string(m.Counts))
	}
	if m.AtZero != providers.Refuse && m.AtZero != providers.Ladder {
		return notValid("at zero a model is refused (%q) or goes down its %q, not %q", string(providers.Refuse), string(providers.Ladder), string(m.AtZero))
	}
	if m.Fallback == m.ID {
		return notValid("a model cannot be its own fallback")
	}
	if m.CapField != wire.MaxTokensField && m.CapField != wire.MaxCompletionTokens {
		return notValid("a reply is capped in %q or %q, not %q", wire.MaxTokensField, wire.MaxCompletionTokens, m.CapField)
	}
	for what, n := range map[string]int64{"context": m.Context, "reply limit": m.MaxReply, "default reply": m.DefaultReply} {
		if n < 0 || n > wire.MaxTokens {
			return notValid("the %s is a number of tokens from 0 to %d", what, wire.MaxTokens)
		}
	}
	if p := m.Price; p != nil {
		for _, amount := range []int64{p.Input, p.CacheRead, p.CacheWrite, p.Output} {
			if amount < 0 || amount > maxPrice {
				return notValid("a price is from 0 to 1,000,000 dollars per million tokens")
			}
		}
	}
	return nil
}

// maxPrice is a million dollars per million tokens, in micro-dollars: a dollar a token.
const maxPrice = 1_000_000_000_000

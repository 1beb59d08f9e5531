// Package providers holds the words that its sub-packages share: vendors, providers, keys, models and prices.
//
//	sse       the one scanner of event streams
//	wire      what each vendor's bytes mean
//	translate what was said in one dialect, in another
//	form      requests that are multipart forms, streamed
//	tokens    how many tokens a request has, before it is sent
//	catalog   the vendors and models that are known without asking
//	registry  what the owner has set up, in the database
//	keys      the secrets, in the keychain, an encrypted file or the environment
//	check     testing a key, listing a provider's models
//	sim       the simulated provider of the demo
//
// Invariants: nothing here knows people, budgets or the gateway; a key's secret is in no type of this package, so that
// none can reach the database, a log or a screen by accident.
package providers

import (
	"slices"
	"time"
)

// Dialect names a wire, as commands and the database spell it.
type Dialect string

// The dialects that a provider may speak.
const (
	OpenAI    Dialect = "openai" // chat completions
	Responses Dialect = "responses"
	Anthropic Dialect = "anthropic"
	Gemini    Dialect = "gemini"
)

// Vendor is a company or a program whose API is known: data, not code.
type Vendor struct {
	ID, Title string
	// BaseURL is the OpenAI-compatible endpoint, to which /chat/completions is joined; "" = the owner must name it.
	BaseURL string
	// Bases are the dialects that the vendor speaks beside OpenAI's, and the base URL of each: the one to which
	// /responses, /messages, or /v1beta/models/… is joined.
	Bases  map[Dialect]string
	KeyEnv string // the environment variable that usually holds its key; "" = none
	NoKey  bool   // it wants no key: a program on this machine or the LAN
	Models []Model
}

// Provider is an account at a vendor, or a local server.
type Provider struct {
	Name      string // as the owner calls it; the first part of its models' ids
	Vendor    string // Vendor.ID; "" = any compatible URL
	BaseURL   string // of the first dialect; normalised, without a trailing slash
	Dialects  []Dialect
	Bases     map[Dialect]string // of the dialects that have a base URL of their own; nil = none has
	Keyed     bool               // it has a key, or had one, and so is not called without
	CreatedAt time.Time
}

// Base is the URL to which a dialect's paths are joined at this provider; false if it does not speak the dialect.
func (p Provider) Base(d Dialect) (string, bool) {
	if !slices.Contains(p.Dialects, d) {
		return "", false
	}
	if base, ok := p.Bases[d]; ok {
		return base, true
	}
	return p.BaseURL, true
}

// ByFidelity lists the dialects that the provider speaks, those first in which it can be told most: Google's own, which it
// alone speaks, and Anthropic's at Anthropic. What they offer to be compatible leaves fields out.
func (p Provider) ByFidelity() []Dialect {
	rank := func(d Dialect) int {
		switch {
		case d == Gemini, d == Anthropic && p.Vendor == "anthropic":
			return 0
		default:
			return 1
		}
	}
	sorted := slices.Clone(p.Dialects)
	slices.SortStableFunc(sorted, func(a, b Dialect) int { return rank(a) - rank(b) })
	return sorted
}

// KeyHeader is the header in which a dialect has the key, and what stands before the key in it.
func (d Dialect) KeyHeader() (name, prefix string) {
	switch d {
	case Anthropic:
		return "X-Api-Key", ""
	case Gemini:
		return "X-Goog-Api-Key", ""
	}
	return "Authorization", "Bearer "
}

// AnthropicVersion is the version of Anthropic's API that is asked for; it refuses to answer without:
// https://docs.anthropic.com/en/api/versioning
const AnthropicVersion = "2023-06-01"

// Key stands for a provider's secret, which is in the keychain under the key's ID.
type Key struct {
	ID        string
	Provider  string
	Label     string
	Source    KeySource
	Disabled  bool
	Reason    string // why it is disabled, in words; "" while it is not
	Caps      Caps
	CreatedAt time.Time
}

// Caps are what a key may be used for in one UTC day; nil = no limit.
type Caps struct {
	Requests, Tokens, CostMicroUSD *int64
}

// KeySource is where a key's secret is read from.
type KeySource string

// The sources of secrets.
const (
	Keychain    KeySource = "keychain" // or the encrypted file, where there is no keychain
	Environment KeySource = "env"
)

// Counts is which tokens a person's allowance for a model counts.
type Counts string

// The ways to count. Ceilings and keys count all tokens whatever is chosen here.
const (
	CountTotal    Counts = "total"
	CountInput    Counts = "input" // for models whose output is free
	CountWeighted Counts = "weighted"
)

// AtZero is what is done for a person whose allowance for a model is out, or when a team ceiling is reached.
type AtZero string

// The ways to go on at zero.
const (
	Refuse AtZero = "refuse"
	Ladder AtZero = "ladder" // a smaller reply, the fallback model, older turns dropped
)

// Model is what a teammate may name.
type Model struct {
	ID           string // provider/model
	Provider     string
	Upstream     string // what the provider calls it
	Title        string
	Aliases      []string
	Context      int64 // tokens that prompt and reply share; 0 = unknown
	MaxReply     int64 // tokens that a reply may have; 0 = unknown
	DefaultReply int64 // tokens held for a reply when its caller sets no maximum
	Counts       Counts
	Guests       bool   // open to callers without a pass
	CapField     string // where a reply cap goes when the caller set none
	Price        *Price // nil = unknown
	Reasons      bool   // it can think before it answers
	SeesImages   bool   // it takes images, and files, in its prompt

	AtZero       AtZero
	Fallback     string // the id of the model to go on with; "" = none
	MayDropTurns bool   // the ladder may leave older turns out
}

// Price is in micro-dollars per million tokens.
type Price struct {
	Input      int64 `json:"input"`
	CacheRead  int64 `json:"cacheRead"`  // input that the vendor had cached
	CacheWrite int64 `json:"cacheWrite"` // input that the vendor puts into its cache
	Output     int64 `json:"output"`

	Source string `json:"source"` // where the figures come from
	Date   string `json:"date"`   // when they were true, YYYY-MM-DD or a version
}

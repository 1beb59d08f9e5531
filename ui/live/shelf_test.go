package live_test

import (
	"testing"

	"perdiem/providers"
	"perdiem/ui/live"
)

func TestAProvidersKeysAreToldInAFewWords(t *testing.T) {
	good := providers.Key{ID: "1", Source: providers.Keychain}
	env := providers.Key{ID: "2", Source: providers.Environment, Label: "PERDIEM_KEY_P"}
	bad := providers.Key{ID: "3", Disabled: true, Reason: "refused"}
	for name, c := range map[string]struct {
		keys       []providers.Key
		needsKey   bool
		words, why string
		ok         bool
	}{
		"one":                {[]providers.Key{good}, true, "key stored", "", true},
		"from a variable":    {[]providers.Key{env}, true, "key: PERDIEM_KEY_P", "", true},
		"two":                {[]providers.Key{good, env}, true, "2 keys", "", true},
		"one of two refused": {[]providers.Key{good, bad}, true, "key stored", "", true},
		"all refused":        {[]providers.Key{bad}, true, "key does not work", "refused", false},
		"none":               {nil, true, "no key yet", "", false},
		"none needed":        {nil, false, "no key needed", "", true},
	} {
		words, why, ok := live.Provider{Keys: c.keys}.KeyState(c.needsKey)
		if words != c.words || why != c.why || ok != c.ok {
			t.Errorf("%s: %q, %q, %v; want %q, %q, %v", name, words, why, ok, c.words, c.why, c.ok)
		}
	}
}

func TestAnUnknownPriceIsNeverShownAsFree(t *testing.T) {
	for want, p := range map[string]*providers.Price{
		"unknown": nil, "free": {}, "$1.25 in, $10.00 out": {Input: 1_250_000, Output: 10_000_000},
	} {
		if got := live.PriceWords(p); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

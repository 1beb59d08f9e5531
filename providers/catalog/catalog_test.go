package catalog

import (
	"maps"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"perdiem/providers"
)

func TestVendorsAreThereAndComplete(t *testing.T) {
	models := 0
	seen := map[string]bool{}
	for _, v := range Vendors() {
		if v.ID == "" || v.Title == "" || seen[v.ID] {
			t.Errorf("no id, no title or twice: %+v", v.ID)
		}
		seen[v.ID] = true
		models += len(v.Models)
		for _, base := range append(slices.Collect(maps.Values(v.Bases)), v.BaseURL) {
			if u, err := url.Parse(base); base != "" && (err != nil || u.Host == "" || strings.HasSuffix(base, "/") || strings.Contains(base, "$")) {
				t.Errorf("%s: base URL %q", v.ID, base)
			}
		}
		if strings.ContainsAny(v.KeyEnv, "$ ") {
			t.Errorf("%s: key from %q", v.ID, v.KeyEnv)
		}
		if v.BaseURL == "" && !map[string]bool{"azure": true, "bedrock": true, "bedrock-europe": true, "vertexai": true, Custom: true, Simulated: true}[v.ID] {
			t.Errorf("%s has no base URL", v.ID)
		}
	}
	if len(seen) < 45 || models < 1400 {
		t.Errorf("%d vendors, %d models", len(seen), models)
	}
	for id, base := range map[string]string{
		"openai": "https://api.openai.com/v1", "anthropic": "https://api.anthropic.com/v1", "xai": "https://api.x.ai/v1",
		"gemini": "https://generativelanguage.googleapis.com/v1beta/openai", "groq": "https://api.groq.com/openai/v1",
		"deepseek": "https://api.deepseek.com/v1", "openrouter": "https://openrouter.ai/api/v1", "mistral": "https://api.mistral.ai/v1",
		"together": "https://api.together.xyz/v1", "ollama": "http://localhost:11434/v1", "lmstudio": "http://localhost:1234/v1", Custom: "",
	} {
		if v, ok := Vendor(id); !ok || v.BaseURL != base {
			t.Errorf("%s: got %q, %v", id, v.BaseURL, ok)
		}
	}
	if _, ok := Vendor("nobody"); ok {
		t.Error("found a vendor that is none")
	}
}

func TestTheBestKnownVendorsComeFirstAndAnyAddressLast(t *testing.T) {
	all := Vendors()
	if all[0].ID != "openai" || all[1].ID != "anthropic" || all[len(all)-2].ID != Custom || all[len(all)-1].ID != Simulated {
		t.Errorf("order: %s, %s … %s, %s", all[0].ID, all[1].ID, all[len(all)-2].ID, all[len(all)-1].ID)
	}
	if a, b := all[len(first)].Title, all[len(first)+1].Title; strings.ToLower(a) > strings.ToLower(b) {
		t.Errorf("%s stands before %s", a, b)
	}
}

func TestEveryModelOfTheListIsUsable(t *testing.T) {
	for _, v := range Vendors() {
		for _, m := range v.Models {
			if m.Upstream == "" || m.Context < 0 || m.MaxReply < 0 || m.DefaultReply <= 0 || m.MaxReply > 0 && m.DefaultReply > m.MaxReply || m.CapField == "" {
				t.Errorf("%s: %+v", v.ID, m)
			}
			if p := m.Price; p != nil && (p.Input < 0 || p.Output < 0 || p.CacheRead > p.Input || p.CacheWrite < p.Input || p.Source == "") {
				t.Errorf("%s %s: price %+v", v.ID, m.Upstream, p)
			}
		}
	}
}

func TestDescribeGivesLimitsTitleAndExactPrice(t *testing.T) {
	got := Describe(providers.Provider{Name: "work", Vendor: "openai"}, "gpt-5.6-luna")
	want := providers.Price{Input: 1_000_000, CacheRead: 100_000, CacheWrite: 1_250_000, Output: 6_000_000, Source: Source, Date: Date}
	if got.ID != "work/gpt-5.6-luna" || got.Provider != "work" || got.Upstream != "gpt-5.6-luna" || got.Title != "GPT-5.6 Luna" ||
		got.Context != 1_050_000 || got.MaxReply != 128_000 || got.DefaultReply != reasoningReply || got.CapField != "max_completion_tokens" ||
		got.Price == nil || *got.Price != want {
		t.Errorf("got %+v, price %+v", got, got.Price)
	}
}

func TestDescribeOfAnUnknownModelInventsNothing(t *testing.T) {
	for _, vendor := range []string{"openai", Custom, "ollama", "", "nobody"} {
		got := Describe(providers.Provider{Name: "p", Vendor: vendor}, "models/brand-new")
		if got.ID != "p/brand-new" || got.Upstream != "brand-new" || got.Price != nil || got.Context != 0 || got.MaxReply != 0 || got.Title != "" {
			t.Errorf("%s: got %+v", vendor, got)
		}
	}
}

func TestCapsGoWhereTheModelTakesThem(t *testing.T) {
	for _, c := range []struct{ vendor, model, want string }{
		{"openai", "o3-mini", "max_completion_tokens"}, {"openai", "gpt-5", "max_completion_tokens"}, {"openai", "gpt-7-next", "max_completion_tokens"},
		{"azure", "o4-mini", "max_completion_tokens"}, {"openai", "gpt-4o", "max_tokens"}, {"openai", "gpt-3.5-turbo", "max_tokens"},
		{"openrouter", "openai/gpt-5", "max_tokens"}, {"anthropic", "claude-opus-5", "max_tokens"}, {"ollama", "qwen3", "max_tokens"}, {"", "x", "max_tokens"},
	} {
		if got := Describe(providers.Provider{Name: "p", Vendor: c.vendor}, c.model).CapField; got != c.want {
			t.Errorf("%s %s: got %s", c.vendor, c.model, got)
		}
	}
}

func TestCachePricesAreToldApartByWhatTheyCanBe(t *testing.T) {
	for name, c := range map[string]struct{ input, in, out, read, write float64 }{
		"as the fields are named":      {3, 3.75, 0.3, 0.3, 3.75},
		"reading alone":                {3, 0, 0.3, 0.3, 3},
		"reading in the wrong field":   {5, 0.5, 0, 0.5, 5},
		"the output's price in second": {0.75, 0.075, 3.75, 0.075, 0.75},
		"writing alone":                {3, 3.75, 0, 3, 3.75},
		"none":                         {3, 0, 0, 3, 3},
		"no saving":                    {30, 30, 0, 30, 30},
		"free input":                   {0, 0, 0, 0, 0},
	} {
		if read, write := cachePrices(c.input, c.in, c.out); read != c.read || write != c.write {
			t.Errorf("%s: read %v, write %v", name, read, write)
		}
	}
}

func TestAVendorsVariableIsOnlyReadForItsOwnAddress(t *testing.T) {
	for name, c := range map[string]struct {
		p    providers.Provider
		want string
	}{
		"at home":         {providers.Provider{Vendor: "openai", BaseURL: "https://api.openai.com/v1"}, "OPENAI_API_KEY"},
		"elsewhere":       {providers.Provider{Vendor: "openai", BaseURL: "https://evil.example/v1"}, ""},
		"own address":     {providers.Provider{Vendor: "azure", BaseURL: "https://me.openai.azure.com/openai/v1"}, ""},
		"no vendor":       {providers.Provider{BaseURL: "https://api.openai.com/v1"}, ""},
		"Gemini at home":  {providers.Provider{Vendor: "gemini", BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai"}, "GEMINI_API_KEY"},
		"Hugging Face's":  {providers.Provider{Vendor: "huggingface", BaseURL: "https://router.huggingface.co/v1"}, "HF_TOKEN"},
		"a local program": {providers.Provider{Vendor: "ollama", BaseURL: "http://localhost:11434/v1"}, ""},
	} {
		if got := KeyEnv(c.p); got != c.want {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

func TestAProviderAtItsVendorsAddressSpeaksTheVendorsDialects(t *testing.T) {
	openai := []providers.Dialect{providers.OpenAI}
	for name, c := range map[string]struct {
		p    providers.Provider
		want map[providers.Dialect]string
	}{
		"OpenAI":        {providers.Provider{Vendor: "openai", BaseURL: "https://api.openai.com/v1/", Dialects: openai}, map[providers.Dialect]string{providers.Responses: "https://api.openai.com/v1"}},
		"Anthropic":     {providers.Provider{Vendor: "anthropic", BaseURL: "https://api.anthropic.com/v1", Dialects: openai}, map[providers.Dialect]string{providers.Anthropic: "https://api.anthropic.com/v1"}},
		"Gemini":        {providers.Provider{Vendor: "gemini", BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai", Dialects: openai}, map[providers.Dialect]string{providers.Gemini: "https://generativelanguage.googleapis.com"}},
		"elsewhere":     {providers.Provider{Vendor: "openai", BaseURL: "https://proxy.example/v1", Dialects: openai}, nil},
		"no vendor":     {providers.Provider{BaseURL: "https://api.openai.com/v1", Dialects: openai}, nil},
		"named already": {providers.Provider{Vendor: "openai", BaseURL: "https://api.openai.com/v1", Dialects: []providers.Dialect{providers.Responses}}, nil},
	} {
		got := Complete(c.p)
		if !reflect.DeepEqual(got.Bases, c.want) || len(got.Dialects) != 1+len(c.want) || len(c.p.Dialects) != 1 {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

func TestDescribeTellsWhatAModelCanDo(t *testing.T) {
	can := Describe(providers.Provider{Name: "p", Vendor: "openai"}, "gpt-5.6-luna")
	cannot := Describe(providers.Provider{Name: "p", Vendor: "openai"}, "brand-new")
	if !can.Reasons || !can.SeesImages || cannot.Reasons || cannot.SeesImages {
		t.Errorf("got %+v, %+v", can, cannot)
	}
}

func TestTheSourceIsTheVersionThatIsBuiltIn(t *testing.T) {
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if want := "charm.land/" + Source; !strings.Contains(string(mod), want) {
		t.Errorf("go.mod does not have %q: set Source and Date to the new version", want)
	}
}

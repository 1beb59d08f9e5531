package catalog

import (
	"perdiem/providers"
	"perdiem/providers/wire"
)

// address is what catwalk leaves to the environment, or gives for another wire only.
type address struct {
	baseURL string // OpenAI-compatible; "" = the owner's own, which only they know
	bases   map[providers.Dialect]string
}

func responsesAt(base string) map[providers.Dialect]string {
	return map[providers.Dialect]string{providers.Responses: base}
}

func anthropicAt(base string) map[providers.Dialect]string {
	return map[providers.Dialect]string{providers.Anthropic: base}
}

// addresses are those of the vendors' own documentation.
var addresses = map[string]address{
	"openai":         {"https://api.openai.com/v1", responsesAt("https://api.openai.com/v1")},
	"anthropic":      {"https://api.anthropic.com/v1", anthropicAt("https://api.anthropic.com/v1")},
	"gemini":         {"https://generativelanguage.googleapis.com/v1beta/openai", map[providers.Dialect]string{providers.Gemini: "https://generativelanguage.googleapis.com"}},
	"minimax":        {"https://api.minimax.io/v1", anthropicAt("https://api.minimax.io/anthropic/v1")},
	"minimax-china":  {"https://api.minimaxi.com/v1", anthropicAt("https://api.minimaxi.com/anthropic/v1")},
	"kimi-coding":    {"https://api.kimi.com/coding/v1", anthropicAt("https://api.kimi.com/coding/v1")},
	"azure":          {},
	"bedrock":        {},
	"bedrock-europe": {},
	"vertexai":       {},
}

// bases are the further dialects of vendors whose address catwalk has.
var bases = map[string]map[providers.Dialect]string{
	"groq":       responsesAt("https://api.groq.com/openai/v1"),
	"xai":        responsesAt("https://api.x.ai/v1"),
	"openrouter": responsesAt("https://openrouter.ai/api/v1"),
	"deepseek":   anthropicAt("https://api.deepseek.com/anthropic/v1"),
	"moonshot":   anthropicAt("https://api.moonshot.ai/anthropic/v1"),
	"zai":        anthropicAt("https://api.z.ai/api/anthropic/v1"),
}

// leftOut are vendors that no stored key opens: Copilot's tokens live for half an hour and are got by a sign-in.
var leftOut = map[string]bool{"copilot": true}

// more are vendors that catwalk does not have.
var more = []providers.Vendor{
	{ID: "mistral", Title: "Mistral", BaseURL: "https://api.mistral.ai/v1", KeyEnv: "MISTRAL_API_KEY"},
	{ID: "together", Title: "Together AI", BaseURL: "https://api.together.xyz/v1", KeyEnv: "TOGETHER_API_KEY"},
	{ID: "ollama", Title: "Ollama (local)", BaseURL: "http://localhost:11434/v1", NoKey: true, Bases: responsesAt("http://localhost:11434/v1")},
	{ID: "lmstudio", Title: "LM Studio (local)", BaseURL: "http://localhost:1234/v1", NoKey: true, Bases: responsesAt("http://localhost:1234/v1")},
	{ID: Custom, Title: "Any OpenAI-compatible address"},
	{ID: Simulated, Title: "Simulated (for trying Perdiem out)", Models: []providers.Model{
		simulated("sim-swift", "Sim Swift", 32_000, 2_000, 100_000, 400_000),
		simulated("sim-sage", "Sim Sage", 128_000, 8_000, 1_100_000, 4_400_000),
		simulated("sim-long", "Sim Long", 200_000, 16_000, 3_000_000, 15_000_000),
	}},
}

// simulated are the demo's models. Their prices are as made up as their answers, so that a purse has something to count.
func simulated(upstream, title string, context, reply, input, output int64) providers.Model {
	return providers.Model{
		Upstream: upstream, Title: title, Context: context, MaxReply: reply, DefaultReply: min(reply, 2_000), CapField: wire.MaxTokensField,
		Price: &providers.Price{Input: input, CacheRead: input / 10, CacheWrite: input, Output: output, Source: "simulated"},
	}
}

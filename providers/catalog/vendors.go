package catalog

import (
	"perdiem/providers"
)

// address is what catwalk leaves to the environment, or gives for another wire only.
type address struct {
	baseURL   string            // OpenAI-compatible; "" = the owner's own, which only they know
	native    providers.Dialect // the vendor's own wire
	nativeURL string
}

// addresses are those of the vendors' own documentation.
var addresses = map[string]address{
	"openai":         {"https://api.openai.com/v1", providers.Responses, "https://api.openai.com/v1"},
	"anthropic":      {"https://api.anthropic.com/v1", providers.Anthropic, "https://api.anthropic.com"},
	"gemini":         {"https://generativelanguage.googleapis.com/v1beta/openai", providers.Gemini, "https://generativelanguage.googleapis.com"},
	"minimax":        {"https://api.minimax.io/v1", providers.Anthropic, "https://api.minimax.io/anthropic"},
	"minimax-china":  {"https://api.minimaxi.com/v1", providers.Anthropic, "https://api.minimaxi.com/anthropic"},
	"kimi-coding":    {"https://api.kimi.com/coding/v1", providers.Anthropic, "https://api.kimi.com/coding"},
	"azure":          {},
	"bedrock":        {},
	"bedrock-europe": {},
	"vertexai":       {},
}

// left out are vendors that no stored key opens: Copilot's tokens live for half an hour and are got by a sign-in.
var leftOut = map[string]bool{"copilot": true}

// more are vendors that catwalk does not have.
var more = []providers.Vendor{
	{ID: "mistral", Title: "Mistral", BaseURL: "https://api.mistral.ai/v1", KeyEnv: "MISTRAL_API_KEY"},
	{ID: "together", Title: "Together AI", BaseURL: "https://api.together.xyz/v1", KeyEnv: "TOGETHER_API_KEY"},
	{ID: "ollama", Title: "Ollama (local)", BaseURL: "http://localhost:11434/v1", NoKey: true},
	{ID: "lmstudio", Title: "LM Studio (local)", BaseURL: "http://localhost:1234/v1", NoKey: true},
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
		Upstream: upstream, Title: title, Context: context, MaxReply: reply, DefaultReply: min(reply, 2_000), CapField: "max_tokens",
		Price: &providers.Price{Input: input, CacheRead: input / 10, CacheWrite: input, Output: output, Source: "simulated"},
	}
}

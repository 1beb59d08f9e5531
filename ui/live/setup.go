package live

import "strings"

// SetUp is what a teammate pastes into one tool.
type SetUp struct{ Tool, Text string }

// SetUps writes ready-made set-up text for the tools that people use most. Base is the gateway's address with its /v1,
// pass the secret that the tool calls its API key, model a model to begin with.
func SetUps(base, pass, model string) []SetUp {
	fill := strings.NewReplacer("{base}", base, "{pass}", pass, "{model}", model)
	all := []SetUp{
		{"curl", `curl {base}/chat/completions \
  -H "Authorization: Bearer {pass}" \
  -H "Content-Type: application/json" \
  -d '{"model": "{model}", "stream": true,
       "messages": [{"role": "user", "content": "Hello!"}]}'`},
		{"Python", `from openai import OpenAI

client = OpenAI(
    base_url="{base}",
    api_key="{pass}",
)
reply = client.chat.completions.create(
    model="{model}",
    messages=[{"role": "user", "content": "Hello!"}],
)
print(reply.choices[0].message.content)`},
		{"JavaScript", `import OpenAI from "openai";

const client = new OpenAI({
  baseURL: "{base}",
  apiKey: "{pass}",
});
const reply = await client.chat.completions.create({
  model: "{model}",
  messages: [{ role: "user", content: "Hello!" }],
});
console.log(reply.choices[0].message.content);`},
		{"Environment", `export OPENAI_BASE_URL="{base}"
export OPENAI_API_KEY="{pass}"`},
	}
	return filled(all, fill)
}

func filled(all []SetUp, fill *strings.Replacer) []SetUp {
	for i := range all {
		all[i].Text = fill.Replace(all[i].Text)
	}
	return all
}

// PageOf is the address of a teammate's own page, for the gateway's base URL.
func PageOf(base string) string { return strings.TrimSuffix(base, "/v1") + "/" }

package live

import "strings"

// ToolSetUps are ready-made set-up texts for further tools, filled in as those of SetUps.
func ToolSetUps(base, pass, model string) []SetUp {
	return filled([]SetUp{
		{"Anthropic SDK", `from anthropic import Anthropic

client = Anthropic(
    base_url="{root}",
    auth_token="{pass}",
)
message = client.messages.create(
    model="{model}", max_tokens=500,
    messages=[{"role": "user", "content": "Hello!"}],
)
print(message.content[0].text)`},
		{"Claude Code", `export ANTHROPIC_BASE_URL="{root}"
export ANTHROPIC_AUTH_TOKEN="{pass}"
export ANTHROPIC_MODEL="{model}"
claude`},
		{"Codex", `# ~/.codex/config.toml
model = "{model}"
model_provider = "perdiem"

[model_providers.perdiem]
name = "Perdiem"
base_url = "{base}"
env_key = "PERDIEM_PASS"
wire_api = "responses"

# then, in the shell
export PERDIEM_PASS="{pass}"`},
		{"Gemini CLI", `# ~/.gemini/settings.json
{"security": {"auth": {"selectedType": "gemini-api-key"}}}

# then, in the shell
export GOOGLE_GEMINI_BASE_URL="{root}"
export GEMINI_API_KEY="{pass}"
gemini --model "{model}"`},
		{"opencode", `{
  "$schema": "https://opencode.ai/config.json",
  "provider": {
    "perdiem": {
      "npm": "@ai-sdk/openai-compatible",
      "name": "Perdiem",
      "options": {"baseURL": "{base}", "apiKey": "{pass}"},
      "models": {"{model}": {}}
    }
  }
}`},
		{"Cline", `In Cline's settings:
API Provider:  OpenAI Compatible
Base URL:      {base}
API Key:       {pass}
Model ID:      {model}`},
		{"Continue", `# ~/.continue/config.yaml
name: Perdiem
version: 0.0.1
schema: v1
models:
  - name: {model}
    provider: openai
    model: {model}
    apiBase: {base}
    apiKey: {pass}`},
		{"aider", `export OPENAI_API_BASE="{base}"
export OPENAI_API_KEY="{pass}"
aider --model "openai/{model}"`},
		{"Cursor", `In Cursor's settings, Models:
OpenAI API Key:            {pass}
Override OpenAI Base URL:  {base}
Add the model:             {model}

Cursor calls from its own servers, not from your machine:
they must be able to reach this address.`},
		{"Open WebUI", `In the admin settings, Connections, OpenAI API, add:
URL:  {base}
Key:  {pass}`},
	}, strings.NewReplacer("{root}", strings.TrimSuffix(base, "/v1"), "{base}", base, "{pass}", pass, "{model}", model))
}

package live

// ToolSetUps are ready-made set-up texts for further tools, filled in as those of SetUps.
func ToolSetUps(t Target) []SetUp {
	return t.fill([]SetUp{
		{"Anthropic SDK", `import os; os.environ["SSL_CERT_FILE"] = os.path.expandvars("{ca}")
from anthropic import Anthropic

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
export NODE_EXTRA_CA_CERTS="{ca}"
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
export PERDIEM_PASS="{pass}"
export SSL_CERT_FILE="{ca}"`},
		{"Gemini CLI", `# ~/.gemini/settings.json
{"security": {"auth": {"selectedType": "gemini-api-key"}}}

# then, in the shell
export GOOGLE_GEMINI_BASE_URL="{root}"
export GEMINI_API_KEY="{pass}"
export NODE_EXTRA_CA_CERTS="{ca}"
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
}

# and in the shell, since the file cannot say it: export NODE_EXTRA_CA_CERTS="{ca}"`},
		{"Cline", `In Cline's settings:
API Provider:  OpenAI Compatible
Base URL:      {base}
API Key:       {pass}
Model ID:      {model}
Before VS Code starts: export NODE_EXTRA_CA_CERTS="{ca}"`},
		{"Continue", `# ~/.continue/config.yaml
name: Perdiem
version: 0.0.1
schema: v1
models:
  - name: {model}
    provider: openai
    model: {model}
    apiBase: {base}
    apiKey: {pass}
    requestOptions: {caBundlePath: "{ca}"}  # the whole path, without $HOME`},
		{"aider", `export OPENAI_API_BASE="{base}"
export OPENAI_API_KEY="{pass}"
export SSL_CERT_FILE="{ca}"
aider --model "openai/{model}"`},
		{"Cursor", `In Cursor's settings, Models:
OpenAI API Key:            {pass}
Override OpenAI Base URL:  {base}
Add the model:             {model}

Cursor calls from its own servers, not from your machine:
they must be able to reach this address.
They trust no certificate of ours ({ca}): use one of your own.`},
		{"Open WebUI", `In the admin settings, Connections, OpenAI API, add:
URL:  {base}
Key:  {pass}
In the environment that it starts in: SSL_CERT_FILE={ca}`},
	})
}

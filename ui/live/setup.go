package live

import (
	"slices"
	"strings"
)

// SetUp is what a teammate pastes into one tool.
type SetUp struct{ Tool, Text string }

// Target is what a tool is pointed at.
type Target struct {
	Base  string // the gateway's address with its /v1
	Pass  string // the secret that the tool calls its API key
	Model string // a model to begin with
	CA    string // the file with the authority to trust; empty where none must be
}

// CAHere is where set-up texts look for the certificate to trust, which the teammates' page offers for download: in the home
// folder of whoever follows them.
const CAHere = "$HOME/perdiem-ca.pem"

// Root is the gateway's address without its /v1.
func (t Target) Root() string { return strings.TrimSuffix(t.Base, "/v1") }

// SetUps writes ready-made set-up text for the tools that people use most. A line with {ca} is there only where a
// certificate must be trusted.
func SetUps(t Target) []SetUp {
	return t.fill([]SetUp{
		{"curl", `curl {base}/chat/completions \
  --cacert "{ca}" \
  -H "Authorization: Bearer {pass}" \
  -H "Content-Type: application/json" \
  -d '{"model": "{model}", "stream": true,
       "messages": [{"role": "user", "content": "Hello!"}]}'`},
		{"Python", `import os; os.environ["SSL_CERT_FILE"] = os.path.expandvars("{ca}")
from openai import OpenAI

client = OpenAI(
    base_url="{base}",
    api_key="{pass}",
)
reply = client.chat.completions.create(
    model="{model}",
    messages=[{"role": "user", "content": "Hello!"}],
)
print(reply.choices[0].message.content)`},
		{"JavaScript", `// before Node.js starts: export NODE_EXTRA_CA_CERTS="{ca}"
import OpenAI from "openai";

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
export OPENAI_API_KEY="{pass}"
export NODE_EXTRA_CA_CERTS="{ca}"  # JavaScript
export SSL_CERT_FILE="{ca}"        # Python, Go, curl`},
	})
}

// fill fills texts in.
func (t Target) fill(all []SetUp) []SetUp {
	fill := strings.NewReplacer("{root}", t.Root(), "{base}", t.Base, "{pass}", t.Pass, "{model}", t.Model, "{ca}", t.CA)
	for i := range all {
		lines := strings.Split(all[i].Text, "\n")
		if t.CA == "" {
			lines = slices.DeleteFunc(lines, func(l string) bool { return strings.Contains(l, "{ca}") })
		}
		all[i].Text = fill.Replace(strings.TrimRight(strings.Join(lines, "\n"), "\n"))
	}
	return all
}

// PageOf is the address of a teammate's own page, for the gateway's base URL.
func PageOf(base string) string { return strings.TrimSuffix(base, "/v1") + "/" }

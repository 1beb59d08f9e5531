package translate

import (
	"encoding/json"
	"strconv"
	"strings"

	"perdiem/providers/wire"
)

// geminiRequest is a request for Google. Its model, and whether it is a stream, stand in the path.
type geminiRequest struct {
	Contents   []geminiContent   `json:"contents"`
	System     *geminiContent    `json:"systemInstruction,omitempty"`
	Tools      []geminiTools     `json:"tools,omitempty"`
	ToolConfig *geminiToolConfig `json:"toolConfig,omitempty"`
	Config     geminiConfig      `json:"generationConfig,omitzero"`
}

type geminiTools struct {
	Functions []geminiFunction `json:"functionDeclarations"`
}

type geminiFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parametersJsonSchema,omitempty"`
}

type geminiToolConfig struct {
	Calling geminiCalling `json:"functionCallingConfig"`
}

type geminiCalling struct {
	Mode    string   `json:"mode"`
	Allowed []string `json:"allowedFunctionNames,omitempty"`
}

type geminiConfig struct {
	Temperature json.Number     `json:"temperature,omitempty"`
	TopP        json.Number     `json:"topP,omitempty"`
	TopK        json.Number     `json:"topK,omitempty"`
	Seed        json.Number     `json:"seed,omitempty"`
	Presence    json.Number     `json:"presencePenalty,omitempty"`
	Frequency   json.Number     `json:"frequencyPenalty,omitempty"`
	Candidates  int64           `json:"candidateCount,omitempty"`
	MaxTokens   int64           `json:"maxOutputTokens,omitempty"`
	Stop        []string        `json:"stopSequences,omitempty"`
	MIME        string          `json:"responseMimeType,omitempty"`
	Schema      json.RawMessage `json:"responseJsonSchema,omitempty"`
	Thinking    *geminiThinking `json:"thinkingConfig,omitempty"`
}

type geminiThinking struct {
	Shown  bool   `json:"includeThoughts,omitempty"`
	Budget *int64 `json:"thinkingBudget,omitempty"`
	Level  string `json:"thinkingLevel,omitempty"`
}

func writeGemini(w *writing, q *Request, o Options) any {
	body := geminiRequest{Config: geminiConfig{
		Temperature: q.Temperature, TopP: q.TopP, TopK: q.TopK,
		Presence: unlessIs(0, q.Presence), Frequency: unlessIs(0, q.Frequency), // zeros are sent by default, and not all models take them
		MaxTokens: q.MaxTokens, Stop: q.Stop, Thinking: geminiThought(w, q.Thinking, o),
	}}
	if _, err := strconv.ParseInt(q.Seed.String(), 10, 32); err == nil {
		body.Config.Seed = q.Seed
	} else if q.Seed != "" {
		w.leave("seed") // Google's have 32 bits
	}
	if q.Replies > 1 {
		body.Config.Candidates = q.Replies
	}
	if q.Format != nil {
		body.Config.MIME, body.Config.Schema = "application/json", q.Format.Schema
	}
	if q.Logprobs {
		w.refuse("logprobs", "the probabilities of tokens cannot be told in your dialect")
	}
	if q.User != "" {
		w.leave("user")
	}
	writeGeminiTools(w, q, &body)
	writeGeminiContents(w, q, o, &body)
	return body
}

func writeGeminiTools(w *writing, q *Request, body *geminiRequest) {
	tools := q.Tools
	calling := geminiCalling{}
	switch q.Choice.Mode {
	case ChooseNone:
		calling.Mode = "NONE"
	case ChooseRequired:
		calling.Mode, calling.Allowed = "ANY", q.Choice.Allowed
	case ChooseOne:
		calling.Mode, calling.Allowed = "ANY", []string{q.Choice.Name}
	default:
		tools = q.offered() // only ANY takes the names of those that are allowed
		if q.Choice.Mode == ChooseAuto {
			calling.Mode = "AUTO"
		}
	}
	if len(tools) == 0 {
		return // a choice among none is an error at Google
	}
	functions := make([]geminiFunction, len(tools))
	for i, t := range tools {
		functions[i] = geminiFunction{t.Name, t.Description, t.Parameters}
	}
	body.Tools = []geminiTools{{functions}}
	if calling.Mode != "" {
		body.ToolConfig = &geminiToolConfig{calling}
	}
	if q.Parallel != nil && !*q.Parallel {
		w.leave("parallel_tool_calls")
	}
}

// olderGemini tells models whose thinking is told in tokens, and that want no proofs of calls, from those since Gemini 3.
func olderGemini(model string) bool {
	return strings.Contains(model, "gemini-1.") || strings.Contains(model, "gemini-2.")
}

// The most that all older models take as a budget, in tokens, and the least of the one that cannot do without thinking.
// https://ai.google.dev/gemini-api/docs/thinking#set-budget
const (
	mostGeminiBudget = 24576
	least25ProBudget = 128
)

// geminiThought is how much the model is to think. Newer models cannot do without; only the fast ones take "minimal".
// https://ai.google.dev/gemini-api/docs/gemini-3#thinking_level
func geminiThought(w *writing, t *Thinking, o Options) *geminiThinking {
	switch {
	case t == nil || *t == Thinking{}:
		return nil
	case !o.Reasons:
		if !t.Off {
			w.leave("thinking")
		}
		return nil
	}
	said := &geminiThinking{Shown: t.Shown && !t.Off}
	if olderGemini(o.Model) {
		budget := t.budget()
		switch {
		case t.Off && strings.Contains(o.Model, "2.5-pro"):
			budget = least25ProBudget
			w.leave("thinking")
		case t.Off:
			budget = 0
		case budget == 0:
			return said
		default:
			budget = min(max(budget, wire.LeastGeminiThinking), mostGeminiBudget)
		}
		said.Budget = &budget
		return said
	}
	least := "low"
	if strings.Contains(o.Model, "flash") {
		least = "minimal"
	}
	switch said.Level = t.effort(); {
	case t.Off:
		said.Level = least
		w.leave("thinking")
	case said.Level == "minimal":
		said.Level = least
	case said.Level == "xhigh" || said.Level == "max":
		said.Level = "high"
	}
	return said
}

package gateway

import (
	"time"

	"perdiem/providers"
)

// openAIModel is a model in OpenAI's list.
type openAIModel struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

// anthropicModel is a model in Anthropic's list.
type anthropicModel struct {
	Type        string `json:"type"`
	ID          string `json:"id"`
	DisplayName string `json:"display_name"`
	CreatedAt   string `json:"created_at"`
}

// geminiModel is a model in Google's list.
type geminiModel struct {
	Name             string   `json:"name"`
	DisplayName      string   `json:"displayName"`
	InputTokenLimit  int64    `json:"inputTokenLimit,omitempty"`
	OutputTokenLimit int64    `json:"outputTokenLimit,omitempty"`
	Methods          []string `json:"supportedGenerationMethods"`
}

// modelEntry is a model as the clients of a dialect read it.
func modelEntry(v voice, m providers.Model) any {
	title := m.Title
	if title == "" {
		title = m.ID
	}
	switch v.(type) {
	case anthropic:
		return anthropicModel{"model", m.ID, title, time.Unix(0, 0).UTC().Format(time.RFC3339)}
	case gemini:
		return geminiModel{"models/" + m.ID, title, m.Context, m.MaxReply, []string{"generateContent", "streamGenerateContent", "countTokens"}}
	default:
		return openAIModel{ID: m.ID, Object: "model", OwnedBy: m.Provider}
	}
}

// modelList is a list of models as the clients of a dialect read it.
func modelList(v voice, models []providers.Model) any {
	entries := make([]any, len(models))
	for i, m := range models {
		entries[i] = modelEntry(v, m)
	}
	switch v.(type) {
	case anthropic:
		list := struct {
			Data    []any   `json:"data"`
			HasMore bool    `json:"has_more"`
			First   *string `json:"first_id"`
			Last    *string `json:"last_id"`
		}{Data: entries}
		if len(models) > 0 {
			list.First, list.Last = &models[0].ID, &models[len(models)-1].ID
		}
		return list
	case gemini:
		return struct {
			Models []any `json:"models"`
		}{entries}
	default:
		return struct {
			Object string `json:"object"`
			Data   []any  `json:"data"`
		}{"list", entries}
	}
}

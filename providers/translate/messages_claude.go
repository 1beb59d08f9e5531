package translate

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"perdiem/providers/wire"
)

// claude is what one of Anthropic's models takes. Other vendors' models on the same API take what the old ones did.
//
//   - From 4.6 on they choose by themselves how much to think, within an effort; before, they want a budget; from 4.7 on
//     they refuse one. https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking
//   - Fable and Mythos always think, and refuse to be told not to.
//   - From 4.7 on they refuse temperature, top_p and top_k; from 4.1 on, temperature and top_p together.
//     https://platform.claude.com/docs/en/about-claude/models/migration-guide
//   - From 4.5 on they keep to a tool's schema where they are told to be strict.
//     https://platform.claude.com/docs/en/build-with-claude/structured-outputs
type claude struct {
	adaptive, always, unsampled, oneSampler, strict bool
}

// claudeVersion finds the family and the version in a name: claude-3-7-sonnet, claude-opus-4-20250514, claude-sonnet-4.6.
var claudeVersion = regexp.MustCompile(`claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?:\D|$)`)

func claudeOf(model string) claude {
	model = strings.ToLower(model)
	if !strings.Contains(model, "claude") {
		return claude{}
	}
	version := 1000 // a name without one is new
	if found := claudeVersion.FindStringSubmatch(model); found != nil {
		major, _ := strconv.Atoi(found[1]) // digits, as the pattern has it
		minor, _ := strconv.Atoi(found[2]) // 0 where there is none
		version = major*100 + minor
	}
	return claude{
		adaptive:   version >= 406,
		always:     strings.Contains(model, "fable") || strings.Contains(model, "mythos"),
		unsampled:  version >= 407,
		oneSampler: version >= 401,
		strict:     version >= 405,
	}
}

// writeMessagesThinking asks for thinking as far as the model, its other settings and the history bear it.
// https://platform.claude.com/docs/en/build-with-claude/extended-thinking
func writeMessagesThinking(w *writing, body *messagesBody, t *Thinking, o Options, c claude) {
	if t == nil || t.Off && !o.Reasons {
		return
	}
	forced := body.ToolChoice != nil && (body.ToolChoice.Type == "any" || body.ToolChoice.Type == "tool")
	switch {
	case !o.Reasons, t.Off && c.always, !t.Off && forced:
		w.leave("thinking")
	case t.Off:
		body.Thinking = &messagesThinking{Type: "disabled"}
	case c.adaptive:
		body.Thinking = &messagesThinking{Type: "adaptive"}
		if t.Shown {
			body.Thinking.Display = "summarized"
		}
		setEffort(body, t.effort())
	case body.MaxTokens <= wire.LeastThinking, inToolCalls(body.Messages) && !thinksFirst(body.Messages):
		w.leave("thinking")
	default:
		body.Thinking = &messagesThinking{Type: "enabled", Budget: budgetWithin(body.MaxTokens, t.budget())}
	}
}

func setEffort(body *messagesBody, effort string) {
	if effort == "" {
		return
	}
	if effort == "minimal" { // which Anthropic has no word for
		effort = "low"
	}
	if body.OutputConfig == nil {
		body.OutputConfig = &messagesOutput{}
	}
	body.OutputConfig.Effort = effort
}

// budgetWithin is a budget that leaves a part of the reply to the answer.
func budgetWithin(limit, budget int64) int64 {
	if budget == 0 {
		budget = budgetOf("medium")
	}
	if budget >= limit {
		budget = limit - limit/4
	}
	return max(budget, wire.LeastThinking)
}

// writeMessagesSampling carries what the model bears: nothing beside thinking, and a temperature of 1 at most.
func writeMessagesSampling(w *writing, body *messagesBody, q *Request, c claude) {
	thinks := body.Thinking != nil && body.Thinking.Type != "disabled"
	if thinks || c.unsampled {
		leaveSet(w, "temperature", q.Temperature)
		leaveSet(w, "top_p", q.TopP)
		leaveSet(w, "top_k", q.TopK)
	} else {
		body.Temperature, body.TopP, body.TopK = q.Temperature, q.TopP, q.TopK
		if c.oneSampler && q.Temperature != "" {
			body.TopP = ""
			leaveSet(w, "top_p", q.TopP)
		}
		if heat, err := q.Temperature.Float64(); err == nil && heat > 1 { // https://platform.claude.com/docs/en/api/openai-sdk
			body.Temperature = "1"
			w.leave("temperature above 1")
		}
	}
	leaveSet(w, "presence_penalty", q.Presence)
	leaveSet(w, "frequency_penalty", q.Frequency)
	leaveSet(w, "seed", q.Seed)
}

// leaveSet notes a figure that is left out, where there is one.
func leaveSet(w *writing, field string, figure json.Number) {
	if figure != "" {
		w.leave(field)
	}
}

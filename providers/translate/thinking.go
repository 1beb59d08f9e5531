package translate

// efforts are the words for how much a model is to think, as OpenAI and Anthropic have them, and the budgets that dialects
// with tokens are told, in tokens. low, medium and high are what Google's own endpoint for OpenAI's clients makes of them
// (https://ai.google.dev/gemini-api/docs/openai); minimal is the least that Gemini 2.5 Flash-Lite takes, and xhigh the most
// that 2.5 Pro does (https://ai.google.dev/gemini-api/docs/thinking); max is twice that, for models with longer replies.
var efforts = []struct {
	name   string
	budget int64
}{
	{"minimal", 512}, {"low", 1024}, {"medium", 8192}, {"high", 24576}, {"xhigh", 32768}, {"max", 65536},
}

// knownEffort tells whether a word is one of the efforts. "none" is not: it is Thinking.Off.
func knownEffort(name string) bool { return budgetOf(name) > 0 }

// budgetOf is the budget of an effort, in tokens; 0 for a word that is none.
func budgetOf(effort string) int64 {
	for _, e := range efforts {
		if e.name == effort {
			return e.budget
		}
	}
	return 0
}

// effort is the thinking in words, also where a budget was said. "" says that the model may think as it likes.
func (t Thinking) effort() string {
	switch {
	case t.Effort != "" || t.Budget == 0:
		return t.Effort
	// A budget is only told as an effort that all models that think know, and as the one that is nearest.
	case t.Budget < (1024+8192)/2:
		return "low"
	case t.Budget < (8192+24576)/2:
		return "medium"
	}
	return "high"
}

// budget is the thinking in tokens, also where an effort was said. 0 says that the model may think as it likes.
func (t Thinking) budget() int64 {
	if t.Budget > 0 {
		return t.Budget
	}
	return budgetOf(t.Effort)
}

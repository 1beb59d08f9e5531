package translate

import (
	"github.com/tidwall/gjson"

	"perdiem/providers/wire"
)

// chatReason is a finish reason in the words of OpenAI; false for one that is no end but a failure.
func chatReason(word string) (Reason, bool) {
	switch word {
	case "length", "model_length": // the second is Mistral's
		return Length, true
	case "tool_calls", "function_call":
		return ToCalls, true
	case "content_filter":
		return Filtered, true
	case "error", "insufficient_system_resource": // Mistral's and OpenRouter's; DeepSeek's
		return Reason(word), false
	case "":
		return "", true
	}
	return Stopped, true
}

// chatUsage is usage in the middle form's terms. What is not a figure, and all zeros, is no usage. A provider that counts
// reasoning beside the reply (xAI) shows that in its total alone.
func chatUsage(v gjson.Result) (u Usage, ok bool) {
	if !v.IsObject() {
		return u, false
	}
	good := true
	figure := func(paths ...string) int64 {
		for _, path := range paths {
			if f := v.Get(path); f.Exists() && f.Type != gjson.Null {
				n := f.Int()
				good = good && n >= 0 && n <= wire.MaxTokens
				return n
			}
		}
		return 0
	}
	u.Input = figure("prompt_tokens")
	u.Output = max(figure("completion_tokens"), figure("total_tokens")-u.Input)
	u.CacheRead = min(figure("prompt_tokens_details.cached_tokens", "prompt_cache_hit_tokens", "cached_tokens"), u.Input)
	u.Reasoning = min(figure("completion_tokens_details.reasoning_tokens"), u.Output)
	return u, good && u != Usage{}
}

// chatFailure is the error in an event or a body; false if there is none.
func chatFailure(root gjson.Result) (f wire.Failure, failed bool) {
	e := root.Get("error")
	switch {
	case e.IsObject():
	case e.Type == gjson.String:
		return wire.Failure{Message: e.Str, Type: "server_error", Code: "server_error"}, true
	case root.Get("object").Str == "error": // vLLM's and its kin's
		e = root
	default:
		return f, e.Exists() && e.Type != gjson.Null
	}
	f = wire.Failure{Message: e.Get("message").String(), Type: e.Get("type").String(), Code: e.Get("code").String()}
	if status := e.Get("code"); status.Type == gjson.Number {
		f.Status = int(status.Int())
	}
	return f, true
}

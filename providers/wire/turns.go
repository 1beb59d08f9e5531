package wire

import (
	"strconv"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// Shortener is a wire whose requests hold a conversation that may be shortened.
type Shortener interface {
	// DropTurn returns the body without its oldest turn: what the user said first, and all that was answered to it, tool
	// calls with their results. It never drops system messages or the last turn; false when there is nothing to drop.
	// It wants a body that Inspect accepted.
	DropTurn(body []byte) ([]byte, bool)
}

// dropTurn takes the oldest turn out of the list at a path. A turn begins where starts says so, and ends where the next
// begins; entries for which keep holds stay.
func dropTurn(body []byte, path string, starts, keep func(gjson.Result) bool) ([]byte, bool) {
	entries := gjson.GetBytes(body, path).Array()
	first, next := -1, -1
	for i, e := range entries {
		if !starts(e) {
			continue
		}
		if first < 0 {
			first = i
		} else {
			next = i
			break
		}
	}
	if next < 0 {
		return body, false
	}
	for i := next - 1; i >= first; i-- {
		if keep(entries[i]) {
			continue
		}
		shorter, err := sjson.DeleteBytes(body, path+"."+strconv.Itoa(i))
		if err != nil {
			return body, false
		}
		body = shorter
	}
	return body, true
}

func byUser(e gjson.Result) bool { return e.Get("role").Str == "user" }

// ofSystem tells of messages that are the owner's or the developer's, not a turn's.
func ofSystem(e gjson.Result) bool {
	role := e.Get("role").Str
	return role == "system" || role == "developer"
}

// answersTool tells of a user's message that only brings the results of tool calls, which is how Anthropic has them.
func answersTool(e gjson.Result) bool {
	answers := false
	e.Get("content").ForEach(func(_, part gjson.Result) bool {
		answers = part.Get("type").Str == "tool_result"
		return !answers
	})
	return answers
}

func (chat) DropTurn(body []byte) ([]byte, bool) { return dropTurn(body, "messages", byUser, ofSystem) }

func (messages) DropTurn(body []byte) ([]byte, bool) {
	return dropTurn(body, "messages", func(e gjson.Result) bool { return byUser(e) && !answersTool(e) }, ofSystem)
}

func (responses) DropTurn(body []byte) ([]byte, bool) {
	return dropTurn(body, "input", byUser, ofSystem)
}

func (gemini) DropTurn(body []byte) ([]byte, bool) {
	starts := func(e gjson.Result) bool {
		role := e.Get("role").Str
		answers := false
		e.Get("parts").ForEach(func(_, part gjson.Result) bool {
			answers = part.Get("functionResponse").Exists() || part.Get("function_response").Exists()
			return !answers
		})
		return (role == "user" || role == "") && !answers
	}
	return dropTurn(body, "contents", starts, ofSystem)
}

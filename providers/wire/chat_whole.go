package wire

// AsWhole puts the choices together, whatever fields they have, and takes all else as it was told last.
func (chat) AsWhole(events [][]byte) ([]byte, error) {
	whole, choices := wholeChoices(events)
	if len(choices) == 0 {
		return nil, errNoWhole
	}
	whole["object"] = "chat.completion"
	for _, v := range choices {
		choice, _ := v.(map[string]any)
		message, _ := choice["delta"].(map[string]any)
		if message == nil {
			return nil, errNoWhole
		}
		delete(choice, "delta")
		choice["message"] = message
		overlay(message, map[string]any{"role": orElse(message["role"], "assistant"), "content": nil})
		calls, _ := message["tool_calls"].([]any)
		for _, call := range calls {
			if o, ok := call.(map[string]any); ok {
				delete(o, "index")
			}
		}
	}
	return wholeJSON(whole)
}

// AsWhole has little to do: a choice of a stream has the shape of a whole one.
func (completions) AsWhole(events [][]byte) ([]byte, error) {
	whole, choices := wholeChoices(events)
	if len(choices) == 0 {
		return nil, errNoWhole
	}
	for _, v := range choices {
		choice, _ := v.(map[string]any)
		switch choice["text"].(type) {
		case string, *text:
		default:
			return nil, errNoWhole
		}
	}
	return wholeJSON(whole)
}

func wholeChoices(events [][]byte) (whole map[string]any, choices []any) {
	whole = map[string]any{}
	for _, chunk := range objectsOf(events) {
		choices = growList(choices, indexed(chunk["choices"]))
		overlay(whole, chunk)
	}
	whole["choices"] = choices
	return whole, choices
}

func orElse(v, other any) any {
	if v == nil {
		return other
	}
	return v
}

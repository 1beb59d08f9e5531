package wire

import "bytes"

// AsWhole is the list of the events where the call asks for one; else it puts the candidates together, and takes all else
// as it was told last.
func (g gemini) AsWhole(events [][]byte) ([]byte, error) {
	if len(events) == 0 {
		return nil, errNoWhole
	}
	if g.array {
		return append(append([]byte("["), bytes.Join(events, []byte(",\r\n"))...), ']'), nil
	}
	whole := map[string]any{}
	var candidates []any
	for _, chunk := range objectsOf(events) {
		for _, v := range indexed(chunk["candidates"]) {
			piece, ok := v.(map[string]any)
			if !ok {
				return nil, errNoWhole
			}
			if old := entryOf(candidates, piece); old != nil {
				growCandidate(old, piece)
			} else {
				candidates = append(candidates, piece)
			}
		}
		overlay(whole, chunk)
	}
	if len(whole) == 0 {
		return nil, errNoWhole
	}
	if candidates != nil {
		whole["candidates"] = candidates
	}
	return wholeJSON(whole)
}

// growCandidate adds the parts of a piece; all else of it stands for the whole candidate.
func growCandidate(candidate, piece map[string]any) {
	content, _ := candidate["content"].(map[string]any)
	more, _ := piece["content"].(map[string]any)
	if content != nil && more != nil {
		parts, _ := content["parts"].([]any)
		next, _ := more["parts"].([]any)
		for _, part := range next {
			parts = growParts(parts, part)
		}
		content["parts"] = parts
		piece["content"] = content
	}
	overlay(candidate, piece)
}

// growParts adds a part, or, where it goes on with the words or the thought of the last one, its text alone.
func growParts(parts []any, part any) []any {
	if len(parts) > 0 {
		last, _ := parts[len(parts)-1].(map[string]any)
		next, _ := part.(map[string]any)
		if isText(last) && isText(next) && (last["thought"] == true) == (next["thought"] == true) {
			grow(last, map[string]any{"text": next["text"]})
			return parts
		}
	}
	return append(parts, part)
}

// isText tells whether a part is text and nothing else, such as a signature of it.
func isText(part map[string]any) bool {
	_, thinks := part["thought"]
	return part["text"] != nil && (len(part) == 1 || len(part) == 2 && thinks)
}

package wire

import "encoding/json"

// AsWhole fills the message of message_start with its blocks and with what message_delta told.
func (messages) AsWhole(events [][]byte) ([]byte, error) {
	var message map[string]any
	blocks := []any{}
	for _, event := range objectsOf(events) {
		delta, _ := event["delta"].(map[string]any)
		switch event["type"] {
		case "message_start":
			message, _ = event["message"].(map[string]any)
			blocks = blocks[:0]
		case "content_block_start":
			if block, ok := event["content_block"].(map[string]any); ok {
				block["index"] = event["index"]
				blocks = append(blocks, block)
			}
		case "content_block_delta":
			if block := entryOf(blocks, event); block != nil {
				growBlock(block, delta)
			}
		case "message_delta":
			if message == nil {
				return nil, errNoWhole
			}
			overlay(message, delta)
			usage, _ := event["usage"].(map[string]any)
			if total, ok := message["usage"].(map[string]any); ok {
				overlay(total, usage)
			} else {
				message["usage"] = usage
			}
		}
	}
	if message == nil {
		return nil, errNoWhole
	}
	for _, block := range blocks {
		if err := endBlock(block.(map[string]any)); err != nil {
			return nil, err
		}
	}
	message["content"] = blocks
	return wholeJSON(message)
}

// partialJSON is the field in which the input of a tool comes in pieces.
const partialJSON = "partial_json"

func growBlock(block, delta map[string]any) {
	kind := delta["type"]
	delete(delta, "type")
	if kind == "citations_delta" {
		delta = map[string]any{"citations": []any{delta["citation"]}}
	}
	grow(block, delta)
}

// endBlock makes the input of a tool of its pieces.
func endBlock(block map[string]any) error {
	pieces, some := block[partialJSON]
	delete(block, partialJSON)
	delete(block, "index")
	var input string
	switch v := pieces.(type) {
	case string:
		input = v
	case *text:
		input = v.String()
	}
	if !some || input == "" {
		return nil
	}
	if !json.Valid([]byte(input)) {
		return errNoWhole
	}
	block["input"] = json.RawMessage(input)
	return nil
}

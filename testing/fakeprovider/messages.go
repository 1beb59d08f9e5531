package fakeprovider

// messages replies as Anthropic's messages do.
// https://docs.anthropic.com/en/api/messages
func (c Chat) messages(req Request, finish string, whole bool) Reply {
	stop := map[string]string{"stop": "end_turn", "length": "max_tokens"}[finish]
	block := object{"type": "text", "text": c.text()}
	if c.Tool != "" {
		block, stop = object{"type": "tool_use", "id": "toolu_fake", "name": c.Tool, "input": c.Arguments}, "tool_use"
	}
	message := object{
		"id": "msg_fake", "type": "message", "role": "assistant", "model": req.Model,
		"content": []object{block}, "stop_reason": stop, "stop_sequence": nil,
		"usage": object{"input_tokens": c.Prompt, "output_tokens": c.Words},
	}
	if c.NoUsage {
		delete(message, "usage")
	}
	if whole {
		return c.whole(message)
	}
	message["content"], message["stop_reason"] = []object{}, nil
	end := object{"type": "message_delta", "delta": object{"stop_reason": stop, "stop_sequence": nil}}
	if !c.NoUsage {
		message["usage"] = object{"input_tokens": c.Prompt, "output_tokens": 1}
		end["usage"] = object{"output_tokens": c.Words}
	}
	delta := func(delta object, tokens int64) Chunk {
		return named(object{"type": "content_block_delta", "index": 0, "delta": delta}, tokens)
	}
	chunks := []Chunk{named(object{"type": "message_start", "message": message}, 0)}
	if c.Tool != "" {
		block["input"] = object{}
		chunks = append(chunks, named(object{"type": "content_block_start", "index": 0, "content_block": block}, 0),
			delta(object{"type": "input_json_delta", "partial_json": string(c.Arguments)}, c.Words))
	} else {
		block["text"] = ""
		chunks = append(chunks, named(object{"type": "content_block_start", "index": 0, "content_block": block}, 0))
		for range c.Words {
			chunks = append(chunks, delta(object{"type": "text_delta", "text": word}, 1))
		}
	}
	if c.NoFinish {
		return stream(chunks, c.Prompt)
	}
	return stream(append(chunks, named(object{"type": "content_block_stop", "index": 0}, 0), named(end, 0),
		named(object{"type": "message_stop"}, 0)), c.Prompt)
}

// named is an event that has its type for a name, too.
func named(value object, tokens int64) Chunk {
	kind, _ := value["type"].(string)
	e := event(value, tokens)
	e.Data = append([]byte("event: "+kind+"\n"), e.Data...)
	return e
}

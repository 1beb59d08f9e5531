package fakeprovider

// responses replies as OpenAI's responses do.
// https://platform.openai.com/docs/api-reference/responses-streaming
func (c Chat) responses(req Request, finish string, whole bool) Reply {
	status := map[string]string{"stop": "completed", "length": "incomplete"}[finish]
	part := object{"type": "output_text", "text": c.text(), "annotations": []object{}}
	item := object{"id": "msg_fake", "type": "message", "role": "assistant", "status": "completed", "content": []object{part}}
	if c.Tool != "" {
		item = object{"id": "fc_fake", "type": "function_call", "status": "completed", "call_id": "call_fake", "name": c.Tool, "arguments": string(c.Arguments)}
	}
	response := func(status string, output ...object) object {
		r := object{
			"id": "resp_fake", "object": "response", "created_at": 1796000000, "status": status, "model": req.Model,
			"error": nil, "incomplete_details": nil, "instructions": nil, "metadata": object{}, "parallel_tool_calls": true,
			"temperature": 1, "top_p": 1, "tool_choice": "auto", "tools": []object{}, "output": append([]object{}, output...), "usage": nil,
		}
		if status == "incomplete" {
			r["incomplete_details"] = object{"reason": "max_output_tokens"}
		}
		if status != "in_progress" && !c.NoUsage {
			r["usage"] = object{
				"input_tokens": c.Prompt, "input_tokens_details": object{"cached_tokens": 0},
				"output_tokens": c.Words, "output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": c.Prompt + c.Words,
			}
		}
		return r
	}
	if whole {
		return c.whole(response(status, item))
	}
	var chunks []Chunk
	send := func(kind string, tokens int64, fields object) {
		fields["type"], fields["sequence_number"] = kind, len(chunks)
		chunks = append(chunks, named(fields, tokens))
	}
	send("response.created", 0, object{"response": response("in_progress")})
	send("response.in_progress", 0, object{"response": response("in_progress")})
	if c.Tool != "" {
		begun := object{"id": "fc_fake", "type": "function_call", "status": "in_progress", "call_id": "call_fake", "name": c.Tool, "arguments": ""}
		send("response.output_item.added", 0, object{"output_index": 0, "item": begun})
		send("response.function_call_arguments.delta", c.Words, object{"item_id": "fc_fake", "output_index": 0, "delta": string(c.Arguments)})
	} else {
		begun := object{"id": "msg_fake", "type": "message", "role": "assistant", "status": "in_progress", "content": []object{}}
		send("response.output_item.added", 0, object{"output_index": 0, "item": begun})
		send("response.content_part.added", 0, object{"item_id": "msg_fake", "output_index": 0, "content_index": 0,
			"part": object{"type": "output_text", "text": "", "annotations": []object{}}})
		for range c.Words {
			send("response.output_text.delta", 1, object{"item_id": "msg_fake", "output_index": 0, "content_index": 0, "delta": word, "logprobs": []object{}})
		}
	}
	if c.NoFinish {
		return stream(chunks, c.Prompt)
	}
	if c.Tool != "" {
		send("response.function_call_arguments.done", 0, object{"item_id": "fc_fake", "output_index": 0, "name": c.Tool, "arguments": string(c.Arguments)})
	} else {
		send("response.output_text.done", 0, object{"item_id": "msg_fake", "output_index": 0, "content_index": 0, "text": c.text(), "logprobs": []object{}})
		send("response.content_part.done", 0, object{"item_id": "msg_fake", "output_index": 0, "content_index": 0, "part": part})
	}
	send("response.output_item.done", 0, object{"output_index": 0, "item": item})
	send("response."+status, 0, object{"response": response(status, item)})
	return stream(chunks, c.Prompt)
}

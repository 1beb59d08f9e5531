package fakeprovider

// gemini replies as Google's generateContent and streamGenerateContent?alt=sse do.
// https://ai.google.dev/api/generate-content
func (c Chat) gemini(req Request, finish string, whole bool) Reply {
	reason := map[string]string{"stop": "STOP", "length": "MAX_TOKENS"}[finish]
	chunk := func(part object, reason string, usage bool) object {
		candidate := object{"index": 0, "content": object{"role": "model", "parts": []object{part}}}
		if reason != "" {
			candidate["finishReason"] = reason
		}
		reply := object{"candidates": []object{candidate}, "modelVersion": req.Model, "responseId": "fake"}
		if usage && !c.NoUsage {
			reply["usageMetadata"] = object{
				"promptTokenCount": c.Prompt, "candidatesTokenCount": c.Words, "totalTokenCount": c.Prompt + c.Words,
			}
		}
		return reply
	}
	call := object{"functionCall": object{"name": c.Tool, "args": c.Arguments}}
	switch {
	case whole && c.Tool != "":
		return c.whole(chunk(call, reason, true))
	case whole:
		return c.whole(chunk(object{"text": c.text()}, reason, true))
	}
	var chunks []Chunk
	if c.Tool != "" {
		chunks = append(chunks, event(chunk(call, "", false), c.Words))
	} else {
		for range c.Words {
			chunks = append(chunks, event(chunk(object{"text": word}, "", false), 1))
		}
	}
	if !c.NoFinish {
		chunks = append(chunks, event(chunk(object{"text": ""}, reason, true), 0))
	}
	return stream(chunks, c.Prompt)
}

package fakeprovider

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
)

// Chat makes replies whose every token is known: each word of the output is one. It speaks the dialect
// that it is asked in.
type Chat struct {
	Prompt int64 // input tokens reported; 0 stands for 9
	Words  int64 // output tokens, less if the caller's maximum is; 0 stands for 5
	// Tool is called in place of words by a request that offers it and has no tool's result yet.
	Tool      string
	Arguments json.RawMessage // of the call to the tool; {} if empty

	NoUsage   bool // never report usage
	NoFinish  bool // end without a finish, and so without what marks the end
	OneBody   bool // answer a stream's request with one JSON body
	IgnoreMax bool // pay no heed to the caller's maximum

	// Chat completions alone:
	Usage        json.RawMessage // report this instead
	NoDone       bool            // end without [DONE]
	Endless      bool            // stream until the caller leaves
	ErrorInstead string          // a 200 stream whose one event is this error's message
}

type object = map[string]any

// Held answers as Answer does, and waits at a place of the reply until the gate is opened; see Reply.HoldAt.
func (c Chat) Held(place int, gate *Gate) Answer {
	return func(r Request) Reply { return c.Answer(r).HoldAt(place, gate) }
}

// Answer replies as the vendor of the request's wire does; chat completions stream usage only to who
// asks for it. Counting tokens and embeddings are answered, too.
func (c Chat) Answer(req Request) Reply {
	if c.Prompt == 0 {
		c.Prompt = 9
	}
	if c.Words == 0 {
		c.Words = 5
	}
	finish := "stop"
	if req.MaxTokens > 0 && req.MaxTokens < c.Words && !c.IgnoreMax {
		c.Words, finish = req.MaxTokens, "length"
	}
	if !c.calls(req) {
		c.Tool = ""
	} else if len(c.Arguments) == 0 {
		c.Arguments = json.RawMessage(`{}`)
	}
	whole := !req.Stream || c.OneBody
	switch {
	case strings.HasSuffix(req.Path, "/messages/count_tokens"):
		return JSON(http.StatusOK, object{"input_tokens": c.Prompt})
	case strings.HasSuffix(req.Path, ":countTokens"):
		return JSON(http.StatusOK, object{"totalTokens": c.Prompt})
	case strings.HasSuffix(req.Path, "/embeddings"):
		return c.embedding(req)
	case req.Wire == "anthropic":
		return c.messages(req, finish, whole)
	case req.Wire == "openai-responses":
		return c.responses(req, finish, whole)
	case req.Wire == "gemini":
		return c.gemini(req, finish, whole)
	case whole:
		return c.body(req, finish)
	default:
		return c.stream(req, finish)
	}
}

// calls tells whether the request gets a call to the tool.
func (c Chat) calls(req Request) bool {
	if c.Tool == "" || !bytes.Contains(req.Body, []byte(`"`+c.Tool+`"`)) {
		return false
	}
	for _, result := range []string{`"tool_result"`, `"role":"tool"`, `"function_call_output"`, `"functionResponse"`} {
		if bytes.Contains(req.Body, []byte(result)) {
			return false
		}
	}
	return true
}

// text is what is said, word by word.
func (c Chat) text() string { return strings.Repeat(word, int(c.Words)) }

// whole is a reply in one body.
func (c Chat) whole(body object) Reply {
	r := JSON(http.StatusOK, body)
	r.Input, r.Chunks[0].Tokens = c.Prompt, c.Words
	return r
}

func (c Chat) usage() any {
	if c.Usage != nil {
		return c.Usage
	}
	return object{"prompt_tokens": c.Prompt, "completion_tokens": c.Words, "total_tokens": c.Prompt + c.Words}
}

func (c Chat) body(req Request, finish string) Reply {
	message := object{"role": "assistant", "content": c.text()}
	if c.Tool != "" {
		message, finish = object{"role": "assistant", "content": nil, "tool_calls": c.toolCalls()}, "tool_calls"
	}
	reply := object{
		"id": "chatcmpl-fake", "object": "chat.completion", "created": 1796000000, "model": req.Model,
		"choices": []object{{"index": 0, "finish_reason": finish, "message": message}},
	}
	if !c.NoUsage {
		reply["usage"] = c.usage()
	}
	return c.whole(reply)
}

func (c Chat) toolCalls() []object {
	return []object{{"index": 0, "id": "call_fake", "type": "function", "function": object{
		"name": c.Tool, "arguments": string(c.Arguments),
	}}}
}

// embedding has two dimensions, in base64 for those who ask for it so: 0.5 and -0.5 as float32.
func (c Chat) embedding(req Request) Reply {
	var vector any = []float32{0.5, -0.5}
	if bytes.Contains(req.Body, []byte(`"base64"`)) {
		vector = "AAAAPwAAAL8="
	}
	c.Words = 0
	return c.whole(object{
		"object": "list", "model": req.Model,
		"data":  []object{{"object": "embedding", "index": 0, "embedding": vector}},
		"usage": object{"prompt_tokens": c.Prompt, "total_tokens": c.Prompt},
	})
}

// word is one token in every vocabulary that we count with, the space before it included.
const word = " word"

func (c Chat) stream(req Request, finish string) Reply {
	chunk := func(delta object, finish any, tokens int64) Chunk {
		return event(object{
			"id": "chatcmpl-fake", "object": "chat.completion.chunk", "created": 1796000000, "model": req.Model,
			"choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}},
		}, tokens)
	}
	if c.ErrorInstead != "" {
		return stream([]Chunk{event(object{"error": object{"message": c.ErrorInstead, "type": "server_error", "code": nil}}, 0)}, 0)
	}
	chunks := []Chunk{chunk(object{"role": "assistant", "content": ""}, nil, 0)}
	if c.Endless {
		r := stream(chunks, c.Prompt)
		r.endless = func(int) Chunk { return chunk(object{"content": word}, nil, 1) }
		return r
	}
	if c.Tool != "" {
		chunks, finish = append(chunks, chunk(object{"tool_calls": c.toolCalls()}, nil, c.Words)), "tool_calls"
	} else {
		for range c.Words {
			chunks = append(chunks, chunk(object{"content": word}, nil, 1))
		}
	}
	if c.NoFinish {
		return stream(chunks, c.Prompt)
	}
	chunks = append(chunks, chunk(object{}, finish, 0))
	if req.IncludeUsage && !c.NoUsage {
		chunks = append(chunks, event(object{
			"id": "chatcmpl-fake", "object": "chat.completion.chunk", "created": 1796000000, "model": req.Model,
			"choices": []object{}, "usage": c.usage(),
		}, 0))
	}
	if !c.NoDone {
		chunks = append(chunks, Chunk{Data: []byte("data: [DONE]\n\n")})
	}
	return stream(chunks, c.Prompt)
}

package fakeprovider

import (
	"encoding/json"
	"net/http"
	"strings"
)

// Chat makes replies whose every token is known: each word of the output is one.
type Chat struct {
	Prompt int64 // input tokens reported; 0 stands for 9
	Words  int64 // output tokens, less if the caller's maximum is; 0 stands for 5

	NoUsage      bool            // never report usage
	Usage        json.RawMessage // report this instead
	NoDone       bool            // end without [DONE]
	NoFinish     bool            // end without a finish reason, and so without [DONE]
	OneBody      bool            // answer stream:true with one JSON body
	IgnoreMax    bool            // pay no heed to the caller's maximum
	Endless      bool            // stream until the caller leaves
	ErrorInstead string          // a 200 stream whose one event is this error's message
}

type object = map[string]any

// Answer replies as OpenAI's chat endpoint does; usage is streamed only to who asks for it.
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
	if !req.Stream || c.OneBody {
		return c.body(req, finish)
	}
	return c.stream(req, finish)
}

func (c Chat) usage() any {
	if c.Usage != nil {
		return c.Usage
	}
	return object{"prompt_tokens": c.Prompt, "completion_tokens": c.Words, "total_tokens": c.Prompt + c.Words}
}

func (c Chat) body(req Request, finish string) Reply {
	reply := object{
		"id": "chatcmpl-fake", "object": "chat.completion", "created": 1796000000, "model": req.Model,
		"choices": []object{{"index": 0, "finish_reason": finish, "message": object{
			"role": "assistant", "content": strings.Repeat(word, int(c.Words)),
		}}},
	}
	if !c.NoUsage {
		reply["usage"] = c.usage()
	}
	r := JSON(http.StatusOK, reply)
	r.Input, r.Chunks[0].Tokens = c.Prompt, c.Words
	return r
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
	for range c.Words {
		chunks = append(chunks, chunk(object{"content": word}, nil, 1))
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

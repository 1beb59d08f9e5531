package translate

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"perdiem/providers/sse"
)

// servedMessages is a client of Anthropic's SDK whose API answers with some bytes.
func servedMessages(t *testing.T, kind string, reply []byte) anthropic.Client {
	t.Helper()
	return anthropic.NewClient(option.WithBaseURL(serve(t, kind, reply)), option.WithAPIKey("key"), option.WithMaxRetries(0))
}

var anyMessage = anthropic.MessageNewParams{Model: "m", MaxTokens: 9, Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("Hello"))}}

// streamedMessage is what the SDK makes of a stream.
func streamedMessage(t *testing.T, stream []byte) (m anthropic.Message, err error) {
	t.Helper()
	client := servedMessages(t, "text/event-stream", stream)
	events := client.Messages.NewStreaming(t.Context(), anyMessage)
	for events.Next() {
		if err := m.Accumulate(events.Current()); err != nil {
			return m, err
		}
	}
	return m, events.Err()
}

// mustBe checks that a message of the SDK's is an answer.
func mustBe(t *testing.T, m anthropic.Message, a Answer) {
	t.Helper()
	if m.ID != a.ID || m.Model != a.Model {
		t.Errorf("it is %q by %q, want %q by %q", m.ID, m.Model, a.ID, a.Model)
	}
	c := a.Choices[0]
	var text, thought string
	var calls []Block
	for _, b := range m.Content {
		text += b.Text
		thought += b.Thinking
		if b.Type == "tool_use" {
			calls = append(calls, Block{Kind: Calls, ID: b.ID, Name: b.Name, Text: string(b.Input)})
		}
	}
	if text != c.text(Says)+c.text(Declines) || thought != c.text(Thinks) {
		t.Errorf("it says %q and thinks %q", text, thought)
	}
	for _, b := range c.Blocks {
		if b.Kind != Calls {
			continue
		}
		if len(calls) == 0 {
			t.Errorf("the call %+v is lost", b)
			break
		}
		got := calls[0]
		calls = calls[1:]
		same := sameJSON(got.Text) == sameJSON(b.Text) || !json.Valid([]byte(b.Text)) // of one that broke off the SDK makes {}
		if got.ID != b.ID && b.ID != "" || got.ID == "" || got.Name != b.Name || !same {
			t.Errorf("the call %+v became %+v", b, got)
		}
	}
	if len(calls) > 0 {
		t.Errorf("nobody made the calls %+v", calls)
	}
	if a.Usage != nil {
		u := m.Usage
		if input := u.InputTokens + u.CacheCreationInputTokens + u.CacheReadInputTokens; input != a.Usage.Input || u.OutputTokens != a.Usage.Output || u.CacheReadInputTokens != a.Usage.CacheRead {
			t.Errorf("usage is %s, want %+v", u.RawJSON(), a.Usage)
		}
	}
	if m.StopReason == "" {
		t.Error("it has no end")
	}
}

func TestAnthropicsSDKReadsTheRepliesOfEveryProvider(t *testing.T) {
	for wire, d := range map[string]dialect{"anthropic": messages, "openai-chat": chat, "gemini": gemini} {
		for _, r := range replies(t, wire) {
			t.Run(r.File, func(t *testing.T) {
				list := r.pieces(t, d)
				if n := slices.IndexFunc(list, func(p Piece) bool { return p.Kind == End }); n >= 0 {
					list = list[:n] // some recordings go on with another reply
				}
				a := gather(list)
				reply := &Reply{decoder: d.decoder(), encoder: messages.encoder(&Request{}, ReplyOptions{})}
				if !r.Stream {
					body, ok := reply.Body(r.Body)
					if !ok {
						t.Fatal("it is no reply")
					}
					m, err := served(t, body)
					if err != nil {
						t.Fatal(err)
					}
					mustBe(t, m, a)
					return
				}
				var stream []byte
				each(t, bytes.NewReader(r.Body), func(ev sse.Event) { stream = append(stream, reply.Event(ev.Data)...) })
				m, err := streamedMessage(t, append(stream, reply.Close()...))
				if err != nil {
					t.Fatal(err)
				}
				mustBe(t, m, a)
			})
		}
	}
}

// served is what the SDK makes of a whole reply.
func served(t *testing.T, body []byte) (anthropic.Message, error) {
	t.Helper()
	client := servedMessages(t, "application/json", body)
	m, err := client.Messages.New(t.Context(), anyMessage)
	if err != nil {
		return anthropic.Message{}, err
	}
	return *m, nil
}

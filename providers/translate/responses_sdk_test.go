package translate

import (
	"reflect"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	sdk "github.com/openai/openai-go/v3/responses"
)

// Each recording of each provider's wire, told to callers of responses, read by the real SDK.
func TestOpenAIsSDKReadsTheResponsesOfEveryProvider(t *testing.T) {
	for name, d := range map[string]dialect{"openai-chat": chat, "anthropic": messages, "gemini": gemini} {
		for _, r := range replies(t, name) {
			t.Run(r.File, func(t *testing.T) {
				list := r.pieces(t, d)
				if list[len(list)-1].Kind != End {
					list = append(list, Piece{Kind: End})
				}
				a := gather(list)
				mustTellResponse(t, "a stream", serve(t, "text/event-stream", told(ofResponses(""), list)), true, a)
				mustTellResponse(t, "whole", serve(t, "application/json", whole(t, ofResponses(""), list)), false, a)
			})
		}
	}
}

func mustTellResponse(t *testing.T, how, url string, stream bool, want Answer) {
	t.Helper()
	client := openai.NewClient(option.WithAPIKey("none"), option.WithBaseURL(url), option.WithMaxRetries(0))
	var deltas string
	var got *sdk.Response
	if stream {
		events := client.Responses.NewStreaming(t.Context(), sdk.ResponseNewParams{Model: "m"})
		for events.Next() {
			switch ev := events.Current().AsAny().(type) {
			case sdk.ResponseTextDeltaEvent:
				deltas += ev.Delta
			case sdk.ResponseCompletedEvent:
				got = &ev.Response
			case sdk.ResponseIncompleteEvent:
				got = &ev.Response
			}
		}
		if err := events.Err(); err != nil || got == nil {
			t.Fatalf("%s: %v, %v", how, err, got)
		}
	} else {
		var err error
		if got, err = client.Responses.New(t.Context(), sdk.ResponseNewParams{Model: "m"}); err != nil {
			t.Fatalf("%s: %v", how, err)
		}
		deltas = got.OutputText()
	}
	var calls, wantCalls []string
	for _, item := range got.Output {
		if call, ok := item.AsAny().(sdk.ResponseFunctionToolCall); ok {
			calls = append(calls, call.Name+" "+call.Arguments)
		}
	}
	for _, b := range want.Choices[0].Blocks {
		if b.Kind == Calls {
			if b.Text == "" {
				b.Text = "{}"
			}
			wantCalls = append(wantCalls, b.Name+" "+b.Text)
		}
	}
	text := want.Choices[0].text(Says)
	if got.OutputText() != text || deltas != text || !reflect.DeepEqual(calls, wantCalls) {
		t.Errorf("%s: got %q, %q, calls %q; want %q, calls %q", how, got.OutputText(), deltas, calls, text, wantCalls)
	}
	if u := got.Usage; u.InputTokens != want.Usage.Input || u.OutputTokens != want.Usage.Output || u.InputTokensDetails.CachedTokens != want.Usage.CacheRead {
		t.Errorf("%s: usage is %+v, want %+v", how, u, want.Usage)
	}
	if incomplete := want.Choices[0].Reason == Length || want.Choices[0].Reason == Filtered; incomplete != (got.Status == "incomplete") {
		t.Errorf("%s: it is %s, for %s", how, got.Status, want.Choices[0].Reason)
	}
}

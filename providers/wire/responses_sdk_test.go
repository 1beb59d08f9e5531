package wire

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	sdk "github.com/openai/openai-go/v3/responses"

	"perdiem/testing/fakeprovider"
)

// answered gives events to a real SDK, and returns the text of its deltas, the response that it ends with, and its error.
func answered(t *testing.T, events []byte) (text string, end sdk.Response, err error) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write(events)
	}))
	t.Cleanup(server.Close)
	client := openai.NewClient(option.WithAPIKey("none"), option.WithBaseURL(server.URL), option.WithMaxRetries(0))
	stream := client.Responses.NewStreaming(t.Context(), sdk.ResponseNewParams{Model: "m"})
	defer func() { _ = stream.Close() }()
	for stream.Next() {
		switch event := stream.Current().AsAny().(type) {
		case sdk.ResponseTextDeltaEvent:
			text += event.Delta
		case sdk.ResponseCompletedEvent:
			end = event.Response
		case sdk.ResponseIncompleteEvent:
			end = event.Response
		case sdk.ResponseFailedEvent:
			end = event.Response
		}
	}
	return text, end, stream.Err()
}

func TestAnSDKReadsAResponseMadeAStream(t *testing.T) {
	for _, r := range fakeprovider.Recordings(t, "openai-responses") {
		if r.Stream {
			continue
		}
		events, err := Responses.AsStream(r.Body, true)
		if err != nil {
			t.Fatal(err)
		}
		text, end, err := answered(t, events)
		if err != nil || end.OutputText() != text || end.Usage.OutputTokens == 0 || end.Status != "completed" {
			t.Errorf("%s: got %q, %s, usage %d, %v", r.File, text, end.Status, end.Usage.OutputTokens, err)
		}
	}
}

func TestAnSDKReadsTheEndsThatWeWrite(t *testing.T) {
	r, _ := readWire(Responses, created, said)
	begun := "event: response.created\ndata: " + created + "\n\n" + string(r.KeepAlive()) + "event: response.output_text.delta\ndata: " + said + "\n\n"
	text, end, err := answered(t, append([]byte(begun), r.LengthFinish(&Usage{Input: 9, Output: 5})...))
	if err != nil || text != "Hello there, my friend" || end.Status != "incomplete" || end.IncompleteDetails.Reason != "max_output_tokens" || end.Usage.TotalTokens != 14 {
		t.Errorf("length: got %q, %+v, %v", text, end, err)
	}
	_, end, err = answered(t, append([]byte(begun), Responses.ErrorEvent(Failure{Message: "Gone", Code: "server_error"})...))
	if err != nil || end.Status != "failed" || end.Error.Message != "Gone" || end.Error.Code != "server_error" {
		t.Errorf("failure: got %+v, %v", end, err)
	}
}

package gateway_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"perdiem/testing/fakeprovider"
)

func TestEmbeddingsCountTheirPromptAlone(t *testing.T) {
	h, p, pass := house(t)
	h.Allow(p, model, nil, n(1000))
	h.Upstream.Next(fakeprovider.Body(200, "application/json", `{"object":"list","data":[],"usage":{"prompt_tokens":8,"total_tokens":8}}`).Always())
	body := `{"model":"` + model + `","input":"hello there","encoding_format":"base64"}`
	exchange{path: "/v1/embeddings", body: body, header: bearer(pass)}.do(t, h).WantStatus(t, 200)
	if got := string(h.Upstream.Requests()[0].Body); got != strings.Replace(body, model, "m", 1) {
		t.Errorf("upstream got %s", got)
	}
	if got := h.Booked(); got.InputTokens != 8 || got.OutputTokens != 0 || got.Requests != 1 {
		t.Errorf("booked %+v", got)
	}
	h.AtRest()
}

func TestCompletionsOfTheOldKindAreMetered(t *testing.T) {
	h, _, pass := house(t)
	h.Upstream.Next(fakeprovider.Body(200, "application/json", `{"object":"text_completion","choices":[{"text":"x","finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7}}`).Always())
	exchange{path: "/completions", body: `{"model":"` + model + `","prompt":"one two","max_tokens":5}`, header: bearer(pass)}.do(t, h).WantStatus(t, 200)
	if got := h.Booked(); got.InputTokens != 3 || got.OutputTokens != 4 {
		t.Errorf("booked %+v", got)
	}
}

// form writes a multipart form whose model stands behind its file.
func form(t *testing.T, file []byte) (body, kind string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, err := w.CreateFormFile("file", "speech.mp3")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := part.Write(file); err != nil {
		t.Fatal(err)
	}
	if err := w.WriteField("model", model); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String(), w.FormDataContentType()
}

func TestAFormReachesTheProviderWithItsFileUntouched(t *testing.T) {
	h, _, pass := house(t)
	file := bytes.Repeat([]byte("\x00sound\r\n--\xff"), 300_000)
	body, kind := form(t, file)
	header := bearer(pass)
	header.Set("Content-Type", kind)
	h.Upstream.Next(fakeprovider.Body(200, "application/json", `{"text":"hi","usage":{"type":"tokens","input_tokens":14,"output_tokens":5,"total_tokens":19}}`).Always(),
		fakeprovider.Body(200, "text/vtt", "WEBVTT\n\nhello").Always())
	for i, want := range []string{`{"text":"hi"`, "WEBVTT\n\nhello"} {
		a := exchange{path: "/v1/audio/transcriptions", body: body, header: header}.do(t, h)
		a.WantStatus(t, 200)
		if !strings.HasPrefix(string(a.Body), want) {
			t.Errorf("call %d got %s", i, a.Body)
		}
	}
	got := h.Upstream.Requests()[0]
	r := multipart.NewReader(bytes.NewReader(got.Body), strings.TrimPrefix(kind, "multipart/form-data; boundary="))
	fields := map[string][]byte{}
	for {
		part, err := r.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if fields[part.FormName()], err = io.ReadAll(part); err != nil {
			t.Fatal(err)
		}
	}
	if string(fields["model"]) != "m" || !bytes.Equal(fields["file"], file) || got.Header.Get("Content-Length") != fmt.Sprint(len(got.Body)) {
		t.Errorf("upstream got the model %q and %d bytes of file", fields["model"], len(fields["file"]))
	}
	if got := h.Booked(); got.Requests != 2 || got.InputTokens != 14 || got.OutputTokens != 5 {
		t.Errorf("booked %+v", got)
	}
	wantReason(t, exchange{path: "/v1/audio/transcriptions", body: body, header: http.Header{"Content-Type": {kind}}}.do(t, h), 401, "PASS_REQUIRED")
	h.AtRest()
}

func TestASoundIsPassedOnAsItCame(t *testing.T) {
	h, _, pass := house(t)
	sound := strings.Repeat("\xffsound", 100_000)
	reply := fakeprovider.Body(200, "audio/mpeg", sound)
	h.Upstream.Next(reply.Always(), reply.ResetAt(300_000).Always())
	body := `{"model":"` + model + `","input":"hello","voice":"alloy"}`
	a := exchange{path: "/v1/audio/speech", body: body, header: bearer(pass)}.do(t, h)
	if a.Status != 200 || string(a.Body) != sound || a.Header.Get("Content-Type") != "audio/mpeg" {
		t.Errorf("status %d, %d bytes, %v", a.Status, len(a.Body), a.Header)
	}
	root := strings.TrimSuffix(h.URL, "/v1")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, root+"/v1/audio/speech", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = bearer(pass)
	res, err := plainClient(t).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.ReadAll(res.Body); err == nil {
		t.Error("half a sound looks whole")
	}
	h.AtRest()
	if got := h.Booked(); got.Requests != 2 || got.Tokens != 0 {
		t.Errorf("booked %+v", got)
	}
}

// Whisper takes no notice of stream: its transcript is one body, which costs a request all the same.
// https://platform.openai.com/docs/api-reference/audio/createTranscription
func TestAStreamThatTheProviderMadeOneBodyIsToldAsAnEventAndBooked(t *testing.T) {
	for name, c := range map[string]struct{ path, reply, want string }{
		"a transcript": {"/v1/audio/transcriptions", `{"text":"hi"}`, `data: {"text":"hi","type":"transcript.text.done"}` + "\n\n"},
		"an image":     {"/v1/images/generations", "{\n\"data\":[]\n}", `data: {"data":[]}` + "\n\n"},
		"embeddings":   {"/v1/embeddings", `{"data":[{"embedding":[1.0]}]}`, `data: {"data":[{"embedding":[1.0]}]}` + "\n\n"},
		"an error":     {"/v1/images/generations", `{"error":{"message":"no"}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			h, _, pass := house(t)
			h.Upstream.Next(fakeprovider.Body(200, "application/json", c.reply).Always())
			a := exchange{path: c.path, body: `{"model":"` + model + `","stream":true}`, header: bearer(pass)}.do(t, h)
			if got := string(a.Body); (a.Status == 200) != (c.want != "") || c.want != "" && got != c.want+"data: [DONE]\n\n" {
				t.Errorf("%d %s", a.Status, got)
			}
			if got := h.Booked().Requests; (got == 1) != (c.want != "") {
				t.Errorf("%d requests are booked", got)
			}
			h.AtRest()
		})
	}
}

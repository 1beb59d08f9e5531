package tokens

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

// trueCount is OpenAI's published rule for a chat without tools: 3 a message, 3 a reply, and the texts.
func trueCount(messages []map[string]any) (n int64) {
	for _, m := range messages {
		n += 3 + CountText(m["role"].(string), "gpt-5") + CountText(m["content"].(string), "gpt-5")
	}
	return n + 3
}

// shapes write the same conversation in each dialect.
var shapes = map[string]func(system string, turns []map[string]any) any{
	"chat": func(system string, turns []map[string]any) any {
		return map[string]any{"model": "gpt-5", "messages": append([]map[string]any{{"role": "system", "content": system}}, turns...), "stream": true}
	},
	"messages": func(system string, turns []map[string]any) any {
		return map[string]any{"model": "claude", "max_tokens": 9, "messages": parts(turns, "content", func(text any) any {
			return []any{map[string]any{"type": "text", "text": text}}
		}), "system": []any{map[string]any{"type": "text", "text": system}}}
	},
	"responses": func(system string, turns []map[string]any) any {
		return map[string]any{"model": "gpt-5", "instructions": system, "input": parts(turns, "content", func(text any) any {
			return []any{map[string]any{"type": "input_text", "text": text}}
		})}
	},
	"gemini": func(system string, turns []map[string]any) any {
		part := func(text any) any { return []any{map[string]any{"text": text}} }
		return map[string]any{"systemInstruction": map[string]any{"parts": part(system)}, "contents": parts(turns, "parts", part)}
	},
}

func parts(turns []map[string]any, under string, of func(text any) any) (list []any) {
	for _, turn := range turns {
		list = append(list, map[string]any{"role": turn["role"], under: of(turn["content"])})
	}
	return list
}

func TestEstimateOfAConversationHardlyEverFallsBelowTheTrueCount(t *testing.T) {
	const system = "You are helpful."
	for class, texts := range samples(t) {
		var turns []map[string]any
		for i, text := range texts[:min(len(texts), 12)] {
			turns = append(turns, map[string]any{"role": []string{"user", "assistant"}[i%2], "content": text})
		}
		want := trueCount(append([]map[string]any{{"role": "system", "content": system}}, turns...))
		for dialect, shape := range shapes {
			body, err := json.Marshal(shape(system, turns))
			if err != nil {
				t.Fatal(err)
			}
			for how, got := range map[string]int64{"Estimate": Estimate(body), "Count": Count(body, "gpt-5")} {
				if ratio := float64(got) / float64(want); ratio < 0.97 || how == "Count" && ratio > 1.7 {
					t.Errorf("%s, %s: %s gives %d, %.2f of %d", class, dialect, how, got, ratio, want)
				}
			}
		}
	}
}

func TestEstimateReadsEscapesAsTheCharactersTheyStandFor(t *testing.T) {
	plain := Estimate([]byte(`{"content":"a é 中 😀 quoted / b"}`))
	for _, escaped := range []string{`{"content":"a \u00e9 \u4e2d \ud83d\ude00 quoted \/ b"}`, `{ "content" : "\u0061 é 中 😀 quoted / b" }`} {
		if got := Estimate([]byte(escaped)); got != plain {
			t.Errorf("%s: got %d, want %d", escaped, got, plain)
		}
	}
}

// picture is an image of noise in base64, so that it has many bytes.
func picture(t *testing.T, width, height int, encode func(io.Writer, image.Image) error) string {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 4))
	img := image.NewGray(image.Rect(0, 0, width, height))
	for i := range img.Pix {
		img.Pix[i] = byte(random.Uint32())
	}
	var b bytes.Buffer
	if err := encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

func jpegOf(w io.Writer, img image.Image) error { return jpeg.Encode(w, img, nil) }

func TestImagesAndFilesCountByRuleAndNotAsText(t *testing.T) {
	data := base64.StdEncoding.EncodeToString(make([]byte, 300_000))
	small, large := picture(t, 300, 300, png.Encode), picture(t, 1000, 700, jpegOf)
	huge := picture(t, 3000, 2000, jpegOf)
	mp3 := base64.StdEncoding.EncodeToString(append([]byte("ID3"), make([]byte, 300_000)...))
	sealed := strings.Repeat("gAAAAAB_x-Yz", 1000)
	for name, c := range map[string]struct {
		part     string
		from, to int64
	}{
		"an image in the body":       {`{"type":"image_url","image_url":{"url":"data:image/png;base64,` + data + `"}}`, 1600, 1640},
		"an image with its detail":   {`{"type":"image_url","image_url":{"detail":"high","url":"data:image/png;base64,` + data + `"}}`, 1600, 1640},
		"an image, slashes escaped":  {`{"type":"image_url","image_url":{"url":"data:image\/png;base64,` + data + `"}}`, 1600, 1640},
		"an image at an address":     {`{"type":"image_url","image_url":{"url":"https://example.com/a.png"}}`, 1600, 1640},
		"an image, Mistral's way":    {`{"type":"image_url","image_url":"data:image/png;base64,` + data + `"}`, 1600, 1640},
		"two images":                 {`{"image_url":{"url":"data:image/png;base64,AAAA"}},{"image_url":{"url":"data:image/png;base64,AAAA"}}`, 3200, 3240},
		"a file":                     {`{"type":"file","file":{"file_data":"data:application/pdf;base64,` + data + `"}}`, 20_000, 26_000},
		"a sound":                    {`{"type":"input_audio","input_audio":{"data":"` + data + `","format":"wav"}}`, 20_000, 26_000},
		"a small image, Anthropic's": {`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + small + `"}}`, 121, 150},
		"a larger one":               {`{"type":"image","source":{"type":"base64","media_type":"image/jpeg","data":"` + large + `"}}`, 934, 970},
		"one that is scaled down":    {`{"type":"image","source":{"data":"` + huge + `","type":"base64"}}`, 1600, 1640},
		"one with slashes escaped":   {`{"type":"image","source":{"data":"` + strings.ReplaceAll(large, "/", `\/`) + `"}}`, 934, 970},
		"one at an address":          {`{"type":"image","source":{"type":"url","url":"https://example.com/a.png"}}`, 1600, 1640},
		"one in Anthropic's files":   {`{"type":"document","source":{"type":"file","file_id":"file_1"}}`, 1600, 1640},
		"a document":                 {`{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"` + data + `"}}`, 20_000, 26_000},
		"a small image, Gemini's":    {`{"inlineData":{"mimeType":"image/png","data":"` + small + `"}}`, 258, 300},
		"one in tiles":               {`{"inline_data":{"mime_type":"image/jpeg","data":"` + large + `"}}`, 2 * 258, 2*258 + 40},
		"one in many tiles":          {`{"inlineData":{"data":"` + huge + `"}}`, 12 * 258, 12*258 + 40},
		"one in Google's files":      {`{"fileData":{"mimeType":"video/mp4","fileUri":"https://example.com/v1beta/files/1"}}`, 1600, 1640},
		"speech":                     {`{"inlineData":{"mimeType":"audio/mp3","data":"` + mp3 + `"}}`, 5_000, 5_030},
		"an image of responses":      {`{"type":"input_image","image_url":"data:image/jpeg;base64,` + large + `"}`, 1600, 1640},
		"a file of responses":        {`{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,` + data + `"}`, 20_000, 26_000},
		"an image as a file":         {`{"type":"input_file","file_data":"data:image/jpeg;base64,` + large + `"}`, 934, 970},
		"reasoning that is sealed":   {`{"type":"reasoning","encrypted_content":"` + sealed + `"}`, 2_400, 2_430},
		"a signature":                {`{"text":"","thoughtSignature":"` + sealed + `"}`, 2_400, 2_430},
		"a text document":            {`{"type":"document","source":{"type":"text","data":"` + english[0] + `"}}`, 60, 110},
		"base64 pasted as text":      {`{"type":"text","text":"data:image/png;base64,` + data + `"}`, 100_000, 1 << 30},
		"a link that is no image":    {`{"type":"x","url":"https://example.com/a/b/c/d"}`, 8, 40},
	} {
		t.Run(name, func(t *testing.T) {
			body := []byte(`{"messages":[{"role":"user","content":[` + c.part + `]}]}`)
			if got := Estimate(body); got < c.from || got > c.to {
				t.Errorf("Estimate: %d, want %d to %d", got, c.from, c.to)
			}
			if got := Count(body, "gpt-5"); c.to < 1<<20 && (got < c.from || got > c.to+c.to/5) {
				t.Errorf("Count: %d, want %d to %d", got, c.from, c.to)
			}
		})
	}
}

func TestToolsAndSystemAreCounted(t *testing.T) {
	bare := `{"messages":[{"role":"user","content":"hi"}]`
	tools := bare + `,"tools":[{"type":"function","function":{"name":"weather","description":"` + english[0] + `","parameters":{"type":"object","properties":{"city":{"type":"string","enum":["Oslo","Rome"]}}}}}]}`
	more := CountText(english[0], "gpt-5")
	if got := Estimate([]byte(tools)) - Estimate([]byte(bare+"}")); got < more+15 {
		t.Errorf("Estimate adds %d for tools whose description alone is %d", got, more)
	}
	if got := Count([]byte(tools), "gpt-5") - Count([]byte(bare+"}"), "gpt-5"); got < more+15 {
		t.Errorf("Count adds %d for tools whose description alone is %d", got, more)
	}
}

func TestCountUsesTheVocabularyOfTheModel(t *testing.T) {
	text := cjk[0] // o200k_base knows more of it
	newer := CountText(text, "gpt-4o")
	for _, model := range []string{"gpt-4", "gpt-4-turbo", "gpt-3.5-turbo", "openai/gpt-4"} {
		if older := CountText(text, model); older <= newer {
			t.Errorf("%s: %d tokens, gpt-4o %d", model, older, newer)
		}
	}
	for _, model := range []string{"gpt-4.1", "gpt-5.6-sol", "o3", "claude-haiku", "", "openai/gpt-4o"} {
		if same := CountText(text, model); same != newer {
			t.Errorf("%s: %d tokens, gpt-4o %d", model, same, newer)
		}
	}
}

func TestCountOfAHugeTextIsStillNearTheTruth(t *testing.T) {
	body := []byte(`{"content":"` + strings.Repeat("one word after another ", 200_000) + `"}`)
	if got := Count(body, "gpt-5"); got < 800_000 || got > 1_400_000 {
		t.Errorf("got %d for 800,000 words", got)
	}
}

func TestACounterCountsTheSameHoweverTheTextIsCut(t *testing.T) {
	for class, texts := range samples(t) {
		for _, text := range texts[:min(5, len(texts))] {
			var whole, cut Counter
			whole.Add(text)
			for _, r := range text {
				cut.Add(string(r))
			}
			if whole.Tokens() != cut.Tokens() || whole.Bytes() != cut.Bytes() {
				t.Errorf("%s: whole %d, cut %d", class, whole.Tokens(), cut.Tokens())
			}
		}
	}
}

func FuzzEstimate(f *testing.F) {
	f.Add([]byte(`{"messages":[{"role":"user","content":"a\u00e9\ud83d\ude00\\\"b"}],"n":1,"image_url":"data:image"}`))
	f.Add([]byte(`"\u12`))
	f.Add([]byte(`{"data":"\`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if n := Estimate(body); n < perRequest || n > 64*int64(len(body)+1)+imageTokens*int64(len(body)) {
			t.Fatalf("%d tokens for %d bytes", n, len(body))
		}
		if n := Count(body, "gpt-5"); n < perRequest {
			t.Fatalf("Count: %d", n)
		}
	})
}

// agentBody is of the size that a coding agent sends.
func agentBody() []byte {
	return []byte(`{"messages":[{"role":"user","content":"` + strings.Repeat(strings.Join(english, `\n`), 40) + `"}]}`)
}

func BenchmarkEstimate(b *testing.B) {
	body := agentBody()
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		Estimate(body)
	}
}

func BenchmarkCount(b *testing.B) {
	body := agentBody()
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		Count(body, "gpt-5")
	}
}

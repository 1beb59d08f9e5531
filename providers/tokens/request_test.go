package tokens

import (
	"encoding/base64"
	"encoding/json"
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

func TestEstimateOfAChatHardlyEverFallsBelowTheTrueCount(t *testing.T) {
	for class, texts := range samples(t) {
		messages := []map[string]any{{"role": "system", "content": "You are helpful."}}
		for i, text := range texts[:min(len(texts), 12)] {
			messages = append(messages, map[string]any{"role": []string{"user", "assistant"}[i%2], "content": text})
		}
		body, err := json.Marshal(map[string]any{"model": "gpt-5", "messages": messages, "stream": true})
		if err != nil {
			t.Fatal(err)
		}
		want := trueCount(messages)
		for how, got := range map[string]int64{"Estimate": Estimate(body), "Count": Count(body, "gpt-5")} {
			if ratio := float64(got) / float64(want); ratio < 0.97 || how == "Count" && ratio > 1.5 {
				t.Errorf("%s: %s gives %d, %.2f of %d", class, how, got, ratio, want)
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

func TestImagesAndFilesCountByRuleAndNotAsText(t *testing.T) {
	data := base64.StdEncoding.EncodeToString(make([]byte, 300_000))
	for name, c := range map[string]struct {
		part     string
		from, to int64
	}{
		"an image in the body":      {`{"type":"image_url","image_url":{"url":"data:image/png;base64,` + data + `"}}`, 1600, 1640},
		"an image with its detail":  {`{"type":"image_url","image_url":{"detail":"high","url":"data:image/png;base64,` + data + `"}}`, 1600, 1640},
		"an image, slashes escaped": {`{"type":"image_url","image_url":{"url":"data:image\/png;base64,` + data + `"}}`, 1600, 1640},
		"an image at an address":    {`{"type":"image_url","image_url":{"url":"https://example.com/a.png"}}`, 1600, 1640},
		"an image, Mistral's way":   {`{"type":"image_url","image_url":"data:image/png;base64,` + data + `"}`, 1600, 1640},
		"two images":                {`{"image_url":{"url":"data:image/png;base64,AAAA"}},{"image_url":{"url":"data:image/png;base64,AAAA"}}`, 3200, 3240},
		"a file":                    {`{"type":"file","file":{"file_data":"data:application/pdf;base64,` + data + `"}}`, 20_000, 26_000},
		"a sound":                   {`{"type":"input_audio","input_audio":{"data":"` + data + `","format":"wav"}}`, 20_000, 26_000},
		"base64 pasted as text":     {`{"type":"text","text":"data:image/png;base64,` + data + `"}`, 100_000, 1 << 30},
		"a link that is no image":   {`{"type":"x","url":"https://example.com/a/b/c/d"}`, 8, 40},
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

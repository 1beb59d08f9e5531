package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"
)

// teammate is one of the demo's people, at work: they ask the gateway as any tool would, with their
// pass, and stop asking a model that has told them no for today.
type teammate struct {
	name   string
	pass   string
	models []string
	pace   time.Duration // between one answer and the next question
}

// questions are what the demo's people ask; the simulated provider answers something.
var questions = []string{
	"Write a commit message for a change that renames a column.",
	"Why would a request hang only in production?",
	"Explain this stack trace in two sentences.",
	"Suggest three names for a tool that counts tokens.",
	"Turn this list of dates into ISO 8601.",
	"What does idempotent mean? Give an example.",
	"Review this loop for an off-by-one error.",
	"Summarise today's stand-up in one line.",
}

// work asks until ctx ends or no model is left, and hands each refusal's text to refused.
func (t teammate) work(ctx context.Context, client *http.Client, base string, refused func(name, message string)) {
	models := slices.Clone(t.models)
	for len(models) > 0 {
		// Nobody types like a clock.
		if !pause(ctx, t.pace/2+rand.N(t.pace)) {
			return
		}
		model := models[rand.N(len(models))]
		no, err := t.ask(ctx, client, base, model, questions[rand.N(len(questions))])
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			refused(t.name, err.Error())
		case no != nil:
			refused(t.name, no.Error.Message)
			if no.Error.Code == "insufficient_quota" {
				models = slices.DeleteFunc(models, func(m string) bool { return m == model })
			}
		}
	}
}

// refusedAnswer is what the gateway says no with.
type refusedAnswer struct {
	Error struct{ Message, Code string }
}

// ask streams one answer to its end. A refusal is no error.
func (t teammate) ask(ctx context.Context, client *http.Client, base, model, question string) (*refusedAnswer, error) {
	body, err := json.Marshal(map[string]any{
		"model": model, "stream": true, "messages": []map[string]string{{"role": "user", "content": question}},
	})
	if err != nil {
		return nil, fmt.Errorf("writing a question: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("asking %s: %w", model, err)
	}
	req.Header.Set("Authorization", "Bearer "+t.pass)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "perdiem-demo")
	res, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("asking %s: %w", model, err)
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusOK {
		_, err = io.Copy(io.Discard, res.Body)
		return nil, err
	}
	var no refusedAnswer
	if err := json.NewDecoder(res.Body).Decode(&no); err != nil {
		return nil, fmt.Errorf("reading the answer of %s (status %d): %w", model, res.StatusCode, err)
	}
	return &no, nil
}

// pause waits, and reports false when ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

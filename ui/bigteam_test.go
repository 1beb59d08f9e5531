package ui

import (
	"fmt"
	"time"

	"perdiem/meter"
)

// bigTeam is forty people on twelve models in the afternoon.
func bigTeam(r *rig) {
	ids := []string{"anthropic/claude-haiku-4-5", "anthropic/claude-opus-4-5", "anthropic/claude-sonnet-4-5", "deepseek/deepseek-chat", "google/gemini-2.5-flash", "google/gemini-2.5-pro",
		"groq/llama-3.3-70b", "mistral/mistral-large", "ollama/qwen3-coder:30b", "openai/gpt-5", "openai/gpt-5-mini", "xai/grok-4"}
	r.models(ids...)
	ctx := r.t.Context()
	for _, tier := range []string{"Interns", "Research", "Staff"} {
		r.must(r.books.AddTier(ctx, tier))
	}
	r.allow(meter.Holder{Kind: meter.ForTier, ID: "Staff"}, "*", -1, 100_000)
	r.allow(meter.Holder{Kind: meter.ForTier, ID: "Research"}, "*", -1, 400_000)
	r.allow(meter.Holder{Kind: meter.ForTier, ID: "Interns"}, "*", 40, 20_000)
	r.allow(meter.Holder{Kind: meter.ForTier, ID: "Interns"}, "anthropic/claude-opus-4-5", 0, 0)
	r.allow(meter.Holder{Kind: meter.ForEveryone}, "ollama/qwen3-coder:30b", -1, -1)
	first := []string{"Amara", "Björn", "Chiara", "Dmitri", "Eun-ji", "Fatima", "Guillermo", "Hana"}
	last := []string{"Okafor", "Lindqvist", "Rossi", "Volkov", "Fernández de Córdoba"}
	for i := range 40 {
		p := r.person(fmt.Sprintf("%s %s", first[i%8], last[i/8]), []string{"Staff", "Interns", "Research", "Staff"}[i%4])
		for n := range 3 {
			r.at(afternoon.Add(-time.Duration(40-i+n) * time.Minute))
			busy := int64(1 + (i*7+n*5)%9)
			r.call(p, ids[(i*5+n*3)%12], 1500*busy, 260*busy)
		}
	}
	r.at(afternoon)
}

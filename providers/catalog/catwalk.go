package catalog

import (
	"strings"

	"charm.land/catwalk/pkg/catwalk"

	"perdiem/providers"
)

// What is held for a reply whose caller sets no maximum, in tokens. Most agents set none, and a cap is written to what is
// held: too little cuts answers short, too much shuts out those with little left. Reasoning counts as reply.
const (
	plainReply     = 8_000
	reasoningReply = 32_000
)

// fromCatwalk is a vendor as this project needs it; false for those that a stored key does not open.
func fromCatwalk(p catwalk.Provider) (providers.Vendor, bool) {
	id := string(p.ID)
	if leftOut[id] {
		return providers.Vendor{}, false
	}
	v := providers.Vendor{ID: id, Title: p.Name, BaseURL: p.APIEndpoint, Bases: bases[id]}
	if a, ok := addresses[id]; ok {
		v.BaseURL, v.Bases = a.baseURL, a.bases
	}
	if name, ok := strings.CutPrefix(p.APIKey, "$"); ok {
		v.KeyEnv = name
	}
	for _, m := range p.Models {
		v.Models = append(v.Models, model(id, m))
	}
	return v, true
}

func model(vendor string, m catwalk.Model) providers.Model {
	reply := int64(plainReply)
	if m.CanReason {
		reply = reasoningReply
	}
	if m.DefaultMaxTokens > 0 {
		reply = min(reply, m.DefaultMaxTokens)
	}
	return providers.Model{
		Upstream: m.ID, Title: m.Name, Context: m.ContextWindow, MaxReply: m.DefaultMaxTokens, DefaultReply: reply,
		CapField: capField(vendor, m.ID), Price: price(m), Reasons: m.CanReason, SeesImages: m.SupportsImages,
	}
}

// price converts a model's prices, once and exactly. nil is for those that are not known: a model that costs nothing and
// does not say that it is free is one whose price the list does not have.
func price(m catwalk.Model) *providers.Price {
	if m.CostPer1MIn == 0 && m.CostPer1MOut == 0 && !strings.Contains(strings.ToLower(m.ID+" "+m.Name), "free") {
		return nil
	}
	read, write := cachePrices(m.CostPer1MIn, m.CostPer1MInCached, m.CostPer1MOutCached)
	p := providers.Price{Source: Source, Date: Date}
	for _, c := range []struct {
		to      *int64
		dollars float64
	}{{&p.Input, m.CostPer1MIn}, {&p.Output, m.CostPer1MOut}, {&p.CacheRead, read}, {&p.CacheWrite, write}} {
		micro, err := providers.MicroDollars(c.dollars)
		if err != nil {
			return nil
		}
		*c.to = micro
	}
	return &p
}

// cachePrices tells the price of reading the cache from that of writing it. By catwalk's fields "in cached" is the price
// of writing and "out cached" that of reading, but for a tenth of the models the reading price stands in the first
// (OpenAI's GPT-5.5, Gemini 3.7), or the output's in the second. Reading costs at most what input costs and writing at
// least that, so the figures themselves tell which they are; where neither can be one, input is charged in full.
func cachePrices(input, inCached, outCached float64) (read, write float64) {
	read, write = input, input
	for _, figure := range []float64{inCached, outCached} {
		if figure > 0 && figure < read {
			read = figure
		}
	}
	if inCached > input {
		write = inCached
	}
	return read, write
}

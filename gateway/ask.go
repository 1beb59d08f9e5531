package gateway

import (
	"net/http"

	"perdiem/providers"
	"perdiem/providers/translate"
	"perdiem/providers/wire"
)

// ask is a call as its provider is asked: in the caller's own words or, where the provider does not
// speak their dialect, translated.
type ask struct {
	dialect     providers.Dialect
	wire        wire.Wire
	path        func(model string) string
	body        []byte
	facts       wire.Facts
	translation *translate.Translation // nil in the caller's own words
	said        translate.Said
}

// chooseDialect finds a dialect that the call's provider can be asked in.
func (c *call) chooseDialect() error {
	p := c.target.Provider
	if _, ok := p.Base(c.dialect); ok {
		c.ask = ask{dialect: c.dialect, wire: c.wire, path: c.path, body: c.body, facts: c.facts}
		return nil
	}
	if c.talks {
		for _, d := range p.ByFidelity() {
			if t, ok := translate.Between(c.dialect, d); ok {
				e := talkIn(d, c.facts.Stream)
				c.ask = ask{dialect: d, wire: e.wire, path: e.path, translation: &t}
				return nil
			}
		}
	}
	return c.no(DialectNotServed, "The provider of "+c.title()+" does not speak this dialect, and what was asked for has no counterpart in those that it speaks.")
}

// talkIn is where a provider is talked to in a dialect.
func talkIn(d providers.Dialect, stream bool) endpoint {
	switch d {
	case providers.Anthropic:
		return messagesEndpoint
	case providers.Gemini:
		return geminiEndpoint(wire.Generate(stream))
	default:
		return chatEndpoint
	}
}

// translate says the call in its provider's dialect, if that is another one.
func (c *call) translate() error {
	m := c.target.Model
	if c.ask.translation == nil {
		c.ask.body = translate.Native(c.ask.dialect, m.Upstream, c.body)
		return nil
	}
	said, err := c.ask.translation.Request(c.body, translate.Options{
		Model: m.Upstream, Stream: c.facts.Stream, Reply: defaultRoom(m), MaxReply: m.MaxReply, CapField: m.CapField, Reasons: m.Reasons,
	})
	if err == nil {
		c.ask.said, c.ask.body = said, said.Body
		c.ask.facts, err = c.ask.wire.Inspect(said.Body)
	}
	return c.tellInvalid(err)
}

// setKey puts the provider's key where its dialect has it.
func (a ask) setKey(h http.Header, secret string) {
	if secret == "" {
		return
	}
	name, prefix := a.dialect.KeyHeader()
	h.Set(name, prefix+secret)
}

// complete adds what a provider of the dialect will not do without, where the caller named none.
func (a ask) complete(h http.Header) {
	if a.dialect == providers.Anthropic && h.Get("Anthropic-Version") == "" {
		h.Set("Anthropic-Version", providers.AnthropicVersion)
	}
}

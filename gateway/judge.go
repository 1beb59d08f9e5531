package gateway

import (
	"errors"
	"fmt"

	"perdiem/meter"
	"perdiem/providers"
	"perdiem/providers/registry"
	"perdiem/providers/tokens"
	"perdiem/providers/wire"
)

// Room for a reply where nobody says how long it may be, and the least that is still worth asking
// for, in tokens.
const (
	defaultReply = 4096
	usefulReply  = 64
)

func (c *call) findModel() error {
	if c.form == nil && c.invalid == nil {
		c.facts, c.invalid = c.wire.Inspect(c.body)
	}
	if c.facts.Model == "" {
		// No model can be looked for: who calls comes first, then what is wrong.
		if err := c.identify(); err != nil {
			return err
		}
		return c.checkValid()
	}
	target, err := c.g.Catalogue.Resolve(c.r.Context(), c.facts.Model)
	if errors.Is(err, registry.ErrNotFound) {
		return c.no(ModelNotFound, "There is no model "+shorten(c.facts.Model)+" here. GET /v1/models lists those you may use.")
	}
	if err != nil {
		return err
	}
	c.target = target
	c.asked = target.Model
	return nil
}

func (c *call) checkAccess() error {
	if c.person.ID == "" {
		return nil // a guest on a model that is open to guests; their ceilings decide
	}
	if c.person.Suspended {
		return c.no(meter.PersonSuspended, "")
	}
	may, err := c.g.Meter.MayUse(c.r.Context(), c.team, c.person, c.target.Model.ID)
	if err != nil {
		return err
	}
	if !may {
		return c.no(meter.ModelNotAllowed, "")
	}
	return nil
}

func (c *call) checkProvider() error {
	if err := c.chooseDialect(); err != nil {
		return err
	}
	p := c.target.Provider
	keys, err := c.g.Credentials.For(c.r.Context(), c.target)
	if errors.Is(err, ErrNoKey) {
		c.log.Warn("a provider has no usable key", "provider", p.Name, "error", err)
		return c.no(ProviderNotConfigured, "The provider of "+c.title()+" has no usable key at the moment. Please tell the owner of this gateway.")
	}
	if err != nil {
		return err
	}
	c.keys = c.g.pool.awake(keys, c.g.now())
	return c.checkBreaker()
}

func (c *call) checkRate() error {
	admitted := c.g.now()
	err := c.g.Meter.Guard(c.r.Context(), c.team, c.person, c.network, c.images())
	if no := (*meter.Refusal)(nil); errors.As(err, &no) {
		return c.address(no)
	}
	if err == nil {
		c.admitted = admitted
	}
	return err
}

func (c *call) checkValid() error {
	if len(c.idempotencyKey()) > maxKey {
		return c.no(InvalidRequest, fmt.Sprintf("The Idempotency-Key is longer than %d characters.", maxKey))
	}
	if c.invalid == nil {
		if err := c.checkStored(); err != nil {
			return err
		}
		return c.translate()
	}
	return c.tellInvalid(c.invalid)
}

// tellInvalid is the refusal of a request in which a field is wrong; any other error stays as it is.
func (c *call) tellInvalid(err error) error {
	if bad := (*wire.Invalid)(nil); errors.As(err, &bad) {
		return c.invalidField(bad.Param, bad.Message)
	}
	return err
}

func (c *call) invalidField(param, text string) error {
	no := c.no(InvalidRequest, text)
	no.param = param
	return no
}

// checkContext estimates the prompt. The exact count is slow, so it is asked for only where the
// cheap one does not fit.
func (c *call) checkContext() error {
	if c.ask.facts.ByRequest {
		return nil // it has no tokens of its own
	}
	c.prompt = tokens.Estimate(c.ask.body)
	most := c.target.Model.Context
	if most == 0 || c.prompt <= most {
		return nil
	}
	c.countPrompt()
	if c.prompt <= most {
		return nil
	}
	return c.no(ContextLimit, fmt.Sprintf("This prompt has about %s tokens; %s takes %s.", meter.Group(c.prompt), c.title(), meter.Group(most)))
}

func (c *call) countPrompt() {
	c.prompt = min(c.prompt, tokens.Count(c.ask.body, c.target.Model.Upstream))
}

// holdOn asks for room for the prompt and the whole reply. Where that does not fit, the prompt is
// counted exactly and the reply may be cut to the room left.
func (c *call) holdOn() error {
	request := c.holdRequest()
	least := request.MinOutput
	if key := c.idempotencyKey(); key != "" {
		request.Idempotency = &meter.Idempotency{Key: key, Hash: c.parameterHash()}
		c.kept = &kept{}
	}
	request.MinOutput = request.Output
	held, err := c.g.Meter.Reserve(c.r.Context(), request)
	if no := (*meter.Refusal)(nil); errors.As(err, &no) && no.Figures.NeededTokens > 0 && c.mayFit(no.Figures) {
		c.countPrompt()
		request.Input, request.MinOutput = c.prompt, least
		held, err = c.g.Meter.Reserve(c.r.Context(), request)
	}
	if no := (*meter.Refusal)(nil); errors.As(err, &no) {
		return c.address(no)
	}
	if err != nil {
		return err
	}
	c.held, c.request = held, request
	c.take(held.KeyID)
	return nil
}

// mayFit tells whether a prompt counted exactly, with the least of a reply, could fit where the cheap estimate with a
// whole one did not: it may be above the truth, but not by this much.
func (c *call) mayFit(f meter.Figures) bool {
	const above = 4
	if f.MaxRequests != nil && f.UsedRequests+f.HeldRequests >= *f.MaxRequests {
		return false
	}
	return f.MaxTokens == nil || *f.MaxTokens-f.UsedTokens-f.HeldTokens >= c.prompt/above
}

// holdRequest is what the call needs of the meter, whose reply may be cut to the least that is useful.
func (c *call) holdRequest() meter.Request {
	m := c.target.Model
	each, least := c.replyRoom()
	return meter.Request{
		ID: c.id, PersonID: c.person.ID, PassID: c.passID, Network: c.network, Model: m.ID,
		Input: c.prompt, Output: each * c.ask.facts.Replies, MinOutput: least * c.ask.facts.Replies,
		Counts: meter.Counts(m.Counts), Price: price(m.Price), Keys: keyBudgets(c.keys),
	}
}

// replyRoom is how much room one reply is held, and the least that is still worth asking for: the
// caller's own maximum, else the model's default, within what the model can say.
func (c *call) replyRoom() (each, least int64) {
	if c.ask.facts.NoReply {
		return 0, 0
	}
	m := c.target.Model
	each = c.ask.facts.Cap
	if each == 0 {
		each = defaultRoom(m)
	}
	if m.MaxReply > 0 {
		each = min(each, m.MaxReply)
	}
	each = max(each, c.ask.facts.Least)
	return each, max(min(each, usefulReply), c.ask.facts.Least)
}

// defaultRoom is the room for a reply where the caller does not say how long it may be.
func defaultRoom(m providers.Model) int64 {
	if m.DefaultReply > 0 {
		return m.DefaultReply
	}
	return defaultReply
}

// title is the model's name for people.
func (c *call) title() string {
	if t := c.target.Model.Title; t != "" {
		return t
	}
	return c.facts.Model
}

func price(p *providers.Price) *meter.Price {
	if p == nil {
		return nil
	}
	return &meter.Price{Input: p.Input, Cached: p.CacheRead, Written: p.CacheWrite, Output: p.Output}
}

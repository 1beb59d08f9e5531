package gateway

import (
	"context"
	"errors"

	"perdiem/meter"
	"perdiem/providers"
	"perdiem/providers/registry"
	"perdiem/providers/wire"
)

// maxSteps bounds how many fallbacks one call may go down, so that two models that name each other
// do not go round.
const maxSteps = 3

// findProvider finds who answers: the provider of the model that was asked for or, where that one is
// down or has no key, the one of its fallback.
func (c *call) findProvider() error {
	err := c.checkProvider()
	if no := (*refusal)(nil); !errors.As(err, &no) || no.Reason != ProviderDown && no.Reason != ProviderNotConfigured {
		return err
	}
	if !c.costs || c.steps >= maxSteps {
		return err // another model would count other tokens
	}
	c.steps++
	if c.stepDown(func() error { return nil }) {
		return nil
	}
	return err
}

// hold finds room for the call: on the model that was asked for or, where its owner chose so and
// nothing is left of it today, on the ones below, and then without the oldest turns.
func (c *call) hold() error {
	err := c.holdOn()
	if err == nil || !c.mayStepDown(err) {
		return err
	}
	if c.stepDown(c.holdDown) || c.target.Model.AtZero == providers.Ladder && c.dropTurns() {
		return nil
	}
	return err
}

// holdDown holds on the model that the call came down to, or on one further down.
func (c *call) holdDown() error {
	err := c.refit()
	if err == nil {
		err = c.holdOn()
	}
	if err == nil || !c.mayStepDown(err) || c.steps >= maxSteps {
		return err
	}
	c.steps++
	if c.stepDown(c.holdDown) {
		return nil
	}
	return err
}

// maxDropped bounds how many turns a call may lose.
const maxDropped = 100

// dropTurns leaves out the oldest turns, one by one, until the rest has room, if the model's owner
// lets it. Where even the last turn has none, the call is as it was.
func (c *call) dropTurns() bool {
	shortener, ok := c.ask.wire.(wire.Shortener)
	if !ok || !c.target.Model.MayDropTurns || c.form != nil {
		return false
	}
	body, prompt := c.ask.body, c.prompt
	for c.dropped = 1; c.dropped <= maxDropped; c.dropped++ {
		shorter, ok := shortener.DropTurn(c.ask.body)
		if !ok {
			break
		}
		c.ask.body = shorter
		if c.checkContext() == nil && c.holdOn() == nil {
			return true
		}
	}
	c.ask.body, c.prompt, c.dropped = body, prompt, 0
	return false
}

// mayStepDown tells whether a refusal is one that there is a fallback for: the provider cannot answer
// today, or the caller's own day is out, or the team's, and the model's owner chose so.
func (c *call) mayStepDown(err error) bool {
	var no *refusal
	return errors.As(err, &no) && (no.Reason == meter.KeysSpent || no.Reason.Daily() && c.target.Model.AtZero == providers.Ladder)
}

// stepDown makes the model's fallback the call's, if the caller may use it and then take succeeds. On
// any failure the call is as it was: the refusal that is told is that of the model asked for.
func (c *call) stepDown(take func() error) bool {
	before := *c
	err := c.useFallback(c.r.Context())
	if err == nil {
		err = take()
	}
	if err != nil {
		c.log.Info("no fallback", "model", before.target.Model.ID, "fallback", before.target.Model.Fallback, "error", err)
		c.target, c.ask, c.keys, c.prompt, c.kept = before.target, before.ask, before.keys, before.prompt, before.kept
		return false
	}
	c.log.Info("fell back", "from", before.target.Model.ID, "to", c.target.Model.ID)
	return true
}

var (
	errNoFallback   = errors.New("the model has no fallback")
	errNotForGuests = errors.New("the fallback is not open to guests")
)

// useFallback puts the model's fallback in its place, if the caller may use it and its provider can
// be asked.
func (c *call) useFallback(ctx context.Context) error {
	from := c.target.Model
	if from.Fallback == "" {
		return errNoFallback
	}
	target, err := c.g.Catalogue.Resolve(ctx, from.Fallback)
	if errors.Is(err, registry.ErrNotFound) {
		return errNoFallback
	}
	if err != nil {
		return err
	}
	c.target = target
	if c.person.ID == "" && !target.Model.Guests {
		return errNotForGuests
	}
	if err := c.checkAccess(); err != nil {
		return err
	}
	return c.findProvider()
}

// refit makes the call one for the model that it came down to.
func (c *call) refit() error {
	if err := c.translate(); err != nil {
		return err
	}
	return c.checkContext()
}

// fallBack moves the call to the model's fallback because its provider failed, before anything of a
// reply had come.
func (c *call) fallBack(ctx context.Context) bool {
	if c.steps >= maxSteps {
		return false
	}
	c.steps++
	return c.stepDown(func() error {
		if err := c.refit(); err != nil {
			return err
		}
		request := c.holdRequest()
		held, err := c.g.Meter.Move(ctx, c.held.ID, request)
		if err != nil {
			return err
		}
		c.held, c.request = held, request
		c.take(held.KeyID)
		c.divert()
		return nil
	})
}

package gateway

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/tidwall/gjson"

	"perdiem/meter"
	"perdiem/providers"
	"perdiem/providers/registry"
	"perdiem/providers/wire"
)

// Stored responses live at the provider, under keys that the whole team shares: whose one is, only
// Perdiem knows. Another's is answered like one that never was.

// checkStored refuses what would go on from another's stored response, and work that goes on at the
// provider after the call, where nobody meters it.
func (c *call) checkStored() error {
	if c.dialect != providers.Responses {
		return nil
	}
	fields := gjson.GetManyBytes(c.body, "background", "previous_response_id", "conversation")
	if fields[0].Bool() {
		return c.invalidField("background", "This gateway does not serve background responses: they go on where they cannot be metered.")
	}
	if fields[2].Exists() && fields[2].Type != gjson.Null {
		return c.invalidField("conversation", "This gateway does not serve conversations kept by the provider. Use previous_response_id.")
	}
	if previous := fields[1].String(); previous != "" {
		_, err := c.ownObject(previous)
		if no := (*refusal)(nil); errors.As(err, &no) {
			no.param = "previous_response_id"
		}
		return err
	}
	return nil
}

// ownObject finds one of the caller's own stored responses.
func (c *call) ownObject(id string) (meter.Object, error) {
	o, err := c.g.Meter.FindObject(c.r.Context(), c.person.ID, id)
	if errors.Is(err, meter.ErrNotFound) {
		return o, c.no(ObjectNotFound, "There is no response "+shorten(id)+" of yours.")
	}
	return o, err
}

// keepObject notes that a response is the caller's, as soon as its id has come.
func (c *call) keepObject(data []byte) {
	if c.ask.dialect != providers.Responses || c.object != "" || c.person.ID == "" {
		return
	}
	id := gjson.GetBytes(data, "response.id").String()
	if id == "" && gjson.GetBytes(data, "object").String() == "response" {
		id = gjson.GetBytes(data, "id").String()
	}
	if id == "" {
		return
	}
	c.object = id
	ctx, cancel := c.booksContext()
	defer cancel()
	err := c.g.Meter.KeepObject(ctx, meter.Object{ID: id, PersonID: c.person.ID, Provider: c.target.Provider.Name, KeyID: c.key.KeyID})
	if err != nil {
		c.log.Error("whose a stored response is could not be noted; nobody will get at it", "error", err)
	}
}

// handleStored serves GET and DELETE of a stored response, and GET of its input items.
func (g *Gateway) handleStored(w http.ResponseWriter, r *http.Request) {
	c := g.newCall(w, r)
	c.endpoint = responsesEndpoint
	if err := c.pass(readGates); err != nil {
		c.refuse(err)
		return
	}
	if c.person.ID == "" {
		c.refuse(c.passRequired("Stored responses are for the holder of a pass"))
		return
	}
	if c.person.Suspended {
		c.refuse(c.no(meter.PersonSuspended, ""))
		return
	}
	o, err := c.ownObject(r.PathValue("id"))
	if err == nil {
		err = c.findStored(r.Context(), o)
	}
	if err != nil {
		c.refuse(err)
		return
	}
	rest := strings.TrimPrefix(r.URL.Path, "/v1")
	c.ask = ask{dialect: c.dialect, path: func(string) string { return rest }}
	c.forward(r.Method)
}

// findStored finds the provider that keeps an object, and the key that it was made with.
func (c *call) findStored(ctx context.Context, o meter.Object) error {
	gone := c.no(ProviderNotConfigured, "The provider that keeps this response is not here any more.")
	target, err := c.g.Catalogue.Account(ctx, o.Provider)
	if errors.Is(err, registry.ErrNotFound) {
		return gone
	}
	if err != nil {
		return err
	}
	c.target = target
	keys, err := c.g.Credentials.For(ctx, target)
	if errors.Is(err, ErrNoKey) {
		return gone
	}
	if err != nil {
		return err
	}
	c.keys, c.key = keys, keys[0] // another key of the account sees it, too, if its own is gone
	c.take(o.KeyID)
	return nil
}

// forward passes a call without a body on, and its answer back.
func (c *call) forward(method string) {
	ctx, cancel := c.runContext()
	defer cancel(nil)
	req, err := c.providerRequest(ctx, method, http.NoBody)
	if err != nil {
		c.answerFailure(unreachable(err))
		return
	}
	resp, err := c.g.do(req)
	if err != nil {
		c.answerFailure(unreachable(err))
		return
	}
	c.passBack(resp)
}

// passBack answers with what the provider did, less its key.
func (c *call) passBack(resp *http.Response) {
	defer resp.Body.Close()
	body, err := readReply(resp, c.g.Limits.Reply)
	moved := resp.StatusCode >= http.StatusMultipleChoices && resp.StatusCode < http.StatusBadRequest
	page := resp.StatusCode == http.StatusOK && !wire.Valid(body)
	if err != nil || moved || page {
		c.answerFailure(notAReply())
		return
	}
	c.answerHeaders(resp.Header)
	c.writeWhole(resp.StatusCode, c.redact(body))
}

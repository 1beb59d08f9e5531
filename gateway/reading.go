package gateway

import (
	"errors"
	"net/http"

	"perdiem/meter"
	"perdiem/providers"
	"perdiem/providers/registry"
)

// read takes a call that only reads through its gates, and answers with what answer makes.
func (g *Gateway) read(w http.ResponseWriter, r *http.Request, answer func(*call) (any, error)) {
	c := g.newCall(w, r)
	c.voice = voiceOf(r)
	if err := c.pass(readGates); err != nil {
		c.refuse(err)
		return
	}
	body, err := answer(c)
	if err != nil {
		c.refuse(err)
		return
	}
	writeJSON(w, http.StatusOK, body)
}

// handleModels lists what this caller may use, in the shape that their client reads.
func (g *Gateway) handleModels(w http.ResponseWriter, r *http.Request) {
	g.read(w, r, func(c *call) (any, error) {
		models, err := c.usable()
		if err != nil {
			return nil, err
		}
		return modelList(c.voice, models), nil
	})
}

func (g *Gateway) handleModel(w http.ResponseWriter, r *http.Request) {
	g.read(w, r, func(c *call) (any, error) {
		name := r.PathValue("id")
		c.facts.Model = name
		target, err := g.Catalogue.Resolve(r.Context(), name)
		if err != nil && !errors.Is(err, registry.ErrNotFound) {
			return nil, err
		}
		models, errUsable := c.usable()
		if errUsable != nil {
			return nil, errUsable
		}
		for _, m := range models {
			if err == nil && m.ID == target.Model.ID {
				return modelEntry(c.voice, m), nil
			}
		}
		return nil, c.no(ModelNotFound, "There is no model "+shorten(name)+" here that you may use.")
	})
}

// usable lists the models that the caller may use: by their allowances, or, without a pass, those
// open to guests.
func (c *call) usable() ([]providers.Model, error) {
	if c.person.Suspended {
		return nil, c.no(meter.PersonSuspended, "")
	}
	all, err := c.g.Catalogue.Models(c.r.Context())
	if err != nil {
		return nil, err
	}
	standings := map[string]meter.Standing{}
	if c.person.ID != "" {
		list, err := c.standings(all)
		if err != nil {
			return nil, err
		}
		for _, s := range list {
			standings[s.Model] = s
		}
	}
	usable := []providers.Model{}
	for _, m := range all {
		if s, known := standings[m.ID]; m.Guests && c.person.ID == "" || known && s.Allowed() {
			usable = append(usable, m)
		}
	}
	if len(usable) == 0 && c.person.ID == "" {
		return nil, c.passRequired("This gateway needs a pass")
	}
	return usable, nil
}

func (c *call) standings(models []providers.Model) ([]meter.Standing, error) {
	ids := make([]string, len(models))
	for i, m := range models {
		ids[i] = m.ID
	}
	return c.g.Meter.Standings(c.r.Context(), []meter.Person{c.person}, ids)
}

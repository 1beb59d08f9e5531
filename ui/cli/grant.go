package cli

import (
	"context"
	"errors"

	"perdiem/meter"
)

type grantCmd struct {
	Person   string `arg:"" help:"Name or id."`
	Model    string `arg:"" help:"A model's id or alias."`
	Requests amount `help:"Requests more, today." placeholder:"N"`
	Tokens   amount `help:"Tokens more, today." placeholder:"N"`
}

func (c grantCmd) Run(ctx context.Context, s *session) error {
	if c.Requests.given && c.Requests.n == nil || c.Tokens.given && c.Tokens.n == nil {
		return errors.New("a grant is a number; for no limit at all set the allowance: perdiem allow")
	}
	var requests, tokens int64
	if c.Requests.n != nil {
		requests = *c.Requests.n
	}
	if c.Tokens.n != nil {
		tokens = *c.Tokens.n
	}
	if requests+tokens == 0 {
		return errors.New("how much? give --requests, --tokens or both")
	}
	app, err := s.books(ctx)
	if err != nil {
		return err
	}
	p, err := findPerson(ctx, app.Meter, c.Person)
	if err != nil {
		return err
	}
	model, err := findModel(ctx, app, c.Model)
	if err != nil {
		return err
	}
	if err := app.Meter.Grant(ctx, p.ID, model, requests, tokens); err != nil {
		return err
	}
	value := struct {
		Name     string `json:"name"`
		Model    string `json:"modelId"`
		Requests int64  `json:"grantedRequests"`
		Tokens   int64  `json:"grantedTokens"`
	}{p.Name, model, requests, tokens}
	return s.say(value, "Granted %s today, of %s: %s more requests, %s more tokens.", p.Name, model, meter.Group(requests), meter.Group(tokens))
}

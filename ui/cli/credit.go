package cli

import (
	"context"
	"errors"

	"perdiem/meter"
)

type creditCmd struct {
	Person string `arg:"" help:"Name or id."`
	Add    money  `help:"Dollars to pay in." placeholder:"$" xor:"what"`
	Take   money  `help:"Dollars to take out again." placeholder:"$" xor:"what"`
	Note   string `help:"What it is for; kept with the entry."`
}

// credit is how a person's credit is told in JSON.
type credit struct {
	Person  string `json:"person"`
	PaidIn  int64  `json:"paidInMicroUSD"`
	Spent   int64  `json:"spentMicroUSD"`
	Held    int64  `json:"heldMicroUSD"`
	Balance int64  `json:"balanceMicroUSD"`
}

func (c creditCmd) Run(ctx context.Context, s *session) error {
	if c.Add.given && c.Add.n == nil || c.Take.given && c.Take.n == nil {
		return errors.New("credit is a sum of money, such as 5 or 2.50")
	}
	app, err := s.books(ctx)
	if err != nil {
		return err
	}
	p, err := findPerson(ctx, app.Meter, c.Person)
	if err != nil {
		return err
	}
	switch {
	case c.Add.given:
		err = app.Meter.AddCredit(ctx, p.ID, *c.Add.n, c.Note)
	case c.Take.given:
		err = app.Meter.AddCredit(ctx, p.ID, -*c.Take.n, c.Note)
	}
	if err != nil {
		return err
	}
	now, err := app.Meter.Credit(ctx, p.ID)
	if err != nil {
		return err
	}
	return s.say(credit{p.Name, now.PaidIn, now.Spent, now.Held, now.Balance()}, "%s has %s of credit left: %s paid in, %s spent, %s held.",
		p.Name, meter.Dollars(now.Balance()), meter.Dollars(now.PaidIn), meter.Dollars(now.Spent), meter.Dollars(now.Held))
}

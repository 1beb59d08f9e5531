package cli

import (
	"context"
	"time"

	"perdiem/gateway/lan"
)

type findCmd struct {
	Wait span `help:"How long to wait for answers." default:"2s" placeholder:"TIME"`
}

func (c findCmd) Run(ctx context.Context, s *session) error {
	found, err := lan.Find(ctx, time.Duration(c.Wait))
	if err != nil {
		return err
	}
	if found == nil {
		found = []lan.Found{}
	}
	t := table{
		heading: []string{"GATEWAY", "ADDRESS"},
		empty:   "No gateway is announced in this network. Ask its owner for the address, which the window shows.",
	}
	for _, f := range found {
		t.rows = append(t.rows, []string{f.Name, f.URL})
	}
	return s.show(found, func() error { return t.print(s.Out) })
}

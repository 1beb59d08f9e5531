package cli

import (
	"context"
	"errors"
	"time"

	"perdiem/gateway/boot"
	"perdiem/ui/cli/connect"
	"perdiem/ui/live"
)

type personJoinCmd struct {
	Person string `arg:"" help:"Name or id."`
	URL    string `name:"url" help:"The gateway's address for them (default: this machine's first in the LAN)." placeholder:"URL"`
}

func (c personJoinCmd) Run(ctx context.Context, s *session, app *boot.App) error {
	p, err := findPerson(ctx, app.Meter, c.Person)
	if err != nil {
		return err
	}
	link, err := joinAt(ctx, app, c.URL)
	if err != nil {
		return err
	}
	code, expires, err := app.Meter.MakeJoinCode(ctx, p.ID)
	if err != nil {
		return err
	}
	link.Code = code
	value := struct {
		Name      string    `json:"name"`
		Link      string    `json:"link"`
		ExpiresAt time.Time `json:"expiresAt"`
	}{p.Name, link.Link(), expires}
	return s.say(value, "A join link for %s, good until %s UTC, for one device, shown this once:\n\n  %s\n\nThey open it in a browser, or set a tool up with it:\n\n  perdiem connect claude-code --write --join '%s'",
		p.Name, expires.UTC().Format("15:04"), value.Link, value.Link)
}

// joinAt is a join link without its code: where the gateway is, and what its certificate must show.
func joinAt(ctx context.Context, app *boot.App, url string) (live.Join, error) {
	var link live.Join
	if url != "" {
		base, err := connect.Base(url)
		if err != nil {
			return link, err
		}
		link.Base = base
	} else if all := app.Addresses(); len(all) > 0 {
		link.Base = all[0].URL
	} else {
		return link, errors.New("this machine has no address that others could use; give one with --url")
	}
	h, err := app.HTTPS(ctx)
	if len(h.CA) > 0 {
		link.Fingerprint = h.Fingerprint
	}
	return link, err
}

package ui

import (
	"context"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"perdiem/ui/live"
)

// askJoin makes a join link for the person in focus and shows it, once.
func (v *personPanel) askJoin() {
	d, id, name := v.p.d, v.who.ID, v.who.Name
	addresses := d.services.Gateway.Addresses()
	if len(addresses) == 0 {
		d.shell.tell(colorSpent, "The gateway has no address that others could use.")
		return
	}
	var link live.Join
	var until time.Time
	d.work(quick, func(ctx context.Context) (err error) {
		link = live.Join{Base: addresses[0].URL}
		if link.Fingerprint, err = d.fingerprint(ctx); err != nil {
			return err
		}
		link.Code, until, err = d.services.Meter.MakeJoinCode(ctx, id)
		return err
	}, func(err error) {
		if err != nil {
			d.shell.tell(colorSpent, "No link was made: "+live.Plain(err))
			return
		}
		d.showJoin(name, link.Link(), until)
	})
}

// fingerprint is what a join link says of the certificate to trust; empty where there is none.
func (d *Desk) fingerprint(ctx context.Context) (string, error) {
	h, err := d.services.House.HTTPS(ctx)
	if err != nil || len(h.CA) == 0 {
		return "", err
	}
	return h.Fingerprint, nil
}

// showJoin shows a link that is good for one device, and the ways to use it.
func (d *Desk) showJoin(name, link string, until time.Time) {
	once := widget.NewLabel("Send this link to " + name + ". It gives one device a pass of its own, and is good until " + until.Local().Format("15:04") +
		". Another link ends this one.")
	left := stack(edge, paragraph(once), labelled("Link, for a browser", newCopyField(link).content),
		labelled("Or for a terminal, to set up a tool", newCopyField("perdiem connect claude-code --write --join '"+link+"'").content))
	var body fyne.CanvasObject = left
	if code, err := newQR(link); err == nil {
		note := caption("The link, for a phone")
		note.align = fyne.TextAlignCenter
		body = container.NewBorder(nil, nil, nil, inset(stack(4, sized(code, 176, 176), note), 0, 0, 0, edge), left)
	} // else the link stands there all the same
	s := d.openSheet("A join link for "+name, sized(body, 720, 0), action{label: "Done"})
	s.cancel.Hide() // there is nothing to take back: the link ends by itself
}

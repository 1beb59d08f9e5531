package ui

import (
	"cmp"
	"context"
	"errors"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"perdiem/meter"
	"perdiem/ui/live"
)

// refusalDesk is what the page of refusals writes.
type refusalDesk interface {
	live.RemedyDesk
	SuspendPerson(ctx context.Context, id string, suspended bool) error
}

// refusals is the log of every "no": why, for how long, and what one click can do about it.
type refusals struct {
	d      *Desk
	body   fyne.CanvasObject
	list   *refusalList
	search *entry
	all    []live.Refusal
	titles map[string]string // of models, by id: what callers are told
	seq    int64             // the refusal in focus
	chosen *live.Refusal

	detail  *fyne.Container
	pane    *either
	why     *text
	who     *text
	words   *widget.Label
	figures *widget.Label
	ends    *text
	raise   *widget.Button
	grant   *widget.Button
	resume  *widget.Button
	none    *widget.Label
}

func newRefusals(d *Desk) *refusals {
	empty := emptyState(barredIcon, "Nobody was refused", "When a request is turned away, it stands here with the reason, the figures and when it ends.", nil)
	r := &refusals{d: d, list: newRefusalList(empty), search: newEntry("Find a person, model or reason"), why: subheading("").clipped(), who: caption("").clipped(), ends: newText("").quiet()}
	r.words, r.figures, r.none = widget.NewLabel(""), widget.NewLabel(""), widget.NewLabel("")
	r.list.chosen = func(one live.Refusal) { r.seq = one.Seq; r.explain() }
	r.search.OnChanged = func(string) { r.redraw() }
	r.search.escape = func() { r.search.SetText("") }
	r.raise = widget.NewButton("", func() { r.remedy("raise the allowance", live.RaiseFor) })
	r.raise.Importance = widget.HighImportance
	r.grant = widget.NewButton("", func() { r.remedy("grant more for today", live.GrantFor) })
	r.resume = widget.NewButton("Resume this person", func() {
		id := r.chosen.PersonID
		r.d.act("resume this person", func(ctx context.Context) error { return r.d.services.Meter.SuspendPerson(ctx, id, false) })
	})
	buttons := container.New(layout.NewCustomPaddedVBoxLayout(gap), r.raise, r.grant, r.resume, paragraph(r.none))
	r.detail = stack(gap, stack(0, r.why, r.who), paragraph(r.words), paragraph(r.figures), r.ends, buttons)
	nothing := quietWords("Choose a refusal to see what can be done.")
	r.pane = newEither(container.NewVScroll(r.detail), nothing)
	r.pane.show(false)
	head := across(heading("Refusals"), sized(r.search, 280, 0))
	r.body = container.NewBorder(inset(head, 0, 0, edge, 0), nil, nil, sized(panel(r.pane.content), 320, 0), inset(panel(r.list.content), 0, gap, 0, 0))
	return r
}

func (r *refusals) title() string              { return "Refusals" }
func (r *refusals) icon() fyne.Resource        { return barredIcon }
func (r *refusals) content() fyne.CanvasObject { return r.body }
func (r *refusals) add()                       {}
func (r *refusals) find()                      { r.d.window.Canvas().Focus(r.search) }

func (r *refusals) load(ctx context.Context) (func(), error) {
	models, err := r.d.services.Registry.Models(ctx)
	if err != nil {
		return nil, err
	}
	titles := make(map[string]string, len(models))
	for _, m := range models {
		titles[m.ID] = m.Title
	}
	all, err := live.ReadRefusals(ctx, r.d.services.Meter, meter.RefusalFilter{})
	return func() { r.all, r.titles = all, titles; r.redraw() }, err
}

func (r *refusals) tick(now time.Time) func() {
	return func() {
		r.list.turn(now)
		if r.chosen != nil {
			r.ends.say(sentenceEnds(*r.chosen, now))
		}
	}
}

func sentenceEnds(one live.Refusal, now time.Time) string {
	if one.Figures.NeverFits {
		return "Waiting does not help: it would not fit a fresh day."
	}
	switch ends := one.Ends(now); ends {
	case "over":
		return "This is over."
	case "until changed":
		return "This lasts until somebody changes it."
	default:
		return "This ends " + ends + "."
	}
}

func (r *refusals) redraw() {
	shown := live.MatchingRefusals(r.all, r.search.Text)
	r.list.set(shown)
	if len(r.all) > 0 {
		r.list.show.show(true)
	}
	r.explain()
}

// explain shows the refusal in focus, and what can be done about it.
func (r *refusals) explain() {
	r.chosen = nil
	for i := range r.all {
		if r.all[i].Seq == r.seq {
			r.chosen = &r.all[i]
		}
	}
	r.pane.show(r.chosen != nil)
	if r.chosen == nil {
		return
	}
	one := *r.chosen
	now := r.d.services.Now()
	r.why.say(one.Why)
	r.who.say(one.Who + " · " + orDash(one.Model) + " · " + one.At.Local().Format("2 Jan, 15:04:05"))
	r.words.SetText("They were told: “" + one.Words(one.At, cmp.Or(r.titles[one.Model], one.Model)) + "”")
	r.figures.SetText(one.FigureWords())
	r.figures.Hidden = r.figures.Text == ""
	r.ends.say(sentenceEnds(one, now))
	r.resume.Hidden = one.Reason != meter.PersonSuspended
	r.raise.Hidden, r.grant.Hidden = one.Raise == nil, one.Raise == nil
	if one.Raise != nil {
		r.raise.SetText("Raise to " + meter.Group(one.Raise.To) + " " + one.Raise.Unit() + " a day")
		r.grant.SetText("Grant " + meter.Group(one.Raise.Grant) + " more " + one.Raise.Unit() + " for today")
	}
	r.none.SetText(one.Advice())
	r.none.Hidden = r.none.Text == ""
	r.detail.Refresh()
}

// remedy does what one button says about the refusal in focus.
func (r *refusals) remedy(doing string, do func(context.Context, live.RemedyDesk, live.Refusal) error) {
	one := *r.chosen
	r.d.work(quick, func(ctx context.Context) error { return do(ctx, r.d.services.Meter, one) }, func(err error) {
		switch {
		case errors.Is(err, live.ErrEnough):
			r.d.shell.tell(theme.ColorNamePrimary, live.Plain(err)+".")
		case err != nil:
			r.d.shell.tell(colorSpent, "Could not "+doing+": "+live.Plain(err))
		default:
			r.d.shell.tell(theme.ColorNamePrimary, one.Who+" can go on with "+one.Model+" from the next request.")
		}
	})
}

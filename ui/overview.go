package ui

import (
	"context"
	"fmt"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"perdiem/meter"
	"perdiem/ui/live"
)

// overview is today at a glance: the gateway, the totals, what is running, the day by hour, ceilings, latest refusals.
type overview struct {
	d        *Desk
	body     fyne.CanvasObject
	gate     *gatePanel
	requests *stat
	tokens   *stat
	cost     *stat
	refused  *stat
	report   *reportPanel
	guide    *guide
	place    *either // the guide, or the day
	flights  *flightList
	ceilings *ceilingList
	latest   *refusalList
	worst    *worstPanel
	models   []string
	form     *ceilingForm // opened last
}

func newOverview(d *Desk) *overview {
	o := &overview{d: d, gate: newGatePanel(d), report: newReportPanel(d), flights: newFlightList(), ceilings: newCeilingList(), worst: newWorstPanel(d), latest: newRefusalList(quietWords("Nobody was refused."))}
	o.requests, o.tokens, o.cost, o.refused = newStat("Requests"), newStat("Tokens"), newStat("Cost"), newStat("Refusals")
	o.ceilings.chosen = o.editCeiling
	o.latest.chosen = func(live.Refusal) { d.goTo(pageRefusals) }
	stats := container.New(shares{1, 1, 1, 1}, panel(o.requests.content), panel(o.tokens.content), panel(o.cost.content), panel(o.refused.content))
	ceiling := widget.NewButton("Add a ceiling", o.addCeiling)
	ceiling.Importance = widget.LowImportance
	top := container.New(shares{3, 2}, o.report.content, titled("In flight", o.flights.content))
	below := container.New(shares{3, 2}, titled("Latest refusals", o.latest.content), titled("Ceilings", o.ceilings.content, ceiling))
	try := widget.NewButton("Try it", d.tryIt)
	head := stack(gap, inset(across(heading("Overview"), try), 0, 0, gap, 0), o.gate.content, o.worst.content)
	day := container.NewBorder(inset(stats, 0, 0, gap, 0), nil, nil, nil, container.New(halves{}, top, below))
	o.guide = newGuide(d)
	o.place = newEither(o.guide.content, day)
	o.place.show(false)
	o.body = container.NewBorder(inset(head, 0, 0, gap, 0), nil, nil, nil, o.place.content)
	o.gate.grown, o.worst.grown = o.body.Refresh, o.body.Refresh
	return o
}

func (o *overview) title() string              { return "Overview" }
func (o *overview) icon() fyne.Resource        { return theme.HomeIcon() }
func (o *overview) content() fyne.CanvasObject { return o.body }
func (o *overview) add()                       {}
func (o *overview) find()                      { o.d.findAnywhere() }

func (o *overview) load(ctx context.Context) (func(), error) {
	models, err := live.ModelIDs(ctx, o.d.services.Registry)
	if err != nil {
		return nil, err
	}
	how, err := live.ReadGuide(ctx, o.d.services.Meter, o.d.services.Registry)
	if err != nil {
		return nil, err
	}
	report, err := live.ReadReport(ctx, o.d.services.Meter, live.Kind(o.report.wanted.Load()), o.d.services.Now())
	if err != nil {
		return nil, err
	}
	today, err := live.ReadOverview(ctx, o.d.services.Meter, o.d.services.Now())
	return func() { o.models = models; o.report.set(report); o.show(today, how) }, err
}

func (o *overview) show(today live.Overview, how live.Guide) {
	o.guide.set(how)
	o.place.show(o.guide.needed(how))
	t := today.Totals
	o.requests.set(meter.Group(t.Requests), heldWords(t.HeldRequests, "running"))
	o.tokens.set(meter.Group(t.Tokens), fmt.Sprintf("%s in, %s out", meter.Group(t.InputTokens), meter.Group(t.OutputTokens)))
	o.cost.set(live.Cents(t.CostMicroUSD), "at list prices")
	o.refused.set(meter.Group(t.Refusals), "today")
	o.ceilings.set(today.Ceilings)
	o.latest.set(today.Refusals)
	o.worst.set(today.Worst)
}

// tick follows what moves without a commit: the gateway's state and the streams in flight.
func (o *overview) tick(now time.Time) func() {
	gate := readGate(o.d.services.Gateway)
	flights := o.d.services.Gateway.InFlight()
	return func() {
		o.gate.set(gate)
		o.flights.set(flights, now)
		o.latest.turn(now)
	}
}

func heldWords(n int64, what string) string {
	if n == 0 {
		return "none " + what
	}
	return meter.Group(n) + " " + what
}

// stat is one figure of the day under its name, with what it consists of.
type stat struct {
	content        fyne.CanvasObject
	figure, detail *text
}

func newStat(name string) *stat {
	s := &stat{figure: heading("–"), detail: caption("").clipped()}
	s.figure.clipped()
	s.content = stack(2, caption(name), s.figure, s.detail)
	return s
}

func (s *stat) set(figure, detail string) {
	s.figure.say(figure)
	s.detail.say(detail)
}

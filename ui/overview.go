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
	chart    *dayChart
	first    *either // the next step of a first run, or the chart of the day
	flights  *flightList
	ceilings *ceilingList
	latest   *refusalList
}

func newOverview(d *Desk) *overview {
	o := &overview{d: d, gate: newGatePanel(d), chart: newDayChart(), flights: newFlightList(), ceilings: newCeilingList(), latest: newRefusalList(quietWords("Nobody was refused."))}
	o.requests, o.tokens, o.cost, o.refused = newStat("Requests"), newStat("Tokens"), newStat("Cost"), newStat("Refusals")
	o.latest.chosen = func(live.Refusal) { d.goTo(len(d.pages) - 1) }
	stats := container.NewGridWithColumns(4, panel(o.requests.content), panel(o.tokens.content), panel(o.cost.content), panel(o.refused.content))
	start := widget.NewButton("Add the first person", func() { d.goTo(1); d.inView().add() })
	o.first = newEither(o.chart, emptyState(theme.AccountIcon(), "Nobody is on the team yet",
		"Add a provider with its key on the page Models & providers, then the first person. They get a pass to use with this gateway's address.", start))
	top := stack(gap, o.gate.content, stats)
	lower := container.NewGridWithColumns(2,
		titled("In flight", o.flights.content),
		titled("Ceilings", o.ceilings.content))
	middle := container.NewGridWithRows(3, titled("Today by hour, in tokens", o.first.content), lower, titled("Latest refusals", o.latest.content))
	o.body = container.NewBorder(stack(gap, heading("Overview"), top, sized(newText(""), 0, 0)), nil, nil, nil, middle)
	return o
}

func (o *overview) title() string              { return "Overview" }
func (o *overview) icon() fyne.Resource        { return theme.HomeIcon() }
func (o *overview) content() fyne.CanvasObject { return o.body }
func (o *overview) add()                       {}
func (o *overview) find()                      {}

func (o *overview) load(ctx context.Context) (func(), error) {
	today, err := live.ReadOverview(ctx, o.d.services.Meter, o.d.services.Now())
	return func() { o.show(today) }, err
}

func (o *overview) show(today live.Overview) {
	t := today.Totals
	o.requests.set(meter.Group(t.Requests), heldWords(t.HeldRequests, "running"))
	o.tokens.set(meter.Group(t.Tokens), fmt.Sprintf("%s in, %s out", meter.Group(t.InputTokens), meter.Group(t.OutputTokens)))
	o.cost.set(meter.Dollars(t.CostMicroUSD), "at list prices")
	o.refused.set(meter.Group(t.Refusals), "today")
	o.first.show(today.People > 0)
	o.chart.set(today.Hours, today.Hour)
	o.ceilings.set(today.Ceilings)
	o.latest.set(today.Refusals)
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

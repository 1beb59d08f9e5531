package ui

import (
	"fmt"
	"image/png"
	"io"
	"sync/atomic"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/software"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"perdiem/meter"
	"perdiem/ui/live"
)

// reportPanel shows what was used: over today or the last days as columns, by person or model as rows with bars.
type reportPanel struct {
	content fyne.CanvasObject
	d       *Desk
	kind    *choice
	wanted  atomic.Int32 // a live.Kind: set by clicks, read by the pump
	drawing *reportDrawing
	report  live.Report
}

func newReportPanel(d *Desk) *reportPanel {
	p := &reportPanel{d: d, drawing: newReportDrawing()}
	p.kind = newChoice(func() { p.wanted.Store(int32(p.kind.chosen)); d.pump.Reload() }, "Today", "30 days", "People", "Models")
	save := widget.NewButtonWithIcon("", theme.DocumentSaveIcon(), p.askSave)
	save.Importance = widget.LowImportance
	p.content = panel(container.NewBorder(inset(across(p.kind.content, save), 0, 0, gap, 0), nil, nil, nil, p.drawing.content))
	return p
}

func (p *reportPanel) set(r live.Report) {
	p.report = r
	p.drawing.set(r)
}

// reportDrawing is a report without what surrounds it on the screen, so that it can be drawn into a picture too.
type reportDrawing struct {
	content fyne.CanvasObject
	either  *either
	columns *columnChart
	rows    *rowChart
}

func newReportDrawing() *reportDrawing {
	g := &reportDrawing{columns: newColumnChart(), rows: newRowChart()}
	g.either = newEither(g.columns, g.rows.content)
	g.content = g.either.content
	return g
}

func (g *reportDrawing) set(r live.Report) {
	over := r.Kind == live.ByHour || r.Kind == live.ByDay
	g.either.show(over)
	if over {
		g.columns.set(r)
	} else {
		g.rows.set(r)
	}
}

// rowChart is a list of names, each with its figures over a bar of its share.
type rowChart struct {
	content fyne.CanvasObject
	list    *widget.List
	show    *either
	report  live.Report
	peak    int64
}

func newRowChart() *rowChart {
	c := &rowChart{}
	c.list = widget.NewList(func() int { return len(c.report.Rows) },
		func() fyne.CanvasObject {
			b := newBar()
			b.plain = true
			return inset(stack(2, container.NewBorder(nil, nil, nil, newText(""), newText("").clipped()), b), 2, rowInset+4, 2, 0)
		},
		func(i widget.ListItemID, o fyne.CanvasObject) {
			row := c.report.Rows[i]
			column := o.(*fyne.Container).Objects[0].(*fyne.Container)
			words := column.Objects[0].(*fyne.Container)
			words.Objects[0].(*text).say(row.Name)
			words.Objects[1].(*text).set(meter.Group(row.Tokens)+" tokens · "+live.Cents(row.CostMicroUSD), colorQuiet)
			words.Refresh()
			column.Objects[1].(*bar).set(live.Budget{Used: row.Tokens, Max: &c.peak})
		})
	c.list.HideSeparators = true
	c.show = newEither(c.list, quietWords("Nothing in the last 30 days."))
	c.content = c.show.content
	return c
}

func (c *rowChart) set(r live.Report) {
	c.report, c.peak = r, 1
	for _, row := range r.Rows {
		c.peak = max(c.peak, row.Tokens)
	}
	c.show.show(len(r.Rows) > 0)
	c.list.Refresh()
}

// writePicture draws a report into a PNG, in the look of the window.
func writePicture(r live.Report, at time.Time, th fyne.Theme, to io.Writer) error {
	g := newReportDrawing()
	g.set(r)
	height := float32(480)
	if r.Kind == live.ByPerson || r.Kind == live.ByModel {
		height = max(160, 96+float32(len(r.Rows))*48) // every row, whatever is in sight on the screen
	}
	head := across(subheading(r.Kind.Title()+", in tokens"), caption("Perdiem, "+at.UTC().Format("2 January 2006 15:04")+" UTC"))
	whole := container.NewStack(newGround(colorPanel, 0), sized(inset(container.NewBorder(inset(head, 0, 0, edge, 0), nil, nil, nil, g.content), edge, edge, edge, edge), 960, height))
	if err := png.Encode(to, software.Render(whole, th)); err != nil {
		return fmt.Errorf("draw the picture: %w", err)
	}
	return nil
}

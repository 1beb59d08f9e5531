package ui

import (
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"perdiem/ui/live"
)

// columnChart draws a report over time, a column of tokens for each hour or day. The pointer over one writes its full
// figures above the columns.
type columnChart struct {
	widget.BaseWidget
	report live.Report
	over   int // the column under the pointer, or -1
}

var _ desktop.Hoverable = (*columnChart)(nil)

func newColumnChart() *columnChart {
	c := &columnChart{over: -1}
	c.ExtendBaseWidget(c)
	return c
}

// set changes the report shown, and redraws it only if that differs.
func (c *columnChart) set(r live.Report) {
	if c.report.Same(r) {
		return
	}
	if len(r.Rows) != len(c.report.Rows) {
		c.over = -1
	}
	c.report = r
	c.Refresh()
}

// words describe the column under the pointer, or the busiest one.
func (c *columnChart) words() string {
	if c.over >= 0 {
		return c.report.Rows[c.over].Words()
	}
	if i := c.report.Busiest(); i >= 0 {
		return "Busiest: " + c.report.Rows[i].Words()
	}
	if c.report.Kind == live.ByHour {
		return "Nothing yet today."
	}
	return "Nothing in the last 30 days."
}

// marks are what stands below the columns, each with the column before which it stands.
func (c *columnChart) marks() (at []int, words []string) {
	if c.report.Kind == live.ByHour {
		for h := 0; h <= 24; h += 6 {
			at, words = append(at, h), append(words, fmt.Sprintf("%02d", h))
		}
		return at, words
	}
	for i := 0; i < len(c.report.Rows); i += 7 {
		at, words = append(at, i), append(words, c.report.Rows[i].Name[len("2026-"):])
	}
	return at, words
}

// MouseIn implements desktop.Hoverable.
func (c *columnChart) MouseIn(e *desktop.MouseEvent) { c.MouseMoved(e) }

// MouseMoved implements desktop.Hoverable.
func (c *columnChart) MouseMoved(e *desktop.MouseEvent) {
	n := len(c.report.Rows)
	if n == 0 {
		return
	}
	over := min(n-1, max(0, int(e.Position.X/(c.Size().Width/float32(n)))))
	if over != c.over {
		c.over = over
		c.Refresh()
	}
}

// MouseOut implements desktop.Hoverable.
func (c *columnChart) MouseOut() { c.over = -1; c.Refresh() }

// CreateRenderer implements fyne.Widget.
func (c *columnChart) CreateRenderer() fyne.WidgetRenderer {
	r := &chartRenderer{c: c, words: caption("").clipped(), base: newGround(theme.ColorNameSeparator, 0)}
	r.Refresh()
	return r
}

type chartRenderer struct {
	c       *columnChart
	words   *text
	base    *ground
	columns []*canvas.Rectangle
	marks   []*text
	objects []fyne.CanvasObject
}

// fill makes as many columns and marks as the report has.
func (r *chartRenderer) fill() {
	_, words := r.c.marks()
	for len(r.columns) < len(r.c.report.Rows) {
		r.columns = append(r.columns, canvas.NewRectangle(nil))
	}
	for len(r.marks) < len(words) {
		r.marks = append(r.marks, caption(""))
	}
	r.columns, r.marks = r.columns[:len(r.c.report.Rows)], r.marks[:len(words)]
	r.objects = []fyne.CanvasObject{r.words, r.base}
	for _, column := range r.columns {
		r.objects = append(r.objects, column)
	}
	for i, m := range r.marks {
		m.say(words[i])
		r.objects = append(r.objects, m)
	}
}

func (r *chartRenderer) Layout(size fyne.Size) {
	top, foot := r.words.MinSize().Height+gap, caption("0").MinSize().Height+2
	r.words.Resize(fyne.NewSize(size.Width, top-gap))
	floor := size.Height - foot
	slot := size.Width / float32(max(1, len(r.columns)))
	peak := int64(1)
	for _, row := range r.c.report.Rows {
		peak = max(peak, row.Tokens)
	}
	for i, rect := range r.columns {
		row := r.c.report.Rows[i]
		height := float32(row.Tokens) / float32(peak) * (floor - top)
		if row.Requests > 0 {
			height = max(height, 2) // a time with a call is never shown as an empty one
		}
		rect.Move(fyne.NewPos(float32(i)*slot+slot*0.15, floor-height))
		rect.Resize(fyne.NewSize(slot*0.7, max(0, height)))
		rect.Hidden = height <= 0
	}
	r.base.Move(fyne.NewPos(0, floor))
	r.base.Resize(fyne.NewSize(size.Width, 1))
	at, _ := r.c.marks()
	for i, m := range r.marks {
		w := m.MinSize().Width
		x := min(max(0, float32(at[i])*slot-w/2), size.Width-w)
		m.Move(fyne.NewPos(x, floor+2))
		m.Resize(m.MinSize())
	}
}

func (r *chartRenderer) Refresh() {
	r.fill()
	for i, rect := range r.columns {
		rect.CornerRadius = 2
		rect.FillColor = toneColor(r.c, colorHeld)
		if i == r.c.report.Now || i == r.c.over {
			rect.FillColor = toneColor(r.c, theme.ColorNamePrimary)
		}
	}
	r.words.say(r.c.words())
	r.Layout(r.c.Size())
	for _, o := range r.objects {
		o.Refresh()
	}
}

func (r *chartRenderer) MinSize() fyne.Size           { return fyne.NewSize(240, 120) }
func (r *chartRenderer) Objects() []fyne.CanvasObject { return r.objects }
func (r *chartRenderer) Destroy()                     {}

package ui

import (
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"perdiem/meter"
	"perdiem/ui/live"
)

// dayChart draws the 24 UTC hours of today as columns of tokens. Hours to come are bare track; the pointer over an hour
// writes its full figures above the columns.
type dayChart struct {
	widget.BaseWidget
	hours [24]meter.Hour
	now   int // the current UTC hour
	over  int // the hour under the pointer, or -1
}

var _ desktop.Hoverable = (*dayChart)(nil)

func newDayChart() *dayChart {
	c := &dayChart{over: -1}
	c.ExtendBaseWidget(c)
	return c
}

// set changes the day shown, and redraws only if that differs.
func (c *dayChart) set(hours [24]meter.Hour, now int) {
	if c.hours == hours && c.now == now {
		return
	}
	c.hours, c.now = hours, now
	c.Refresh()
}

// words describe the hour under the pointer, or the day's busiest one.
func (c *dayChart) words() string {
	h, lead := c.over, ""
	if h < 0 {
		if h = c.busiest(); h < 0 {
			return "Nothing yet today."
		}
		lead = "Busiest: "
	}
	hour := c.hours[h]
	return fmt.Sprintf("%s%02d:00–%02d:00 UTC · %s · %s · %s", lead, h, (h+1)%24, live.Many(hour.Tokens, "token"), live.Many(hour.Requests, "request"), live.Cents(hour.CostMicroUSD))
}

// busiest is the hour with the most tokens, or with requests where no tokens were counted; -1 on an empty day.
func (c *dayChart) busiest() int {
	best := -1
	for i, h := range c.hours {
		if h.Requests > 0 && (best < 0 || h.Tokens > c.hours[best].Tokens) {
			best = i
		}
	}
	return best
}

// MouseIn implements desktop.Hoverable.
func (c *dayChart) MouseIn(e *desktop.MouseEvent) { c.MouseMoved(e) }

// MouseMoved implements desktop.Hoverable.
func (c *dayChart) MouseMoved(e *desktop.MouseEvent) {
	over := min(23, max(0, int(e.Position.X/(c.Size().Width/24))))
	if over != c.over {
		c.over = over
		c.Refresh()
	}
}

// MouseOut implements desktop.Hoverable.
func (c *dayChart) MouseOut() { c.over = -1; c.Refresh() }

// CreateRenderer implements fyne.Widget.
func (c *dayChart) CreateRenderer() fyne.WidgetRenderer {
	r := &chartRenderer{c: c, words: caption("").clipped(), base: newGround(theme.ColorNameSeparator, 0)}
	r.objects = []fyne.CanvasObject{r.words, r.base}
	for i := range r.columns {
		r.columns[i] = canvas.NewRectangle(nil)
		r.objects = append(r.objects, r.columns[i])
	}
	for i := range r.marks {
		r.marks[i] = caption(fmt.Sprintf("%02d", i*6))
		r.objects = append(r.objects, r.marks[i])
	}
	r.Refresh()
	return r
}

type chartRenderer struct {
	c       *dayChart
	words   *text
	base    *ground
	columns [24]*canvas.Rectangle
	marks   [5]*text // 00, 06, 12, 18, 24
	objects []fyne.CanvasObject
}

func (r *chartRenderer) Layout(size fyne.Size) {
	top, foot := r.words.MinSize().Height+gap, r.marks[0].MinSize().Height+2
	r.words.Resize(fyne.NewSize(size.Width, top-gap))
	floor, slot := size.Height-foot, size.Width/24
	peak := int64(1)
	for _, h := range r.c.hours {
		peak = max(peak, h.Tokens)
	}
	for i, rect := range r.columns {
		height := float32(r.c.hours[i].Tokens) / float32(peak) * (floor - top)
		if r.c.hours[i].Requests > 0 {
			height = max(height, 2) // an hour with a call is never shown as an empty one
		}
		rect.Move(fyne.NewPos(float32(i)*slot+slot*0.15, floor-height))
		rect.Resize(fyne.NewSize(slot*0.7, height))
		rect.Hidden = height == 0
	}
	r.base.Move(fyne.NewPos(0, floor))
	r.base.Resize(fyne.NewSize(size.Width, 1))
	for i, m := range r.marks {
		w := m.MinSize().Width
		x := min(max(0, float32(i)*6*slot-w/2), size.Width-w)
		m.Move(fyne.NewPos(x, floor+2))
		m.Resize(m.MinSize())
	}
}

func (r *chartRenderer) Refresh() {
	for i, rect := range r.columns {
		rect.CornerRadius = 2
		rect.FillColor = toneColor(r.c, colorHeld)
		if i == r.c.now || i == r.c.over {
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

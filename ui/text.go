package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// text is one line of text, far cheaper in lists than a Label: it redraws only when something changed, and is cut with an
// ellipsis only when told to be (a Label's ellipsis makes a list sixty times slower).
type text struct {
	widget.BaseWidget
	value string
	tone  fyne.ThemeColorName
	size  fyne.ThemeSizeName
	bold  bool
	align fyne.TextAlign
	clip  bool // cut to the width given, instead of asking for width
	tail  bool // it is the end that is kept where it is cut
}

func newText(value string) *text {
	t := &text{value: value, tone: theme.ColorNameForeground, size: theme.SizeNameText}
	t.ExtendBaseWidget(t)
	return t
}

// caption is small, quiet text that explains a figure beside it.
func caption(value string) *text {
	t := newText(value)
	t.tone, t.size = colorQuiet, theme.SizeNameCaptionText
	return t
}

// heading names a page.
func heading(value string) *text {
	t := newText(value)
	t.size, t.bold = theme.SizeNameHeadingText, true
	return t
}

// subheading names a part of a page.
func subheading(value string) *text {
	t := newText(value)
	t.size, t.bold = theme.SizeNameSubHeadingText, true
	return t
}

// clipped makes t give way: it is cut with an ellipsis where it has too little room.
func (t *text) clipped() *text { t.clip = true; return t }

// quiet draws t in the colour of what is said by the way.
func (t *text) quiet() *text { t.tone = colorQuiet; return t }

// right aligns t to the right, as figures are.
func (t *text) right() *text { t.align = fyne.TextAlignTrailing; return t }

// set changes what t says, and redraws it only if that differs.
func (t *text) set(value string, tone fyne.ThemeColorName) {
	if t.value == value && t.tone == tone {
		return
	}
	t.value, t.tone = value, tone
	t.Refresh()
}

// say changes the words alone.
func (t *text) say(value string) { t.set(value, t.tone) }

// CreateRenderer implements fyne.Widget.
func (t *text) CreateRenderer() fyne.WidgetRenderer {
	r := &textRenderer{t: t, line: canvas.NewText(t.value, nil)}
	r.Refresh()
	return r
}

type textRenderer struct {
	t    *text
	line *canvas.Text
	full fyne.Size // of the whole value
}

func (r *textRenderer) Refresh() {
	th := r.t.Theme()
	variant := fyne.CurrentApp().Settings().ThemeVariant()
	r.line.Color = th.Color(r.t.tone, variant)
	r.line.TextSize = th.Size(r.t.size)
	r.line.TextStyle = fyne.TextStyle{Bold: r.t.bold}
	r.line.Alignment = r.t.align
	r.full = whole(fyne.MeasureText(r.t.value, r.line.TextSize, r.line.TextStyle))
	r.line.Text = r.fitting(r.t.Size().Width)
	r.line.Refresh()
}

func (r *textRenderer) Layout(size fyne.Size) {
	// A line that is given more than its own height is centred in it, which puts it between two pixels.
	r.line.Resize(fyne.NewSize(size.Width, r.line.MinSize().Height))
	if fit := r.fitting(size.Width); fit != r.line.Text {
		r.line.Text = fit
		r.line.Refresh()
	}
}

// fitting cuts the value to width, by halving.
func (r *textRenderer) fitting(width float32) string {
	if !r.t.clip || width <= 0 || r.full.Width <= width {
		return r.t.value
	}
	runes := []rune(r.t.value)
	fits, over := 0, len(runes)
	for fits+1 < over {
		mid := (fits + over) / 2
		if fyne.MeasureText(r.cut(runes, mid), r.line.TextSize, r.line.TextStyle).Width <= width {
			fits = mid
		} else {
			over = mid
		}
	}
	return r.cut(runes, fits)
}

// cut keeps n of the characters.
func (r *textRenderer) cut(runes []rune, n int) string {
	if r.t.tail {
		return "…" + string(runes[len(runes)-n:])
	}
	return string(runes[:n]) + "…"
}

func (r *textRenderer) MinSize() fyne.Size {
	if r.t.clip {
		return fyne.NewSize(0, r.full.Height)
	}
	return r.full
}

func (r *textRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.line} }
func (r *textRenderer) Destroy()                     {}

package ui

import (
	"math"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

func TestEveryPageFitsASmallScreen(t *testing.T) {
	r := newRig(t)
	busyTeam(r)
	for i, p := range r.pages {
		r.open(i)
		r.focusFirst(i)
		if least := r.window.Content().MinSize(); least.Width > 1210 || least.Height > 720 {
			t.Errorf("%s needs %v, which a small laptop does not have", p.title(), least)
		}
	}
}

// TestTextIsDrawnOnWholePixels keeps descenders whole: a text that begins at a fraction of a pixel loses its last row.
func TestTextIsDrawnOnWholePixels(t *testing.T) {
	r := newRig(t)
	busyTeam(r)
	for i, p := range r.pages {
		r.open(i)
		r.focusFirst(i)
		walk(r.screen(), func(o fyne.CanvasObject) bool {
			one, ok := o.(*text)
			if !ok || one.value == "" {
				return false
			}
			y := r.app.Driver().AbsolutePositionForObject(o).Y
			if off := y - floor(y); off > 0.01 && off < 0.99 {
				t.Errorf("%s: %q is drawn at %v", p.title(), one.value, y)
			}
			return false
		})
	}
}

func TestEverySizeOfTextIsDrawnSharp(t *testing.T) {
	newRig(t)
	for size, style := range map[fyne.ThemeSizeName]fyne.TextStyle{
		theme.SizeNameText: {}, theme.SizeNameCaptionText: {},
		theme.SizeNameHeadingText: {Bold: true}, theme.SizeNameSubHeadingText: {Bold: true},
	} {
		h := fyne.MeasureText("g", theme.Size(size), style).Height
		if math.Round(float64(h)) != math.Ceil(float64(h)) {
			t.Errorf("a line of %s is %v high", size, h)
		}
	}
}

func TestLongNamesAreCutNotSpilt(t *testing.T) {
	r := newRig(t)
	words := newText("Guillermo Fernández de Córdoba y Villanueva del Río").clipped()
	r.window.SetContent(words)
	for _, width := range []float32{20, 60, 100, 200} {
		words.Resize(fyne.NewSize(width, 20))
		shown := find(words, "")
		if got := fyne.MeasureText(shown.Text, shown.TextSize, shown.TextStyle).Width; got > width {
			t.Errorf("%q is %v wide in %v", shown.Text, got, width)
		}
	}
}

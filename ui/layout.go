package ui

import (
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
)

// inset pads an object: top, right, bottom, left.
func inset(o fyne.CanvasObject, top, right, bottom, left float32) *fyne.Container {
	return container.New(onGrid{layout.NewCustomPaddedLayout(top, bottom, left, right)}, o)
}

// stack puts objects below one another, d apart.
func stack(d float32, objects ...fyne.CanvasObject) *fyne.Container {
	return container.New(stacked(d), objects...)
}

// stacked is the layout of stack: like Fyne's own, but on whole pixels. A text that is drawn from a fraction of a pixel
// down loses the ends of its descenders.
type stacked float32

// Layout implements fyne.Layout.
func (d stacked) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	y := float32(0)
	for _, o := range objects {
		if !o.Visible() {
			continue
		}
		h := whole(o.MinSize()).Height
		o.Move(fyne.NewPos(0, y))
		o.Resize(fyne.NewSize(size.Width, h))
		y += h + float32(d)
	}
}

// MinSize implements fyne.Layout.
func (d stacked) MinSize(objects []fyne.CanvasObject) fyne.Size {
	size, seen := fyne.Size{}, 0
	for _, o := range objects {
		if !o.Visible() {
			continue
		}
		least := whole(o.MinSize())
		size = fyne.NewSize(max(size.Width, least.Width), size.Height+least.Height)
		seen++
	}
	return size.AddWidthHeight(0, float32(d)*float32(max(0, seen-1)))
}

// line puts objects beside one another, d apart, texts centred on the others' middle.
func line(d float32, objects ...fyne.CanvasObject) *fyne.Container {
	for i, o := range objects {
		if _, ok := o.(*text); ok {
			objects[i] = container.New(middle{}, o)
		}
	}
	return container.New(beside(d), objects...)
}

// beside is the layout of line: like Fyne's own, but on whole pixels, so that edges are drawn sharp.
type beside float32

// Layout implements fyne.Layout. What is left of the width goes to the spacers.
func (d beside) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	spacers := 0
	for _, o := range objects {
		if isSpacer(o) {
			spacers++
		}
	}
	spare, x := floor(max(0, size.Width-d.MinSize(objects).Width)/max(1, float32(spacers))), float32(0)
	for _, o := range objects {
		if !o.Visible() {
			continue
		}
		if isSpacer(o) {
			x += spare
			continue
		}
		w := whole(o.MinSize()).Width
		o.Move(fyne.NewPos(x, 0))
		o.Resize(fyne.NewSize(w, size.Height))
		x += w + float32(d)
	}
}

// MinSize implements fyne.Layout.
func (d beside) MinSize(objects []fyne.CanvasObject) fyne.Size {
	size, seen := fyne.Size{}, 0
	for _, o := range objects {
		if !o.Visible() || isSpacer(o) {
			continue
		}
		least := whole(o.MinSize())
		size = fyne.NewSize(size.Width+least.Width, max(size.Height, least.Height))
		seen++
	}
	return size.AddWidthHeight(float32(d)*float32(max(0, seen-1)), 0)
}

func isSpacer(o fyne.CanvasObject) bool {
	s, ok := o.(layout.SpacerObject)
	return ok && s.ExpandHorizontal()
}

// onGrid makes a layout of Fyne's ask for whole pixels.
type onGrid struct{ of fyne.Layout }

// Layout implements fyne.Layout.
func (g onGrid) Layout(o []fyne.CanvasObject, size fyne.Size) { g.of.Layout(o, size) }

// MinSize implements fyne.Layout.
func (g onGrid) MinSize(o []fyne.CanvasObject) fyne.Size { return whole(g.of.MinSize(o)) }

// middle puts an object in the middle of the height it is given, on a whole pixel.
type middle struct{}

// Layout implements fyne.Layout.
func (middle) Layout(o []fyne.CanvasObject, size fyne.Size) {
	h := o[0].MinSize().Height
	o[0].Resize(fyne.NewSize(size.Width, h))
	o[0].Move(fyne.NewPos(0, floor((size.Height-h)/2)))
}

// MinSize implements fyne.Layout.
func (middle) MinSize(o []fyne.CanvasObject) fyne.Size { return o[0].MinSize() }

// whole rounds a size up to whole pixels.
func whole(s fyne.Size) fyne.Size {
	return fyne.NewSize(float32(math.Ceil(float64(s.Width))), float32(math.Ceil(float64(s.Height))))
}

func floor(f float32) float32 { return float32(math.Floor(float64(f))) }

// across puts one object at the left edge and others at the right one.
func across(left fyne.CanvasObject, right ...fyne.CanvasObject) *fyne.Container {
	return line(gap, append([]fyne.CanvasObject{left, layout.NewSpacer()}, right...)...)
}

// shares lays objects out beside one another, 8 apart, each with its share of the width.
type shares []float32

// Layout implements fyne.Layout.
func (s shares) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	all := float32(0)
	for _, one := range s {
		all += one
	}
	x, free := float32(0), size.Width-gap*float32(len(objects)-1)
	for i, o := range objects {
		w := floor(free * s[i] / all)
		if i == len(objects)-1 {
			w = size.Width - x
		}
		o.Move(fyne.NewPos(x, 0))
		o.Resize(fyne.NewSize(w, size.Height))
		x += w + gap
	}
}

// MinSize implements fyne.Layout.
func (s shares) MinSize(objects []fyne.CanvasObject) fyne.Size {
	var size fyne.Size
	for _, o := range objects {
		size = fyne.NewSize(size.Width+o.MinSize().Width, max(size.Height, o.MinSize().Height))
	}
	return size.AddWidthHeight(gap*float32(len(objects)-1), 0)
}

// halves puts two objects below one another, 8 apart, each with half the height.
type halves struct{}

// Layout implements fyne.Layout.
func (halves) Layout(o []fyne.CanvasObject, size fyne.Size) {
	half := floor((size.Height - gap) / 2)
	for i, one := range o {
		one.Move(fyne.NewPos(0, float32(i)*(half+gap)))
		one.Resize(fyne.NewSize(size.Width, half))
	}
}

// MinSize implements fyne.Layout.
func (halves) MinSize(o []fyne.CanvasObject) fyne.Size {
	a, b := o[0].MinSize(), o[1].MinSize()
	return fyne.NewSize(max(a.Width, b.Width), 2*max(a.Height, b.Height)+gap)
}

// flat lets an object stand out over the height of its line, so that headings with a button beside them are as high as
// those without.
type flat struct{}

// Layout implements fyne.Layout.
func (flat) Layout(o []fyne.CanvasObject, size fyne.Size) {
	h := whole(o[0].MinSize()).Height
	o[0].Resize(fyne.NewSize(size.Width, h))
	o[0].Move(fyne.NewPos(0, floor((size.Height-h)/2)))
}

// MinSize implements fyne.Layout.
func (flat) MinSize(o []fyne.CanvasObject) fyne.Size { return fyne.NewSize(o[0].MinSize().Width, 0) }

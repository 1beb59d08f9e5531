package ui

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"perdiem/meter"
	"perdiem/ui/live"
)

// shell is what surrounds the pages: navigation at the left, ending in the countdown to 00:00 UTC, and a line for notices.
type shell struct {
	d       *Desk
	content fyne.CanvasObject
	nav     *widget.List
	place   *fyne.Container // where the pages stand, one of them in view

	left, local *text
	second      int64 // the second that the countdown shows

	body    *fyne.Container // the notice above the place
	notice  *fyne.Container
	noteSay *widget.Label
	noteIco *widget.Icon
	unread  bool // the notice is about reading, and goes when reading works again
}

const sideWidth = 216

func newShell(d *Desk, logo fyne.Resource) *shell {
	s := &shell{d: d, place: container.NewStack(), left: newText(""), local: caption("")}
	for _, p := range d.pages { // all of them, out of sight too: else a change of theme would pass them by
		s.place.Add(p.content())
	}
	s.left.bold = true
	s.left.size = theme.SizeNameSubHeadingText

	s.nav = widget.NewList(func() int { return len(d.pages) },
		func() fyne.CanvasObject {
			return inset(line(gap+4, sized(widget.NewIcon(nil), 18, 18), newText("")), gap, gap, gap, gap)
		},
		func(id widget.ListItemID, o fyne.CanvasObject) {
			row := o.(*fyne.Container).Objects[0].(*fyne.Container)
			ico := row.Objects[0].(*fyne.Container).Objects[1].(*widget.Icon)
			ico.SetResource(theme.NewThemedResource(d.pages[id].icon()))
			row.Objects[1].(*fyne.Container).Objects[0].(*text).say(d.pages[id].title())
		})
	s.nav.HideSeparators = true
	s.nav.OnSelected = func(id widget.ListItemID) { d.goTo(id) }

	mark := canvas.NewImageFromResource(logo)
	mark.FillMode = canvas.ImageFillContain
	brand := inset(line(gap+4, sized(mark, 28, 28), subheading("Perdiem")), edge, edge, edge, edge)
	foot := inset(stack(0, caption("Allowances reset in"), s.left, s.local), edge, edge, edge, edge)
	side := container.NewStack(newGround(colorSide, 0),
		container.NewBorder(brand, foot, nil, nil, inset(s.nav, 0, gap, 0, gap)))

	s.noteSay = widget.NewLabel("")
	s.noteSay.Wrapping = fyne.TextWrapWord
	s.noteIco = widget.NewIcon(nil)
	dismiss := widget.NewButtonWithIcon("", theme.CancelIcon(), s.untell)
	dismiss.Importance = widget.LowImportance
	s.notice = inset(container.NewStack(newGround(colorPanel, gap),
		container.NewBorder(nil, nil, inset(s.noteIco, 0, 0, 0, edge), dismiss, s.noteSay)), 0, edge+gap, gap, edge+gap)
	s.notice.Hide()

	// A page that wants more room than the window has is scrolled: it must not make the window grow under the owner's hand.
	// The margins scroll too: what a scroll cuts off along its edge would lose the softness of its corners.
	room := container.NewScroll(inset(s.place, 0, edge+gap, edge+gap, edge+gap))
	room.SetMinSize(fyne.NewSize(480, 320))
	s.body = container.NewBorder(s.notice, nil, nil, nil, room)
	body := inset(s.body, edge, 0, 0, 0)
	whole := container.NewBorder(nil, nil, sized(side, sideWidth, 0), nil, container.NewStack(newGround(theme.ColorNameBackground, 0), body))
	root := container.NewWithoutLayout(whole)
	root.Layout = belowMenu{root}
	s.content = root
	return s
}

// belowMenu begins the window's content on a whole pixel: the menu bar above it ends in the middle of one.
type belowMenu struct{ root *fyne.Container }

// Layout implements fyne.Layout.
func (b belowMenu) Layout(o []fyne.CanvasObject, size fyne.Size) {
	y := fyne.CurrentApp().Driver().AbsolutePositionForObject(b.root).Y
	down := -floor(-y) - y
	o[0].Move(fyne.NewPos(0, down))
	o[0].Resize(size.SubtractWidthHeight(0, down))
}

// MinSize implements fyne.Layout.
func (belowMenu) MinSize(o []fyne.CanvasObject) fyne.Size { return o[0].MinSize() }

// show puts page i in its place and marks it in the navigation.
func (s *shell) show(i int) {
	for n, p := range s.d.pages {
		if n == i {
			p.content().Show()
		} else {
			p.content().Hide()
		}
	}
	if !s.unread {
		s.untell()
	}
	if selected := s.nav.OnSelected; selected != nil {
		s.nav.OnSelected = nil // marking is not choosing
		s.nav.Select(i)
		s.nav.OnSelected = selected
	}
}

// clock turns the countdown, once a second. It runs off the drawing goroutine and returns the drawing.
func (s *shell) clock(now time.Time) func() {
	if now.Unix() == s.second {
		return nil
	}
	s.second = now.Unix()
	reset := meter.ResetsAt(now)
	left, local := live.Remaining(reset.Sub(now)), "at 00:00 UTC, "+reset.Local().Format("15:04")+" here"
	return func() { s.left.say(left); s.local.say(local) }
}

// tell shows a notice until the owner dismisses it or goes to another page.
func (s *shell) tell(tone fyne.ThemeColorName, words string) {
	s.unread = false
	s.noteIco.SetResource(theme.NewColoredResource(noteIcon(tone), tone))
	s.noteSay.SetText(words)
	s.notice.Show()
	s.body.Refresh()
}

// untell takes the notice away.
func (s *shell) untell() {
	if s.notice.Visible() {
		s.notice.Hide()
		s.body.Refresh()
	}
}

// reading says whether the books can be read.
func (s *shell) reading(err error) {
	switch {
	case err != nil:
		s.tell(colorSpent, "This page may be out of date: "+live.Plain(err))
		s.unread = true
	case s.unread:
		s.unread = false
		s.untell()
	}
}

// menu is the main menu. Shortcuts live here because a focused text field keeps the canvas's own from being seen.
func (d *Desk) menu() *fyne.MainMenu {
	at := func(key fyne.KeyName) fyne.Shortcut {
		return &desktop.CustomShortcut{KeyName: key, Modifier: fyne.KeyModifierShortcutDefault}
	}
	item := func(label string, key fyne.KeyName, do func()) *fyne.MenuItem {
		m := fyne.NewMenuItem(label, func() {
			if !d.busy() {
				do()
			}
		})
		m.Shortcut = at(key)
		return m
	}
	undo := fyne.NewMenuItem("Undo", d.undo)
	undo.Shortcut = at(fyne.KeyZ)
	end := fyne.NewMenuItem("Quit", func() { d.quit() })
	end.Shortcut = at(fyne.KeyQ)
	end.IsQuit = true // else the driver adds one of its own, that would not stop the gateway first
	goTo := fyne.NewMenu("Go")
	for i, p := range d.pages {
		goTo.Items = append(goTo.Items, item(p.title(), fyne.KeyName('1'+rune(i)), func() { d.goTo(i) }))
	}
	return fyne.NewMainMenu(
		fyne.NewMenu("Perdiem",
			item("Add", fyne.KeyN, func() { d.inView().add() }),
			item("Find", fyne.KeyF, func() { d.inView().find() }),
			item("Find anywhere", fyne.KeyK, d.findAnywhere),
			undo,
			item("Try it", fyne.KeyT, d.tryIt),
			fyne.NewMenuItemSeparator(),
			end),
		goTo)
}

// undo takes back what was typed in the field that has the focus, else the latest edit of the allowances.
func (d *Desk) undo() {
	if field, ok := d.window.Canvas().Focused().(fyne.Shortcutable); ok {
		field.TypedShortcut(&fyne.ShortcutUndo{})
		return
	}
	if page, ok := d.inView().(*allowances); ok && !d.busy() {
		page.takeBack()
	}
}

// inView is the page in view.
func (d *Desk) inView() page {
	for _, p := range d.pages {
		if p.content().Visible() {
			return p
		}
	}
	return d.pages[0]
}

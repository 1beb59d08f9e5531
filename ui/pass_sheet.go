package ui

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"perdiem/ui/live"
)

// showPass shows a new pass, the only time that anybody can, with what to paste into each tool.
func (p *people) showPass(name, secret string) {
	d := p.d
	base, model := "http://ADDRESS/v1", "MODEL" // placeholders while there is nothing to name
	if addresses := d.services.Gateway.Addresses(); len(addresses) > 0 {
		base = addresses[0].URL
	}
	if len(p.models) > 0 {
		model = p.models[0]
	}
	once := widget.NewLabel("Copy the pass now: it is shown this once. Perdiem keeps only its fingerprint, so a lost pass is replaced, never read again.")
	left := stack(edge, paragraph(once), labelled("Pass", newCopyField(secret).content), labelled("Address (base URL)", newCopyField(base).content))
	top := container.NewBorder(nil, nil, nil, pageCode(base), left)
	body := stack(edge, top, newSetUpPicker(live.Target{Base: base, Pass: secret, Model: model, CA: p.ca}))
	s := d.openSheet("The pass of "+name, sized(body, 720, 0), action{label: "Done"})
	s.cancel.Hide() // there is nothing to take back: the pass exists
}

// pageCode is the QR code of the teammates' page, with what it is.
func pageCode(base string) fyne.CanvasObject {
	code, err := newQR(live.PageOf(base))
	if err != nil {
		return container.NewStack() // the address stands beside it all the same
	}
	note := caption("Their page, for a phone")
	note.align = fyne.TextAlignCenter
	return inset(stack(4, sized(code, 136, 136), note), 0, 0, 0, edge)
}

// newSetUpPicker shows the set-up text of one tool, chosen among all that we know.
func newSetUpPicker(to live.Target) fyne.CanvasObject {
	all := append(live.SetUps(to), live.ToolSetUps(to)...)
	tools := make([]string, len(all))
	for i, s := range all {
		tools[i] = s.Tool
	}
	place := container.NewStack()
	which := widget.NewSelect(tools, nil)
	which.OnChanged = func(string) {
		place.Objects = []fyne.CanvasObject{codeBlock(all[which.SelectedIndex()].Text)}
		place.Refresh()
	}
	which.SetSelectedIndex(0)
	return stack(gap, labelled("Set-up for", which), sized(place, 640, 216))
}

// codeBlock shows text to be pasted, with a button that copies it whole.
func codeBlock(code string) fyne.CanvasObject {
	lines := stack(0)
	for _, one := range strings.Split(code, "\n") {
		lines.Add(newText(one)) // in the font of all else: Fyne's own of one width loses its underscores at this size
	}
	copied := widget.NewButtonWithIcon("Copy", theme.ContentCopyIcon(), nil)
	copied.OnTapped = func() {
		fyne.CurrentApp().Clipboard().SetContent(code)
		copied.SetText("Copied")
		copied.SetIcon(theme.ConfirmIcon())
	}
	return container.NewStack(newGround(theme.ColorNameBackground, 4),
		container.NewBorder(nil, nil, nil, container.NewVBox(copied), container.NewScroll(inset(lines, gap, gap, gap, gap))))
}

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
	tabs := container.NewAppTabs()
	for _, s := range live.SetUps(base, secret, model) {
		tabs.Append(container.NewTabItem(s.Tool, codeBlock(s.Text)))
	}
	body := stack(edge, paragraph(once), labelled("Pass", newCopyField(secret).content), labelled("Address (base URL)", newCopyField(base).content), sized(tabs, 560, 232))
	s := d.openSheet("The pass of "+name, sized(body, 600, 0), action{label: "Done"})
	s.cancel.Hide() // there is nothing to take back: the pass exists
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

package ui

import (
	"context"
	"sync"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"perdiem/ui/live"
)

// Damage is a small window for books that cannot be opened: it tells so, and offers to go back to
// their newest backup.
type Damage struct {
	app     fyne.App
	window  fyne.Window
	says    *widget.Label
	restore *widget.Button
	busy    sync.WaitGroup
}

// NewDamage makes the window. Going back tells what was done; it is nil where there is no backup.
func NewDamage(a fyne.App, why string, goBack func(context.Context) (string, error)) *Damage {
	a.Settings().SetTheme(NewTheme())
	d := &Damage{app: a, window: a.NewWindow("Perdiem"), says: widget.NewLabel(live.Sentence(why))}
	d.says.Wrapping = fyne.TextWrapWord
	d.says.Selectable = true
	d.restore = widget.NewButton("Go back to the newest backup", func() {
		d.restore.Disable()
		d.busy.Go(func() {
			done, err := goBack(context.Background())
			fyne.Do(func() { d.tell(done, err) })
		})
	})
	d.restore.Importance = widget.HighImportance
	if goBack == nil {
		d.restore.Hide()
	}
	buttons := container.NewHBox(widget.NewButton("Quit", a.Quit), d.restore)
	d.window.SetContent(container.NewPadded(container.NewBorder(nil, buttons, nil, nil, container.NewVScroll(d.says))))
	d.window.Resize(fyne.NewSize(560, 260))
	d.window.SetMaster()
	return d
}

func (d *Damage) tell(done string, err error) {
	if err != nil {
		d.says.SetText(live.Plain(err))
		d.restore.Enable()
		return
	}
	d.says.SetText(done + "\n\nStart Perdiem again to go on.")
	d.restore.Hide()
}

// Run shows the window until it is closed, or ctx ends.
func (d *Damage) Run(ctx context.Context) {
	unhook := context.AfterFunc(ctx, func() { fyne.Do(d.app.Quit) })
	defer unhook()
	d.window.CenterOnScreen()
	d.window.ShowAndRun()
}

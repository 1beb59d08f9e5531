package ui

import (
	"context"
	"crypto/tls"
	"fmt"
	"strconv"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"perdiem/gateway/boot"
	"perdiem/meter"
	"perdiem/ui/live"
)

// House is what the owner sets about the gateway, and where its books are.
type House interface {
	Settings(ctx context.Context) (boot.Settings, error)
	SetSettings(ctx context.Context, s boot.Settings) error
	ListenFixed() bool // the port was given when the program was started
	Data() string      // the folder with the books; empty where they are in a database server
	BackupDir() string
	Backup(ctx context.Context, to string) error
	HTTPS(ctx context.Context) (boot.HTTPS, error)
	RenewHTTPS(ctx context.Context) error
	ClientTLS() *tls.Config // for calls to the gateway of this very program; nil where it speaks plain HTTP
}

// settingsDesk checks the books.
type settingsDesk interface {
	Verify(ctx context.Context) (meter.Report, error)
}

// settings is how the gateway is reached, how long activity is kept, how the window looks, and where the books are.
type settings struct {
	d         *Desk
	body      fyne.CanvasObject
	port      *entry
	reach     *choice
	names     *entry
	keep      *entry
	https     *httpsPart
	save      *widget.Button
	fixed     *widget.Label
	announce  *widget.Check
	window    *windowPart
	backups   *text
	folder    *copyField
	backup    *widget.Button
	verify    *widget.Button
	busy      *widget.ProgressBarInfinite
	kept      boot.Settings // as they stand
	filled    bool          // the fields show what stands; from then on they are the owner's
	backupsAt string
}

// patient is how long a backup or a check of the books may take.
const patient = 10 * time.Minute

func newSettings(d *Desk) *settings {
	s := &settings{d: d, port: newEntry("7427"), names: newEntry("llm.example.net, gateway"), keep: newEntry("90"), backups: newText("").clipped(), folder: newCopyField(""), fixed: widget.NewLabel(""), window: newWindowPart(d), busy: widget.NewProgressBarInfinite()}
	s.busy.Stop()
	s.busy.Hide()
	s.reach = newChoice(func() {}, "Everybody in this network", "This machine only")
	s.https = newHTTPSPart(d, func() {
		if s.body != nil {
			s.body.Refresh() // what is below moves
		}
	})
	s.save = widget.NewButton("Save", s.store)
	s.save.Importance = widget.HighImportance
	s.fixed.SetText("The port was given when Perdiem was started (--listen), and is set there.")
	s.fixed.Hide()
	for _, e := range []*entry{s.port, s.names, s.keep, s.https.cert, s.https.key} {
		e.OnSubmitted = func(string) { s.store() }
		e.escape = s.fill
	}
	s.announce = widget.NewCheck("Let teammates find this gateway in the network (perdiem find)", nil)
	s.backup = widget.NewButton("Back up now", s.backUp)
	open := widget.NewButton("Open the folder", s.openFolder)
	s.verify = widget.NewButton("Check the books", s.check)

	gateway := stack(edge,
		container.New(shares{1, 3}, labelled("Port", s.port), labelled("Who can reach it", line(0, s.reach.content))),
		paragraph(s.fixed),
		labelled("Further names that tools may call this machine by", s.names),
		flush(s.announce),
		s.https.content,
		container.New(shares{1, 3}, labelled("Keep activity and refusals for, days", s.keep), container.NewVBox()),
		explained("Another port or HTTPS is in effect at once, and running calls end; being found, from the next start on. What people used is kept for ever."),
		container.New(layout.NewCustomPaddedHBoxLayout(gap), s.save))
	books := stack(edge, s.backups, labelled("Backups are in", s.folder.content),
		explained("A backup is made each day and before each update; the last seven days are kept. To go back to the last one, quit Perdiem and run: perdiem restore."),
		container.New(layout.NewCustomPaddedHBoxLayout(gap), s.backup, open, s.verify), s.busy)
	s.body = container.NewBorder(inset(heading("Settings"), 2, 0, edge, 0), nil, nil, nil,
		container.NewVScroll(container.New(shares{1, 1}, container.NewVBox(titled("Gateway", gateway)), container.NewVBox(stack(gap, titled("This window", s.window.content), titled("Books and backups", books))))))
	return s
}

// explained is a quiet sentence below what it explains.
func explained(words string) fyne.CanvasObject {
	style := widget.RichTextStyleInline
	style.ColorName, style.SizeName = colorQuiet, theme.SizeNameText
	l := widget.NewRichText(&widget.TextSegment{Text: words, Style: style})
	l.Wrapping = fyne.TextWrapWord
	return inset(l, -4, -gap, -4, -gap)
}

func (s *settings) title() string              { return "Settings" }
func (s *settings) icon() fyne.Resource        { return theme.SettingsIcon() }
func (s *settings) content() fyne.CanvasObject { return s.body }
func (s *settings) tick(time.Time) func()      { return nil }
func (s *settings) add()                       {}
func (s *settings) find()                      { s.d.findAnywhere() }

func (s *settings) load(ctx context.Context) (func(), error) {
	house := s.d.services.House
	kept, err := house.Settings(ctx)
	if err != nil {
		return nil, err
	}
	https, errHTTPS := house.HTTPS(ctx) // a keychain that is locked is told in place of it
	all, err := live.ReadBackups(house.BackupDir())
	return func() {
		s.kept = kept
		if !s.filled {
			s.fill()
		}
		s.https.show(https, errHTTPS)
		s.showBackups(house.BackupDir(), all)
	}, err
}

// fill puts what stands into the fields.
func (s *settings) fill() {
	s.filled = true
	port, everywhere := live.ListenParts(s.kept.Listen)
	s.port.SetText(port)
	s.reach.chosen = map[bool]int{true: 0, false: 1}[everywhere]
	s.reach.mark()
	s.names.SetText(strings.Join(s.kept.HostNames, ", "))
	s.announce.SetChecked(!s.kept.Quiet)
	s.https.fill(s.kept.HTTPS)
	s.keep.SetText("")
	if s.kept.KeepDays > 0 {
		s.keep.SetText(strconv.Itoa(s.kept.KeepDays))
	}
	if s.d.services.House.ListenFixed() {
		s.port.Disable()
		for _, b := range s.reach.buttons {
			b.Disable()
		}
		s.fixed.Show()
		s.body.Refresh()
	}
}

// read is the settings as the fields have them.
func (s *settings) read() (boot.Settings, error) {
	to := s.kept
	to.HostNames, to.Quiet, to.HTTPS, to.KeepDays = live.Names(s.names.Text), !s.announce.Checked, s.https.read(), 0
	if !s.d.services.House.ListenFixed() {
		port := s.port.Text
		if strings.TrimSpace(port) == "" && s.reach.chosen == 1 {
			port = s.port.PlaceHolder
		}
		var err error
		if to.Listen, err = live.ListenAt(port, s.reach.chosen == 0); err != nil {
			return to, err
		}
	}
	if days := strings.TrimSpace(s.keep.Text); days != "" {
		n, err := strconv.Atoi(days)
		if err != nil || n < 1 {
			return to, fmt.Errorf("%q is no number of days; type one such as 30", days)
		}
		to.KeepDays = n
	}
	return to, nil
}

func (s *settings) store() {
	to, err := s.read()
	if err != nil {
		s.d.shell.tell(colorSpent, "Not saved: "+live.Plain(err)+".")
		return
	}
	s.save.Disable()
	s.d.work(quick, func(ctx context.Context) error { return s.d.services.House.SetSettings(ctx, to) }, func(err error) {
		s.save.Enable()
		if err != nil {
			s.d.shell.tell(colorSpent, "Not saved: "+live.Plain(err))
			return
		}
		s.filled = false
		s.d.shell.tell(theme.ColorNamePrimary, "Saved, and in effect.")
	})
}

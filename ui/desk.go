// Package ui is the window: what the owner of a gateway sees and does.
//
// Each page is a screen over one snapshot of package live; desk.go holds the window together, shell.go lays out the
// navigation, sheet.go the forms, and the rest are the parts that pages are made of.
//
// Invariants:
//
//   - Screens ask for narrow interfaces, declared beside them; nothing here opens a database, a socket or a keychain.
//   - Nothing slow runs on the drawing goroutine: pages are read by the pump, actions by Desk.work under a deadline.
//   - All drawing that does not start with the owner's own click goes through the one pump (fyne.Do).
//   - The driver is not chosen here: fyne/app is never imported, so that every test runs without a screen.
package ui

import (
	"context"
	"sync"
	"time"

	"fyne.io/fyne/v2"

	"perdiem/assets"
	"perdiem/ui/live"
)

// quick is how long an action on the books may take before the owner is told that it did not work.
const quick = 10 * time.Second

// Services are what the pages work on. Meter and Gateway are one process's own; every field is needed.
type Services struct {
	Meter    Meter
	Registry Registry
	Secrets  Secrets
	Vendors  Vendors
	Gateway  Gateway
	House    House
	Login    live.Login
	Tray     bool // the desktop has one
	Now      func() time.Time
}

// Meter is the books, as all pages together need them.
type Meter interface {
	live.OverviewBooks
	live.PeopleBooks
	live.GridBooks
	live.RefusalBooks
	live.ActivityBooks
	live.ReportBooks
	live.GuideBooks
	peopleDesk
	gridDesk
	refusalDesk
	ceilingDesk
	worstDesk
	settingsDesk
	live.AlertBooks
	live.ShowBooks
	// Changed is a figure that differs after any commit, of this process or another.
	Changed(ctx context.Context) (uint64, error)
}

// page is one screen of the window.
type page interface {
	title() string
	icon() fyne.Resource
	content() fyne.CanvasObject
	// load reads what the page shows, off the drawing goroutine, and returns the drawing of it.
	load(ctx context.Context) (show func(), err error)
	// tick returns the drawing of what moves by itself, or nil.
	tick(now time.Time) (show func())
	// add opens the form for what this page is a list of; find moves to its search. Either may do nothing.
	add()
	find()
}

// The pages, in the order of the navigation.
const (
	pageOverview = iota
	pagePeople
	pageAllowances
	pageModels
	pageActivity
	pageRefusals
	pageSettings
)

// Desk is the window with its pages.
type Desk struct {
	app      fyne.App
	window   fyne.Window
	services Services
	pump     *live.Pump
	pages    []page
	shell    *shell
	sheet    *sheet // the form opened last
	heed     *attention
	tray     *tray  // nil where there is none
	quit     func() // ends the program; there once it runs

	draw  func(func())    // runs a function on the drawing goroutine, later: fyne.Do
	ctx   context.Context // ends with the window; actions and the pump live in it
	stop  context.CancelFunc
	tasks sync.WaitGroup // the pump and the actions under way
}

// New lays the window out; nothing is read before Run. The application's theme becomes ours.
func New(app fyne.App, s Services) *Desk {
	logo := fyne.NewStaticResource("perdiem.png", assets.IconPNG)
	app.SetIcon(logo)
	d := &Desk{app: app, window: app.NewWindow("Perdiem"), services: s, draw: fyne.Do}
	d.setLook(d.look())
	size := d.startSize()
	d.ctx, d.stop = context.WithCancel(context.Background())
	d.pump = live.NewPump(s.Meter.Changed, func(f func()) { d.draw(f) }, s.Now)
	d.pages = []page{newOverview(d), newPeople(d), newAllowances(d), newModels(d), newActivity(d), newRefusals(d), newSettings(d)}
	d.shell = newShell(d, logo)
	d.heed = newAttention(d)
	d.window.SetIcon(logo)
	d.window.SetPadded(false)
	d.window.SetMaster()
	d.window.SetMainMenu(d.menu())
	d.window.SetContent(d.shell.content)
	d.window.Canvas().SetOnTypedKey(d.escape)
	d.window.Resize(size)
	d.goTo(pageOverview)
	return d
}

// goTo brings a page into view.
func (d *Desk) goTo(i int) {
	d.shell.show(i)
	d.pump.Show(sight{d, d.pages[i]})
}

// work runs do off the drawing goroutine under a time limit, then then on it, then has the page read again.
func (d *Desk) work(limit time.Duration, do func(context.Context) error, then func(error)) {
	d.tasks.Go(func() {
		ctx, cancel := context.WithTimeout(d.ctx, limit)
		defer cancel()
		err := do(ctx)
		if d.ctx.Err() != nil {
			return // the window is gone
		}
		d.draw(func() { then(err) })
		d.pump.Reload()
	})
}

// act is work without a form: a failure is told in the notice line, led by what was being done.
func (d *Desk) act(doing string, do func(context.Context) error) {
	d.work(quick, do, func(err error) {
		if err != nil {
			d.shell.tell(colorSpent, "Could not "+doing+": "+live.Plain(err))
		}
	})
}

// sight is a page as the pump feeds it, with the countdown that is always in view.
type sight struct {
	d *Desk
	p page
}

// Load implements live.View.
func (s sight) Load(ctx context.Context) func() {
	show, err := s.p.load(ctx)
	heed := s.d.heed.look(ctx)
	if ctx.Err() != nil {
		return nil
	}
	return func() {
		if heed != nil {
			defer heed() // last, so that no other notice takes its place
		}
		s.d.shell.reading(err)
		if err == nil {
			show()
		}
	}
}

// Tick implements live.View.
func (s sight) Tick(now time.Time) func() {
	turn := s.d.shell.clock(now)
	own := s.p.tick(now)
	if turn == nil {
		return own
	}
	on := s.d.services.Gateway.On()
	moved := s.d.heed.whereabouts(now)
	return func() {
		turn()
		s.d.tray.turn(now, on)
		if moved != nil {
			moved()
		}
		if own != nil {
			own()
		}
	}
}

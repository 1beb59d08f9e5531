package ui

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"perdiem/meter"
	"perdiem/ui/live"
)

// tryBox makes calls through the gateway as a person, with a pass of its own that ends with it.
type tryBox struct {
	d      *Desk
	sheet  *sheet
	people []meter.Person
	who    *widget.Select
	model  *widget.Select
	prompt *entry
	answer *widget.Label
	scroll *container.Scroll
	said   *text
	ctx    context.Context // ends when the box is closed
}

const (
	trying = 3 * time.Minute  // how long an answer may take
	tryFor = 10 * time.Minute // when the pass of a forgotten box ends by itself
)

// tryIt opens the box, once it is known who and what there is to try with.
func (d *Desk) tryIt() {
	var people []meter.Person
	var models []string
	d.work(quick, func(ctx context.Context) (err error) {
		if people, err = d.services.Meter.People(ctx); err != nil {
			return err
		}
		models, err = live.ModelIDs(ctx, d.services.Registry)
		return err
	}, func(err error) {
		switch {
		case err != nil:
			d.shell.tell(colorSpent, "Could not open the box: "+live.Plain(err))
		case len(people) == 0 || len(models) == 0:
			d.shell.tell(colorAmber, "A call needs a model and a person: add them first.")
		default:
			d.openTryBox(people, models)
		}
	})
}

func (d *Desk) openTryBox(people []meter.Person, models []string) {
	b := &tryBox{d: d, people: people, prompt: newEntry(""), answer: widget.NewLabel(""), said: caption("As a tool would: through the gateway, metered, under this person's allowance.").clipped()}
	names := make([]string, len(people))
	for i, p := range people {
		names[i] = p.Name
	}
	b.who = widget.NewSelect(names, nil)
	b.who.SetSelectedIndex(0)
	b.model = widget.NewSelect(models, nil)
	b.model.SetSelectedIndex(0)
	b.prompt.SetText("Say hello in one short sentence.")
	b.answer.Wrapping = fyne.TextWrapWord
	b.scroll = container.NewVScroll(b.answer)
	ground := container.NewStack(newGround(theme.ColorNameBackground, 4), b.scroll)
	body := stack(edge, container.New(shares{1, 1}, labelled("As", b.who), labelled("Model", b.model)),
		labelled("Prompt", b.prompt), labelled("Answer", sized(ground, 560, 144)), b.said)
	open, leave := context.WithCancel(d.ctx)
	b.ctx = open
	b.sheet = d.openSheet("Try it", body, action{label: "Send", limit: trying, check: b.send, stay: true, left: leave}, b.prompt)
	b.sheet.cancel.SetText("Close")
}

// send is one call, under a pass that is revoked when it is over.
func (b *tryBox) send() (func(context.Context) error, error) {
	d, person, model, prompt := b.d, b.people[b.who.SelectedIndex()], b.model.Selected, strings.TrimSpace(b.prompt.Text)
	base := live.Nearest(urls(d.services.Gateway))
	b.answer.SetText("")
	b.said.say("Asking …")
	return func(ctx context.Context) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(b.ctx, cancel)()
		expires := d.services.Now().Add(tryFor)
		pass, secret, err := d.services.Meter.IssuePass(ctx, person.ID, live.TryLabel, &expires)
		if err != nil {
			return err
		}
		defer func() {
			// Also when the owner closed the box or the time was up; the pass would end by itself soon.
			_ = d.services.Meter.RevokePass(context.WithoutCancel(ctx), pass.ID)
		}()
		write := b.writer()
		tried, err := live.Try(ctx, d.services.House.ClientTLS(), base, secret, model, prompt, write)
		write("")
		if err != nil {
			d.draw(func() { b.said.say("This is what a tool is told.") })
			return err
		}
		d.draw(func() {
			b.said.say(fmt.Sprintf("It works: %s in, %s out, in %s.", live.Many(tried.InputTokens, "token"), live.Many(tried.OutputTokens, "token"), tried.Took.Round(10*time.Millisecond)))
		})
		return nil
	}, nil
}

// writer returns a function that adds to the answer in sight. Pieces that come while the last drawing still waits join
// the next one, so that a quick stream is never ahead of the screen by more than one.
func (b *tryBox) writer() func(piece string) {
	var mu sync.Mutex
	var whole strings.Builder
	waiting := false
	return func(piece string) {
		mu.Lock()
		defer mu.Unlock()
		whole.WriteString(piece)
		if waiting {
			return
		}
		waiting = true
		b.d.draw(func() {
			mu.Lock()
			waiting = false
			text := whole.String()
			mu.Unlock()
			b.answer.SetText(text)
			b.scroll.ScrollToBottom()
		})
	}
}

// Package web drives a teammate's page in a real Chromium, against the whole app.
package web

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"perdiem/testing/harness"
)

// patience is how long the page may take to show what it must; it looks once a second.
const patience = 10 * time.Second

// tab is one browser of a test's own, with nothing in it from another.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu     sync.Mutex
	faults []string // what the console complained about
	asked  []string // what the page's dialogs asked
}

// open starts a browser at a house's page. It fails the test in the end if a script threw, or the
// policy had to stop something.
func open(t *testing.T, h *harness.House) *tab {
	t.Helper()
	if _, err := exec.LookPath("chromium"); err != nil {
		t.Skip("there is no chromium on this machine; .ci/setup test installs it")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.Flag("no-sandbox", os.Geteuid() == 0), // Chromium's sandbox does not work for root
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("ignore-certificate-errors", strings.HasPrefix(h.URL, "https://")), // whom a browser trusts is its owner's affair
		chromedp.Flag("disable-component-update", true),
		chromedp.UserDataDir(t.TempDir()),
		chromedp.WindowSize(1280, 900))
	ctx, cancel := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(func() {
		_ = chromedp.Cancel(ctx) // waits for the browser to end, so that its folder can be removed
		cancel()
	})
	b := &tab{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, b.hear); err != nil {
		t.Fatalf("starting the browser: %v", err)
	}
	call(b, log.Enable, cdp.Empty{})
	b.do(chromedp.Navigate(strings.TrimSuffix(h.URL, "/v1") + "/"))
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if len(b.faults) > 0 {
			t.Errorf("the console says: %q", b.faults)
		}
	})
	return b
}

// hear notes faults, and says yes to dialogs.
func (b *tab) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.faults = append(b.faults, e.ExceptionDetails.Text+" "+e.ExceptionDetails.URL)
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError && e.Entry.Source != log.EntrySourceNetwork { // refusals are answers, too
			b.faults = append(b.faults, e.Entry.Text)
		}
	case *page.EventJavascriptDialogOpening:
		b.asked = append(b.asked, e.Message)
		go func() { // this function must return first
			_, _ = chromedp.Call(b.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true})
		}()
	}
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// get runs one action and returns its value.
func get[T any](b *tab, a chromedp.Action[T]) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	value, err := chromedp.Run(ctx, a)
	if err != nil {
		b.t.Fatal(err)
	}
	return value
}

// call sends the browser one command.
func call[P, R any](b *tab, command cdp.Command[P, R], params P) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if _, err := chromedp.Call(ctx, command, params); err != nil {
		b.t.Fatal(err)
	}
}

// eval runs a script in the page, waits for its promise, and returns what it gave as text.
func (b *tab) eval(script string) string {
	b.t.Helper()
	return get(b, chromedp.Evaluate[string]("Promise.resolve("+script+").then(String)", chromedp.EvalAwaitPromise))
}

// says is the text that a reader sees in an element, all blanks alike; empty where it is hidden.
func (b *tab) says(selector string) string {
	b.t.Helper()
	text := b.eval("(e => e && e.getClientRects().length ? e.innerText : '')(document.querySelector(" + strconv.Quote(selector) + "))")
	return strings.Join(strings.Fields(text), " ")
}

// wait waits until an element says a text among others.
func (b *tab) wait(selector, text string) {
	b.t.Helper()
	b.until(selector+" says "+strconv.Quote(text), func() (bool, string) {
		got := b.says(selector)
		return strings.Contains(got, text), got
	})
}

func (b *tab) until(what string, holds func() (ok bool, instead string)) {
	b.t.Helper()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		ok, instead := holds()
		if ok {
			return
		}
		select {
		case <-look.C:
		case <-deadline.C:
			b.t.Fatalf("after %v not so: %s; but %q", patience, what, instead)
		}
	}
}

func (b *tab) signIn(pass string) {
	b.t.Helper()
	b.do(chromedp.WaitVisible(chromedp.CSS("#pass")), chromedp.SetValue(chromedp.CSS("#pass"), pass), chromedp.Click(chromedp.CSS("#sign-in button")))
	b.do(chromedp.WaitVisible(chromedp.CSS("#house")))
}

// click clicks as a person does: on what is in sight.
func (b *tab) click(selector string) {
	b.t.Helper()
	b.do(chromedp.ScrollIntoView(chromedp.CSS(selector)), chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}

// look sets the colours that the reader's system asks for.
func (b *tab) look(scheme string) {
	b.t.Helper()
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
}

// shoot draws the whole page into the folder SHOTS, if there is one, and checks that nothing is
// wider than the screen.
func (b *tab) shoot(name string, width int64) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, 900))
	if over := b.eval("document.documentElement.scrollWidth - document.documentElement.clientWidth"); over != "0" {
		b.t.Errorf("%s: the page is %s px wider than its window", name, over)
	}
	png := get(b, chromedp.FullScreenshot(100))
	dir := os.Getenv("SHOTS")
	if dir == "" {
		return
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "web-"+name+".png"), png, 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// paste reads the clipboard.
func (b *tab) paste() string {
	b.t.Helper()
	call(b, browser.SetPermission, browser.SetPermissionParams{
		Permission: &browser.PermissionDescriptor{Name: "clipboard-read"}, Setting: browser.PermissionSettingGranted,
	})
	return b.eval("navigator.clipboard.readText()")
}

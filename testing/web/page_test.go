package web

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"perdiem/meter"
	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
)

const model = harness.Provider + "/swift"

func n(i int64) *int64 { return &i }

// house has one person with 1,000 tokens of one model and 3 requests of another.
func house(t *testing.T) (h *harness.House, ada meter.Person, pass string) {
	h = harness.Start(t, harness.Options{Models: []string{"swift", "sage", "free"}})
	ada, pass = h.Person("Ada")
	h.Allow(ada, model, nil, n(1000))
	h.Allow(ada, harness.Provider+"/sage", n(3), nil)
	h.Allow(ada, harness.Provider+"/free", nil, nil)
	return h, ada, pass
}

// holdReply has the fake provider's next reply wait after its first bytes.
func holdReply(h *harness.House, c fakeprovider.Chat) *fakeprovider.Gate {
	gate := fakeprovider.NewGate()
	h.Upstream.Next(func(r fakeprovider.Request) fakeprovider.Reply {
		reply := c.Answer(r)
		return reply.HoldAt(len(reply.Bytes())/2, gate)
	})
	return gate
}

func TestAPassIsAskedForAndKeptOutOfAddresses(t *testing.T) {
	h, _, pass := house(t)
	b := open(t, h)
	b.do(chromedp.WaitVisible(chromedp.CSS("#pass")), chromedp.SetValue(chromedp.CSS("#pass"), "pdm_nobody"), chromedp.Click(chromedp.CSS("#sign-in button")))
	b.wait("#door-problem", "not valid")
	b.signIn(pass)
	b.wait("#person", "Ada")
	if at := b.eval("location.href"); strings.Contains(at, "pdm_") || strings.Contains(b.eval("document.cookie + JSON.stringify(localStorage)"), "pdm_") {
		t.Errorf("the pass is kept in %s, a cookie or for longer than the tab", at)
	}
	if strings.Contains(b.eval("document.documentElement.outerHTML"), pass) {
		t.Error("the pass is on the page without being asked for")
	}
	b.do(chromedp.Reload())
	b.wait("#person", "Ada")
	b.click("#sign-out")
	b.do(chromedp.WaitVisible(chromedp.CSS("#door")))
	b.do(chromedp.Reload(), chromedp.WaitVisible(chromedp.CSS("#door")))
}

func TestFiguresFollowAStreamWithoutAReload(t *testing.T) {
	h, _, pass := house(t)
	b := open(t, h)
	b.signIn(pass)
	b.wait("#models li[data-key='"+model+"']", "0 of 1,000 tokens 1,000 left")
	b.eval("window.same = true")

	gate := holdReply(h, fakeprovider.Chat{Prompt: 100, Words: 40})
	answer := h.Begin(pass, model, harness.Question{Stream: true, MaxTokens: 50, Header: http.Header{"User-Agent": {"codex/1.0"}}})
	gate.Await(t, 1)
	b.wait("#models li[data-key='"+model+"']", "held by what runs")
	b.wait("#running", model+" codex, ")
	b.until("the running request's tokens are counted", func() (bool, string) {
		got := b.says("#running")
		return strings.Contains(got, "tokens so far") && !strings.Contains(got, " 0 tokens"), got
	})
	b.shoot("running", 1280)
	gate.Open()
	answer().WantStatus(t, http.StatusOK)
	b.wait("#models li[data-key='"+model+"']", "140 of 1,000 tokens 860 left")
	b.until("nothing runs", func() (bool, string) { got := b.says("#running-part"); return got == "", got })
	b.wait("#days-sum", "140 tokens in 1 request")
	if b.eval("window.same") != "true" {
		t.Error("the page was loaded anew")
	}
	if width := b.eval("document.querySelector('#models li[data-key=\"" + model + "\"] .bar i').style.width"); width != "14%" {
		t.Errorf("the bar is %s wide", width)
	}
}

func TestARefusalAppearsWithItsReason(t *testing.T) {
	h, ada, pass := house(t)
	h.Allow(ada, model, nil, n(5))
	b := open(t, h)
	b.signIn(pass)
	b.wait("#no-refusals", "You were not refused.")
	h.Ask(pass, model, harness.Question{Header: http.Header{"User-Agent": {"aider <b>bold</b>"}}}).WantStatus(t, http.StatusTooManyRequests)
	b.wait("#refusals", model+" is out of today's tokens")
	b.wait("#refusals", "aider")
	if b.says("#no-refusals") != "" {
		t.Error("it still says that there are none")
	}
}

func TestMidnightTurnsTheDay(t *testing.T) {
	h, _, pass := house(t)
	h.Clock.Set(time.Date(2026, 11, 29, 23, 59, 1, 0, time.UTC))
	h.Ask(pass, harness.Provider+"/sage", harness.Question{}).WantStatus(t, http.StatusOK)
	b := open(t, h)
	b.signIn(pass)
	b.wait("#models", "1 of 3 requests 2 left")
	b.until("the countdown is below a minute", func() (bool, string) {
		got := b.says("#left")
		return strings.HasSuffix(got, " s") && !strings.Contains(got, "min"), got
	})
	h.Clock.Set(time.Date(2026, 11, 30, 0, 0, 1, 0, time.UTC))
	b.wait("#models", "0 of 3 requests 3 left")
	b.wait("#left", "23 h 59 min")
	b.wait("#days-sum", "in 1 request") // yesterday's stays in the past
}

func TestRotatingThePassInUseGoesOnWithTheNewOne(t *testing.T) {
	h, _, pass := house(t)
	b := open(t, h)
	b.signIn(pass)
	b.wait("#passes", "used here")
	b.click("#passes button")
	b.until("the new pass is shown", func() (bool, string) { got := b.says("#fresh-pass"); return strings.HasPrefix(got, "pdm_"), got })
	fresh := b.says("#fresh-pass")
	if _, _, err := h.Meter.Authenticate(t.Context(), fresh); err != nil || fresh == pass {
		t.Fatalf("the new pass: %v", err)
	}
	if _, _, err := h.Meter.Authenticate(t.Context(), pass); err == nil {
		t.Error("the old pass is still good")
	}
	if len(b.asked) != 1 {
		t.Errorf("the page asked %q", b.asked)
	}
	b.click("#fresh-done")
	h.Ask(fresh, harness.Provider+"/sage", harness.Question{}).WantStatus(t, http.StatusOK)
	b.wait("#models", "1 of 3 requests") // still signed in
	b.wait("#setup-text", fresh[:13])
	if err := h.Meter.RevokePass(t.Context(), fresh[4:12]); err != nil {
		t.Fatal(err)
	}
	b.wait("#door-problem", "no longer valid")
}

func TestSetUpTextIsCopiedWhole(t *testing.T) {
	h, _, pass := house(t)
	b := open(t, h)
	b.signIn(pass)
	b.wait("#setup-text", "anthropic")
	b.do(chromedp.SetValue(chromedp.CSS("#tool"), "Codex"), chromedp.SetValue(chromedp.CSS("#setup-model"), model))
	b.eval("document.querySelector('#tool').onchange()")
	b.wait("#setup-text", `base_url = "`+h.URL+`"`)
	if strings.Contains(b.says("#setup-text"), pass) {
		t.Error("the pass is shown before it is asked for")
	}
	b.click("#copy-setup")
	b.wait("#copied", "Set-up copied")
	if got := b.paste(); !strings.Contains(got, `model = "`+model+`"`) || !strings.Contains(got, `PERDIEM_PASS="`+pass+`"`) || strings.Contains(got, "{{") {
		t.Errorf("copied:\n%s", strings.ReplaceAll(got, pass, "PASS"))
	}
	b.click("#copy-base")
	b.wait("#copied", "Address copied")
	if got := b.paste(); got != h.URL {
		t.Errorf("the address is %q", got)
	}
}

func TestAModelIsTriedInAStream(t *testing.T) {
	h, _, pass := house(t)
	b := open(t, h)
	b.signIn(pass)
	b.wait("#models", model)
	b.do(chromedp.SetValue(chromedp.CSS("#try-model"), model))
	gate := holdReply(h, fakeprovider.Chat{Words: 6})
	b.click("#ask")
	gate.Await(t, 1)
	b.wait("#answer", "word") // before the end came
	gate.Open()
	b.wait("#answer", "word word word word word word")
	b.wait("#models li[data-key='"+model+"']", "15 of 1,000 tokens")

	gate = holdReply(h, fakeprovider.Chat{Words: 6})
	defer gate.Open()
	b.click("#ask")
	gate.Await(t, 1)
	b.click("#stop")
	b.do(chromedp.WaitEnabled(chromedp.CSS("#ask")))
	h.AtRest()
}

func TestAGatewayThatIsGoneIsWaitedFor(t *testing.T) {
	h, _, pass := house(t)
	b := open(t, h)
	b.signIn(pass)
	b.wait("#person", "Ada")
	if err := h.Stop(); err != nil {
		t.Fatal(err)
	}
	b.wait("#banner", "The gateway does not answer.")
}

// TestItIsUsedByKeyboardAlone signs in and out without a mouse.
func TestItIsUsedByKeyboardAlone(t *testing.T) {
	h, _, pass := house(t)
	b := open(t, h)
	b.do(chromedp.WaitVisible(chromedp.CSS("#pass")))
	b.do(chromedp.KeyEvent(pass), chromedp.KeyEvent("\r"))
	b.wait("#person", "Ada")
	b.do(chromedp.KeyEvent("\t"))
	if got := b.eval("document.activeElement.id"); got != "sign-out" {
		t.Errorf("the first stop is %q", got)
	}
	if bare := b.eval(unnamed); bare != "" {
		t.Errorf("controls without a name: %s", bare)
	}
	b.do(chromedp.KeyEvent("\r"), chromedp.WaitVisible(chromedp.CSS("#door")))
}

// unnamed lists the controls that a screen reader could not name.
const unnamed = `Array.from(document.querySelectorAll('button, input, select, textarea')).filter(e =>
	!(e.textContent.trim() && e.tagName === 'BUTTON') && !e.getAttribute('aria-label') && !(e.labels && e.labels.length)).map(e => e.id).join()`

// TestScreenshots draws the page full of figures, in both looks and on a phone.
func TestScreenshots(t *testing.T) {
	h, ada, pass := house(t)
	b := open(t, h)
	b.do(chromedp.WaitVisible(chromedp.CSS("#door")))
	b.shoot("door", 1280)
	for i := range int64(29) {
		h.Clock.Set(harness.Noon.AddDate(0, 0, int(i)-29))
		h.Upstream.Next(fakeprovider.Chat{Prompt: 40 + 13*(i*i%29), Words: 20}.Answer)
		h.Ask(pass, harness.Provider+"/free", harness.Question{}).WantStatus(t, http.StatusOK)
	}
	h.Clock.Set(harness.Noon)
	h.Upstream.Next(fakeprovider.Chat{Prompt: 800, Words: 60}.Answer)
	h.Ask(pass, model, harness.Question{}).WantStatus(t, http.StatusOK)
	for range 4 {
		h.Ask(pass, harness.Provider+"/sage", harness.Question{})
	}
	h.Ask(pass, "no-such-model", harness.Question{})
	if err := h.Meter.AddCredit(t.Context(), ada.ID, 2_500_000, ""); err != nil {
		t.Fatal(err)
	}
	b.signIn(pass)
	b.wait("#models li[data-key='"+model+"']", "860 of 1,000 tokens 140 left")
	b.wait("#models li[data-key='"+harness.Provider+"/sage']", "3 of 3 requests spent")
	b.wait("#models li[data-key='"+harness.Provider+"/free']", "no limit")
	b.wait("#refusals", "out of today's requests")
	for _, scheme := range []string{"light", "dark"} {
		b.look(scheme)
		b.shoot(scheme, 1280)
		b.shoot("phone-"+scheme, 360)
	}
}

package web

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"perdiem/providers"
	"perdiem/testing/harness"
	"perdiem/ui/live"
)

// invite makes a join link for a person.
func invite(t *testing.T, h *harness.House, personID string) (link, code string) {
	t.Helper()
	code, _, err := h.Meter.MakeJoinCode(t.Context(), personID)
	if err != nil {
		t.Fatal(err)
	}
	return live.Join{Base: h.URL, Code: code}.Link(), code
}

func TestALinkGivesThisDeviceAPassOnce(t *testing.T) {
	h, ada, _ := house(t)
	link, code := invite(t, h, ada.ID)
	b := open(t, h)
	b.do(chromedp.Navigate(link), chromedp.WaitVisible(chromedp.CSS("#joining")))
	if at := b.eval("location.href"); strings.Contains(at, code) || strings.Contains(at, "#") {
		t.Errorf("the code stays in the address: %s", at)
	}
	b.shoot("joining", 1280)
	b.shoot("joining-phone", 390)
	b.do(chromedp.SetValue(chromedp.CSS("#device"), "Ada's phone"))
	b.click("#join .primary")
	b.wait("#person", "Ada")
	pass := b.says("#welcome-pass")
	if who, _, err := h.Meter.Authenticate(t.Context(), pass); err != nil || who.ID != ada.ID {
		t.Fatalf("the pass on the page: %v", err)
	}
	b.wait("#passes", "Ada's phone")
	b.wait("#setup-text", pass[:13])
	b.shoot("joined", 1280)
	b.click("#copy-welcome")
	if got := b.paste(); got != pass {
		t.Error("another text was copied")
	}
	b.click("#welcome-done")
	if b.says("#welcome") != "" || strings.Contains(b.eval("document.documentElement.outerHTML"), pass) {
		t.Error("the pass is still on the page")
	}
	h.Ask(pass, harness.Provider+"/sage", harness.Question{}).WantStatus(t, http.StatusOK)

	// The link again, in a page that is open and signed in: it is used up, and the reader goes on.
	b.eval("location.hash = '#join=" + code + "'")
	b.do(chromedp.WaitVisible(chromedp.CSS("#joining")))
	b.click("#join .primary")
	b.wait("#join-problem", "not good, or not any more")
	b.click("#join-not")
	b.wait("#person", "Ada")
	if strings.Contains(b.eval("location.href"), code) {
		t.Error("the code stays in the address")
	}
}

func TestALinkThatIsNotTakenUpStaysGood(t *testing.T) {
	h, ada, pass := house(t)
	link, code := invite(t, h, ada.ID)
	b := open(t, h)
	b.do(chromedp.Navigate(link), chromedp.WaitVisible(chromedp.CSS("#joining")))
	b.click("#join-not")
	b.signIn(pass)
	if _, _, _, err := h.Meter.RedeemJoinCode(t.Context(), code, "terminal"); err != nil {
		t.Errorf("opening it used it up: %v", err)
	}
}

func TestThePageTellsWhatToTrust(t *testing.T) {
	h := harness.Start(t, harness.Options{Models: []string{"swift"}, HTTPS: true})
	if _, err := h.Providers.AddModel(t.Context(), providers.Model{Provider: harness.Provider, Upstream: "owl", Title: "Night Owl"}); err != nil {
		t.Fatal(err)
	}
	ada, pass := h.Person("Ada")
	h.Allow(ada, model, nil, n(1000))
	h.Allow(ada, harness.Provider+"/owl", n(5), nil)
	now, err := h.HTTPS(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b := open(t, h)
	b.signIn(pass)
	b.wait("#fingerprint", now.Fingerprint)
	b.do(chromedp.SetValue(chromedp.CSS("#tool"), "Claude Code"))
	b.eval("document.querySelector('#tool').onchange()")
	b.wait("#setup-text", `NODE_EXTRA_CA_CERTS="$HOME/perdiem-ca.pem"`)
	if got := b.eval("fetch(document.querySelector('#ca').href).then(r => r.text())"); got != string(now.CA) {
		t.Errorf("the certificate to download is %s", got)
	}
	// What people call a model, with its id in reach.
	b.wait("#models li[data-key='fake/owl']", "Night Owl fake/owl 0 of 5 requests")
	b.wait("#setup-model", "Night Owl (fake/owl)")
	b.do(chromedp.SetValue(chromedp.CSS("#try-model"), "fake/owl"))
	b.click("#ask")
	b.wait("#answer", "word") // over HTTP/2
	b.wait("#models li[data-key='fake/owl']", "1 of 5 requests")
	if b.eval("performance.getEntriesByType('navigation')[0].nextHopProtocol") != "h2" {
		t.Error("the browser does not speak HTTP/2")
	}
	b.shoot("https", 1280)
	b.shoot("https-phone", 390)
	b.look("dark")
	b.shoot("https-dark", 1280)
}

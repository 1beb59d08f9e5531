package live_test

import (
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"perdiem/ui/live"
)

func TestAJoinLinkIsReadAsItWasWritten(t *testing.T) {
	for _, want := range []live.Join{
		{Base: "http://192.168.1.20:7427/v1", Code: "abcDEF234"},
		{Base: "https://[fd00::1]:7427/v1", Code: "abcDEF234", Fingerprint: strings.Repeat("ab", 32)},
	} {
		link := want.Link()
		if got, err := live.ParseJoinLink(" " + link + "\n"); err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", link, got, err, want)
		}
		// What a browser sends of it has nothing of the code.
		u, err := url.Parse(link)
		if err != nil || strings.Contains(u.RequestURI()+u.Host, want.Code) || u.RequestURI() != "/" {
			t.Errorf("%s asks for %s, %v", link, u.RequestURI(), err)
		}
	}
	colons := live.Join{Base: "https://a/v1", Code: "x", Fingerprint: "AB:CD"}
	if got, err := live.ParseJoinLink(colons.Link()); err != nil || got.Fingerprint != "abcd" {
		t.Errorf("a fingerprint with colons: %+v, %v", got, err)
	}
}

func TestWhatIsNoJoinLinkIsRefusedAndNotRepeated(t *testing.T) {
	for _, link := range []string{
		"", "CODE", "http://192.168.1.20:7427/", "http://192.168.1.20:7427/#", "http://192.168.1.20:7427/#ca=CODE",
		"ftp://192.168.1.20/#join=CODE", "http:///#join=CODE", "http://a:b@c/#join=CODE", "http://a/#join=CODE%zz", "http://a b/#join=CODE",
	} {
		if got, err := live.ParseJoinLink(link); err == nil || strings.Contains(err.Error(), "a b") {
			t.Errorf("%q: %+v, %v", link, got, err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		link := rapid.String().Draw(t, "link")
		if j, err := live.ParseJoinLink(link); err == nil {
			if again, err := live.ParseJoinLink(j.Link()); err != nil || again != j {
				t.Fatalf("%q: %+v, then %+v, %v", link, j, again, err)
			}
		}
	})
}

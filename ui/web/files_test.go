package web_test

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"perdiem/ui/web"
)

func TestThePageIsWholeByItself(t *testing.T) {
	c := newCaller(t)
	res, page := c.ask(http.MethodGet, "/", "", nil)
	if res.StatusCode != http.StatusOK || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") {
		t.Fatalf("status %d, %s", res.StatusCode, res.Header.Get("Content-Type"))
	}
	files, err := filepath.Glob("static/*")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		if name != "index.html" {
			if res, body := c.ask(http.MethodGet, "/page/"+name, "", nil); res.StatusCode != http.StatusOK || body != string(want) {
				t.Errorf("%s is not served: status %d", name, res.StatusCode)
			}
		}
		page += string(want)
	}
	for _, address := range regexp.MustCompile(`(src|href|from|url)\s*[=(]?\s*['"]([^'"]+)['"]`).FindAllStringSubmatch(page, -1) {
		to := strings.Replace(address[2], "./", "/page/", 1)
		if to == web.CAPath {
			continue // there where the port has a certificate, and shown nowhere else
		}
		if res, _ := c.ask(http.MethodGet, to, "", nil); res.StatusCode != http.StatusOK {
			t.Errorf("%s leads nowhere: status %d", address[2], res.StatusCode)
		}
	}
	if found := regexp.MustCompile(`(?i)https?://[^\s'"]*|\bon\w+="|style="|<script>|innerHTML|insertAdjacentHTML|\beval\(`).FindString(page); found != "" {
		t.Errorf("the page has %q in it", found)
	}
}

// TestScriptsKeepToAnOldLanguage looks for what came after ES2017 and browsers of some years ago
// stumble over as they read, so that nothing at all runs.
func TestScriptsKeepToAnOldLanguage(t *testing.T) {
	later := regexp.MustCompile(`\?\.\w|\?\?|catch \{|\{ ?\.\.\.|\d_\d|\bstatic \{|#\w+ =|for await|\*\*=|replaceAll|\.at\(|\.flatMap\(|structuredClone`)
	files, err := filepath.Glob("static/*.js")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if found := later.FindString(string(text)); found != "" {
			t.Errorf("%s has %q in it", file, found)
		}
	}
}

func TestBrowsersAreToldToTakeNothingFromElsewhere(t *testing.T) {
	c := newCaller(t)
	for _, path := range []string{"/", "/page/main.js", "/page/api/pulse"} {
		res, _ := c.ask(http.MethodGet, path, "", nil)
		policy := res.Header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") {
			t.Errorf("%s: the policy is %q", path, policy)
		}
		for _, rule := range []string{"frame-ancestors 'none'", "form-action 'none'", "base-uri 'none'", "script-src 'self';", "connect-src 'self';", "require-trusted-types-for 'script'"} {
			if !strings.Contains(policy+";", rule) {
				t.Errorf("%s: the policy lacks %s", path, rule)
			}
		}
		if origin := res.Header.Get("Access-Control-Allow-Origin"); origin != "" {
			t.Errorf("%s: pages of %s may read it", path, origin)
		}
		if res.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: a browser may guess its type", path)
		}
		if res.Header.Get("X-Frame-Options") != "DENY" {
			t.Errorf("%s: an old browser may frame it", path)
		}
	}
}

func TestAForeignNameGetsNoPage(t *testing.T) {
	c := newCaller(t)
	_, pass := c.person("Ada")
	for _, path := range []string{"/", "/page/main.js", "/page/api/pulse"} {
		res, body := c.ask(http.MethodGet, path, pass, func(r *http.Request) { r.Host = "evil.example" })
		if res.StatusCode != http.StatusForbidden || !strings.Contains(body, "FOREIGN_HOST") {
			t.Errorf("%s: status %d", path, res.StatusCode)
		}
	}
}

package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestRunIsJudgedByItsEvents(t *testing.T) {
	const passing = `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"chatter\n"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Output":"PASS\n"}
{"Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}
{"Action":"pass","Package":"p"}
`
	cases := []struct {
		name, events string
		strict       bool
		status       int
		shows, hides string
	}{
		{name: "passing", events: passing, strict: true, shows: "ok  \tp\t0.1s\n1 passed, 0 failed, 0 skipped\n", hides: "chatter"},
		{name: "no test at all", events: "", status: 1, shows: "0 passed"},
		{
			name: "a failed test tells what it said", status: 1,
			events: passing + `{"Action":"output","Package":"p","Test":"TestB","Output":"want 1\n"}
{"Action":"fail","Package":"p","Test":"TestB"}
{"Action":"fail","Package":"p"}
`,
			shows: "want 1\n",
		},
		{
			name: "a test that never ended tells what it said", status: 1,
			events: passing + `{"Action":"output","Package":"q","Test":"TestB","Output":"panic: oh\n"}
{"Action":"fail","Package":"q"}
`,
			shows: "panic: oh\n",
		},
		{
			name: "a package that does not build", status: 1,
			events: passing + `{"ImportPath":"q","Action":"build-output","Output":"undefined: x\n"}
{"Action":"fail","Package":"q"}
`,
			shows: "undefined: x\n",
		},
		{
			name: "a skipped test fails a strict run, with its reason", strict: true, status: 1,
			events: passing + skipped, shows: "skipped: p.TestC: c_test.go:3: no recordings\n",
		},
		{name: "a skipped test is told in any run", events: passing + skipped, shows: "1 passed, 0 failed, 1 skipped\n"},
		{name: "a line that is no event is passed on", events: passing + "go: no such module\n", shows: "go: no such module\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			sum, err := read(strings.NewReader(c.events), &out)
			if err != nil {
				t.Fatal(err)
			}
			if got := sum.report(&out, c.strict); got != c.status {
				t.Errorf("status = %d, want %d", got, c.status)
			}
			if !strings.Contains(out.String(), c.shows) {
				t.Errorf("output lacks %q:\n%s", c.shows, &out)
			}
			if c.hides != "" && strings.Contains(out.String(), c.hides) {
				t.Errorf("output shows %q:\n%s", c.hides, &out)
			}
		})
	}
}

const skipped = `{"Action":"output","Package":"p","Test":"TestC","Output":"=== RUN   TestC\n"}
{"Action":"output","Package":"p","Test":"TestC","Output":"    c_test.go:3: no recordings\n"}
{"Action":"output","Package":"p","Test":"TestC","Output":"--- SKIP: TestC (0.00s)\n"}
{"Action":"skip","Package":"p","Test":"TestC"}
`

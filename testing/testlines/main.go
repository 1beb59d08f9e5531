// Testlines turns the events of `go test -json` back into the lines that a person reads: a line for
// each package, and of a failed test everything it said. With -strict a test that was left out
// (t.Skip) fails the run and is named, so that nothing passes by not running.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

func main() {
	strict := flag.Bool("strict", false, "fail when a test was skipped")
	flag.Parse()
	sum, err := read(os.Stdin, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testlines: reading the events:", err)
		os.Exit(1)
	}
	os.Exit(sum.report(os.Stdout, *strict))
}

// event is one line of `go test -json` (see `go doc test2json`, and for the build events `go help buildjson`).
type event struct {
	Action, Package, ImportPath, Test, Output string
}

func (e event) name() string { return e.Package + "." + e.Test }

// summary counts the tests of a run; a subtest is one too.
type summary struct {
	passed int
	failed int
	broken []string // packages that failed, built or run
	left   []string // skipped tests, each with why
}

// read prints to w as the events of r come in.
func read(r io.Reader, w io.Writer) (summary, error) {
	var sum summary
	said := map[string][]string{} // by test, until it ends
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil || e.Action == "" {
				fmt.Fprintf(w, "%s", line) // go itself had something to say
			} else {
				sum.take(e, said, w)
			}
		}
		if errors.Is(err, io.EOF) {
			return sum, nil
		}
		if err != nil {
			return sum, err
		}
	}
}

func (s *summary) take(e event, said map[string][]string, w io.Writer) {
	switch {
	case e.Action == "build-output":
		fmt.Fprint(w, e.Output)
	case e.Action == "output" && e.Test == "":
		if e.Output != "PASS\n" && !strings.Contains(e.Output, "[no test files]") && !strings.HasPrefix(e.Output, "-test.shuffle") {
			fmt.Fprint(w, e.Output)
		}
	case e.Action == "output":
		said[e.name()] = append(said[e.name()], e.Output)
	case e.Test == "" && e.Action == "fail":
		s.broken = append(s.broken, e.Package)
		s.unfinished(e.Package, said, w)
	case e.Test == "":
	case e.Action == "pass":
		s.passed++
		delete(said, e.name())
	case e.Action == "fail":
		s.failed++
		fmt.Fprint(w, strings.Join(said[e.name()], ""))
		delete(said, e.name())
	case e.Action == "skip":
		s.left = append(s.left, e.name()+": "+why(said[e.name()]))
		delete(said, e.name())
	}
}

// unfinished prints what the tests said that never ended: a panic, or the deadline, is told there.
func (s *summary) unfinished(pkg string, said map[string][]string, w io.Writer) {
	var names []string
	for name := range said {
		if strings.HasPrefix(name, pkg+".") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprint(w, strings.Join(said[name], ""))
		delete(said, name)
	}
}

// why finds the reason in what a skipped test said, which go test surrounds with its own lines.
func why(lines []string) string {
	var reason []string
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "=== ") && !strings.HasPrefix(line, "--- ") {
			reason = append(reason, line)
		}
	}
	return strings.Join(reason, " ")
}

// report prints the closing lines and returns the exit status. A run of no test at all has failed.
func (s *summary) report(w io.Writer, strict bool) int {
	slices.Sort(s.left)
	for _, test := range s.left {
		fmt.Fprintln(w, "skipped:", test)
	}
	for _, pkg := range s.broken {
		fmt.Fprintln(w, "failed:", pkg)
	}
	fmt.Fprintf(w, "%d passed, %d failed, %d skipped\n", s.passed, s.failed, len(s.left))
	if s.failed > 0 || len(s.broken) > 0 || s.passed == 0 || strict && len(s.left) > 0 {
		return 1
	}
	return 0
}

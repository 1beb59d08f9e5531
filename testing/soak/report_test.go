package soak

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// write tells what came of it, for people, in build/soak.md and in the test's own log.
func (s *soak) write() {
	var b strings.Builder
	verdict := "passed"
	if s.t.Failed() {
		verdict = "FAILED"
	}
	fmt.Fprintf(&b, "# Soak of %v: %s\n\n%s", s.took.Round(time.Second), verdict, s.table())
	fmt.Fprintf(&b, "\n## Calls by kind\n\n| kind | calls | reached the provider |\n|---|---|---|\n%s", s.byKind())
	fmt.Fprintf(&b, "\n## What the last process took: medians of its second quarter of life and of its last, and the bound\n\n| | early | late | bound |\n|---|---|---|---|\n")
	for _, g := range grown(s.samples) {
		fmt.Fprintf(&b, "| %s | %.0f %s | %.0f %s | %.0f %s |\n", g.name, g.early, g.unit, g.late, g.unit, g.bound, g.unit)
	}
	s.t.Log("\n" + b.String())
	into := filepath.Join("..", "..", "build")
	if err := os.MkdirAll(into, 0o755); err != nil {
		s.t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(into, "soak.md"), []byte(b.String()), 0o644); err != nil {
		s.t.Error(err)
	}
}

func (s *soak) table() string {
	var b strings.Builder
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "| %s | %s |\n", name, fmt.Sprintf(format, args...))
	}
	b.WriteString("| | |\n|---|---|\n")
	sum, faults := s.sum, 0
	for _, c := range s.register.calls {
		if c.kind.fault {
			faults++
		}
	}
	row("calls", "%d, by %d people at once", sum.calls, people)
	row("faults injected", "%d", faults)
	row("gateway killed or stopped", "%d times", len(restarts))
	row("changes of limits, people and passes", "%d, %d of which found the database locked for too long", s.office.changes, s.office.locked)
	row("refused; answered from an earlier answer", "%d; %d", sum.refused, sum.replayed)
	row("holds left", "%d", s.holds)
	row("calls that are not right in the ledger, or whose caller saw something else", "%d", s.faults)
	row("reported by the provider", "%d calls, %d tokens; difference %d", sum.reported, sum.exact, sum.difference)
	row("counted by us", "%d calls; input %d, served %d; output %d, served %d", sum.counted, sum.booked[0], sum.served[0], sum.booked[1], sum.served[1])
	row("worth nothing", "%d calls", sum.released)
	row("in whose middle the gateway was ended", "%d calls; output booked %d, served %d", sum.lost, sum.lostBooked, sum.lostServed)
	row("peak memory of the last process", "%.0f MiB", s.peak/(1<<20))
	took := s.plain()
	row("a plain call, p50 and p99", "%v and %v", took[len(took)/2].Round(100*time.Microsecond), took[len(took)*99/100].Round(100*time.Microsecond))
	row("goroutines and files, before any call and at rest again", "%.0f and %.0f; %.0f and %.0f", s.rested.goroutines, s.rested.files, s.ended.goroutines, s.ended.files)
	return b.String()
}

// plain are the times of calls in which nothing went wrong and nobody waited, in order.
func (s *soak) plain() []time.Duration {
	var took []time.Duration
	for _, c := range s.register.calls {
		if c.kind.name == "plain" && c.status == 200 && !c.broken {
			took = append(took, c.took)
		}
	}
	slices.Sort(took)
	return took
}

func (s *soak) byKind() string {
	calls, reached := map[string]int{}, map[string]int{}
	for _, c := range s.register.calls {
		calls[c.kind.name]++
		if len(c.visits) > 0 {
			reached[c.kind.name]++
		}
	}
	var b strings.Builder
	for _, k := range append(slices.Clone(kinds), deadline) {
		if calls[k.name] > 0 {
			fmt.Fprintf(&b, "| %s | %d | %d |\n", k.name, calls[k.name], reached[k.name])
		}
	}
	return b.String()
}

// Package soak runs everything at once for a long time: callers of every dialect whose calls end in
// every way, against a provider that misbehaves, through the real program, while its owner changes
// limits, people and passes by command, and the gateway is killed now and then. At the end each call's
// line in the ledger is held against what the provider served under the same id, and the process
// must not have grown.
//
// PERDIEM_SOAK says how long, such as 3m or 2h; a quarter of a minute by default. What came of it is
// written to build/soak.md.
package soak

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(status int) {
		harness.RemoveBuilt()
		os.Exit(status)
	}))
}

const (
	people = 64
	// beat is how often each of them calls: together, 64 calls at once.
	beat    = 1500 * time.Millisecond
	briefly = 15 * time.Second
	// settling is how long what runs at the end may take, and connections that nobody uses to close.
	settling = 30 * time.Second
)

func length(t *testing.T) time.Duration {
	text := os.Getenv("PERDIEM_SOAK")
	if text == "" {
		return briefly
	}
	long, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("PERDIEM_SOAK: %v", err)
	}
	return long
}

func TestSoak(t *testing.T) {
	s := prepare(t)
	s.run()
	s.comeToRest()
	s.compare()
	s.growth()
	s.write()
}

// soak is one run and what was seen in it.
type soak struct {
	t        *testing.T
	long     time.Duration
	upstream *fakeprovider.Server
	register *register
	gateway  *gateway
	office   *office
	callers  []*caller
	patient  *caller // makes a single call, which lasts until the deadline

	rested  sample // before any call
	samples []sample
	ended   sample // when all had ended
	peak    float64
	took    time.Duration
	sum     totals
	faults  int
	holds   int // left at the end
}

// run has everybody at work until the time is over and the last call has ended.
func (s *soak) run() {
	ctx, end := context.WithCancel(s.t.Context())
	defer end()
	began := time.Now()
	traffic := &traffic{s.register, s.gateway}
	var calling, others sync.WaitGroup
	for _, who := range s.callers {
		calling.Go(func() { traffic.work(context.WithoutCancel(ctx), who) })
	}
	others.Go(func() { s.beats(ctx) })
	others.Go(func() {
		if err := s.office.work(ctx, max(s.long/600, 2*time.Second)); err != nil {
			s.t.Errorf("changing what is allowed: %v", err)
		}
	})
	others.Go(func() {
		var err error
		if s.samples, err = s.gateway.watch(ctx, began, max(s.long/500, time.Second/2)); err != nil {
			s.t.Errorf("watching the gateway: %v", err)
		}
	})
	if err := s.gateway.restartAll(ctx, began, s.long); err != nil { // here, since starting may fail the test
		s.t.Errorf("restarting the gateway: %v", err)
	}
	if time.Until(began.Add(s.long)) > 16*time.Minute { // a call's deadline is after 15
		calling.Go(func() { traffic.make(context.WithoutCancel(ctx), s.patient, traffic.plan(s.patient, &deadline)) })
	}
	timer := time.NewTimer(time.Until(began.Add(s.long)))
	<-timer.C
	s.took = time.Since(began)
	end()
	others.Wait()
	calling.Wait()
	if s.office.locked*100 > seldomLocked*s.office.changes+100 {
		s.t.Errorf("%d of %d changes found the database locked for too long", s.office.locked, s.office.changes)
	}
}

// beats has all callers make a call, again and again; who is not done with the last one is let be.
func (s *soak) beats(ctx context.Context) {
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		for _, who := range s.callers {
			select {
			case who.beat <- struct{}{}:
			default:
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			for _, who := range s.callers {
				close(who.beat)
			}
			return
		}
	}
}

// comeToRest waits until nothing is held, and until the gateway has let go of everything that it took
// for calls.
func (s *soak) comeToRest() {
	t := s.t
	if err := s.register.allEnded(settling); err != nil {
		t.Error(err)
	}
	serves := s.gateway.await()
	defer serves.client.CloseIdleConnections()
	serves.client.CloseIdleConnections()
	s.upstream.Close()
	var report struct {
		Clean     bool
		OpenHolds int
	}
	until := time.Now().Add(settling)
	for look := time.NewTicker(time.Second); ; <-look.C {
		if err := s.office.run(&report, "verify"); err != nil && !errors.Is(err, errLocked) {
			t.Fatal(err)
		}
		var err error
		if s.ended, err = s.gateway.measure(t.Context()); err != nil {
			t.Fatal(err)
		}
		rests := report.Clean && report.OpenHolds == 0 && s.ended.goroutines <= s.rested.goroutines+8 && s.ended.files <= s.rested.files+8
		if rests || time.Now().After(until) {
			look.Stop()
			break
		}
	}
	s.holds = report.OpenHolds
	if !report.Clean || report.OpenHolds != 0 {
		t.Errorf("the books are not right: %+v", report)
	}
	if s.ended.goroutines > s.rested.goroutines+8 || s.ended.files > s.rested.files+8 {
		t.Errorf("at rest the gateway has %v goroutines and %v open files; before any call it had %v and %v", s.ended.goroutines, s.ended.files, s.rested.goroutines, s.rested.files)
	}
	var err error
	if s.peak, err = peakMemory(serves.cmd.Process.Pid); err != nil {
		t.Error(err)
	}
}

// compare holds the ledger against the provider's own count, call by call.
func (s *soak) compare() {
	books := readLedger(s.t, s.office.program.Data)
	of := make([][]*call, people+1)
	for _, c := range s.register.calls {
		of[c.caller] = append(of[c.caller], c)
	}
	claimed := 0
	for i, who := range append(slices.Clone(s.callers), s.patient) {
		calls := of[i]
		lines, err := books.match(calls, who.person)
		if err != nil {
			s.t.Errorf("caller %d: %v", i, err)
			continue
		}
		claimed += len(lines)
		for _, c := range calls {
			if err := s.sum.compare(c, lines[c]); err != nil {
				s.fault(c, err)
			}
		}
	}
	if claimed != len(books.byRequest) {
		s.t.Errorf("the ledger has %d requests, the callers made %d of them", len(books.byRequest), claimed)
	}
	if s.sum.reported == 0 || s.sum.counted == 0 || s.sum.released == 0 {
		s.t.Errorf("not every way to end was tried: %+v", s.sum)
	}
}

// fault tells of a call that is not right; the first few in full.
func (s *soak) fault(c *call, err error) {
	if s.faults++; s.faults > 20 {
		s.t.Fail()
		return
	}
	visits := ""
	for _, v := range c.visits {
		visits += fmt.Sprintf(" %+v", *v)
	}
	s.t.Errorf("%s, %s to %s, stream %t, %d tokens, %s: %v (status %d, broken %t, %v; visits%s)",
		c.kind.name, c.wire, c.model, c.stream, c.prompt, c.requestID, err, c.status, c.broken, c.err, visits)
}

func (s *soak) growth() {
	if len(s.samples) < 8 {
		s.t.Fatalf("only %d samples", len(s.samples))
	}
	for _, g := range grown(s.samples) {
		if g.late > g.bound {
			s.t.Errorf("%s grew from %.0f %s to %.0f, above %.0f", g.name, g.early, g.unit, g.late, g.bound)
		}
	}
}

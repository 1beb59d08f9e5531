//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"
)

// scenario is one question by so many callers.
type scenario struct {
	name    string
	q       question
	callers int
}

func scenarios() []scenario {
	var all []scenario
	for _, n := range []int{1, 32, 256} {
		all = append(all, scenario{fmt.Sprintf("whole answers, callers: %d", n), question{model: atOnce, prompt: 1000}, n})
	}
	for _, n := range []int{1, 32, 256} {
		all = append(all, scenario{fmt.Sprintf("streams of %d events, callers: %d", events, n), question{model: atOnce, stream: true, prompt: 1000}, n})
	}
	all = append(all, scenario{"streams that take a second, callers: 256", question{model: paced, stream: true, prompt: 1000}, 256})
	for _, kb := range []int{50, 500} {
		all = append(all, scenario{fmt.Sprintf("prompts of %d kB, whole answers, callers: 32", kb), question{model: atOnce, prompt: kb * 1000}, 32})
	}
	return append(all, scenario{"refusals (the day is spent), callers: 32", question{model: atOnce, prompt: 1000, spent: true}, 32})
}

// measureAll prints a table of every scenario. Ratios are to the ReverseProxy, times added to no gateway
// at all.
func measureAll(ctx context.Context, o options, peers []peer) error {
	fmt.Println("\n| scenario | gateway | requests/s | ratio | p50 ms | p99 ms | first byte added ms | CPU µs/request | ratio | peak MB |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|")
	for _, s := range scenarios() {
		if !strings.Contains(s.name, o.only) {
			continue
		}
		best := make([]figures, len(peers))
		for range o.rounds {
			for i, p := range peers {
				if s.q.spent && p.spent == "" {
					continue
				}
				f, err := measure(ctx, p, s.q, s.callers, o.each)
				if ctx.Err() != nil {
					return ctx.Err()
				}
				if err != nil { // told, and the others go on: it may be a fault of one peer
					fmt.Fprintf(os.Stderr, "%s: %v\n", s.name, err)
					continue
				}
				best[i] = best[i].or(f)
			}
		}
		for i, p := range peers {
			if best[i] != (figures{}) {
				fmt.Println(row(s.name, p, best[i], best[0], best[1]))
			}
		}
	}
	return nil
}

// or takes the best of each: what else the machine did can only make a figure worse.
func (f figures) or(g figures) figures {
	if f == (figures{}) {
		return g
	}
	return figures{
		max(f.perSecond, g.perSecond), min(f.p50, g.p50), min(f.p99, g.p99), min(f.first, g.first),
		min(f.cpu, g.cpu), min(f.peakMemory, g.peakMemory),
	}
}

func row(name string, p peer, f, none, proxy figures) string {
	ms := func(d time.Duration) string { return fmt.Sprintf("%.2f", d.Seconds()*1000) }
	cells := []string{name, p.name, fmt.Sprintf("%.0f", f.perSecond), "", ms(f.p50), ms(f.p99), "", "", "", ""}
	if proxy.perSecond > 0 {
		cells[3] = fmt.Sprintf("%.2f", f.perSecond/proxy.perSecond)
	}
	if p.pid != 0 {
		if none.first > 0 {
			cells[6] = ms(f.first - none.first)
		}
		cells[7], cells[9] = fmt.Sprint(f.cpu.Microseconds()), fmt.Sprintf("%.0f", float64(f.peakMemory)/(1<<20))
		if proxy.cpu > 0 {
			cells[8] = fmt.Sprintf("%.2f", float64(f.cpu)/float64(proxy.cpu))
		}
	}
	return "| " + strings.Join(cells, " | ") + " |"
}

package soak

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// sample is what the gateway's process takes at a moment.
type sample struct {
	of         *life
	at         time.Duration // since the soak began
	memory     float64       // resident, bytes
	goroutines float64
	files      float64 // open handles
	wal        float64 // bytes
}

// measure reads a sample: the gateway's own metrics, and the size of the write-ahead log.
func (g *gateway) measure(ctx context.Context) (sample, error) {
	serves := g.await()
	s := sample{of: serves}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(serves.base, "/v1")+"/metrics", http.NoBody)
	if err != nil {
		return s, err
	}
	res, err := serves.client.Do(req)
	if err != nil {
		return s, err
	}
	defer res.Body.Close()
	figures := map[string]*float64{"process_resident_memory_bytes": &s.memory, "go_goroutines": &s.goroutines, "process_open_fds": &s.files}
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), " ")
		if into := figures[name]; into != nil {
			if *into, err = strconv.ParseFloat(value, 64); err != nil {
				return s, err
			}
		}
	}
	if s.memory == 0 || s.goroutines == 0 || s.files == 0 {
		return s, fmt.Errorf("the gateway's metrics lack a figure: %+v", s)
	}
	if info, err := os.Stat(filepath.Join(g.program.Data, "perdiem.db-wal")); err == nil {
		s.wal = float64(info.Size())
	}
	return s, nil
}

// watch samples until ctx ends. A sample that a restart came across is left out.
func (g *gateway) watch(ctx context.Context, began time.Time, each time.Duration) ([]sample, error) {
	var all []sample
	tick := time.NewTicker(each)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return all, nil
		case <-tick.C:
		}
		s, err := g.measure(context.WithoutCancel(ctx))
		if err != nil {
			if !g.lives(s.of) {
				continue
			}
			return all, err
		}
		s.at = time.Since(began)
		all = append(all, s)
	}
}

// peakMemory is the most that the process had resident, in bytes, by /proc.
func peakMemory(pid int) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	kb, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	return kb * 1024, err
}

// growth compares the second quarter of the last process's life with its last quarter, by medians.
type growth struct {
	name                string
	early, late, bound  float64
	unit                string
	of                  func(sample) float64
	slack, factor, most float64
}

// bounds are how much may grow while the traffic stays the same: a share, and what is noise.
func bounds() []growth {
	return []growth{
		{name: "memory", unit: "MiB", of: func(s sample) float64 { return s.memory / (1 << 20) }, factor: 1.2, slack: 24, most: 400},
		{name: "goroutines", of: func(s sample) float64 { return s.goroutines }, factor: 1.2, slack: 64, most: 2000},
		{name: "file handles", of: func(s sample) float64 { return s.files }, factor: 1.2, slack: 32, most: 1000},
		{name: "write-ahead log", unit: "MiB", of: func(s sample) float64 { return s.wal / (1 << 20) }, factor: 1.2, slack: 8, most: 64},
	}
}

// longEnough is how long a process must have lived to show what grows and not what varies.
const longEnough = 90 * time.Second

// grown fills the figures in, from the samples of the last life. One that was short has the outer bounds.
func grown(samples []sample) []growth {
	last := samples[len(samples)-1].of
	of := slices.DeleteFunc(slices.Clone(samples), func(s sample) bool { return s.of != last })
	all := bounds()
	for i := range all {
		g := &all[i]
		g.early = median(of[len(of)/4:len(of)/2+1], g.of)
		g.late = median(of[len(of)*3/4:], g.of)
		if g.bound = g.most; of[len(of)-1].at-of[0].at >= longEnough {
			g.bound = min(g.early*g.factor+g.slack, g.most)
		}
	}
	return all
}

func median(samples []sample, of func(sample) float64) float64 {
	values := make([]float64, len(samples))
	for i, s := range samples {
		values[i] = of(s)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

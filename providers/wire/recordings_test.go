package wire

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"perdiem/providers/sse"
	"perdiem/testing/fakeprovider"
)

// anyGemini is the wire of a streaming call.
var anyGemini Wire = gemini{model: "g", stream: true}

// recorded are the wires that there are recordings of, by the recordings' names.
var recorded = map[string]Wire{"openai-chat": Chat, "anthropic": Messages, "openai-responses": Responses, "gemini": anyGemini}

// readStream reads a stream to its end, as a relay would.
func readStream(t *testing.T, w Wire, stream io.Reader) Reader {
	t.Helper()
	r := w.NewReader(Facts{Stream: true, Replies: 1})
	for s := sse.NewScanner(stream); ; {
		ev, err := s.Next()
		if errors.Is(err, io.EOF) {
			return r
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(ev.Data) > 0 {
			r.Event(ev.Data)
		}
	}
}

// each runs a test on every recording.
func each(t *testing.T, test func(t *testing.T, w Wire, r fakeprovider.Recording)) {
	for name, w := range recorded {
		for _, r := range fakeprovider.Recordings(t, name) {
			t.Run(r.File, func(t *testing.T) { test(t, w, r) })
		}
	}
}

// metered is a reader that took in a whole recording.
func metered(t *testing.T, w Wire, from fakeprovider.Recording) Reader {
	t.Helper()
	if from.Stream {
		return readStream(t, w, bytes.NewReader(from.Body))
	}
	r := w.NewReader(Facts{Replies: 1})
	if seen := r.Body(from.Body); seen.Error {
		t.Errorf("%s is taken for an error", from.File)
	}
	return r
}

// cutIn is a stream whose first read ends at a byte.
func cutIn(stream []byte, at int) io.Reader {
	return io.MultiReader(bytes.NewReader(stream[:at]), bytes.NewReader(stream[at:]))
}

// mustMeter checks that a reader has the figures that a recording must be metered at.
func mustMeter(t *testing.T, r Reader, want fakeprovider.Recording) {
	t.Helper()
	if got, ok := r.Usage(); !ok || got.Input != want.Input || got.Output != want.Output {
		t.Fatalf("got %+v, %v; want input %d, output %d", got, ok, want.Input, want.Output)
	}
	if input, ok := r.Input(); !ok || input > want.Input {
		t.Fatalf("the input alone: got %d, %v; want %d", input, ok, want.Input)
	}
	if want.Stream && !r.Finished() {
		t.Fatal("the finish was not seen")
	}
}

func TestRecordingsMeterAtTheirExpectedFigures(t *testing.T) {
	each(t, func(t *testing.T, w Wire, r fakeprovider.Recording) { mustMeter(t, metered(t, w, r), r) })
}

// Many recordings hold reasoning that was not delivered, some several replies of which the last is metered; but those that
// were delivered whole are many enough in each wire to see how near our count comes. All of Gemini's hold reasoning.
func TestOurOwnCountIsNearTheProviders(t *testing.T) {
	for name, w := range recorded {
		var ratios []float64
		for _, r := range fakeprovider.Recordings(t, name) {
			ratios = append(ratios, float64(metered(t, w, r).Delivered())/float64(r.Output))
		}
		slices.Sort(ratios)
		t.Logf("%s: %.2f", name, ratios)
		if quartile := ratios[len(ratios)*3/4]; name != "gemini" && (quartile < 0.9 || quartile > 1.25) {
			t.Errorf("%s: a quarter are above %.2f of what the provider counted", name, quartile)
		}
	}
}

// smallFile is up to which size a recording is read anew for every cut, in bytes.
const smallFile = 4 << 10

// Of the long ones some cuts are tried, and the last events' closer, which carry finish and usage.
func TestRecordingsMeterTheSameHoweverTheyAreCut(t *testing.T) {
	each(t, func(t *testing.T, w Wire, want fakeprovider.Recording) {
		if !want.Stream {
			return
		}
		body, step := want.Body, 1
		if len(body) > smallFile {
			step = len(body)/8 + 1
		}
		for at := 0; at < len(body); at += step {
			mustMeter(t, readStream(t, w, cutIn(body, at)), want)
		}
		if step == 1 {
			return
		}
		all := events(t, bytes.NewReader(body))
		for at := len(body) - len(bytes.Join(all[len(all)-2:], nil)); at < len(body); at += 1 + len(body)*len(body)/(64<<20) {
			mustMeter(t, readStream(t, w, cutIn(body, at)), want)
		}
	})
}

// A scanner starts anew with each event, so that a cut is tried on the event that it falls into and its neighbour, which
// takes seconds instead of minutes; the same events are metered the same. Of the longest ones every seventh cut is tried.
func TestRecordingsGiveTheSameEventsCutAtEveryByte(t *testing.T) {
	each(t, func(t *testing.T, _ Wire, r fakeprovider.Recording) {
		if !r.Stream {
			return
		}
		body, step := r.Body, 1
		if len(body) > 32<<10 {
			step = 7
		}
		whole := events(t, bytes.NewReader(body))
		start := 0
		for i, ev := range whole {
			near := bytes.Join(whole[i:min(i+2, len(whole))], nil)
			for at := start % step; at < len(ev); at += step {
				got := events(t, cutIn(near, at))
				if len(got) == 0 || !bytes.Equal(got[0], ev) || !bytes.Equal(bytes.Join(got, nil), near) {
					t.Fatalf("cut at %d: got %q", start+at, got)
				}
			}
			start += len(ev)
		}
		if start != len(body) {
			t.Fatalf("events cover %d of %d bytes", start, len(body))
		}
	})
}

func events(t *testing.T, stream io.Reader) (list [][]byte) {
	t.Helper()
	for s := sse.NewScanner(stream); ; {
		ev, err := s.Next()
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, bytes.Clone(ev.Raw))
	}
}

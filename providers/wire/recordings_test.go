package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"perdiem/providers/sse"
)

// recording is a line of expected.jsonl.
type recording struct {
	File, Wire    string
	Stream        bool
	Input, Output int64
}

// recordings reads what real providers answered, for one wire.
func recordings(t *testing.T, wire string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, r := range expected(t, wire) {
		body, err := os.ReadFile(filepath.Join(shared(), "recordings", r.File))
		if err != nil {
			t.Fatal(err)
		}
		files[r.File] = body
	}
	return files
}

func shared() string {
	if dir := os.Getenv("PERDIEM_SHARED"); dir != "" {
		return dir
	}
	return filepath.Join("..", "..", "..", "shared")
}

func expected(t *testing.T, wire string) (list []recording) {
	t.Helper()
	f, err := os.Open(filepath.Join(shared(), "recordings", "expected.jsonl"))
	if err != nil {
		t.Skipf("no recordings here (set PERDIEM_SHARED to the folder that has recordings/): %v", err)
	}
	defer func() { _ = f.Close() }()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var r recording
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		if r.Wire == wire {
			list = append(list, r)
		}
	}
	if len(list) == 0 {
		t.Fatalf("expected.jsonl has no line for %s", wire)
	}
	return list
}

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

// each runs a test on every recording, with its bytes.
func each(t *testing.T, test func(t *testing.T, w Wire, want recording, body []byte)) {
	for name, w := range recorded {
		files := recordings(t, name)
		for _, want := range expected(t, name) {
			t.Run(want.File, func(t *testing.T) { test(t, w, want, files[want.File]) })
		}
	}
}

// mustMeter checks that a reader has the figures that a recording must be metered at.
func mustMeter(t *testing.T, r Reader, want recording) {
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
	each(t, func(t *testing.T, w Wire, want recording, body []byte) {
		r := w.NewReader(Facts{Replies: 1})
		if want.Stream {
			r = readStream(t, w, bytes.NewReader(body))
		} else if seen := r.Body(body); seen.Error {
			t.Error("taken for an error")
		}
		mustMeter(t, r, want)
	})
}

// Many recordings hold reasoning that was not delivered, some several replies of which the last is metered; but those that
// were delivered whole are many enough in each wire to see how near our count comes. All of Gemini's hold reasoning.
func TestOurOwnCountIsNearTheProviders(t *testing.T) {
	for name, w := range recorded {
		var ratios []float64
		files := recordings(t, name)
		for _, want := range expected(t, name) {
			r := w.NewReader(Facts{Replies: 1})
			if want.Stream {
				r = readStream(t, w, bytes.NewReader(files[want.File]))
			} else {
				r.Body(files[want.File])
			}
			ratios = append(ratios, float64(r.Delivered())/float64(want.Output))
		}
		slices.Sort(ratios)
		t.Logf("%s: %.2f", name, ratios)
		if third := ratios[len(ratios)*3/4]; name != "gemini" && (third < 0.9 || third > 1.25) {
			t.Errorf("%s: a quarter are above %.2f of what the provider counted", name, third)
		}
	}
}

// smallFile is up to which size a recording is read anew for every cut, in bytes.
const smallFile = 4 << 10

// Of the long ones some cuts are tried, and the last events' closer, which carry finish and usage.
func TestRecordingsMeterTheSameHoweverTheyAreCut(t *testing.T) {
	each(t, func(t *testing.T, w Wire, want recording, body []byte) {
		if !want.Stream {
			return
		}
		step := 1
		if len(body) > smallFile {
			step = len(body)/8 + 1
		}
		for at := 0; at < len(body); at += step {
			mustMeter(t, readStream(t, w, io.MultiReader(bytes.NewReader(body[:at]), bytes.NewReader(body[at:]))), want)
		}
		if step == 1 {
			return
		}
		all := events(t, bytes.NewReader(body))
		for at := len(body) - len(bytes.Join(all[len(all)-2:], nil)); at < len(body); at += 1 + len(body)*len(body)/(64<<20) {
			mustMeter(t, readStream(t, w, io.MultiReader(bytes.NewReader(body[:at]), bytes.NewReader(body[at:]))), want)
		}
	})
}

// A scanner starts anew with each event, so that a cut is tried on the event that it falls into and its neighbour, which
// takes seconds instead of minutes; the same events are metered the same. Of the longest ones every seventh cut is tried.
func TestRecordingsGiveTheSameEventsCutAtEveryByte(t *testing.T) {
	each(t, func(t *testing.T, _ Wire, want recording, body []byte) {
		if !want.Stream {
			return
		}
		step := 1
		if len(body) > 32<<10 {
			step = 7
		}
		whole := events(t, bytes.NewReader(body))
		start := 0
		for i, ev := range whole {
			near := bytes.Join(whole[i:min(i+2, len(whole))], nil)
			for at := start % step; at < len(ev); at += step {
				got := events(t, io.MultiReader(bytes.NewReader(near[:at]), bytes.NewReader(near[at:])))
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

package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
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

// readStream reads a stream to its end, as a relay would.
func readStream(t *testing.T, stream io.Reader) Reader {
	t.Helper()
	r := Chat.NewReader(Facts{Stream: true, Replies: 1})
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

func TestChatRecordingsMeterAtTheirExpectedFigures(t *testing.T) {
	files := recordings(t, "openai-chat")
	for _, want := range expected(t, "openai-chat") {
		t.Run(want.File, func(t *testing.T) {
			var r Reader
			if want.Stream {
				r = readStream(t, bytes.NewReader(files[want.File]))
				if !r.Finished() {
					t.Error("the stream's finish was not seen")
				}
			} else {
				r = Chat.NewReader(Facts{Replies: 1})
				r.Body(files[want.File])
			}
			if got, ok := r.Usage(); !ok || got.Input != want.Input || got.Output != want.Output {
				t.Errorf("got %+v, %v; want input %d, output %d", got, ok, want.Input, want.Output)
			}
		})
	}
}

// The last events of a stream carry its finish and its usage.
func TestChatRecordingsMeterTheSameCutInTheirLastEvents(t *testing.T) {
	files := recordings(t, "openai-chat")
	for _, want := range expected(t, "openai-chat") {
		if !want.Stream {
			continue
		}
		all := events(t, bytes.NewReader(files[want.File]))
		end := bytes.Join(all[max(0, len(all)-4):], nil)
		for at := range len(end) + 1 {
			r := readStream(t, io.MultiReader(bytes.NewReader(end[:at]), bytes.NewReader(end[at:])))
			if got, ok := r.Usage(); !ok || got.Input != want.Input || got.Output != want.Output || !r.Finished() {
				t.Fatalf("%s cut at %d of its end: got %+v, %v", want.File, at, got, ok)
			}
		}
	}
}

// Read whole at every cut, the long recordings would take minutes. A scanner starts anew with each event, so that a cut
// is tried on the event it falls into and its neighbours; the same events are metered the same.
func TestChatRecordingsGiveTheSameEventsCutAtEveryByte(t *testing.T) {
	for file, body := range recordings(t, "openai-chat") {
		if filepath.Ext(file) != ".sse" {
			continue
		}
		whole := events(t, bytes.NewReader(body))
		start := 0
		for i, ev := range whole {
			near := bytes.Join(whole[i:min(i+2, len(whole))], nil)
			for at := range ev {
				got := events(t, io.MultiReader(bytes.NewReader(near[:at]), bytes.NewReader(near[at:])))
				if len(got) == 0 || !bytes.Equal(got[0], ev) || !bytes.Equal(bytes.Join(got, nil), near) {
					t.Fatalf("%s cut at %d: got %q", file, start+at, got)
				}
			}
			start += len(ev)
		}
		if start != len(body) {
			t.Fatalf("%s: events cover %d of %d bytes", file, start, len(body))
		}
	}
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

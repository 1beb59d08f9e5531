package translate

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

// recording is a line of expected.jsonl, and the bytes of its file.
type recording struct {
	File, Wire    string
	Stream        bool
	Input, Output int64
	bytes         []byte
}

// recordings are what real providers answered, on one wire.
func recordings(t *testing.T, wire string) (list []recording) {
	t.Helper()
	dir := os.Getenv("PERDIEM_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	dir = filepath.Join(dir, "recordings")
	f, err := os.Open(filepath.Join(dir, "expected.jsonl"))
	if err != nil {
		t.Skipf("no recordings here (set PERDIEM_SHARED to the folder that has recordings/): %v", err)
	}
	defer func() { _ = f.Close() }()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var r recording
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		if r.Wire != wire {
			continue
		}
		if r.bytes, err = os.ReadFile(filepath.Join(dir, r.File)); err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	if len(list) == 0 {
		t.Fatalf("expected.jsonl has no line for %s", wire)
	}
	return list
}

// pieces decodes a reply: a stream as a relay would, through the scanner, or a whole body.
func (r recording) pieces(t *testing.T, d dialect) []Piece {
	t.Helper()
	if r.Stream {
		return streamed(t, d.decoder(), bytes.NewReader(r.bytes))
	}
	var list []Piece
	if !d.decoder().body(r.bytes, func(p Piece) { list = append(list, p) }) {
		t.Fatal("taken for no reply")
	}
	return list
}

// streamed decodes a stream to its end.
func streamed(t *testing.T, d decoder, stream io.Reader) (list []Piece) {
	t.Helper()
	emit := func(p Piece) { list = append(list, p) }
	each(t, stream, func(ev sse.Event) { d.event(ev.Data, emit) })
	if c, ok := d.(closer); ok {
		c.close(emit)
	}
	return list
}

func each(t *testing.T, stream io.Reader, do func(sse.Event)) {
	t.Helper()
	for s := sse.NewScanner(stream); ; {
		ev, err := s.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(ev.Data) > 0 {
			do(ev)
		}
	}
}

// told encodes pieces as a stream.
func told(e encoder, list []Piece) (stream []byte) {
	for _, p := range list {
		stream = e.piece(stream, p)
	}
	return stream
}

// whole encodes pieces as a whole reply.
func whole(t *testing.T, e encoder, list []Piece) []byte {
	t.Helper()
	body, err := marshal(e.whole(gather(list)))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

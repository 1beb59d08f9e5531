package translate

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"perdiem/providers/sse"
	"perdiem/testing/fakeprovider"
)

// recording is what a real provider answered; one of our own making has only the bytes, and whether they are a stream.
type recording fakeprovider.Recording

func recordings(t *testing.T, wire string) (list []recording) {
	t.Helper()
	for _, r := range fakeprovider.Recordings(t, wire) {
		list = append(list, recording(r))
	}
	return list
}

// replies are the recordings of a wire that are replies: one of chat completions' is a transcription.
func replies(t *testing.T, wire string) []recording {
	t.Helper()
	return slices.DeleteFunc(recordings(t, wire), func(r recording) bool { return wire == "openai-chat" && !bytes.Contains(r.Body, []byte(`"choices"`)) })
}

// mustDecodeTheSameCut cuts the streams of a wire at every byte, of the long ones at some: the scanner gives the same
// events wherever a stream was cut.
func mustDecodeTheSameCut(t *testing.T, wire string, d dialect) {
	t.Helper()
	for _, r := range replies(t, wire) {
		if !r.Stream {
			continue
		}
		t.Run(r.File, func(t *testing.T) {
			want := r.pieces(t, d)
			step := 1 + len(r.Body)*len(r.Body)/(8<<20)
			for at := 0; at < len(r.Body); at += step {
				cut := io.MultiReader(bytes.NewReader(r.Body[:at]), bytes.NewReader(r.Body[at:]))
				if got := streamed(t, d.decoder(), cut); !slices.Equal(got, want) {
					t.Fatalf("cut at %d: got %d pieces that differ from the %d of the whole", at, len(got), len(want))
				}
			}
		})
	}
}

// mustTellAtOnce tells the streams of a wire in its own dialect as they come: each piece that is not silent in it is told
// at once.
func mustTellAtOnce(t *testing.T, wire string, d dialect, silent func(Piece) bool) {
	t.Helper()
	for _, r := range replies(t, wire) {
		if !r.Stream {
			continue
		}
		from, to := d.decoder(), d.encoder(&Request{}, ReplyOptions{})
		each(t, bytes.NewReader(r.Body), func(ev sse.Event) {
			from.event(ev.Data, func(p Piece) {
				if told := to.piece(nil, p); len(told) == 0 && !silent(p) {
					t.Fatalf("%s: nothing is told of %+v", r.File, p)
				}
			})
		})
	}
}

// pieces decodes a reply: a stream as a relay would, through the scanner, or a whole body.
func (r recording) pieces(t *testing.T, d dialect) []Piece {
	t.Helper()
	if r.Stream {
		return streamed(t, d.decoder(), bytes.NewReader(r.Body))
	}
	var list []Piece
	if !d.decoder().body(r.Body, func(p Piece) { list = append(list, p) }) {
		t.Fatal("taken for no reply")
	}
	return list
}

// streamed decodes a stream to its end.
func streamed(t rapid.TB, d decoder, stream io.Reader) (list []Piece) {
	t.Helper()
	emit := func(p Piece) { list = append(list, p) }
	each(t, stream, func(ev sse.Event) { d.event(ev.Data, emit) })
	if c, ok := d.(closer); ok {
		c.close(emit)
	}
	return list
}

// each reads a stream to its end.
func each(t rapid.TB, stream io.Reader, do func(sse.Event)) {
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

package sse

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// heard is an event as a client of the format understands it.
type heard struct {
	Name, Data, Error string
	Partial           bool
}

// scan reads a stream to its end and returns what was heard, and the raw bytes put together again.
func scan(t rapid.TB, r io.Reader) (events []heard, raw string, err error) {
	var b strings.Builder
	s := NewScanner(r)
	for n := 0; ; n++ {
		ev, err := s.Next()
		if err != nil {
			return events, b.String(), err
		}
		if len(ev.Raw) == 0 {
			t.Fatalf("event %d has no bytes: the scanner would never end", n)
		}
		b.Write(ev.Raw)
		if len(ev.Data) > 0 || len(ev.Error) > 0 || ev.Name != "" {
			events = append(events, heard{ev.Name, string(ev.Data), string(ev.Error), ev.Partial})
		}
	}
}

func TestScannerReadsEveryShapeOfTheFormat(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want []heard
	}{
		"LF":                             {"data: a\n\ndata: b\n\n", []heard{{Data: "a"}, {Data: "b"}}},
		"CR LF":                          {"data: a\r\n\r\ndata: b\r\n\r\n", []heard{{Data: "a"}, {Data: "b"}}},
		"CR":                             {"data: a\r\rdata: b\r\r", []heard{{Data: "a"}, {Data: "b"}}},
		"mixed line endings":             {"data: a\r\n\ndata: b\n\r\ndata: c\r\n\r", []heard{{Data: "a"}, {Data: "b"}, {Data: "c"}}},
		"no space after the colon":       {"data:a\n\n", []heard{{Data: "a"}}},
		"only one space is dropped":      {"data:  a\n\n", []heard{{Data: " a"}}},
		"event name":                     {"event: ping\ndata: {}\n\n", []heard{{Name: "ping", Data: "{}"}}},
		"the name ends with its event":   {"event: x\ndata: a\n\ndata: b\n\n", []heard{{Name: "x", Data: "a"}, {Data: "b"}}},
		"several data lines":             {"data: a\ndata:\ndata: b\n\n", []heard{{Data: "a\n\nb"}}},
		"comments between and inside":    {": hi\n\ndata: a\n: mid\ndata: b\n\n", []heard{{Data: "a\nb"}}},
		"OpenRouter's keep-alive":        {": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\ndata: a\n\n", []heard{{Data: "a"}}},
		"unknown fields and id, retry":   {"id: 7\nretry: 10\nx: y\ndata: a\n\n", []heard{{Data: "a"}}},
		"blank lines before an event":    {"\n\n\ndata: a\n\n", []heard{{Data: "a"}}},
		"byte order mark":                {"\xef\xbb\xbfdata: a\n\n", []heard{{Data: "a"}}},
		"ends inside a line":             {"data: a\n\ndata: [DO", []heard{{Data: "a"}, {Data: "[DO", Partial: true}}},
		"ends after a line":              {"data: [DONE]\n", []heard{{Data: "[DONE]", Partial: true}}},
		"ends after a line's CR":         {"data: [DONE]\r", []heard{{Data: "[DONE]", Partial: true}}},
		"a field that only starts alike": {"database: x\n\n", nil},
		"an error as a field":            {"error: {\"a\":1}\n\ndata: a\n\n", []heard{{Error: `{"a":1}`}, {Data: "a"}}},
		"JSON where fields should be":    {"data: a\n\n{\n \"error\": {\n data: 1}}\n\ndata: b\n\n", []heard{{Data: "a"}, {Error: "{\n \"error\": {\n data: 1}}\n"}, {Data: "b"}}},
		"nothing":                        {"", nil},
	} {
		t.Run(name, func(t *testing.T) {
			for how, r := range map[string]io.Reader{
				"whole": strings.NewReader(c.in), "byte by byte": iotest.OneByteReader(strings.NewReader(c.in)),
				"data with the end": iotest.DataErrReader(strings.NewReader(c.in)),
			} {
				got, raw, err := scan(t, r)
				if !errors.Is(err, io.EOF) || raw != c.in || !slices.Equal(got, c.want) {
					t.Errorf("%s: got %+v, raw %q, %v; want %+v", how, got, raw, err, c.want)
				}
			}
		})
	}
}

// stalling gives its pieces one a read, and fails the test if it is asked for more than were allowed.
type stalling struct {
	t      *testing.T
	pieces []string
}

func (r *stalling) Read(p []byte) (int, error) {
	if len(r.pieces) == 0 {
		r.t.Fatal("the scanner waited for bytes behind a finished event")
	}
	n := copy(p, r.pieces[0])
	r.pieces = r.pieces[1:]
	return n, nil
}

func TestScannerReturnsAnEventAsSoonAsItsBlankLineCame(t *testing.T) {
	for _, in := range []string{"data: a\n\n", "data: a\r\n\r\n", "data: a\r\n\r", "data: a\r\r"} {
		s := NewScanner(&stalling{t, []string{in}})
		ev, err := s.Next()
		if err != nil || string(ev.Data) != "a" || string(ev.Raw) != in {
			t.Errorf("%q: got data %q, raw %q, %v", in, ev.Data, ev.Raw, err)
		}
	}
}

func TestScannerPassesOnTheLateHalfOfALineEndingAtOnce(t *testing.T) {
	s := NewScanner(&stalling{t, []string{"data: a\r\n\r", "\n"}})
	if _, err := s.Next(); err != nil {
		t.Fatal(err)
	}
	ev, err := s.Next()
	if err != nil || string(ev.Raw) != "\n" || len(ev.Data) != 0 {
		t.Errorf("got raw %q, data %q, %v; want the LF alone", ev.Raw, ev.Data, err)
	}
}

func TestScannerReadsEventsFarAbove64KB(t *testing.T) {
	for _, size := range []int{65 << 10, 300 << 10, 2 << 20, MaxEvent - 100} {
		in := "data: " + strings.Repeat("x", size) + "\n\ndata: b\n\n"
		got, raw, err := scan(t, strings.NewReader(in))
		if !errors.Is(err, io.EOF) || raw != in || len(got) != 2 || len(got[0].Data) != size || got[1].Data != "b" {
			t.Errorf("%d bytes: %d events, %d raw bytes, %v", size, len(got), len(raw), err)
		}
	}
}

// endless is a line that never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestScannerStopsAtAnEventAboveItsBound(t *testing.T) {
	const most = 4 * MaxEvent // so that a scanner without a bound fails here, and takes no more memory than this
	s := NewScanner(io.MultiReader(strings.NewReader("data: a\n\n"), io.LimitReader(endless{}, most)))
	if ev, err := s.Next(); err != nil || string(ev.Data) != "a" {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := s.Next(); !errors.Is(err, ErrEventTooLong) {
			t.Fatalf("got %v, want ErrEventTooLong", err)
		}
	}
	if n := cap(s.buf); n > 2*MaxEvent {
		t.Errorf("it took %d MB of memory", n>>20)
	}
}

func TestScannerReturnsTheReadersErrorAfterWhatCameBefore(t *testing.T) {
	reset := errors.New("connection reset")
	r := io.MultiReader(strings.NewReader("data: a\n\ndata: b"), iotest.ErrReader(reset))
	got, raw, err := scan(t, r)
	if !errors.Is(err, reset) || raw != "data: a\n\ndata: b" || !slices.Equal(got, []heard{{Data: "a"}, {Data: "b", Partial: true}}) {
		t.Errorf("got %+v, raw %q, %v", got, raw, err)
	}
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

func TestScannerGivesUpOnAReaderThatReturnsNothing(t *testing.T) {
	if _, err := NewScanner(idle{}).Next(); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("got %v", err)
	}
}

// cuts reads from in, in pieces of the sizes given, over and over.
type cuts struct {
	in    []byte
	sizes []byte
	n     int
}

func (c *cuts) Read(p []byte) (int, error) {
	if len(c.in) == 0 {
		return 0, io.EOF
	}
	size := 1
	if len(c.sizes) > 0 {
		size = 1 + int(c.sizes[c.n%len(c.sizes)])
	}
	c.n++
	n := copy(p, c.in[:min(size, len(c.in))])
	c.in = c.in[n:]
	return n, nil
}

// sameEvents checks the two promises of the package on one stream and one way to cut it.
func sameEvents(t rapid.TB, in, sizes []byte) {
	want, whole, _ := scan(t, bytes.NewReader(in))
	got, cut, _ := scan(t, &cuts{in: in, sizes: sizes})
	if whole != string(in) || cut != string(in) {
		t.Fatalf("raw bytes differ: in %q, whole %q, cut %q", in, whole, cut)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("events differ for %q: cut %+v, whole %+v", in, got, want)
	}
}

func TestScannerHearsTheSameHoweverTheStreamIsCut(t *testing.T) {
	pieces := []string{"data: ", "data:", "event: x", "\r", "\n", "\r\n", "\n\n", ": c", "{\"a\":1}", "中", "[DONE]", ":", "\xef\xbb\xbf"}
	rapid.Check(t, func(t *rapid.T) {
		in := strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "stream"), "")
		sameEvents(t, []byte(in), rapid.SliceOf(rapid.ByteMax(5)).Draw(t, "sizes"))
	})
}

func FuzzScanner(f *testing.F) {
	f.Add([]byte("data: a\r\n\r\n: c\n\ndata: b\r\r"), []byte{0, 3})
	f.Add([]byte("\xef\xbb\xbfevent: x\ndata\n\ndata: [DONE]"), []byte{7})
	f.Fuzz(func(t *testing.T, in, sizes []byte) { sameEvents(t, in, sizes) })
}

func TestScannerAllocatesNothingForAnEventOnceItsBuffersAreThere(t *testing.T) {
	stream := strings.Repeat("data: {\"choices\":[{\"delta\":{\"content\":\"word\"}}]}\n\n", 4000)
	s := NewScanner(strings.NewReader(stream))
	if _, err := s.Next(); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(2000, func() { _, _ = s.Next() }); n > 0 {
		t.Errorf("%v allocations an event, want 0", n)
	}
}

func BenchmarkScanner(b *testing.B) {
	stream := strings.Repeat("data: {\"choices\":[{\"delta\":{\"content\":\"word\"}}]}\n\n", 1000)
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	for b.Loop() {
		s := NewScanner(strings.NewReader(stream))
		for {
			if _, err := s.Next(); err != nil {
				break
			}
		}
	}
}

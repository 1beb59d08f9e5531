package fakeprovider

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Recording is a reply recorded from a real vendor, with what it must be metered at.
type Recording struct {
	File string // "gemini/some-name.sse"
	// Model is the file's stem: the model that a request names to get it.
	Model  string
	Wire   string
	Stream bool
	Input  int64
	Output int64
	// Body holds the bytes as they came over the wire.
	Body []byte
}

// sharedDir is the folder of the test data that is not part of the project: $PERDIEM_SHARED, or the
// folder "shared" beside the repository.
func sharedDir() string {
	if dir := os.Getenv("PERDIEM_SHARED"); dir != "" {
		return dir
	}
	dir, err := os.Getwd() // a test runs in its package's folder
	for err == nil && dir != filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	return filepath.Join(filepath.Dir(dir), "shared")
}

// Recordings returns those of a wire ("openai-chat", …), in the order of their list. It skips the
// test where there are none.
func Recordings(t testing.TB, wire string) []Recording {
	t.Helper()
	all, err := recordings(sharedDir(), wire)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("no recordings of vendors here: set PERDIEM_SHARED to the folder that holds them")
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatalf("no recording of the wire %s", wire)
	}
	return all
}

func recordings(shared, wire string) ([]Recording, error) {
	list, err := os.ReadFile(filepath.Join(shared, "recordings", "expected.jsonl"))
	if err != nil {
		return nil, fmt.Errorf("reading the list of recordings: %w", err)
	}
	var all []Recording
	for dec := json.NewDecoder(bytes.NewReader(list)); ; {
		var line struct {
			File, Wire    string
			Stream        bool
			Input, Output int64
		}
		if err := dec.Decode(&line); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("reading the list of recordings: %w", err)
		}
		if line.Wire != wire {
			continue
		}
		body, err := os.ReadFile(filepath.Join(shared, "recordings", filepath.FromSlash(line.File)))
		if err != nil {
			return nil, fmt.Errorf("reading a recording: %w", err)
		}
		stem := strings.TrimSuffix(filepath.Base(line.File), filepath.Ext(line.File))
		all = append(all, Recording{File: line.File, Model: stem, Wire: line.Wire, Stream: line.Stream, Input: line.Input, Output: line.Output, Body: body})
	}
}

// Reply replays the recording: a stream event by event.
func (r Recording) Reply() Reply {
	if !r.Stream {
		reply := Body(http.StatusOK, "application/json", string(r.Body))
		reply.Input, reply.Chunks[0].Tokens = r.Input, r.Output
		return reply
	}
	var chunks []Chunk
	for rest := r.Body; len(rest) > 0; {
		n := len(rest)
		if i := bytes.Index(rest, []byte("\n\n")); i >= 0 {
			n = i + 2
		}
		chunks = append(chunks, Chunk{Data: rest[:n]})
		rest = rest[n:]
	}
	// A vendor's event holds an unknown number of tokens: all are counted with the last.
	if len(chunks) > 0 {
		chunks[len(chunks)-1].Tokens = r.Output
	}
	return stream(chunks, r.Input)
}

// recordedOrChat replays the recording that the request's model names, and talks for all others.
func recordedOrChat(req Request) Reply {
	all, err := recordings(sharedDir(), req.Wire)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Error(http.StatusInternalServerError, "fake_provider", err.Error())
	}
	for _, r := range all {
		if r.Model == req.Model && r.Stream == req.Stream {
			return r.Reply()
		}
	}
	return Chat{}.Answer(req)
}

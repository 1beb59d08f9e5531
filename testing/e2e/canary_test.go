package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"perdiem/providers"
	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
)

// canaries are secrets by a name that a failing test may print in their place.
type canaries map[string]string

// foreign is what callers send besides their pass, in every place that a credential may stand.
var foreign = canaries{
	"a cookie": "CANARY-cookie-58d1f0", "a proxy's password": "CANARY-proxy-0c2a77", "Azure's key": "CANARY-azure-91be42",
	"a bad pass": "pdm_canary00_f3a9CANARYbadPASS7d2c4e1b8", "a key in an address": "CANARY-query-77aa01",
}

// wantNone fails if a text holds a canary, in any of the ways that it may be spelled.
func (c canaries) wantNone(t *testing.T, where string, text []byte) {
	t.Helper()
	for name, secret := range c {
		forms := []string{secret, base64.StdEncoding.EncodeToString([]byte(secret)), hex.EncodeToString([]byte(secret))}
		if slices.ContainsFunc(forms, func(f string) bool { return bytes.Contains(bytes.ToLower(text), bytes.ToLower([]byte(f))) }) {
			t.Errorf("%s holds %s", where, name)
		}
	}
}

// logbook is a log at its most talkative.
type logbook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logbook) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug, AddSource: true}))
}

// indiscreet is a way upstream that fails in words that hold the key, when its caller asks for that.
type indiscreet struct{}

func (indiscreet) RoundTrip(r *http.Request) (*http.Response, error) {
	switch r.Header.Get("X-Mishap") {
	case "panic":
		panic(fmt.Sprintf("sending %v", r.Header))
	case "error":
		return nil, fmt.Errorf("sending %s with %v", r.URL, r.Header)
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, errors.New("the way upstream failed")
	}
	return res, nil
}

// A provider's key, a pass and whatever credentials callers send appear in no log line, answer,
// header, database file or backup, whatever happens to the calls.
func TestSecretsAppearNowhere(t *testing.T) {
	t.Cleanup(http.DefaultTransport.(*http.Transport).CloseIdleConnections) //nolint:forcetypeassert // it is one
	var log logbook
	h := harness.Start(t, harness.Options{Models: []string{"m", "spent"}, Upstream: &http.Client{Transport: indiscreet{}}, Log: log.logger()})
	h.NoRate()
	p, pass := h.Person("alice")
	h.Allow(p, "fake/m", nil, nil)
	one := int64(1)
	h.Allow(p, "fake/spent", &one, nil)
	secrets := canaries{"the provider's key": fakeprovider.Key, "the pass": pass[strings.LastIndex(pass, "_")+1:]}
	maps.Copy(secrets, foreign)

	for _, q := range questions() {
		for _, act := range mishaps(pass) {
			q, as, name := q, pass, act.name
			q.Header = http.Header{
				"Cookie": {"session=" + foreign["a cookie"]}, "Proxy-Authorization": {"Basic " + foreign["a proxy's password"]},
			}
			for name, value := range act.header {
				q.Header.Set(name, value)
			}
			if act.path != "" {
				sep := "?"
				if strings.Contains(q.Path, "?") {
					sep = "&"
				}
				q.Path += sep + act.path
			}
			if act.pass != "" {
				as = act.pass
			}
			if act.model != "" {
				q.Body, q.Path = strings.ReplaceAll(q.Body, "fake/m", act.model), strings.ReplaceAll(q.Path, "fake/m", act.model)
			}
			if act.reply != nil {
				h.Upstream.Next(act.reply)
			}
			answer := h.Ask(as, "", q)
			h.AtRest()
			where := fmt.Sprintf("%s at %s: the answer", name, q.Path)
			secrets.wantNone(t, where, answer.Body)
			secrets.wantNone(t, where+"'s header", fmt.Append(nil, answer.Header))
			if act.status != 0 && answer.Status != act.status {
				t.Errorf("%s has status %d, want %d: %s", where, answer.Status, act.status, answer.Body)
			}
			enable(t, h)
		}
	}
	passes := maps.Clone(secrets)
	delete(passes, "the provider's key")
	for _, r := range h.Upstream.Requests() {
		passes.wantNone(t, "what went upstream", fmt.Append(nil, r.Query, r.Header, string(r.Body)))
	}
	_, err := h.Providers.AddProvider(t.Context(), providers.Provider{Name: "other", BaseURL: "http://127.0.0.1:9/v1?key=" + foreign["a key in an address"]})
	if err == nil {
		t.Error("an address with a key in it was taken")
	}
	secrets.wantNone(t, "the error about an address", fmt.Append(nil, err))

	if err := h.Backup(t.Context(), filepath.Join(h.Data, "copy.db")); err != nil {
		t.Fatal(err)
	}
	files := 0
	err = filepath.WalkDir(h.Data, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		secrets.wantNone(t, filepath.Base(path), data)
		return err
	})
	if err != nil || files < 3 { // the database, its -wal, the copy
		t.Errorf("looked into %d files: %v", files, err)
	}
	log.mu.Lock()
	defer log.mu.Unlock()
	if log.text.Len() == 0 {
		t.Error("nothing was logged")
	}
	for line := range strings.SplitSeq(log.text.String(), "\n") {
		secrets.wantNone(t, "the log: "+line[:min(len(line), 160)], []byte(line))
	}
}

// enable undoes what a 401 did to the provider's key, and gives it back the calls.
func enable(t *testing.T, h *harness.House) {
	t.Helper()
	keys, err := h.Providers.Keys(t.Context(), harness.Provider)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Providers.EnableKey(t.Context(), keys[0].ID); err != nil {
		t.Fatal(err)
	}
}

// questions are one in each dialect, whole and streamed.
func questions() []harness.Question {
	var all []harness.Question
	for _, stream := range []bool{false, true} {
		for _, wire := range []string{"openai-chat", "openai-responses", "anthropic", "gemini"} {
			q := questionOf(fakeprovider.Recording{Model: "m", Wire: wire, Stream: stream})
			if q.Path == "" {
				q.Path, q.Body = "/v1/chat/completions", fmt.Sprintf(`{"model":"fake/m","stream":%v,"messages":[{"role":"user","content":"Say a few words."}]}`, stream)
			}
			all = append(all, q)
		}
	}
	return all
}

// mishap is what happens to a call.
type mishap struct {
	name              string
	header            map[string]string
	path, pass, model string
	reply             fakeprovider.Answer
	status            int // 0 where it differs between whole and streamed
}

func mishaps(pass string) []mishap {
	echo := "the key " + fakeprovider.Key + " is wrong"
	return []mishap{
		{name: "success", status: 200},
		{name: "no room", model: "fake/spent"},
		{name: "no such model", model: "fake/none", status: 404},
		{name: "a tool set up wrongly", model: pass, header: map[string]string{"User-Agent": "tool/" + pass}, status: 404},
		{name: "a bad pass", pass: foreign["a bad pass"], status: 401},
		{name: "another key too", path: "key=" + foreign["a key in an address"], status: 401},
		{name: "Azure's key too", header: map[string]string{"Api-Key": foreign["Azure's key"]}, status: 401},
		{name: "a token too", path: "token=" + foreign["a key in an address"] + "&access_token=" + foreign["a key in an address"], status: 200},
		{name: "a 401", reply: fakeprovider.EchoKey("Bearer " + fakeprovider.Key).Always(), status: 401},
		{name: "a 400", reply: fakeprovider.Error(400, "bad", echo, "X-Echo", fakeprovider.Key).Always(), status: 400},
		{name: "a 500", reply: fakeprovider.Body(500, "text/html", "<p>"+echo).Always()},
		{name: "an error event", reply: fakeprovider.Body(200, "text/event-stream", `data: {"error":{"message":"`+echo+`"}}`+"\n\n").Always()},
		{name: "another success", status: 200}, // else the provider is taken to be down, and left alone
		{name: "a reset", reply: func(r fakeprovider.Request) fakeprovider.Reply { return fakeprovider.Chat{}.Answer(r).ResetAt(30) }},
		{name: "a failing way", header: map[string]string{"X-Mishap": "error"}, status: 502},
		{name: "a panicking way", header: map[string]string{"X-Mishap": "panic"}, status: 500},
		{name: "a provider's key", reply: fakeprovider.Body(200, "application/json", `{"id":"`+fakeprovider.Key+`"}`).Always()},
	}
}

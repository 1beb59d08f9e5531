package e2e

import (
	"bytes"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
)

// What people ask, what they are answered and where they call from is nobody's business: it is in no
// log, at any level, and in no file; but for the answer to a request that came with a key for retries,
// which is kept a day, and is in no backup.
func TestPromptsRepliesAndAddressesAreNotKept(t *testing.T) {
	const prompt, reply, kept = "CANARY-prompt-5c1e", "CANARY-reply-77d0", "CANARY-kept-e2b9"
	var log logbook
	h, pass := readyHouse(t, harness.Options{Log: log.logger()})
	address := strings.TrimSuffix(strings.TrimPrefix(h.URL, "http://"), "/v1")
	said := func(text string) fakeprovider.Answer {
		return whole(`{"choices":[{"message":{"content":"` + text + `"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":5}}`).Always()
	}
	var callers []string
	ask := func(head, body string) {
		t.Helper()
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		callers = append(callers, c.LocalAddr().String())
		if _, err := io.WriteString(c, "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"+head+"Content-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"+body); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, c); err != nil {
			t.Fatal(err)
		}
	}
	body := strings.Replace(asked["/v1/chat/completions"], `"messages":`, `"user":"`+prompt+`","messages":`, 1)
	if body == asked["/v1/chat/completions"] {
		t.Fatal("the prompt is not in the body")
	}
	with := "Authorization: Bearer " + pass + "\r\n"
	h.Upstream.Next(said(reply), fakeprovider.Error(400, "bad", reply).Always())
	h.Upstream.Next(said(reply), said(kept))
	ask(with, body)
	ask(with, body)
	ask("", body)
	ask(with, body[:len(body)-1])
	ask(with, strings.Replace(body, "fake/m", "none", 1))
	ask(with, strings.Replace(body, "{", `{"stream":true,`, 1))
	ask(with+"Idempotency-Key: k\r\n", body)
	h.AtRest()
	copied := filepath.Join(h.Data, "backups", "copy.db")
	if err := h.Backup(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	keeps := false
	err := filepath.WalkDir(h.Data, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		for _, text := range append([]string{prompt, reply}, callers...) {
			if bytes.Contains(data, []byte(text)) {
				t.Errorf("%s holds %s", filepath.Base(path), text)
			}
		}
		if holds := bytes.Contains(data, []byte(kept)); path == copied && holds {
			t.Error("the backup holds an answer")
		} else if holds {
			keeps = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	log.mu.Lock()
	defer log.mu.Unlock()
	if !keeps || log.text.Len() == 0 {
		t.Errorf("an answer is kept: %v; %d bytes of log: this shows little", keeps, log.text.Len())
	}
	for _, text := range append([]string{prompt, reply, kept}, callers...) {
		if bytes.Contains(log.text.Bytes(), []byte(text)) {
			t.Errorf("the log holds %s", text)
		}
	}
}

// Go's own server names its callers where a handshake fails.
func TestAFailedHandshakeNamesNobody(t *testing.T) {
	var log logbook
	h := harness.Start(t, harness.Options{Log: log.logger(), HTTPS: true})
	c, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(h.URL, "https://"), "/v1"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write([]byte("\x16\x03\x01\x00\x05nohse")); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, c) // the gateway hangs up
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for begun := time.Now(); ; <-look.C {
		log.mu.Lock()
		text := log.text.String()
		log.mu.Unlock()
		if _, failed, ok := strings.Cut(text, "TLS handshake error"); ok {
			if strings.Contains(failed, c.LocalAddr().String()) || !strings.Contains(failed, "a caller") {
				t.Errorf("the log names a caller: %s", failed)
			}
			return
		}
		if time.Since(begun) > 10*time.Second {
			t.Fatal("nothing was logged")
		}
	}
}

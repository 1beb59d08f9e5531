// Package https has real clients call the gateway over HTTPS: those that trust its certificate, and
// those that do not.
package https

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const model = harness.Provider + "/swift"

// house is a gateway that speaks HTTPS, a pass, and the file with what is to be trusted.
func house(t *testing.T) (h *harness.House, pass, ca string) {
	h = harness.Start(t, harness.Options{Models: []string{"swift"}, HTTPS: true})
	ada, pass := h.Person("Ada")
	h.Allow(ada, model, nil, nil)
	now, err := h.HTTPS(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ca = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, now.CA, 0o644); err != nil {
		t.Fatal(err)
	}
	return h, pass, ca
}

// question is a chat request for a stream.
var question = func() string {
	body, err := json.Marshal(map[string]any{"model": model, "stream": true, "messages": []map[string]string{{"role": "user", "content": "Hello"}}})
	if err != nil {
		panic(err) // strings and booleans alone
	}
	return string(body)
}()

// held has the next reply wait in its middle until the gate is opened.
func held(h *harness.House) *fakeprovider.Gate {
	gate := fakeprovider.NewGate()
	h.Upstream.Next(func(r fakeprovider.Request) fakeprovider.Reply {
		reply := fakeprovider.Chat{Prompt: 9, Words: 40}.Answer(r)
		return reply.HoldAt(len(reply.Bytes())/2, gate)
	})
	return gate
}

// streams reads a stream to its end, and fails unless its first event came while the provider still
// held back the rest.
func streams(t *testing.T, stream io.Reader, gate *fakeprovider.Gate) {
	t.Helper()
	r := bufio.NewReader(stream)
	first, err := r.ReadString('\n')
	if err != nil || !strings.HasPrefix(first, "data: ") {
		t.Errorf("first comes %q, %v", first, err)
	}
	gate.Open()
	rest, err := io.ReadAll(r)
	if err != nil || !bytes.HasSuffix(bytes.TrimSpace(rest), []byte("data: [DONE]")) {
		t.Errorf("it ends with %q, %v", rest[max(0, len(rest)-80):], err)
	}
}

func TestGo(t *testing.T) {
	h, pass, ca := house(t)
	text, err := os.ReadFile(ca)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	for protocol, http2 := range map[int]bool{1: false, 2: true} {
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: http2}
		if !http2 {
			transport.TLSNextProto = map[string]func(string, *tls.Conn) http.RoundTripper{}
		}
		client := &http.Client{Transport: transport}
		gate := held(h)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.URL+"/chat/completions", strings.NewReader(question))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+pass)
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if res.ProtoMajor != protocol || res.StatusCode != http.StatusOK {
			t.Errorf("HTTP/%d, status %d", res.ProtoMajor, res.StatusCode)
		}
		streams(t, res.Body, gate)
		res.Body.Close()
		transport.CloseIdleConnections()
	}
	h.AtRest()

	var unknown x509.UnknownAuthorityError
	if _, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Get(h.URL + "/models"); !errors.As(err, &unknown) {
		t.Errorf("without the certificate: %v", err)
	}
}

// run starts a command and returns what it prints, as it comes, and what waits for its end.
func run(t *testing.T, environment []string, name string, args ...string) (out io.Reader, wait func() (string, error)) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("there is no %s on this machine; .ci/setup test installs it", name)
	}
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env = append(os.Environ(), environment...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out, func() (string, error) { err := cmd.Wait(); return errs.String(), err }
}

func TestCurl(t *testing.T) {
	h, pass, ca := house(t)
	for _, protocol := range []string{"--http1.1", "--http2"} {
		gate := held(h)
		t.Cleanup(gate.Open)
		out, wait := run(t, nil, "curl", "-sSN", protocol, "--cacert", ca, h.URL+"/chat/completions", "-H", "Authorization: Bearer "+pass, "-H", "Content-Type: application/json", "-d", question)
		streams(t, out, gate)
		if errs, err := wait(); err != nil {
			t.Errorf("%s: %v %s", protocol, err, errs)
		}
	}
	h.AtRest()

	out, wait := run(t, nil, "curl", "-sS", h.URL+"/models")
	said, _ := io.ReadAll(out)
	errs, err := wait()
	var failed *exec.ExitError
	if !errors.As(err, &failed) || failed.ExitCode() != 60 || len(said) > 0 { // 60: the certificate could not be verified
		t.Errorf("without the certificate: %v, %s%s", err, said, errs)
	}
	plain, wait := run(t, nil, "curl", "-sS", strings.Replace(h.URL, "https://", "http://", 1)+"/models")
	said, _ = io.ReadAll(plain)
	if errs, err := wait(); err != nil || !strings.Contains(string(said), h.URL) {
		t.Errorf("in plain: %s %v %s", said, err, errs)
	}
}

// script asks by fetch, which speaks HTTP/1.1, or over node:http2, and prints the stream as it comes.
const script = `
const [kind, url, pass, body] = process.argv.slice(1);
if (kind === 'fetch') {
  fetch(url, { method: 'POST', body, headers: { Authorization: 'Bearer ' + pass, 'Content-Type': 'application/json' } }).then(async r => {
    for await (const piece of r.body) process.stdout.write(piece);
  }).catch(e => { console.error(e.cause ? e.cause.code : e); process.exit(1); });
} else {
  const u = new URL(url), session = require('node:http2').connect(u.origin);
  session.on('error', e => { console.error(e.code); process.exit(1); });
  const stream = session.request({ ':method': 'POST', ':path': u.pathname, authorization: 'Bearer ' + pass, 'content-type': 'application/json' });
  stream.on('data', piece => process.stdout.write(piece));
  stream.on('end', () => session.close());
  stream.end(body);
}`

func TestNode(t *testing.T) {
	h, pass, ca := house(t)
	for _, kind := range []string{"fetch", "http2"} {
		gate := held(h)
		t.Cleanup(gate.Open)
		out, wait := run(t, []string{"NODE_EXTRA_CA_CERTS=" + ca}, "node", "-e", script, kind, h.URL+"/chat/completions", pass, question)
		streams(t, out, gate)
		if errs, err := wait(); err != nil || errs != "" {
			t.Errorf("%s: %v %s", kind, err, errs)
		}
	}
	h.AtRest()

	for _, kind := range []string{"fetch", "http2"} {
		out, wait := run(t, []string{"NODE_EXTRA_CA_CERTS="}, "node", "-e", script, kind, h.URL+"/chat/completions", pass, question)
		said, _ := io.ReadAll(out)
		if errs, err := wait(); err == nil || !strings.Contains(errs, "SELF_SIGNED_CERT_IN_CHAIN") || len(said) > 0 {
			t.Errorf("%s without the certificate: %v, %s%s", kind, err, said, errs)
		}
	}
	if h.Booked().Requests != 2 {
		t.Errorf("%d calls are booked", h.Booked().Requests)
	}
}

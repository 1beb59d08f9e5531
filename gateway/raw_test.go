package gateway_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"perdiem/gateway"
	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
)

// statuses sends bytes as they are, and reads the statuses that come until the gateway closes, or
// until it waits for more; waits tells which.
func statuses(t *testing.T, h *harness.House, raw string) (all []int, waits bool) {
	t.Helper()
	c := h.Dial()
	if _, err := io.WriteString(c, raw); err != nil {
		return nil, false // refused before its end
	}
	from := bufio.NewReader(c)
	for {
		if err := c.SetReadDeadline(time.Now().Add(2 * time.Second)); err != nil {
			t.Fatal(err)
		}
		res, err := http.ReadResponse(from, nil)
		if err != nil {
			return all, errors.Is(err, os.ErrDeadlineExceeded)
		}
		_, _ = io.Copy(io.Discard, res.Body) // a connection that is reset behind its status was refused, too
		all = append(all, res.StatusCode)
	}
}

// A proxy before the gateway and the gateway itself must not differ in where a request ends, or what
// one caller sends as a body becomes the next one's request.
func TestARequestThatCouldEndInTwoPlacesIsTheLastOfItsConnection(t *testing.T) {
	h := harness.Start(t, harness.Options{Models: []string{"m"}, Limits: gateway.Limits{BodyPause: time.Second}})
	const next = "GET /v1/usage HTTP/1.1\r\nHost: localhost\r\n\r\n"
	post := func(fields, body string) string {
		return "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n" + fields + "\r\n" + body + next
	}
	if all, waits := statuses(t, h, post("Content-Length: 2\r\n", "{}")); len(all) != 2 || !waits {
		t.Fatalf("two good requests get %v", all) // else nothing below is told
	}
	for name, raw := range map[string]string{
		"a length and chunks":          post("Content-Length: 60\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
		"chunks and a length":          post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n"),
		"two lengths":                  post("Content-Length: 2\r\nContent-Length: 60\r\n", "{}"),
		"two lengths in one":           post("Content-Length: 2, 60\r\n", "{}"),
		"a length with a sign":         post("Content-Length: +2\r\n", "{}"),
		"a negative length":            post("Content-Length: -2\r\n", "{}"),
		"a length in hex":              post("Content-Length: 0x2\r\n", "{}"),
		"an unknown transfer coding":   post("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n"),
		"chunks that are not the last": post("Transfer-Encoding: chunked, identity\r\n", "0\r\n\r\n"),
		"chunks behind another coding": post("Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
		"chunks behind a vertical tab": post("Transfer-Encoding: \x0bchunked\r\n", "0\r\n\r\n"),
		"chunks on a folded line":      post("Content-Length: 60\r\nTransfer-Encoding:\r\n chunked\r\n", "0\r\n\r\n"),
		"a blank before the colon":     post("Content-Length : 2\r\n", "{}"),
		"a blank before the coding's":  post("Transfer-Encoding : chunked\r\n", "0\r\n\r\n"),
		"chunks with bare line feeds":  post("Transfer-Encoding: chunked\r\n", "2\n{}\n0\n\n"),
		"a chunk of a size too large":  post("Transfer-Encoding: chunked\r\n", "ffffffffffffffff1\r\n{}\r\n0\r\n\r\n"),
		"a chunk longer than it says":  post("Transfer-Encoding: chunked\r\n", "1\r\n{}\r\n0\r\n\r\n"),
		"a bare carriage return":       post("X: a\rContent-Length: 2\r\n", "{}"),
		"a null":                       post("X: \x00\r\nContent-Length: 2\r\n", "{}"),
		"two hosts":                    post("Host: other\r\nContent-Length: 2\r\n", "{}"),
		"chunks in HTTP/1.0":           strings.Replace(post("Transfer-Encoding: chunked\r\n", "0\r\n\r\n"), "HTTP/1.1", "HTTP/1.0", 1),
		"no host":                      strings.Replace(post("Content-Length: 2\r\n", "{}"), "Host: localhost\r\n", "", 1),
		"a body that does not come":    "GET /v1/usage HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999\r\n\r\n",
	} {
		if all, waits := statuses(t, h, raw); len(all) > 1 || waits {
			t.Errorf("%s: answered %v, and waits for more: %v", name, all, waits)
		}
	}
	if len(h.Upstream.Requests()) != 0 {
		t.Error("one of them reached the provider")
	}
}

func TestAForeignNameIsForeignHoweverItIsSaid(t *testing.T) {
	h, _, pass := house(t)
	get := func(line, host string) string {
		return "GET " + line + " HTTP/1.1\r\nHost: " + host + "\r\nAuthorization: Bearer " + pass + "\r\nConnection: close\r\n\r\n"
	}
	for raw, want := range map[string]int{
		get("/v1/models", "localhost"):                              200,
		get("http://localhost/v1/models", "evil.example"):           200, // the line is what counts: RFC 9112, section 3.2.2
		get("http://evil.example/v1/models", "localhost"):           403,
		get("/v1/models", "evil.example"):                           403,
		get("/healthz", "evil.example"):                             403,
		get("/", "evil.example"):                                    403,
		get("/page/ca.pem", "evil.example"):                         403,
		get("/v1/models", "localhost:x@evil.example"):               400,
		get("/v1/models", "localhost.evil.example"):                 403,
		get("/healthz", "localhost"):                                200,
		"GET /healthz HTTP/1.0\r\n\r\n":                             403,
		strings.Replace(get("*", "localhost"), "GET", "OPTIONS", 1): 200, // asks nothing of anything
	} {
		if all, _ := statuses(t, h, raw); len(all) != 1 || all[0] != want {
			t.Errorf("%q: %v, want %d", raw[:strings.Index(raw, "\r\nAuth")+1], all, want)
		}
	}
}

func TestHeadersHaveABound(t *testing.T) {
	h, _, _ := house(t)
	get := func(fields string) string {
		return "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + fields + "\r\n"
	}
	for name, c := range map[string]struct {
		raw  string
		want int
	}{
		"some":     {get("X: " + strings.Repeat("x", 30<<10) + "\r\n"), 200},
		"one long": {get("X: " + strings.Repeat("x", 100<<10) + "\r\n"), 431},
		"many":     {get(strings.Repeat("X: y\r\n", 20_000)), 431},
	} {
		if all, _ := statuses(t, h, c.raw); len(all) != 1 || all[0] != c.want {
			t.Errorf("%s: %v, want %d", name, all, c.want)
		}
	}
}

func TestASlowRequestIsLetGo(t *testing.T) {
	h := harness.Start(t, harness.Options{Models: []string{"m"}, Limits: gateway.Limits{BodyPause: 100 * time.Millisecond}})
	p, pass := h.Person("Ada")
	h.Allow(p, model, nil, nil)
	c := h.Dial()
	body := ask(model)
	if _, err := io.WriteString(c, "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+pass+"\r\nContent-Length: 10000\r\n\r\n"+body); err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil || res.StatusCode != http.StatusBadRequest {
		t.Fatalf("got %v, %v", res, err)
	}
	if _, err := io.Copy(io.Discard, c); err != nil {
		t.Errorf("the connection stays open: %v", err)
	}
	if len(h.Upstream.Requests()) != 0 {
		t.Error("half a request reached the provider")
	}
	h.AtRest()
}

// Who never quite stops must come to an end, too.
func TestARequestThatDribblesInIsLetGo(t *testing.T) {
	h := harness.Start(t, harness.Options{Models: []string{"m"}, Limits: gateway.Limits{BodyTime: 300 * time.Millisecond}})
	_, pass := h.Person("Ada")
	c := h.Dial()
	if _, err := io.WriteString(c, "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+pass+"\r\nContent-Length: 1000000\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	pace := time.NewTicker(10 * time.Millisecond)
	defer pace.Stop()
	for begun := time.Now(); ; <-pace.C {
		if _, err := io.WriteString(c, " "); err != nil {
			return // the connection is closed
		}
		if time.Since(begun) > 20*time.Second {
			t.Fatal("the connection stays open")
		}
	}
}

// A caller who stops reading must not keep a provider, a hold and memory.
func TestACallerWhoDoesNotReadIsLetGoAndSettled(t *testing.T) {
	for name, c := range map[string]struct {
		stream string
		reply  fakeprovider.Reply
	}{
		"a stream": {`,"stream":true`, fakeprovider.Chat{Endless: true}.Answer(fakeprovider.Request{Model: "m", Stream: true})},
		"a whole reply": {"", fakeprovider.Body(200, "application/json",
			`{"choices":[{"message":{"content":"`+strings.Repeat("word ", 6<<20)+`"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":5}}`)},
	} {
		t.Run(name, func(t *testing.T) {
			h := harness.Start(t, harness.Options{Models: []string{"m"}, Limits: gateway.Limits{StuckFor: 200 * time.Millisecond}})
			p, pass := h.Person("Ada")
			h.Allow(p, model, nil, nil)
			h.Upstream.Next(c.reply.Always())
			conn := h.Dial()
			if err := conn.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
				t.Fatal(err)
			}
			body := askWith(c.stream)
			if _, err := io.WriteString(conn, "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+pass+
				"\r\nContent-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"+body); err != nil {
				t.Fatal(err)
			}
			h.Upstream.AwaitEnded(1)
			h.AtRest()
			if got := h.Booked(); got.Requests != 1 || got.Tokens == 0 {
				t.Errorf("booked %+v", got)
			}
		})
	}
}

// Who says that nothing more will come from them has left, as far as can be told. If they have not, an empty answer would
// look like a good one.
func TestWhoEndsTheirSideGetsAWholeAnswerOrNone(t *testing.T) {
	for name, c := range map[string]struct {
		more    string
		waiting bool // for the provider, when they do
	}{
		"a stream that waits for the provider": {`,"stream":true`, true},
		"a stream, at once":                    {`,"stream":true`, false},
		"a whole reply, at once":               {"", false},
	} {
		t.Run(name, func(t *testing.T) {
			h, _, pass := house(t)
			gate := fakeprovider.NewGate()
			if c.waiting {
				h.Upstream.On("m", fakeprovider.Chat{}.Held(fakeprovider.BeforeHeader, gate))
			}
			conn := h.Dial()
			body := askWith(c.more)
			if _, err := io.WriteString(conn, "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+pass+
				"\r\nContent-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"+body); err != nil {
				t.Fatal(err)
			}
			if c.waiting {
				gate.Await(t, 1)
			}
			if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(conn)
			gate.Open()
			if whole := strings.Contains(string(got), `"usage"`) || strings.Contains(string(got), "[DONE]"); err != nil || len(got) > 0 && !whole {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

// Small answers fill a connection too, if enough of them are not read.
func TestWhoReadsNoAnswersIsLetGo(t *testing.T) {
	h := harness.Start(t, harness.Options{Limits: gateway.Limits{StuckFor: 200 * time.Millisecond}})
	for _, path := range []string{"/healthz", "/page/main.js", "/v1/usage", "/v1/nothing"} {
		t.Run(path, func(t *testing.T) {
			c := h.Dial()
			many := strings.Repeat("GET "+path+" HTTP/1.1\r\nHost: localhost\r\n\r\n", 1000)
			for {
				if _, err := io.WriteString(c, many); errors.Is(err, os.ErrDeadlineExceeded) {
					t.Fatal("the connection is kept open")
				} else if err != nil {
					return
				}
			}
		})
	}
}

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perdiem/gateway/boot"
)

// What the demo prints works as it stands: its pass streams from its address, and usage shows it.
func TestDemoCanBeJoined(t *testing.T) {
	scratch := t.TempDir()
	t.Setenv("TMPDIR", scratch)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, printed := io.Pipe()
	var errs bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- Main(ctx, []string{"demo", "--headless", "--json", "--listen", "127.0.0.1:0"}, Streams{nil, printed, &errs}, Hooks{})
	}()
	var told struct {
		BaseURL, Pass, Model string
		SetUps               []struct{ Tool, Text string }
	}
	if err := json.NewDecoder(out).Decode(&told); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, out) }() // ends when the pipe is closed
	if len(told.SetUps) == 0 || !strings.Contains(told.SetUps[0].Text, told.Pass) || !strings.Contains(told.SetUps[0].Text, told.BaseURL) {
		t.Errorf("the set-up texts are not filled in: %+v", told.SetUps)
	}

	me := teammate{name: "me", pass: told.Pass}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	if no, err := me.ask(t.Context(), client, told.BaseURL, told.Model, "Hello!"); err != nil || no != nil {
		t.Errorf("joining in: %v %+v", err, no)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, told.BaseURL+"/usage", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+told.Pass)
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var usage usage
	if err := json.NewDecoder(res.Body).Decode(&usage); err != nil {
		t.Fatal(err)
	}
	used := false
	for _, m := range usage.Models {
		used = used || m.Model == told.Model && m.UsedRequests >= 1 && m.OutputTokens > 0
	}
	if !used {
		t.Errorf("usage does not show it: %+v", usage)
	}

	stop()
	if status := <-ended; status != statusOK {
		t.Errorf("status %d\n%s", status, &errs)
	}
	printed.Close()
	if left, _ := filepath.Glob(filepath.Join(scratch, "*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A teammate stops asking a model that told them no for today, and says so once.
func TestTeammateStopsAtARefusal(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	upstream, stop, err := serveSimulated(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	app, err := openDemo(t.Context(), t.TempDir(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	team, err := furnish(t.Context(), app, upstream)
	if err != nil {
		t.Fatal(err)
	}
	cleo := team[2]
	cleo.pace = time.Millisecond
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	var refused []string
	cleo.work(t.Context(), client, nearAddress(app), func(_, message string) { refused = append(refused, message) })
	if len(refused) != 1 || !strings.Contains(refused[0], "4 of 4") {
		t.Errorf("refused: %q", refused)
	}
}

func TestDemoOpensTheWindowWhereThereIsAScreen(t *testing.T) {
	t.Setenv("DISPLAY", ":0")
	t.Setenv("TMPDIR", t.TempDir())
	opened := false
	hooks := Hooks{OpenWindow: func(_ context.Context, app *boot.App) error {
		opened = app.On()
		return nil
	}}
	var out, errs bytes.Buffer
	if status := Main(t.Context(), []string{"demo", "--listen", "127.0.0.1:0"}, Streams{nil, &out, &errs}, hooks); status != statusOK || !opened {
		t.Errorf("status %d, opened: %v\n%s", status, opened, &errs)
	}
	if os.Getenv("DISPLAY") == "" || strings.Contains(out.String(), "no window") {
		t.Errorf("it says there is no window:\n%s", &out)
	}
}

//go:build window

// Package window sits in front of the real window, on a real screen in memory, with a mouse and a keyboard. Its tests have the
// build tag window: they want the program itself, which .ci/check builds after all else.
package window

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
)

// TestAnOwnerSetsUpATeamByMouseAndKeyboard goes through the first-run guide to a call that works, adds a person, edits an
// allowance while a call is refused, which then passes, and quits while an answer is under way.
func TestAnOwnerSetsUpATeamByMouseAndKeyboard(t *testing.T) {
	vendor := fakeprovider.New(t)
	vendor.On("gpt-5", fakeprovider.Chat{Words: 5}.Answer)
	listen := harness.FreePort(t)
	s := open(t, listen)

	s.clickButton("the guide's first step")
	s.typed("OpenAI-compatible")
	s.key("Return")
	s.settled()
	s.typed("fake")
	s.key("Tab")
	s.typed(vendor.URL)
	s.key("Tab", "Tab", "Tab") // past where the key comes from
	s.typed(fakeprovider.Key)
	s.key("Return")
	s.until("the provider is stored", func() bool { return len(s.list("provider", "list")) == 1 })
	s.settled()
	s.typed("gpt-5")
	s.key("Return")
	s.until("its model is imported", func() bool { return len(s.list("model", "list")) == 1 })

	s.settled()
	s.key("ctrl+2", "ctrl+n")
	s.settled()
	s.typed("Amara")
	s.key("Return")
	s.until("the person is stored", func() bool { return len(s.list("person", "list")) == 1 })
	s.clickButton("Done, below the pass")

	s.key("ctrl+1")
	s.settled()
	s.clickButton("the guide's step to an allowance")
	s.key("Return") // what the field proposes
	s.until("the allowance is stored", func() bool {
		var set struct{ Allowances []any }
		s.run(&set, "limits")
		return len(set.Allowances) == 1
	})

	s.clickButton("the guide's last step")
	asked := len(vendor.Requests()) // by the test of the key
	s.key("Return")
	s.until("the call went through to the vendor", func() bool { return len(vendor.Requests()) == asked+1 })
	s.settled()
	s.key("Escape")

	pass := s.pass("Amara")
	s.limit("10")
	s.until("the call is refused", func() bool {
		status, said := ask(t, listen, pass)
		return status == http.StatusTooManyRequests && strings.Contains(said, "DAILY_TOKEN_LIMIT")
	})
	s.limit("90000")
	s.until("the same call passes", func() bool { status, _ := ask(t, listen, pass); return status == http.StatusOK })

	gate := fakeprovider.NewGate()
	vendor.On("gpt-5", fakeprovider.Chat{Words: 50}.Held(3, gate))
	ended := make(chan string)
	go func() { _, said := ask(t, listen, pass); ended <- said }()
	gate.Await(t, 1)
	quitting := time.Now()
	s.key("ctrl+q")
	err := s.cmd.Wait()
	if took := time.Since(quitting); err != nil || took > 3*time.Second {
		t.Errorf("the program took %s to quit, and ended with %v", took, err)
	}
	select {
	case said := <-ended:
		if !strings.Contains(said, "error") {
			t.Errorf("the answer under way ended as if it were whole: %s", said)
		}
	case <-t.Context().Done():
		t.Fatal("the answer under way never ended")
	}
	for _, fault := range []string{"Error in Fyne call thread", "panic:", "DATA RACE"} {
		if strings.Contains(s.said(), fault) {
			t.Errorf("the program said %q", fault)
		}
	}
}

// limit sets Amara's allowance on the model, as the owner would: find her, go to the cell, type, Enter.
func (s *screen) limit(figure string) {
	s.t.Helper()
	s.key("ctrl+3")
	s.settled()
	s.key("ctrl+f", "ctrl+a")
	s.typed("amara")
	s.settled()
	s.key("Down", "Left", "Left", "Right")
	s.settled()
	s.typed(figure)
	s.key("Return")
}

// list runs one of the program's own commands that prints a list.
func (s *screen) list(args ...string) []any {
	s.t.Helper()
	var all []any
	s.run(&all, args...)
	return all
}

func (s *screen) run(into any, args ...string) {
	s.t.Helper()
	out, err := exec.Command(s.program, append(args, "--json", "--data", s.data)...).Output()
	if err == nil {
		err = json.Unmarshal(out, into)
	}
	if err != nil {
		s.t.Fatalf("perdiem %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// pass makes a pass for a person, beside the one that was shown.
func (s *screen) pass(person string) string {
	s.t.Helper()
	var made struct{ Pass string }
	s.run(&made, "pass", "issue", person)
	return made.Pass
}

// ask streams an answer to its end.
func ask(t *testing.T, listen, pass string) (status int, said string) {
	body := `{"model":"fake/gpt-5","stream":true,"max_tokens":60,"messages":[{"role":"user","content":"Hello, how are you today?"}]}`
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+listen+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	req.Header.Set("Authorization", "Bearer "+pass)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, fmt.Sprint("error: ", err)
	}
	defer res.Body.Close()
	all, err := io.ReadAll(res.Body)
	if err != nil {
		return res.StatusCode, string(all) + fmt.Sprint(" error: ", err)
	}
	return res.StatusCode, string(all)
}

package cli

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"perdiem/gateway/boot"
	"perdiem/gateway/https"
	"perdiem/providers/keys"
	"perdiem/testing/fakeprovider"
)

// leakChecked runs the tests, and fails them for a goroutine that is left at their end.
type leakChecked struct{ *testing.M }

func (m leakChecked) Run() int {
	status := m.M.Run()
	// The keychain's bus connection stays open for the life of the process; the library shares it.
	err := goleak.Find(
		goleak.IgnoreTopFunction("github.com/godbus/dbus/v5.newConn.func1"),
		goleak.IgnoreAnyFunction("github.com/godbus/dbus/v5.(*Conn).inWorker"))
	if err != nil && status == 0 {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return status
}

func TestMain(m *testing.M) {
	testscript.Main(leakChecked{m}, map[string]func(){
		"perdiem":        func() { program(Hooks{}) },
		"perdiem-window": func() { program(Hooks{OpenWindow: window}) },
	})
}

// program is main, as main.go has it.
func program(hooks Hooks) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	status := Main(ctx, os.Args[1:], Streams{os.Stdin, os.Stdout, os.Stderr}, hooks)
	stop()
	os.Exit(status)
}

// window stands where the real one draws: the app that it was opened on serves until it is closed.
func window(ctx context.Context, _ *boot.App) error {
	<-ctx.Done()
	return nil
}

// TestScripts runs testdata/script: each is a whole story on the command line, in processes of their
// own, in a home of its own, against the fake provider. With PERDIEM_UPDATE_SCRIPTS set, what the
// program says is written into the scripts, to be read before it is kept.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       os.Getenv("PERDIEM_UPDATE_SCRIPTS") != "",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			upstream := fakeprovider.New(e.T().(testing.TB))
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				return err
			}
			defer l.Close() // for the script to take
			home := filepath.Join(e.WorkDir, "home")
			e.Setenv("HOME", home)
			e.Setenv("USERPROFILE", home)
			e.Setenv("PERDIEM_DATA", filepath.Join(e.WorkDir, "data"))
			e.Setenv(keys.EnvName("fake"), fakeprovider.Key)
			authority, err := https.NewAuthority(https.NamesHere(nil), time.Now())
			if err != nil {
				return err
			}
			secret, err := authority.Secret()
			if err != nil {
				return err
			}
			e.Setenv(keys.EnvName("https"), secret)
			e.Setenv("UPSTREAM", upstream.URL)
			e.Setenv("AT", l.Addr().String())
			return os.MkdirAll(home, 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "plain": plain, "keep": keep, "up": up, "ask": ask, "valid": valid, "absent": absent, "mode": mode, "write": write,
		},
	})
}

// exits N COMMAND... runs a command that must end with that status.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var ended *exec.ExitError
		if !errors.As(err, &ended) {
			ts.Fatalf("%v", err)
		}
		got = ended.ExitCode()
	}
	if got != want {
		ts.Fatalf("status %d, want %d\n%s%s", got, want, ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}

// changing is what differs from run to run, and how it is written in what is compared.
var changing = []struct {
	what *regexp.Regexp
	as   string
}{
	{regexp.MustCompile(`pdm_\w{8}_\w{32}`), "pdm_PUBLIC_SECRET"},
	{regexp.MustCompile(`join=\w{24}`), "join=CODE"},
	{regexp.MustCompile(`\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`), "UUID"},
	{regexp.MustCompile(`"(id|passId)": "\w{8}"`), `"$1": "PUBLIC"`},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`), "TIME"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d`), "DAY CLOCK"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d`), "DAY"},
	{regexp.MustCompile(`until \d\d:\d\d`), "until CLOCK"},
	{regexp.MustCompile(`in \d+ (h|min|s)( \d+ min)?\b`), "in SPAN"},
	{regexp.MustCompile(`([0-9A-F]{2}:){31}[0-9A-F]{2}`), "FINGERPRINT"},
	{regexp.MustCompile(`\b[0-9a-f]{64}\b`), "FINGERPRINT"},
	{regexp.MustCompile(`ca-[0-9a-f]{16}`), "ca-FINGERPRINT"},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "ADDRESS"},
	{regexp.MustCompile(`req_[0-9a-f]+`), "REQUEST"},
}

// plain [stderr] repeats what the last command said without what differs from run to run.
func plain(ts *testscript.TestScript, _ bool, args []string) {
	said := ts.ReadFile("stdout")
	if len(args) > 0 {
		said = ts.ReadFile(args[0])
	}
	said = strings.ReplaceAll(said, ts.Getenv("WORK"), "WORK")
	for _, c := range changing {
		said = c.what.ReplaceAllString(said, c.as)
	}
	_, err := io.WriteString(ts.Stdout(), said)
	ts.Check(err)
}

// keep NAME REGEXP keeps what the expression's group found in what the last command said.
func keep(ts *testscript.TestScript, _ bool, args []string) {
	found := regexp.MustCompile("(?m)" + args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if found == nil {
		ts.Fatalf("there is no %s in %s", args[1], ts.ReadFile("stdout"))
	}
	ts.Setenv(args[0], found[1])
}

// anybody is a client that believes every certificate: those have tests of their own.
var anybody = &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}

// up URL waits until a gateway answers there.
func up(ts *testscript.TestScript, _ bool, args []string) {
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for begun := time.Now(); ; <-look.C {
		res, err := anybody.Get(args[0] + "/healthz")
		if err == nil {
			res.Body.Close()
			return
		}
		if time.Since(begun) > 30*time.Second {
			ts.Fatalf("nobody serves at %s: %v", args[0], err)
		}
	}
}

// ask BASE MODEL asks a model with the pass in the variable PASS, and says the status and the answer.
func ask(ts *testscript.TestScript, _ bool, args []string) {
	body := fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":"Hello"}]}`, args[1])
	req, err := http.NewRequest(http.MethodPost, args[0]+"/chat/completions", strings.NewReader(body))
	ts.Check(err)
	req.Header.Set("Authorization", "Bearer "+ts.Getenv("PASS"))
	res, err := anybody.Do(req)
	ts.Check(err)
	defer res.Body.Close()
	var said struct {
		Choices []struct{ Message struct{ Content string } }
		Error   struct{ Message string }
	}
	ts.Check(json.NewDecoder(res.Body).Decode(&said))
	text := said.Error.Message
	if len(said.Choices) > 0 {
		text = said.Choices[0].Message.Content
	}
	fmt.Fprintln(ts.Stdout(), res.StatusCode, strings.TrimSpace(text))
}

// valid fails unless the last command said one JSON value, and nothing else.
func valid(ts *testscript.TestScript, _ bool, _ []string) {
	if said := ts.ReadFile("stdout"); !json.Valid([]byte(said)) || ts.ReadFile("stderr") != "" {
		ts.Fatalf("no JSON alone: %s%s", said, ts.ReadFile("stderr"))
	}
}

// absent TEXT FOLDER fails if the text stands in any file there.
func absent(ts *testscript.TestScript, _ bool, args []string) {
	files := 0
	ts.Check(filepath.WalkDir(ts.MkAbs(args[1]), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte(args[0])) {
			ts.Fatalf("it stands in %s", path)
		}
		return err
	}))
	if files == 0 {
		ts.Fatalf("there is no file in %s", args[1])
	}
}

// mode MODE FILE fails unless the file has that mode.
func mode(ts *testscript.TestScript, _ bool, args []string) {
	info, err := os.Stat(ts.MkAbs(args[1]))
	ts.Check(err)
	if got := fmt.Sprintf("%#o", info.Mode().Perm()); got != args[0] {
		ts.Fatalf("%s has the mode %s, want %s", args[1], got, args[0])
	}
}

// write FILE TEXT writes a line into a file.
func write(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(args[1]+"\n"), 0o600))
}

//go:build window

package window

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// within is how long the window may take to show what an action leads to: it draws by software here, beside other tests.
const within = 60 * time.Second

// screen is the window on a screen in memory, with somebody in front of it.
type screen struct {
	t       *testing.T
	program string
	data    string
	log     string
	cmd     *exec.Cmd
	id      string // the window's
}

// open starts the program that PERDIEM_WINDOW names and waits for its window.
func open(t *testing.T, listen string) *screen {
	t.Helper()
	s := &screen{t: t, program: os.Getenv("PERDIEM_WINDOW"), data: t.TempDir()}
	if s.program == "" || os.Getenv("DISPLAY") == "" {
		t.Fatal("PERDIEM_WINDOW names no program with a window, or there is no screen: see .ci/services")
	}
	s.log = filepath.Join(s.data, "log")
	log, err := os.Create(s.log)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	s.cmd = exec.Command(s.program, "window", "--listen", listen, "--data", s.data)
	s.cmd.Env = append(os.Environ(), "FYNE_SCALE=1", "FYNE_THEME=light", "LANG=en_US.UTF-8")
	s.cmd.Stderr, s.cmd.Stdout = log, log
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.end)
	s.until("the window opens", func() bool {
		out, err := exec.Command("xdotool", "search", "--onlyvisible", "--name", "^Perdiem$").Output()
		s.id = strings.TrimSpace(string(out))
		return err == nil && s.id != ""
	})
	return s
}

// end ends a program that the test left running, and shows what it said where the test failed.
func (s *screen) end() {
	if s.cmd.ProcessState == nil {
		_ = s.cmd.Process.Kill() // it has ended meanwhile otherwise
		_ = s.cmd.Wait()
	}
	if s.t.Failed() {
		s.t.Logf("the program said:\n%s", s.said())
	}
}

func (s *screen) said() string {
	text, err := os.ReadFile(s.log)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

// until asks again and again until yes; the window tells nobody what it shows.
func (s *screen) until(what string, yes func() bool) {
	s.t.Helper()
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for deadline := time.Now().Add(within); time.Now().Before(deadline); <-again.C {
		if yes() {
			return
		}
	}
	if s.id != "" {
		s.keep()
	}
	s.t.Fatalf("after %s it is still not so that %s", within, what)
}

func (s *screen) x(args ...string) {
	s.t.Helper()
	if out, err := exec.Command("xdotool", args...).CombinedOutput(); err != nil {
		s.t.Fatalf("xdotool %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func (s *screen) key(names ...string) {
	s.t.Helper()
	s.x(append([]string{"key", "--delay", "60"}, names...)...)
}
func (s *screen) typed(words string) { s.t.Helper(); s.x("type", "--delay", "25", words) }

func (s *screen) picture() image.Image {
	s.t.Helper()
	out, err := exec.Command("import", "-window", "root", "png:-").Output()
	if err != nil {
		s.t.Fatalf("look at the screen: %v", err)
	}
	p, err := png.Decode(bytes.NewReader(out))
	if err != nil {
		s.t.Fatalf("look at the screen: %v", err)
	}
	return p
}

// keep leaves a picture of the screen for whoever looks into a failure.
func (s *screen) keep() {
	path := filepath.Join(os.TempDir(), "perdiem-window.png")
	if out, err := exec.Command("import", "-window", "root", path).CombinedOutput(); err != nil {
		s.t.Logf("no picture: %v %s", err, out)
		return
	}
	s.t.Logf("the screen is kept in %s", path)
}

// button is the middle of the one button in sight that stands out by the accent colour, as the next thing to do does.
func (s *screen) button() (at image.Point, ok bool) {
	const red, green, blue = 0x0e, 0x6a, 0x78 // in the light theme
	p := s.picture()
	var box image.Rectangle
	for y := p.Bounds().Min.Y; y < p.Bounds().Max.Y; y++ {
		for x, run := p.Bounds().Min.X, 0; x < p.Bounds().Max.X; x++ {
			if r, g, b, _ := p.At(x, y).RGBA(); r>>8 != red || g>>8 != green || b>>8 != blue {
				run = 0
				continue
			}
			if run++; run >= 24 { // text in this colour, and the edge of a field, have no such runs
				box = box.Union(image.Rect(x-run+1, y, x+1, y+1))
			}
		}
	}
	if box.Dy() < 24 || box.Dy() > 48 || box.Dx() > 320 {
		return at, false // none, or several
	}
	return image.Pt((box.Min.X+box.Max.X)/2, (box.Min.Y+box.Max.Y)/2), true
}

// clickButton waits for the button that stands out, clicks it, and sees what comes of it.
func (s *screen) clickButton(which string) {
	s.t.Helper()
	s.settled()
	var at image.Point
	s.until(which+" stands out", func() (ok bool) {
		at, ok = s.button()
		return ok
	})
	s.x("mousemove", fmt.Sprint(at.X), fmt.Sprint(at.Y), "click", "1")
	s.settled()
}

// settled waits until the picture stands still for a moment, but for what always moves: a cursor, a countdown.
func (s *screen) settled() {
	s.t.Helper()
	last, same := s.picture(), 0
	s.until("the window stands still", func() bool {
		now := s.picture()
		if same++; differences(last, now) > moves {
			same = 0
		}
		last = now
		return same >= 3
	})
}

// moves is how many pixels always may.
const moves = 600

func differences(a, b image.Image) (pixels int) {
	for y := a.Bounds().Min.Y; y < a.Bounds().Max.Y; y++ {
		for x := a.Bounds().Min.X; x < a.Bounds().Max.X; x++ {
			if a.At(x, y) != b.At(x, y) {
				pixels++
			}
		}
	}
	return pixels
}

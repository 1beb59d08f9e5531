package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// terminal opens a terminal of the system's, whose other end nobody types at.
func terminal(t *testing.T) *os.File {
	t.Helper()
	other, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close() }) // ends whoever still reads
	if err := unix.IoctlSetPointerInt(int(other.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(other.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	tty, err := os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return tty
}

func shows(t *testing.T, tty *os.File) bool {
	t.Helper()
	state, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return state.Lflag&unix.ECHO != 0
}

// Ctrl+C where a key is asked for ends the command, and the terminal shows again what is typed.
func TestWhoIsAskedForAKeyCanEndThat(t *testing.T) {
	tty := terminal(t)
	ctx, end := context.WithCancel(t.Context())
	asked := make(chan error, 1)
	go func() {
		s := &session{Streams: Streams{In: tty, Out: io.Discard, Err: io.Discard}}
		_, err := s.readSecret(ctx, false, "The key of fake")
		asked <- err
	}()
	for shows(t, tty) { // until it is asked for
		runtime.Gosched()
	}
	end()
	if err := <-asked; !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
	if !shows(t, tty) {
		t.Error("the terminal no longer shows what is typed")
	}
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// maxSecret bounds what is read from the standard input; no vendor's key comes near it.
const maxSecret = 16 << 10

// readSecret takes a key from the standard input, or asks a person for it without echo.
func (s *session) readSecret(ctx context.Context, fromInput bool, what string) (string, error) {
	return s.readHidden(ctx, fromInput, what, "key")
}

// readPass does the same for a pass.
func (s *session) readPass(ctx context.Context, fromInput bool) (string, error) {
	return s.readHidden(ctx, fromInput, "Your pass", "pass")
}

func (s *session) readHidden(ctx context.Context, fromInput bool, what, kind string) (string, error) {
	if !fromInput {
		return s.askSecret(ctx, what, kind)
	}
	text, err := io.ReadAll(io.LimitReader(s.In, maxSecret+1))
	if err != nil {
		return "", fmt.Errorf("reading the %s from the standard input: %w", kind, err)
	}
	return cleanSecret(text, kind)
}

func (s *session) askSecret(ctx context.Context, what, kind string) (string, error) {
	terminal, ok := s.In.(*os.File)
	if !ok || !term.IsTerminal(int(terminal.Fd())) {
		return "", fmt.Errorf("there is no terminal to ask for the %s: pipe it in, with --%s-stdin", kind, kind)
	}
	fmt.Fprintf(s.Err, "%s (it is not shown): ", what)
	text, err := readUnseen(ctx, int(terminal.Fd()))
	fmt.Fprintln(s.Err)
	if err != nil {
		return "", fmt.Errorf("asking for the %s: %w", kind, err)
	}
	return cleanSecret(text, kind)
}

// readUnseen reads a line that the terminal does not show, until ctx ends: the terminal then shows what is typed again.
// The read itself cannot be broken off; it ends with the program.
func readUnseen(ctx context.Context, terminal int) ([]byte, error) {
	before, err := term.GetState(terminal)
	if err != nil {
		return nil, err
	}
	type line struct {
		text []byte
		err  error
	}
	typed := make(chan line, 1)
	go func() {
		text, err := term.ReadPassword(terminal)
		typed <- line{text, err}
	}()
	select {
	case l := <-typed:
		return l.text, l.err
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), term.Restore(terminal, before))
	}
}

// cleanSecret takes off the line's end that a pipe or a paste brings, and refuses what no key is.
// Its errors never repeat what was given.
func cleanSecret(text []byte, kind string) (string, error) {
	secret := strings.TrimSpace(string(text))
	switch {
	case secret == "":
		return "", fmt.Errorf("the %s is empty", kind)
	case len(text) > maxSecret:
		return "", fmt.Errorf("the %s is too long to be one", kind)
	case strings.ContainsAny(secret, " \t\r\n\x00"):
		return "", fmt.Errorf("the %s has spaces or several lines in it; give the %s alone", kind, kind)
	}
	return secret, nil
}

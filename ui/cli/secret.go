package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// maxSecret bounds what is read from the standard input; no vendor's key comes near it.
const maxSecret = 16 << 10

// readSecret takes a key from the standard input, or asks a person for it without echo.
func (s *session) readSecret(fromInput bool, what string) (string, error) {
	return s.readHidden(fromInput, what, "key")
}

// readPass does the same for a pass.
func (s *session) readPass(fromInput bool) (string, error) {
	return s.readHidden(fromInput, "Your pass", "pass")
}

func (s *session) readHidden(fromInput bool, what, kind string) (string, error) {
	if !fromInput {
		return s.askSecret(what, kind)
	}
	text, err := io.ReadAll(io.LimitReader(s.In, maxSecret+1))
	if err != nil {
		return "", fmt.Errorf("reading the %s from the standard input: %w", kind, err)
	}
	return cleanSecret(text, kind)
}

func (s *session) askSecret(what, kind string) (string, error) {
	terminal, ok := s.In.(*os.File)
	if !ok || !term.IsTerminal(int(terminal.Fd())) {
		return "", fmt.Errorf("there is no terminal to ask for the %s: pipe it in, with --%s-stdin", kind, kind)
	}
	fmt.Fprintf(s.Err, "%s (it is not shown): ", what)
	text, err := term.ReadPassword(int(terminal.Fd()))
	fmt.Fprintln(s.Err)
	if err != nil {
		return "", fmt.Errorf("asking for the %s: %w", kind, err)
	}
	return cleanSecret(text, kind)
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

package cli

import (
	"bytes"
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
func (s *session) readSecret(fromInput bool, what string) (string, error) {
	if !fromInput {
		return s.askSecret(what)
	}
	text, err := io.ReadAll(io.LimitReader(s.In, maxSecret+1))
	if err != nil {
		return "", fmt.Errorf("reading the key from the standard input: %w", err)
	}
	return cleanSecret(text)
}

func (s *session) askSecret(what string) (string, error) {
	terminal, ok := s.In.(*os.File)
	if !ok || !term.IsTerminal(int(terminal.Fd())) {
		return "", errors.New("there is no terminal to ask for the key: pipe it in, with --key-stdin")
	}
	fmt.Fprintf(s.Err, "%s (it is not shown): ", what)
	text, err := term.ReadPassword(int(terminal.Fd()))
	fmt.Fprintln(s.Err)
	if err != nil {
		return "", fmt.Errorf("asking for the key: %w", err)
	}
	return cleanSecret(text)
}

// cleanSecret takes off the line's end that a pipe or a paste brings, and refuses what no key is.
// Its errors never repeat what was given.
func cleanSecret(text []byte) (string, error) {
	secret := strings.TrimSpace(string(text))
	switch {
	case secret == "":
		return "", errors.New("the key is empty")
	case len(text) > maxSecret:
		return "", errors.New("the key is too long to be one")
	case bytes.ContainsAny([]byte(secret), " \t\r\n\x00"):
		return "", errors.New("the key has spaces or several lines in it; give the key alone")
	}
	return secret, nil
}

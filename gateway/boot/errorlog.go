package boot

import (
	"log"
	"log/slog"
	"regexp"
	"strings"
)

// errorLog is where Go's server says what went wrong on a connection. It names its callers' addresses,
// which no log may.
func errorLog(to *slog.Logger) *log.Logger { return log.New(discreet{to}, "", 0) }

type discreet struct{ to *slog.Logger }

var addresses = regexp.MustCompile(`(\[[0-9a-fA-F:.]+(%[^\]\s]+)?\]|\d{1,3}(\.\d{1,3}){3}):\d+`)

func (d discreet) Write(text []byte) (int, error) {
	d.to.Debug(addresses.ReplaceAllString(strings.TrimSpace(string(text)), "a caller"))
	return len(text), nil
}

package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"perdiem/meter"
)

// table is a list for a person to read. Columns whose heading ends in a space hold figures, and are
// set to the right.
type table struct {
	heading []string
	rows    [][]string
	empty   string // what to say and do where there is no row
}

func (t table) print(w io.Writer) error {
	if len(t.rows) == 0 {
		_, err := fmt.Fprintln(w, t.empty)
		return err
	}
	widths := make([]int, len(t.heading))
	for _, row := range append([][]string{t.heading}, t.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(strings.TrimSpace(cell)))
		}
	}
	for _, row := range append([][]string{t.heading}, t.rows...) {
		var line strings.Builder
		for i, cell := range row {
			cell = strings.TrimSpace(cell)
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i > 0 {
				line.WriteString("  ")
			}
			if strings.HasSuffix(t.heading[i], " ") {
				line.WriteString(pad + cell)
			} else {
				line.WriteString(cell + pad)
			}
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(line.String(), " ")); err != nil {
			return err
		}
	}
	return nil
}

func printJSON(w io.Writer, value any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(value)
}

func dollarsText(n *int64) string {
	if n == nil {
		return "no limit"
	}
	return meter.Dollars(*n)
}

// timeText writes a moment in UTC, as days here are.
func timeText(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04")
}

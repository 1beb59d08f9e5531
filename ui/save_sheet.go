package ui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"fyne.io/fyne/v2/theme"

	"perdiem/ui/live"
)

var savedAs = []struct{ name, ending string }{{"Picture (PNG)", ".png"}, {"Spreadsheet (CSV)", ".csv"}, {"JSON", ".json"}}

// askSave asks where a report is to be saved, and as what.
func (p *reportPanel) askSave() {
	report, now := p.report, p.d.services.Now()
	file := newEntry("")
	suggest := func(as int) string {
		name := strings.ToLower(strings.NewReplacer(" ", "-", ",", "").Replace(report.Kind.Title()))
		return filepath.Join(saveFolder(), "perdiem-"+name+"-"+now.UTC().Format("2006-01-02")+savedAs[as].ending)
	}
	var as *choice
	as = newChoice(func() { file.SetText(suggest(as.chosen)) }, savedAs[0].name, savedAs[1].name, savedAs[2].name)
	file.SetText(suggest(0))
	to := ""
	p.d.openSheet("Save: "+report.Kind.Title(), stack(edge, labelled("As", line(0, as.content)), labelled("File", sized(file, 560, 0))), action{
		label: "Save", limit: quick,
		check: func() (func(context.Context) error, error) {
			if to = strings.TrimSpace(file.Text); to == "" {
				return nil, errors.New("type where to save it")
			}
			var text bytes.Buffer
			var err error
			switch as.chosen { // drawing belongs to this goroutine; only writing the file may take long
			case 0:
				err = writePicture(report, now, p.d.app.Settings().Theme(), &text)
			case 1:
				err = report.WriteCSV(&text)
			default:
				err = report.WriteJSON(&text)
			}
			return func(context.Context) error { return writeNew(to, text.Bytes()) }, err
		},
		done: func() { p.d.shell.tell(theme.ColorNamePrimary, "Saved as "+to+".") },
	}, file)
}

// writeNew writes a file that must not be there yet.
func writeNew(name string, text []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s is there already; choose another name", name)
	case err != nil:
		return fmt.Errorf("save the report: %w", err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("save the report: %w", errors.Join(err, os.Remove(name)))
	}
	return nil
}

// saveFolder is where a person would look for what they saved.
func saveFolder() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return "."
	}
	if documents := filepath.Join(home, "Documents"); live.IsFolder(documents) {
		return documents
	}
	return home
}

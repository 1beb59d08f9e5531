package ui

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"

	"perdiem/meter"
	"perdiem/ui/live"
)

// reportRig has two people who called on two days.
func reportRig(t *testing.T) *rig {
	r := newRig(t)
	r.models("openai/gpt-5", "openai/gpt-5-mini")
	r.allow(meter.Holder{Kind: meter.ForEveryone}, "*", -1, -1)
	amara, bjorn := r.person("Amara", ""), r.person("=Björn", "")
	r.at(afternoon.Add(-48 * time.Hour))
	r.call(amara, "openai/gpt-5", 9000, 1000)
	r.at(afternoon)
	r.call(bjorn, "openai/gpt-5-mini", 400, 100)
	r.open(pageOverview)
	return r
}

func TestWhatWasUsedIsShownByDayPersonAndModel(t *testing.T) {
	r := reportRig(t)
	r.see("Busiest: 18:00–19:00 UTC · 500 tokens · 1 request")
	r.press("30 days")
	r.settle()
	r.see("Busiest: 2026-10-17 · 10,000 tokens · 1 request")
	r.press("People")
	r.settle()
	r.see("Amara")
	r.see("10,000 tokens")
	r.press("Models")
	r.settle()
	r.see("openai/gpt-5-mini")
	r.see("500 tokens")
	r.press("Today")
	r.settle()
	r.see("Busiest: 18:00")
}

// saveAs presses Save with what the form suggests, in a folder of the test's own.
func (r *rig) saveAs(kind, as string) string {
	r.t.Helper()
	r.t.Setenv("HOME", r.t.TempDir())
	r.press(kind)
	r.settle()
	r.pages[pageOverview].(*overview).report.askSave()
	r.press(as)
	r.press("Save")
	r.settle()
	r.see("Saved as ")
	files, err := filepath.Glob(filepath.Join(os.Getenv("HOME"), "perdiem-*"))
	r.must(err)
	if len(files) != 1 {
		r.t.Fatalf("the folder has %v", files)
	}
	return files[0]
}

func TestAReportIsSaved(t *testing.T) {
	for name, c := range map[string]struct {
		kind, as string
		check    func(t *testing.T, text []byte)
	}{
		"as a spreadsheet": {"People", "Spreadsheet (CSV)", func(t *testing.T, text []byte) {
			lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
			if err != nil || len(lines) != 3 || strings.Join(lines[1], ",") != "Amara,1,10000,0.042000" || lines[2][0] != "'=Björn" {
				t.Errorf("%q, %v", lines, err)
			}
		}},
		"as JSON": {"30 days", "JSON", func(t *testing.T, text []byte) {
			var got struct{ Rows []live.ReportRow }
			if err := json.Unmarshal(text, &got); err != nil || len(got.Rows) != 30 || got.Rows[27].Tokens != 10_000 || got.Rows[29].Requests != 1 {
				t.Errorf("%+v, %v", got, err)
			}
		}},
		"as a picture": {"30 days", "Picture (PNG)", func(t *testing.T, text []byte) {
			picture, err := png.Decode(bytes.NewReader(text))
			if err != nil || picture.Bounds().Dx() < 960 {
				t.Fatalf("%v", err)
			}
			colours := map[any]bool{}
			for x := range picture.Bounds().Dx() {
				colours[picture.At(x, picture.Bounds().Dy()-40)] = true
			}
			if len(colours) < 2 {
				t.Error("the columns are not in the picture")
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			r := reportRig(t)
			text, err := os.ReadFile(r.saveAs(c.kind, c.as))
			r.must(err)
			c.check(t, text)
		})
	}
}

func TestSavingOverAFileIsRefused(t *testing.T) {
	r := reportRig(t)
	file := r.saveAs("Models", "JSON")
	before, err := os.ReadFile(file)
	r.must(err)
	r.pages[pageOverview].(*overview).report.askSave()
	r.press("JSON")
	r.press("Save")
	r.settle()
	r.see("is there already")
	r.window.Canvas().OnTypedKey()(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if after, err := os.ReadFile(file); err != nil || !bytes.Equal(after, before) {
		t.Fatalf("the file was changed: %v", err)
	}
}

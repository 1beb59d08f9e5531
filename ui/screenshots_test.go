package ui

import (
	"fmt"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"perdiem/meter"
	"perdiem/providers"
	"perdiem/testing/fakeprovider"
	"perdiem/ui/live"
)

// TestScreenshots draws every page in several states into the folder that SHOTS names, from a real meter on a real
// database. Nobody compares the pictures by machine: they are there to be looked at.
func TestScreenshots(t *testing.T) {
	folder := os.Getenv("SHOTS")
	if folder == "" {
		t.Skip("set SHOTS to a folder to have the screens drawn")
	}
	zone := time.Local
	time.Local = time.FixedZone("CEST", 2*3600)
	t.Cleanup(func() { time.Local = zone })
	for state, prepare := range map[string]func(*rig){"first": func(*rig) {}, "busy": busyTeam, "forty": bigTeam, "trouble": trouble} {
		t.Run(state, func(t *testing.T) {
			r := newRig(t)
			prepare(r)
			for i, p := range r.pages {
				if state == "trouble" && i != pageOverview {
					continue // only there it shows
				}
				for _, look := range []struct {
					name    string
					variant fyne.ThemeVariant
					size    fyne.Size
					scale   float32
				}{
					{"light-1280", theme.VariantLight, fyne.NewSize(1280, 800), 1},
					{"dark-1600", theme.VariantDark, fyne.NewSize(1600, 1000), 1},
					{"light-1280-twice", theme.VariantLight, fyne.NewSize(1280, 800), 2},
				} {
					if look.scale != 1 && state != "busy" {
						continue
					}
					r.window.Canvas().(test.WindowlessCanvas).SetScale(look.scale)
					r.app.Settings().SetTheme(fixed{NewTheme(), look.variant})
					r.window.Resize(look.size)
					r.open(i)
					r.focusFirst(i)
					r.shoot(filepath.Join(folder, fmt.Sprintf("%s-%d-%s-%s.png", state, i+1, slug(p.title()), look.name)))
				}
			}
		})
	}
}

// TestScreenshotsOfForms draws what stands over the pages: the forms, and a cell that is being edited.
func TestScreenshotsOfForms(t *testing.T) {
	folder := os.Getenv("SHOTS")
	if folder == "" {
		t.Skip("set SHOTS to a folder to have the screens drawn")
	}
	for form, open := range map[string]func(*rig){
		"person": func(r *rig) { r.open(pagePeople); r.press("Add a person") },
		"pass": func(r *rig) {
			r.open(pagePeople)
			r.pages[pagePeople].(*people).showPass("Zoë", "pdm_EXAMPLE1_"+strings.Repeat("x", 32))
		},
		"join": func(r *rig) { r.focusPerson("Björn Lindqvist"); r.press("Join link"); r.settle() },
		"https": func(r *rig) {
			r.open(pageSettings)
			r.press("HTTPS")
			r.press("Save")
			r.settle()
		},
		"https-own": func(r *rig) { r.open(pageSettings); r.press("HTTPS, own certificate") },
		"vendor":    func(r *rig) { r.open(pageModels); r.press("Add a provider") },
		"provider":  func(r *rig) { r.fillProvider("anthropic", "https://api.anthropic.com/v1", "") },
		"import": func(r *rig) {
			r.fillProvider("openai", vendor(r.t).URL, fakeprovider.Key)
			r.key(fyne.KeyReturn)
			r.settle()
			r.pages[pageModels].(*models).d.sheet.submit()
		},
		"try": func(r *rig) {
			r.open(pageOverview)
			r.press("Try it")
			r.settle()
		},
		"people-report": func(r *rig) { r.open(pageOverview); r.press("People"); r.settle() },
		"save":          func(r *rig) { r.open(pageOverview); r.pages[pageOverview].(*overview).report.askSave() },
		"keys":          func(r *rig) { r.open(pageModels); r.focusFirst(pageModels); r.press("Keys …"); r.settle() },
		"model": func(r *rig) {
			r.open(pageModels)
			r.focusFirst(pageModels)
			r.pages[pageModels].(*models).table.list.Select(0)
			r.press("Edit …")
		},
		"several": func(r *rig) {
			r.open(pageAllowances)
			r.focusFirst(pageAllowances)
			r.press("Set several …")
		},
		"money": func(r *rig) { r.open(pageAllowances); r.press("Money"); r.focusFirst(pageAllowances) },
		"rotate": func(r *rig) {
			r.focusPerson("Björn Lindqvist")
			r.pages[pagePeople].(*people).detail.list.list.Select(0)
			r.press("Rotate")
		},
		"ceiling": func(r *rig) { r.open(pageOverview); r.pages[pageOverview].(*overview).ceilings.list.Select(1) },
		"remove":  func(r *rig) { r.focusPerson("Ines"); r.press("Remove …") },
		"edit": func(r *rig) {
			r.open(pageAllowances)
			r.focusFirst(pageAllowances)
			r.pages[pageAllowances].(*allowances).grid.edit("")
		},
	} {
		t.Run(form, func(t *testing.T) {
			r := newRig(t)
			busyTeam(r)
			r.app.Settings().SetTheme(fixed{NewTheme(), theme.VariantLight})
			r.window.Resize(fyne.NewSize(1280, 800))
			open(r)
			r.shoot(filepath.Join(folder, "form-"+form+".png"))
		})
	}
}

// fixed holds a theme to light or dark, as the system does outside of tests.
type fixed struct {
	Theme
	variant fyne.ThemeVariant
}

func (f fixed) Color(name fyne.ThemeColorName, _ fyne.ThemeVariant) color.Color {
	return f.Theme.Color(name, f.variant)
}

func slug(title string) string {
	var b []rune
	for _, c := range title {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c >= 'a' && c <= 'z' {
			b = append(b, c)
		}
	}
	return string(b)
}

// focusFirst brings something into focus where a page has a detail of it.
func (r *rig) focusFirst(page int) {
	switch p := r.pages[page].(type) {
	case *people:
		if len(p.shown) > 0 {
			p.list.list.Select(1)
		}
	case *allowances:
		if len(p.data.Rows) > 4 {
			p.grid.move(0, 0)
			p.grid.Select(widget.TableCellID{Row: 5, Col: 3})
		}
	case *models:
		if len(p.shelf) > 0 {
			p.list.list.Select(0)
		}
	case *refusals:
		if len(p.all) > 2 {
			p.list.list.Select(2)
		}
	case *activity:
		if len(p.shown) > 0 {
			p.ends.list.Select(0)
		}
	}
	r.settle()
}

func (r *rig) shoot(path string) {
	r.t.Helper()
	r.must(os.MkdirAll(filepath.Dir(path), 0o755))
	f, err := os.Create(path)
	r.must(err)
	r.must(png.Encode(f, r.window.Canvas().Capture()))
	r.must(f.Close())
}

// busyTeam is twelve people on six models late in a full day.
func busyTeam(r *rig) {
	ctx := r.t.Context()
	ids := []string{"anthropic/claude-haiku-4-5", "anthropic/claude-sonnet-4-5", "openai/gpt-5", "openai/gpt-5-mini", "google/gemini-2.5-flash", "ollama/qwen3-coder:30b"}
	for _, p := range []providers.Provider{
		{Name: "anthropic", Vendor: "anthropic", BaseURL: "https://api.anthropic.com/v1"}, {Name: "openai", Vendor: "openai", BaseURL: "https://api.openai.com/v1"},
		{Name: "google", Vendor: "gemini", BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai"}, {Name: "ollama", Vendor: "ollama", BaseURL: "http://localhost:11434/v1"},
	} {
		var key *live.NewKey
		if p.Name != "ollama" {
			key = &live.NewKey{Source: providers.Keychain, Secret: fakeprovider.Key}
		}
		_, err := live.Connect(ctx, r.shelf, r.secrets, p, key)
		r.must(err)
	}
	stored, err := r.shelf.Keys(ctx, "google")
	r.must(err)
	r.must(r.shelf.DisableKey(ctx, stored[0].ID, "the provider does not accept this key any more"))
	r.models(ids...)
	r.must(r.books.AddTier(ctx, "Staff"))
	r.must(r.books.AddTier(ctx, "Interns"))
	everyone, staff, interns := meter.Holder{Kind: meter.ForEveryone}, meter.Holder{Kind: meter.ForTier, ID: "Staff"}, meter.Holder{Kind: meter.ForTier, ID: "Interns"}
	r.allow(everyone, "ollama/qwen3-coder:30b", -1, -1)
	r.allow(everyone, "google/gemini-2.5-flash", 50, 200_000)
	r.allow(staff, "*", -1, 100_000)
	r.allow(staff, "openai/gpt-5", 40, 60_000)
	r.allow(interns, "anthropic/claude-haiku-4-5", 20, 10_000)
	tokens, requests := int64(2_000_000), int64(400)
	dollars := int64(25_000_000)
	r.must(r.books.SetCeiling(ctx, meter.Ceiling{Model: "*", Caps: meter.Caps{Tokens: &tokens, CostMicroUSD: &dollars}}))
	r.must(r.books.SetCeiling(ctx, meter.Ceiling{Model: "openai/gpt-5", Caps: meter.Caps{Requests: &requests}}))
	names := []string{"Amara Okafor", "Björn Lindqvist", "Chiara Rossi", "Dmitri Volkov", "Eun-ji Park", "Fatima al-Zahra", "Guillermo Fernández de Córdoba y Villanueva del Río", "Hana Nováková", "Ines", "Jonas Weber", "Kwame Mensah", "张三"}
	var team []meter.Person
	for i, name := range names {
		tier := "Staff"
		if i%4 == 3 {
			tier = "Interns"
		}
		team = append(team, r.person(name, tier))
	}
	r.allow(someone(team[2]), "openai/gpt-5", 10, 10_000)
	r.allow(someone(team[4]), "anthropic/claude-sonnet-4-5", -1, 250_000)
	r.allow(someone(team[5]), "openai/gpt-5", 0, 0)
	r.must(r.books.SuspendPerson(ctx, team[8].ID, true))
	for _, p := range team[:3] {
		_, _, err := r.books.IssuePass(ctx, p.ID, "Laptop", nil)
		r.must(err)
	}
	_, _, err = r.books.IssuePass(ctx, team[1].ID, "CI", nil)
	r.must(err)
	day := afternoon.Truncate(24 * time.Hour)
	for hour := 6; hour <= 18; hour++ {
		for i, p := range team {
			if (i*7+hour*5)%3 == 0 || p.ID == team[8].ID {
				continue
			}
			r.at(day.Add(time.Duration(hour)*time.Hour + time.Duration(i)*time.Minute))
			busy := int64(1 + (hour*3+i*11)%7)
			r.call(p, ids[(i*5+hour)%6], 1800*busy, 310*busy)
		}
	}
	r.at(afternoon.Add(-3 * time.Minute))
	r.call(team[2], "openai/gpt-5", 8000, 1000)
	for i := range 6 {
		r.at(afternoon.Add(time.Duration(i-8) * 11 * time.Second))
		r.call(team[2], "openai/gpt-5", 1200, 400)
		r.call(team[3], "anthropic/claude-haiku-4-5", 9000, 1200)
	}
	r.call(team[8], "openai/gpt-5", 1200, 400)
	price := meter.Price{Input: 1_250_000, Cached: 125_000, Output: 10_000_000}
	r.must(r.books.Grant(ctx, team[0].ID, "openai/gpt-5", 0, 20_000))
	for _, f := range []struct {
		person, model   int
		ago             time.Duration
		input, out, max int64
	}{{0, 2, 42 * time.Second, 4000, 1312, 16_000}, {4, 1, 7 * time.Second, 812, 96, 4096}} {
		r.at(afternoon.Add(-f.ago))
		_, err = r.books.Reserve(ctx, meter.Request{ID: "r", PersonID: team[f.person].ID, Model: ids[f.model], Input: f.input, Output: f.max, MinOutput: 10, Counts: meter.CountTotal, Price: &price})
		r.must(err)
		r.gate.flights = append(r.gate.flights, live.Flight{Person: team[f.person].Name, Model: ids[f.model], Started: r.clock(), InputTokens: f.input, OutputTokens: f.out})
	}
	r.at(afternoon.Add(-50 * time.Minute))
	r.bookWorst(team[6], "openai/gpt-5-mini", 4000, 12_000)
	r.at(afternoon)
}

// trouble is a gateway that cannot listen.
func trouble(r *rig) {
	r.gate.on, r.gate.fail = false, fmt.Errorf("port 7427 is taken by another program; choose another port, or quit that program")
	r.person("Amara Okafor", "")
}

package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"

	"perdiem/gateway/boot"
)

func (r *rig) settings() *settings { return r.pages[pageSettings].(*settings) }

func TestSettingsAreSavedAndKept(t *testing.T) {
	r := newRig(t)
	r.open(pageSettings)
	r.window.Canvas().Focus(r.settings().names)
	r.typeText("llm.example.net gateway")
	r.window.Canvas().Focus(r.settings().keep)
	r.typeText("30")
	r.press("Save")
	r.settle()
	r.see("Saved, and in effect.")
	got, err := r.house.Settings(t.Context())
	r.must(err)
	if strings.Join(got.HostNames, " ") != "llm.example.net gateway" || got.KeepDays != 30 {
		t.Fatalf("kept %+v", got)
	}
}

func TestSettingsThatCannotBeAreExplainedAndNotKept(t *testing.T) {
	for name, c := range map[string]struct{ names, keep, says string }{
		"an address in place of a name": {"http://x", "", "is no host name"},
		"no number of days":             {"", "some", "is no number of days"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.open(pageSettings)
			r.settings().names.SetText(c.names)
			r.settings().keep.SetText(c.keep)
			r.press("Save")
			r.settle()
			r.see(c.says)
			if got, err := r.house.Settings(t.Context()); err != nil || got.HostNames != nil || got.KeepDays != 0 {
				t.Fatalf("kept %+v, %v", got, err)
			}
		})
	}
}

func TestAPortThatWasGivenAtTheStartIsNotASetting(t *testing.T) {
	r := newRig(t)
	r.open(pageSettings)
	r.see("The port was given when Perdiem was started")
	if !r.settings().port.Disabled() {
		t.Fatal("the port can be typed")
	}
}

func TestWhatIsTypedInTheSettingsOutlivesAReload(t *testing.T) {
	r := newRig(t)
	r.open(pageSettings)
	r.settings().keep.SetText("45")
	r.must(r.house.SetSettings(t.Context(), boot.Settings{KeepDays: 10}))
	r.settle()
	if r.settings().keep.Text != "45" {
		t.Fatalf("what was typed became %q", r.settings().keep.Text)
	}
	r.window.Canvas().Focus(r.settings().keep)
	r.key(fyne.KeyEscape)
	if r.settings().keep.Text != "10" {
		t.Fatalf("Escape shows %q, want what stands", r.settings().keep.Text)
	}
}

func TestABackupIsMadeWhenAskedFor(t *testing.T) {
	r := newRig(t)
	r.open(pageSettings)
	r.see("No backup yet.")
	r.press("Back up now")
	r.settle()
	r.see("Backed up to ")
	r.see("1 backup; the newest is of")
	files, err := filepath.Glob(filepath.Join(r.house.BackupDir(), "asked-for-*.db"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the folder has %v, %v", files, err)
	}
}

func TestTheBooksAreChecked(t *testing.T) {
	r := newRig(t)
	r.open(pageSettings)
	r.press("Check the books")
	r.settle()
	r.see("The books are right")
}

func TestTheLookIsChosenAndRemembered(t *testing.T) {
	r := newRig(t)
	r.open(pageSettings)
	r.press("Dark")
	dark := NewTheme().Color(theme.ColorNameBackground, theme.VariantDark)
	if got := r.app.Settings().Theme().Color(theme.ColorNameBackground, theme.VariantLight); got != dark {
		t.Fatalf("the background is %v, want the dark one", got)
	}
	if r.look() != 2 {
		t.Fatal("the choice is not remembered")
	}
}

func TestPerdiemStartsAtLoginWhenAskedTo(t *testing.T) {
	r := newRig(t)
	r.open(pageSettings)
	file := filepath.Join(r.home, "autostart", "perdiem.desktop")
	r.settings().window.login.SetChecked(true)
	text, err := os.ReadFile(file)
	r.must(err)
	if !strings.Contains(string(text), `Exec="/opt/per diem/perdiem"`) {
		t.Fatalf("the file says\n%s", text)
	}
	r.settings().window.login.SetChecked(false)
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Fatalf("the file is still there: %v", err)
	}
}

func TestEverythingIsDrawnInTheSizeChosenAndRemembered(t *testing.T) {
	t.Setenv("FYNE_SCALE", "")
	r := newRig(t)
	r.open(pageSettings)
	for label, want := range map[string]string{"Large": "1.2", "Small": "0.9", "Usual": ""} {
		r.press(label)
		if got := os.Getenv("FYNE_SCALE"); got != want {
			t.Errorf("%s is drawn %q times as large, want %q", label, got, want)
		}
		if got := sizes[r.size()]; got != label {
			t.Errorf("remembered is %s, want %s", got, label)
		}
	}
}

func TestAStartFollowsTheSizeChosenBeforeUnlessTheSystemAsksForAnother(t *testing.T) {
	for given, want := range map[string]struct {
		scale string
		width float32
	}{"": {"1.5", 1280 / 1.5}, "1.1": {"1.1", 1280}} {
		t.Setenv("FYNE_SCALE", given)
		r := newRig(t)
		r.app.Preferences().SetInt(sizeKey, 3)
		size := r.startSize()
		if got := os.Getenv("FYNE_SCALE"); got != want.scale {
			t.Errorf("started with %q it is drawn %q times as large, want %q", given, got, want.scale)
		}
		if size.Width != want.width {
			t.Errorf("started with %q the window is %v wide, want %v", given, size.Width, want.width)
		}
	}
}

func TestBeingFoundInTheNetworkIsSwitchedOffAndKept(t *testing.T) {
	r := newRig(t)
	r.open(pageSettings)
	if !r.settings().announce.Checked {
		t.Fatal("the gateway is not announced to begin with")
	}
	r.settings().announce.SetChecked(false)
	r.press("Save")
	r.settle()
	if got, err := r.house.Settings(t.Context()); err != nil || !got.Quiet {
		t.Fatalf("kept %+v, %v", got, err)
	}
	r.settings().announce.SetChecked(true)
	r.window.Canvas().Focus(r.settings().names)
	r.key(fyne.KeyEscape)
	if r.settings().announce.Checked {
		t.Fatal("Escape does not show what stands")
	}
}

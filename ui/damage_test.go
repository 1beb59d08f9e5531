package ui

import (
	"context"
	"errors"
	"strings"
	"testing"

	"fyne.io/fyne/v2/test"
)

func TestDamagedBooksAreToldAndTheirBackupOffered(t *testing.T) {
	for name, c := range map[string]struct {
		err   error
		shows string
		again bool
	}{
		"it works":       {nil, "Went back", false},
		"it does not":    {errors.New("the disk is full"), "The disk is full", true},
		"without backup": {nil, "The books are damaged", false},
	} {
		t.Run(name, func(t *testing.T) {
			goBack := func(context.Context) (string, error) { return "Went back", c.err }
			if name == "without backup" {
				goBack = nil
			}
			d := NewDamage(test.NewTempApp(t), "the books are damaged", goBack)
			d.window.Show()
			if goBack == nil {
				if d.restore.Visible() {
					t.Error("a backup is offered that is not there")
				}
			} else {
				test.Tap(d.restore)
				d.busy.Wait()
			}
			if !strings.Contains(d.says.Text, c.shows) || d.restore.Visible() != c.again || d.restore.Visible() && d.restore.Disabled() {
				t.Errorf("it says %q; the offer is in sight: %v", d.says.Text, d.restore.Visible())
			}
		})
	}
}

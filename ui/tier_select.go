package ui

import (
	"context"
	"errors"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"perdiem/meter"
)

// tierSelect chooses a tier, or names a new one.
type tierSelect struct {
	content fyne.CanvasObject
	entry   *widget.SelectEntry
}

func newTierSelect(tiers []string) *tierSelect {
	s := &tierSelect{entry: widget.NewSelectEntry(tiers)}
	s.entry.SetPlaceHolder("None; type a name to make a tier")
	s.content = s.entry
	return s
}

func (s *tierSelect) chosen() string { return strings.TrimSpace(s.entry.Text) }

// tierMaker makes tiers.
type tierMaker interface {
	AddTier(ctx context.Context, name string) error
}

// ensure makes the tier unless there is one already.
func (s *tierSelect) ensure(ctx context.Context, books tierMaker, tier string) error {
	if tier == "" {
		return nil
	}
	if err := books.AddTier(ctx, tier); err != nil && !errors.Is(err, meter.ErrExists) {
		return err
	}
	return nil
}

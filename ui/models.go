package ui

import (
	"context"
	"time"

	"fyne.io/fyne/v2"
)

// Providers is the owner's providers and models.
type Providers interface {
	ModelIDs(ctx context.Context) ([]string, error)
}

type models struct{ fyne.CanvasObject }

func newModels(*Desk) *models { return &models{newText("")} }

func (*models) title() string                        { return "Models & providers" }
func (*models) icon() fyne.Resource                  { return chipIcon }
func (m *models) content() fyne.CanvasObject         { return m.CanvasObject }
func (*models) load(context.Context) (func(), error) { return func() {}, nil }
func (*models) tick(time.Time) func()                { return nil }
func (*models) add()                                 {}
func (*models) find()                                {}

package ui

import "context"

// Providers is the owner's providers and models.
type Providers interface {
	ModelIDs(ctx context.Context) ([]string, error)
}

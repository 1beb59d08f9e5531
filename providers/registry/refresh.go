package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"perdiem/providers"
)

// listed is what a list says of a model, in the fields that the owner may set otherwise.
type listed struct {
	Title        string           `json:"title"`
	Context      int64            `json:"context"`
	MaxReply     int64            `json:"maxReply"`
	DefaultReply int64            `json:"defaultReply"`
	CapField     string           `json:"capField"`
	Price        *providers.Price `json:"price"`
	Reasons      bool             `json:"reasons"`
	SeesImages   bool             `json:"seesImages"`
}

// listedOf is what a list says that describes a model as m, once it is stored.
func listedOf(m providers.Model) listed {
	m, _ = validModel(m) // for its defaults; what is wrong in it is found where it is stored
	return listed{m.Title, m.Context, m.MaxReply, m.DefaultReply, m.CapField, m.Price, m.Reasons, m.SeesImages}
}

func (l listed) text() (string, error) {
	b, err := json.Marshal(l)
	return string(b), err
}

// Refresh brings the stored ones among models to what a list says of them now, but for the fields in which the owner
// differs from what the list said before. It returns the ids of those that changed. Errors: ErrInvalid.
func (r *Registry) Refresh(ctx context.Context, models []providers.Model) (changed []string, err error) {
	err = r.write(ctx, "refreshing the models", func(ctx context.Context, tx Tx) error {
		changed = nil // it may be a second run
		for _, m := range models {
			m, err := validModel(m)
			if err != nil {
				return fmt.Errorf("the model %q: %w", m.ID, err)
			}
			did, err := refresh(ctx, tx, m)
			if err != nil {
				return err
			}
			if did {
				changed = append(changed, m.ID)
			}
		}
		return nil
	})
	return changed, err
}

func refresh(ctx context.Context, tx Tx, m providers.Model) (changed bool, err error) {
	type row struct {
		model  providers.Model
		listed string
	}
	found, err := list(ctx, tx, func(s scanner) (row row, err error) {
		row.model, err = scanModel(s, &row.listed)
		return row, err
	}, `SELECT `+modelColumns+`, listed FROM models WHERE id = $1`, m.ID)
	if err != nil || len(found) == 0 {
		return false, err
	}
	stored, now := found[0].model, listedOf(m)
	var before listed
	if err := json.Unmarshal([]byte(found[0].listed), &before); err != nil {
		return false, fmt.Errorf("reading what was listed of %s: %w", m.ID, err)
	}
	text, err := now.text()
	if err != nil || text == found[0].listed {
		return false, err
	}
	next := stored
	update(&next.Title, before.Title, now.Title)
	update(&next.Context, before.Context, now.Context)
	update(&next.MaxReply, before.MaxReply, now.MaxReply)
	update(&next.DefaultReply, before.DefaultReply, now.DefaultReply)
	update(&next.CapField, before.CapField, now.CapField)
	update(&next.Price, before.Price, now.Price)
	update(&next.Reasons, before.Reasons, now.Reasons)
	update(&next.SeesImages, before.SeesImages, now.SeesImages)
	if next, err = validModel(next); err != nil {
		return false, fmt.Errorf("the model %q: %w", m.ID, err)
	}
	if err := updateModel(ctx, tx, next); err != nil {
		return false, err
	}
	return !reflect.DeepEqual(next, stored), change(ctx, tx, "model", `UPDATE models SET listed = $2 WHERE id = $1`, m.ID, text)
}

// update sets a field to what is listed now, unless the owner made it differ from what was.
func update[T any](field *T, before, now T) {
	if reflect.DeepEqual(*field, before) {
		*field = now
	}
}

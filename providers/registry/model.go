package registry

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"perdiem/providers"
	"perdiem/providers/catalog"
)

const modelColumns = `id, provider, upstream, title, context, max_reply, default_reply, counts, guests, cap_field,
	price_input, price_cache_read, price_cache_write, price_output, price_source, price_date,
	reasons, sees_images, at_zero, fallback, may_drop_turns`

// Target is where a request goes.
type Target struct {
	Provider providers.Provider
	Keys     []providers.Key // the provider's, oldest first; not to be changed
	Model    providers.Model // without its aliases
}

// Resolve finds the model of that id or alias, compared exactly, and its provider with its keys. Errors: ErrNotFound.
func (r *Registry) Resolve(ctx context.Context, name string) (Target, error) {
	edition, err := r.edition(ctx)
	if err != nil {
		return Target{}, fmt.Errorf("finding the model %q: %w", name, err)
	}
	if t, ok := r.recent.target(edition, name); ok {
		return t, nil
	}
	row := r.store.Read().QueryRowContext(ctx, `SELECT m.id, m.provider, m.upstream, m.title, m.context, m.max_reply,
		m.default_reply, m.counts, m.guests, m.cap_field, m.price_input, m.price_cache_read, m.price_cache_write,
		m.price_output, m.price_source, m.price_date, m.reasons, m.sees_images, m.at_zero, m.fallback, m.may_drop_turns,
		p.name, p.vendor, p.base_url, p.dialects, p.bases, p.keyed, p.created_at
		FROM model_names n JOIN models m ON m.id = n.model JOIN providers p ON p.name = m.provider WHERE n.name = $1`, name)
	var p providerRow
	m, err := scanModel(row, p.into()...)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	t := Target{Model: m}
	if err == nil {
		t.Provider, err = p.provider()
	}
	if err == nil {
		t.Keys, err = r.Keys(ctx, t.Provider.Name)
	}
	if err != nil {
		return Target{}, fmt.Errorf("finding the model %q: %w", name, err)
	}
	r.recent.keep(edition, func(c *recent) { c.targets[name] = t })
	return t, nil
}

// AddModel stores a model with its aliases, and returns it as stored: id and upstream name follow from each other, unset
// fields have their defaults. Errors: ErrInvalid, ErrNotFound if there is no such provider, ErrExists if one of its names
// is taken.
func (r *Registry) AddModel(ctx context.Context, m providers.Model) (providers.Model, error) {
	m, err := validModel(m)
	doing := fmt.Sprintf("adding the model %q", m.ID)
	if err != nil {
		return m, fmt.Errorf("%s: %w", doing, err)
	}
	return m, r.write(ctx, doing, func(ctx context.Context, tx Tx) error {
		p, err := scanProvider(tx.QueryRowContext(ctx, `SELECT `+providerColumns+` FROM providers WHERE name = $1`, m.Provider))
		if errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("provider %q: %w", m.Provider, ErrNotFound)
		}
		if err != nil {
			return err
		}
		if err := fallbackExists(ctx, tx, m); err != nil {
			return err
		}
		listed, err := listedOf(catalog.Describe(p, m.Upstream)).text()
		if err != nil {
			return err
		}
		err = insert(ctx, tx, "a model of that id", `INSERT INTO models (`+modelColumns+`, listed)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)
			ON CONFLICT DO NOTHING`, append(modelValues(m), listed)...)
		if err != nil {
			return err
		}
		for _, name := range append([]string{m.ID}, m.Aliases...) {
			if err := addName(ctx, tx, m.ID, name); err != nil {
				return err
			}
		}
		return nil
	})
}

// UpdateModel stores a model's fields anew, its aliases too. Its id, provider and upstream name stay. Errors: ErrInvalid,
// ErrNotFound, ErrExists if an alias is taken.
func (r *Registry) UpdateModel(ctx context.Context, m providers.Model) error {
	m, err := validModel(m)
	doing := fmt.Sprintf("changing the model %q", m.ID)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return r.write(ctx, doing, func(ctx context.Context, tx Tx) error {
		if err := fallbackExists(ctx, tx, m); err != nil {
			return err
		}
		if err := updateModel(ctx, tx, m); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM model_names WHERE model = $1 AND name <> $1`, m.ID); err != nil {
			return err
		}
		for _, alias := range m.Aliases {
			if err := addName(ctx, tx, m.ID, alias); err != nil {
				return err
			}
		}
		return nil
	})
}

// updateModel writes a model's fields anew, but for its names.
func updateModel(ctx context.Context, tx Tx, m providers.Model) error {
	return change(ctx, tx, "model", `UPDATE models SET title = $2, context = $3, max_reply = $4, default_reply = $5,
		counts = $6, guests = $7, cap_field = $8, price_input = $9, price_cache_read = $10, price_cache_write = $11,
		price_output = $12, price_source = $13, price_date = $14, reasons = $15, sees_images = $16, at_zero = $17,
		fallback = $18, may_drop_turns = $19 WHERE id = $1`, append([]any{m.ID}, modelValues(m)[3:]...)...)
}

// fallbackExists refuses a fallback that is no model. One that is removed later is left named, and passed over.
func fallbackExists(ctx context.Context, tx Tx, m providers.Model) error {
	if m.Fallback == "" {
		return nil
	}
	return modelExists(ctx, tx, "the fallback", m.Fallback)
}

// modelExists tells by ErrNotFound that there is no model of that id.
func modelExists(ctx context.Context, tx Tx, what, id string) error {
	var found int
	if err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM models WHERE id = $1`, id).Scan(&found); err != nil {
		return err
	}
	if found == 0 {
		return fmt.Errorf("%s %q: %w", what, id, ErrNotFound)
	}
	return nil
}

// Models returns all models by id, each with its aliases. The list is shared, and not to be changed.
func (r *Registry) Models(ctx context.Context) ([]providers.Model, error) {
	edition, err := r.edition(ctx)
	if err != nil {
		return nil, err
	}
	if all, ok := r.recent.list(edition); ok {
		return all, nil
	}
	all, err := r.models(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the models: %w", err)
	}
	r.recent.keep(edition, func(c *recent) { c.models = all })
	return all, nil
}

func (r *Registry) models(ctx context.Context) ([]providers.Model, error) {
	scan := func(row scanner) (providers.Model, error) { return scanModel(row) }
	all, err := list(ctx, r.store.Read(), scan, `SELECT `+modelColumns+` FROM models ORDER BY id`)
	if err != nil {
		return nil, err
	}
	names, err := list(ctx, r.store.Read(), scanName, `SELECT name, model FROM model_names WHERE name <> model ORDER BY name`)
	if err != nil {
		return nil, err
	}
	aliases := map[string][]string{}
	for _, n := range names {
		aliases[n.model] = append(aliases[n.model], n.name)
	}
	for i := range all {
		all[i].Aliases = aliases[all[i].ID]
	}
	return all, nil
}

// RemoveModel removes a model and its aliases. Errors: ErrNotFound.
func (r *Registry) RemoveModel(ctx context.Context, id string) error {
	return r.write(ctx, fmt.Sprintf("removing the model %q", id), func(ctx context.Context, tx Tx) error {
		return change(ctx, tx, "model", `DELETE FROM models WHERE id = $1`, id)
	})
}

// AddAlias gives a model one more name. Errors: ErrInvalid, ErrNotFound, ErrExists if the name is taken.
func (r *Registry) AddAlias(ctx context.Context, model, alias string) error {
	doing := fmt.Sprintf("adding the alias %q", alias)
	if err := validName(alias); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return r.write(ctx, doing, func(ctx context.Context, tx Tx) error {
		if err := modelExists(ctx, tx, "model", model); err != nil {
			return err
		}
		return addName(ctx, tx, model, alias)
	})
}

// RemoveAlias takes a name from its model; an id cannot be taken. Errors: ErrNotFound.
func (r *Registry) RemoveAlias(ctx context.Context, alias string) error {
	return r.write(ctx, fmt.Sprintf("removing the alias %q", alias), func(ctx context.Context, tx Tx) error {
		return change(ctx, tx, "alias", `DELETE FROM model_names WHERE name = $1 AND name <> model`, alias)
	})
}

func addName(ctx context.Context, tx Tx, model, name string) error {
	return insert(ctx, tx, fmt.Sprintf("a model that answers to %q", name),
		`INSERT INTO model_names (name, model) VALUES ($1, $2) ON CONFLICT DO NOTHING`, name, model)
}

type modelName struct{ name, model string }

func scanName(row scanner) (n modelName, err error) {
	err = row.Scan(&n.name, &n.model)
	return n, err
}

package registry

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"perdiem/providers"
	"perdiem/providers/catalog"
	"perdiem/providers/keys"
)

const providerColumns = `name, vendor, base_url, dialects, bases, keyed, created_at`

// AddProvider stores a provider, and returns it as stored: the base URLs normalised, the dialect openai if none was named,
// and at a vendor's own address all that the vendor speaks. Errors: ErrInvalid, ErrExists.
func (r *Registry) AddProvider(ctx context.Context, p providers.Provider) (providers.Provider, error) {
	doing := fmt.Sprintf("adding the provider %q", p.Name)
	if len(p.Dialects) == 0 {
		p.Dialects = []providers.Dialect{providers.OpenAI}
	}
	p, err := validProvider(catalog.Complete(p))
	if err != nil {
		return p, fmt.Errorf("%s: %w", doing, err)
	}
	p.CreatedAt = fromMillis(r.now().UnixMilli())
	bases, err := json.Marshal(p.Bases)
	if err != nil {
		return p, fmt.Errorf("%s: %w", doing, err)
	}
	return p, r.write(ctx, doing, func(ctx context.Context, tx Tx) error {
		if err := ownVariable(ctx, tx, p.Name); err != nil {
			return err
		}
		return insert(ctx, tx, "a provider of that name",
			`INSERT INTO providers (`+providerColumns+`) VALUES ($1, $2, $3, $4, $5, 0, $6) ON CONFLICT DO NOTHING`,
			p.Name, p.Vendor, p.BaseURL, joinDialects(p.Dialects), string(bases), p.CreatedAt.UnixMilli())
	})
}

// ownVariable refuses a name whose key variable is another provider's too: that one's key would go to both.
func ownVariable(ctx context.Context, tx Tx, name string) error {
	names, err := list(ctx, tx, func(row scanner) (string, error) {
		var other string
		err := row.Scan(&other)
		return other, err
	}, `SELECT name FROM providers WHERE name <> $1`, name)
	if err != nil {
		return err
	}
	for _, other := range names {
		if keys.EnvName(other) == keys.EnvName(name) {
			return fmt.Errorf("its key's variable %s would be that of %q, too; choose another name: %w", keys.EnvName(name), other, ErrInvalid)
		}
	}
	return nil
}

// Providers returns all providers by name.
func (r *Registry) Providers(ctx context.Context) ([]providers.Provider, error) {
	all, err := list(ctx, r.store.Read(), scanProvider, `SELECT `+providerColumns+` FROM providers ORDER BY name`)
	if err != nil {
		return nil, fmt.Errorf("reading the providers: %w", err)
	}
	return all, nil
}

// Account finds a provider and its keys: a target without a model. Errors: ErrNotFound.
func (r *Registry) Account(ctx context.Context, provider string) (Target, error) {
	p, err := scanProvider(r.store.Read().QueryRowContext(ctx, `SELECT `+providerColumns+` FROM providers WHERE name = $1`, provider))
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	t := Target{Provider: p}
	if err == nil {
		t.Keys, err = r.Keys(ctx, provider)
	}
	if err != nil {
		return Target{}, fmt.Errorf("finding the provider %q: %w", provider, err)
	}
	return t, nil
}

// RemoveProvider removes a provider with its keys and models. The secrets of its keys are the caller's to delete, from
// the list that Keys gives before. Errors: ErrNotFound.
func (r *Registry) RemoveProvider(ctx context.Context, name string) error {
	return r.write(ctx, fmt.Sprintf("removing the provider %q", name), func(ctx context.Context, tx Tx) error {
		return change(ctx, tx, "provider", `DELETE FROM providers WHERE name = $1`, name)
	})
}

func scanProvider(row scanner) (providers.Provider, error) {
	var p providerRow
	if err := row.Scan(p.into()...); err != nil {
		return providers.Provider{}, err
	}
	return p.provider()
}

// providerRow is a row of providerColumns.
type providerRow struct {
	p               providers.Provider
	dialects, bases string
	keyed, created  int64
}

func (r *providerRow) into() []any {
	return []any{&r.p.Name, &r.p.Vendor, &r.p.BaseURL, &r.dialects, &r.bases, &r.keyed, &r.created}
}

func (r *providerRow) provider() (providers.Provider, error) {
	r.p.Dialects, r.p.Keyed, r.p.CreatedAt = splitDialects(r.dialects), r.keyed != 0, fromMillis(r.created)
	if err := json.Unmarshal([]byte(r.bases), &r.p.Bases); err != nil {
		return r.p, fmt.Errorf("reading the base URLs of %s: %w", r.p.Name, err)
	}
	return r.p, nil
}

func joinDialects(list []providers.Dialect) string {
	var b strings.Builder
	for i, d := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(string(d))
	}
	return b.String()
}

func splitDialects(s string) (list []providers.Dialect) {
	for _, d := range strings.Split(s, ",") {
		list = append(list, providers.Dialect(d))
	}
	return list
}

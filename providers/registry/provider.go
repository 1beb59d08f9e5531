package registry

import (
	"context"
	"fmt"
	"strings"

	"perdiem/providers"
)

const providerColumns = `name, vendor, base_url, dialects, created_at`

// AddProvider stores a provider, and returns it as stored: the base URL normalised, the dialect openai if none was named.
// Errors: ErrInvalid, ErrExists.
func (r *Registry) AddProvider(ctx context.Context, p providers.Provider) (providers.Provider, error) {
	doing := fmt.Sprintf("adding the provider %q", p.Name)
	if len(p.Dialects) == 0 {
		p.Dialects = []providers.Dialect{providers.OpenAI}
	}
	p, err := validProvider(p)
	if err != nil {
		return p, fmt.Errorf("%s: %w", doing, err)
	}
	p.CreatedAt = fromMillis(r.now().UnixMilli())
	return p, r.write(ctx, doing, func(ctx context.Context, tx Tx) error {
		return insert(ctx, tx, "a provider of that name",
			`INSERT INTO providers (`+providerColumns+`) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
			p.Name, p.Vendor, p.BaseURL, joinDialects(p.Dialects), p.CreatedAt.UnixMilli())
	})
}

// Providers returns all providers by name.
func (r *Registry) Providers(ctx context.Context) ([]providers.Provider, error) {
	all, err := list(ctx, r.store.Read(), scanProvider, `SELECT `+providerColumns+` FROM providers ORDER BY name`)
	if err != nil {
		return nil, fmt.Errorf("reading the providers: %w", err)
	}
	return all, nil
}

// RemoveProvider removes a provider with its keys and models. The secrets of its keys are the caller's to delete, from
// the list that Keys gives before. Errors: ErrNotFound.
func (r *Registry) RemoveProvider(ctx context.Context, name string) error {
	return r.write(ctx, fmt.Sprintf("removing the provider %q", name), func(ctx context.Context, tx Tx) error {
		return change(ctx, tx, "provider", `DELETE FROM providers WHERE name = $1`, name)
	})
}

func scanProvider(row scanner) (p providers.Provider, err error) {
	var dialects string
	var created int64
	err = row.Scan(&p.Name, &p.Vendor, &p.BaseURL, &dialects, &created)
	p.Dialects, p.CreatedAt = splitDialects(dialects), fromMillis(created)
	return p, err
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

package registry

import (
	"database/sql"

	"perdiem/providers"
)

// modelValues are a model's fields in the order of modelColumns.
func modelValues(m providers.Model) []any {
	price, known := providers.Price{}, m.Price != nil
	if known {
		price = *m.Price
	}
	amount := func(n int64) sql.NullInt64 { return sql.NullInt64{Int64: n, Valid: known} }
	return []any{
		m.ID, m.Provider, m.Upstream, m.Title, m.Context, m.MaxReply, m.DefaultReply, string(m.Counts), flag(m.Guests), m.CapField,
		amount(price.Input), amount(price.CacheRead), amount(price.CacheWrite), amount(price.Output), price.Source, price.Date,
		flag(m.Reasons), flag(m.SeesImages), string(m.AtZero), m.Fallback, flag(m.MayDropTurns),
	}
}

// scanModel reads a row of modelColumns, and of what else the query asked for.
func scanModel(row scanner, more ...any) (m providers.Model, err error) {
	var guests, reasons, sees, drops int64
	var input, read, write, output sql.NullInt64
	var price providers.Price
	err = row.Scan(append([]any{
		&m.ID, &m.Provider, &m.Upstream, &m.Title, &m.Context, &m.MaxReply, &m.DefaultReply, &m.Counts, &guests, &m.CapField,
		&input, &read, &write, &output, &price.Source, &price.Date,
		&reasons, &sees, &m.AtZero, &m.Fallback, &drops,
	}, more...)...)
	m.Guests, m.Reasons, m.SeesImages, m.MayDropTurns = guests != 0, reasons != 0, sees != 0, drops != 0
	if input.Valid {
		price.Input, price.CacheRead, price.CacheWrite, price.Output = input.Int64, read.Int64, write.Int64, output.Int64
		m.Price = &price
	}
	return m, err
}

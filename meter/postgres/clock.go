package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// maxDrift is how far this machine's clock may be from the database's.
const maxDrift = 5 * time.Second

// ErrDrift means that this machine's clock cannot be trusted.
var ErrDrift = errors.New("this machine's clock differs from the database's by more than 5 seconds; set it right")

// clock tells the database's time by the machine's, so that gateways agree when a day or a hold ends.
type clock struct {
	machine func() time.Time
	offset  atomic.Int64 // nanoseconds that the database is ahead
}

func (c *clock) now() time.Time { return c.machine().Add(time.Duration(c.offset.Load())) }

func (c *clock) check() error {
	if offset := time.Duration(c.offset.Load()); offset.Abs() > maxDrift {
		return fmt.Errorf("%w (it is off by %s)", ErrDrift, offset.Round(time.Millisecond))
	}
	return nil
}

// compareRounds is how often the database is asked; the quickest answer errs least.
const compareRounds = 3

// compare measures the offset anew, to half of the quickest round trip.
func (c *clock) compare(ctx context.Context, db *sql.DB) error {
	return c.measure(func(micros *int64) error {
		return db.QueryRowContext(ctx, clockSQL).Scan(micros)
	})
}

const clockSQL = `SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)`

func (c *clock) measure(ask func(micros *int64) error) error {
	var best, offset time.Duration
	for round := range compareRounds {
		var micros int64
		asked := c.machine()
		if err := ask(&micros); err != nil {
			return fmt.Errorf("ask the database for its time: %w", err)
		}
		trip := c.machine().Sub(asked)
		if round == 0 || trip < best {
			best, offset = trip, time.UnixMicro(micros).Sub(asked.Add(trip/2))
		}
	}
	c.offset.Store(int64(offset))
	return nil
}

package boot

import (
	"context"
	"errors"
	"time"

	"perdiem/gateway"
	"perdiem/meter"
)

const (
	sweepEvery  = time.Minute // looks for holds that are over when nobody calls, and whether the books are well
	choresEvery = time.Hour   // looks whether the day's backup is made, and for what is old
)

// backups is a store that is a file of ours. A database server has backups of its own.
type backups interface {
	Backup(ctx context.Context, to string) error
	BackupDaily(ctx context.Context, now time.Time) (string, error)
}

// Backup copies the books to a new file, while they are in use.
func (a *App) Backup(ctx context.Context, to string) error {
	own, ok := a.store.(backups)
	if !ok {
		return errors.New("these books are in a database server; back them up with its own tool, such as pg_dump")
	}
	return own.Backup(ctx, to)
}

// keepHouse does what nobody asks for, until ctx ends: it looks for damage in large books, ends holds whose time is over or whose
// gateway is gone, so that the figures of a quiet team are right, sums up floods of refusals, backs up, and prunes.
func (a *App) keepHouse(ctx context.Context, g *gateway.Gateway) {
	sweep, chores := time.NewTicker(a.sweepEvery), time.NewTicker(choresEvery)
	defer sweep.Stop()
	defer chores.Stop()
	if err := a.checkLarge(ctx); err != nil && ctx.Err() == nil {
		go a.giveUp(err) // which waits for this to end
		return
	}
	a.warn(ctx, "the day's chores were not done", a.doChores(ctx))
	for {
		select {
		case <-ctx.Done():
			return
		case <-sweep.C:
			if err := a.ailing(); err != nil {
				go a.giveUp(err)
				return
			}
			_, over := a.Meter.Expire(ctx)
			_, left := a.Meter.Recover(ctx)
			a.warn(ctx, "holds that are over could not be ended", errors.Join(over, left))
			a.warn(ctx, "refusals could not be logged", g.SumUp(ctx))
		case <-chores.C:
			a.warn(ctx, "the day's chores were not done", a.doChores(ctx))
		}
	}
}

// doChores makes the day's backup, where the store is a file of ours, and prunes old activity. The
// backup comes first: it still has what is pruned then.
func (a *App) doChores(ctx context.Context) error {
	var made error
	if own, ok := a.store.(backups); ok {
		_, made = own.BackupDaily(ctx, a.options.Now())
	}
	settings, unread := a.Settings(ctx)
	if unread != nil {
		return errors.Join(made, unread) // rather keep too much than too little
	}
	_, pruned := a.Meter.Prune(ctx, settings.keep())
	return errors.Join(made, pruned)
}

func (a *App) warn(ctx context.Context, what string, err error) {
	if err != nil && ctx.Err() == nil {
		a.options.Log.Warn(what, "error", err)
	}
}

// held is what running requests have reserved of today, for whoever measures.
func (a *App) held(ctx context.Context) (requests, tokens int64, err error) {
	totals, err := a.Meter.Totals(ctx, meter.Day(a.Meter.Now()))
	return totals.HeldRequests, totals.HeldTokens, err
}

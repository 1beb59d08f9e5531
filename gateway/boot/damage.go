package boot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"perdiem/meter/sqlite"
)

// checkAtOnce is how large books may be to be read whole before they are served, in bytes: that takes a
// moment. Larger ones are read while they are served.
const checkAtOnce = 16 << 20

// large tells whether the books are too large for their callers to wait until they are read.
func (f file) large() bool {
	info, err := os.Stat(f.path)
	return err == nil && info.Size() > checkAtOnce
}

// checkLarge looks for damage in books that are served already, until ctx ends.
func (a *App) checkLarge(ctx context.Context) error {
	if books, ok := a.store.(file); ok && books.large() {
		return offerBackup(books.Check(ctx))
	}
	return nil
}

// ailing tells of damage that showed while the books were served.
func (a *App) ailing() error {
	if books, ok := a.store.(file); ok {
		return offerBackup(books.Ailing())
	}
	return nil
}

// giveUp stops serving, and tells why as a failed start does.
func (a *App) giveUp(err error) {
	a.options.Log.Error("the gateway stopped", "error", err)
	err = errors.Join(err, a.Stop())
	a.mu.Lock()
	a.listenError = err
	a.mu.Unlock()
	select {
	case a.gaveUp <- err:
	default: // nobody heard of the last time either
	}
}

func databaseIn(data string) string { return filepath.Join(data, "perdiem.db") }

// offerBackup adds how to go back to the newest backup, where there is one, to what is said of
// damaged books.
func offerBackup(err error) error {
	var d *sqlite.Damaged
	if !errors.As(err, &d) {
		return err
	}
	if d.Backup == "" {
		return fmt.Errorf("%w. If you have a copy elsewhere, go back to it with: perdiem restore FILE %s", d, dataFlag(d.Path))
	}
	return fmt.Errorf("%w. To go back to it, quit Perdiem and run: perdiem restore %s", d, dataFlag(d.Path))
}

// dataFlag names the folder of a database as a command line does.
func dataFlag(path string) string {
	dir := filepath.Dir(path)
	if strings.ContainsAny(dir, " '\"\\$&;()*?<>|`") {
		dir = strconv.Quote(dir)
	}
	return "--data " + dir
}

// Damaged tells whether an error says that the books are damaged, and whether there is a backup of them.
func Damaged(err error) (damaged, backedUp bool) {
	var d *sqlite.Damaged
	damaged = errors.As(err, &d)
	return damaged, damaged && d.Backup != ""
}

// Restore goes back to a backup of the books in a data folder, the newest if none is named, and keeps
// the books that were there under another name. Nobody may serve them meanwhile: [ErrServed].
func Restore(ctx context.Context, data, from string, now time.Time) (restored, kept string, err error) {
	return sqlite.Restore(ctx, fileOptions(data, func() time.Time { return now }), from)
}

package boot

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"perdiem/meter/sqlite"
)

// checkWithin is how long a start looks for damage. A file too large for that is served unread: what
// is damaged in it shows when it is used.
const checkWithin = 5 * time.Second

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
	return sqlite.Restore(ctx, databaseIn(data), from, now)
}

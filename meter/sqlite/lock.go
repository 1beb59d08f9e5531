package sqlite

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/gofrs/flock"
)

// ErrLocked means that another process serves this database already.
var ErrLocked = errors.New("another Perdiem serves this data folder already")

// Lock makes this process the one gateway that serves the file at path, until the returned
// function is called or the process ends in whatever way. The lock is on a file of its own beside
// it: SQLite's own locks are lost when any file handle on the database is closed.
func Lock(path string) (unlock func() error, err error) {
	// Whatever name leads to the file, the lock is beside the file itself.
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	l := flock.New(path+".lock", flock.SetPermissions(0o600))
	ok, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if !ok {
		return nil, ErrLocked
	}
	return l.Unlock, nil
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"perdiem/gateway/boot"
)

type restoreCmd struct {
	File string `arg:"" optional:"" help:"The backup (default: the newest one)." type:"path"`
}

// Run opens no books: they may be damaged.
func (c restoreCmd) Run(ctx context.Context, s *session) error {
	if s.store != "" {
		return errors.New("these books are in a database server; restore them with its own tool, such as pg_restore")
	}
	from := c.File
	if from != "" {
		var err error
		if from, err = filepath.Abs(from); err != nil {
			return err
		}
	}
	restored, kept, err := s.restore(ctx, from)
	if err != nil {
		return err
	}
	return s.say(map[string]string{"restored": restored, "kept": kept}, "%s", wentBack(restored, kept))
}

func (s *session) restore(ctx context.Context, from string) (restored, kept string, err error) {
	restored, kept, err = boot.Restore(ctx, s.data, from, time.Now())
	if errors.Is(err, boot.ErrServed) {
		err = errors.New("another Perdiem serves these books; quit it first, then try again")
	}
	return restored, kept, err
}

func wentBack(restored, kept string) string {
	return fmt.Sprintf("Went back to %s.\nWhat was booked since that copy was made is not in it. The books that were there are kept as %s.", restored, kept)
}

// offerBackup tells in a window why the books cannot be opened, if that is since they are damaged, and
// offers to go back to their newest backup. The error is told all the same.
func (s *session) offerBackup(ctx context.Context, why error) error {
	damaged, backedUp := boot.Damaged(why)
	if !damaged || s.hooks.OfferBackup == nil {
		return why
	}
	s.close() // the file is to be moved
	s.app = nil
	var goBack func(context.Context) (string, error)
	if backedUp {
		goBack = func(ctx context.Context) (string, error) {
			restored, kept, err := s.restore(ctx, "")
			if err != nil {
				return "", err
			}
			return wentBack(restored, kept), nil
		}
	}
	return errors.Join(why, s.hooks.OfferBackup(ctx, why.Error(), goBack))
}

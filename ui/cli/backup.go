package cli

import (
	"context"
	"path/filepath"

	"perdiem/gateway/boot"
)

type backupCmd struct {
	File string `arg:"" help:"The new file." type:"path"`
}

func (c backupCmd) Run(ctx context.Context, s *session, app *boot.App) error {
	to, err := filepath.Abs(c.File)
	if err != nil {
		return err
	}
	if err := app.Backup(ctx, to); err != nil {
		return err
	}
	return s.say(map[string]string{"file": to}, "Copied the books to %s. The keys of providers are not in it.", to)
}

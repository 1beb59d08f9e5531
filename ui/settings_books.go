package ui

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"

	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"perdiem/meter"
	"perdiem/ui/live"
)

func (s *settings) showBackups(dir string, all []live.Backup) {
	s.folder.set(dir)
	s.backupsAt = dir
	switch {
	case dir == "":
		s.backups.say("The books are in a database server, and are backed up there.")
		s.backup.Disable()
	case len(all) == 0:
		s.backups.say("No backup yet.")
	default:
		s.backups.say(fmt.Sprintf("%s; the newest is of %s, %s", live.Many(int64(len(all)), "backup"), clockTime(all[0].At, s.d.services.Now()), live.Size(all[0].Bytes)))
	}
}

func (s *settings) backUp() {
	to := filepath.Join(s.backupsAt, live.BackupName(s.d.services.Now()))
	s.slowly(s.backup, func(ctx context.Context) error { return s.d.services.House.Backup(ctx, to) }, func() string { return "Backed up to " + to + "." })
}

func (s *settings) check() {
	var report meter.Report
	s.slowly(s.verify, func(ctx context.Context) (err error) {
		report, err = s.d.services.Meter.Verify(ctx)
		if err == nil && !report.Clean() {
			err = fmt.Errorf("%d figures differ from the ledger. `perdiem verify` tells which; nothing was changed", len(report.Mismatches)+len(report.BadHolds))
		}
		return err
	}, func() string {
		return fmt.Sprintf("The books are right: %s figures agree with the %s entries of the ledger.", meter.Group(int64(report.Rows)), meter.Group(int64(report.Entries)))
	})
}

// slowly does what takes longer than a blink, with progress in sight.
func (s *settings) slowly(b *widget.Button, do func(context.Context) error, said func() string) {
	b.Disable()
	s.busy.Show()
	s.busy.Start()
	s.d.work(patient, do, func(err error) {
		b.Enable()
		s.busy.Stop()
		s.busy.Hide()
		if err != nil {
			s.d.shell.tell(colorSpent, live.Plain(err))
			return
		}
		s.d.shell.tell(theme.ColorNamePrimary, said())
	})
}

func (s *settings) openFolder() {
	u := &url.URL{Scheme: "file", Path: filepath.ToSlash(s.backupsAt)}
	if err := s.d.app.OpenURL(u); err != nil {
		s.d.shell.tell(colorSpent, "The folder could not be opened here: "+s.backupsAt)
	}
}

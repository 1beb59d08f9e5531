package crash

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// beReadOnly opens books on a disk that was made read-only since, and tells what that says.
func beReadOnly() error {
	ctx := context.Background()
	dir := os.Getenv("PERDIEM_CRASH_FILE")
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, ""); err != nil {
		return errors.Join(errNoMount, err)
	}
	path := filepath.Join(dir, "perdiem.db")
	s, err := open(ctx, path)
	if err != nil {
		return err
	}
	if err := s.Close(); err != nil {
		return err
	}
	if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		return err
	}
	_, err = open(ctx, path)
	if err == nil {
		return errors.New("it opened")
	}
	_, err = os.Stdout.WriteString(err.Error())
	return err
}

func TestAReadOnlyDiskIsToldInWords(t *testing.T) {
	if said := string(onItsOwnDisk(t, "readonly")); !strings.Contains(said, "cannot be written; is its disk mounted read-only") {
		t.Errorf("it says %q", said)
	}
}

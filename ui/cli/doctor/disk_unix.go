//go:build !windows

package doctor

import "golang.org/x/sys/unix"

// freeBytes is how much an ordinary user may still write where a folder is.
func freeBytes(folder string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), nil //nolint:unconvert // the fields' types differ by system
}

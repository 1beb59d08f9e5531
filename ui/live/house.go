package live

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Backup is one copy of the books on the disk.
type Backup struct {
	Name  string
	At    time.Time
	Bytes int64
}

// ReadBackups lists the backups in a folder, the newest first. A folder that is not there yet has none.
func ReadBackups(dir string) ([]Backup, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the backups: %w", err)
	}
	var all []Backup
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || filepath.Ext(e.Name()) != ".db" {
			continue // gone meanwhile, or no backup
		}
		all = append(all, Backup{e.Name(), info.ModTime(), info.Size()})
	}
	slices.SortFunc(all, func(a, b Backup) int { return b.At.Compare(a.At) })
	return all, nil
}

// BackupName is what a backup that the owner asked for is called. The daily ones have other names: they are removed by age.
func BackupName(now time.Time) string {
	return "asked-for-" + now.UTC().Format("2006-01-02-150405") + ".db"
}

// Size writes a number of bytes: 940 KB, 12.4 MB.
func Size(bytes int64) string {
	if bytes < 1e6 {
		return fmt.Sprintf("%d KB", (bytes+999)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
}

// ListenAt is the address to listen on, for a port as typed, on every network or on this machine alone. An empty port is the usual one: "".
func ListenAt(port string, everywhere bool) (string, error) {
	port = strings.TrimSpace(port)
	if port == "" && everywhere {
		return "", nil
	}
	n, err := strconv.Atoi(port)
	if err != nil || n < 1 || n > 65535 {
		return "", errors.New("a port is a number from 1 to 65535, such as 7427")
	}
	host := ""
	if !everywhere {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, strconv.Itoa(n)), nil
}

// ListenParts takes an address to listen on apart, as ListenAt puts it together.
func ListenParts(listen string) (port string, everywhere bool) {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return "", true
	}
	ip := net.ParseIP(host)
	return port, host == "" || ip != nil && ip.IsUnspecified()
}

// Names takes a list of names apart that are typed with commas or spaces between them.
func Names(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ';' || r == ' ' || r == '\n' })
}

// IsFolder tells whether there is a folder of that name.
func IsFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// Package release tests what a release is made by: the scripts in .ci.
package release

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// copyOf copies the sources to a folder of its own, as another developer has them.
func copyOf(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	files := exec.CommandContext(t.Context(), "git", "ls-files", "--cached", "--others", "--exclude-standard", "-z")
	files.Dir = filepath.Join("..", "..")
	list, err := files.Output()
	if err != nil {
		t.Fatalf("listing the sources: %v", err)
	}
	for _, file := range strings.Split(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		from := filepath.Join("..", "..", file)
		info, err := os.Lstat(from)
		if os.IsNotExist(err) {
			continue // removed, and not committed yet
		}
		if err == nil {
			err = copyFile(filepath.Join(dir, file), from, info.Mode())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func copyFile(to, from string, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, mode.Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if closed := out.Close(); err == nil {
		err = closed
	}
	return err
}

// script runs one of the scripts in a copy of the sources.
func script(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	return run(t, filepath.Join(dir, ".ci", name), args...)
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), name, args...)
	cmd.Env = append(os.Environ(), "PERDIEM_VERSION=1.2.3", "XZ_OPT=-0") // how small an archive gets is not what is tested
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s%s", name, args, err, out, &errs)
	}
	return strings.TrimSpace(string(out))
}

func sum(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(b))
}

// Whoever builds a release again gets the same program and the same archives, wherever and with whatever umask.
func TestTheSameSourcesMakeTheSameBytes(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("releases are made on Linux")
	}
	var sums []map[string]string
	for _, by := range []struct{ folder, umask string }{{"here", "022"}, {"in another folder, with a longer name", "077"}} {
		dir := copyOf(t, by.folder)
		program := filepath.Join(dir, "build", "program")
		script(t, dir, "build", "headless", "linux/"+runtime.GOARCH, program)
		told, err := exec.CommandContext(t.Context(), program, "--version").Output()
		if err != nil || string(told) != "perdiem 1.2.3\n" {
			t.Errorf("the program says %q, %v", told, err)
		}
		made := map[string]string{"the program": sum(t, program)}
		for target, ext := range map[string]string{"linux/amd64": ".tar.xz", "darwin/arm64": ".tar.gz", "windows/amd64": ".zip"} {
			archive := run(t, "sh", "-c", `umask "$0"; exec "$@"`, by.umask, filepath.Join(dir, ".ci", "package"), "headless", target, program)
			if want := "perdiem-1.2.3-" + strings.ReplaceAll(target, "/", "-") + "-headless" + ext; filepath.Base(archive) != want {
				t.Errorf("the archive is named %s, want %s", archive, want)
			}
			made["the archive for "+target] = sum(t, archive)
		}
		sums = append(sums, made)
	}
	for what, want := range sums[0] {
		if sums[1][what] != want {
			t.Errorf("%s differs", what)
		}
	}
}

// Who has only the archive can follow what its texts link to.
func TestWhatTheTextsLinkToIsInTheArchive(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("releases are made on Linux")
	}
	dir := copyOf(t, "sources")
	archive := script(t, dir, "package", "headless", "linux/amd64", filepath.Join(dir, "main.go")) // what is packed as the program matters not
	run(t, "tar", "-C", dir, "-xf", archive)
	unpacked := filepath.Join(dir, strings.TrimSuffix(filepath.Base(archive), ".tar.xz"))
	link := regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`) // not to another site
	links := 0
	err := filepath.WalkDir(unpacked, func(path string, _ os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" {
			return err
		}
		text, err := os.ReadFile(path)
		for _, found := range link.FindAllSubmatch(text, -1) {
			links++
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), string(found[1]))); err != nil {
				t.Errorf("%s links to %s: %v", filepath.Base(path), found[1], err)
			}
		}
		return err
	})
	if err != nil || links < 20 {
		t.Errorf("%d links were followed, %v", links, err)
	}
}

// The notes of a version begin with its own section, or what is not released yet.
func TestNotesAreTheVersionsOwn(t *testing.T) {
	dir := t.TempDir()
	if err := copyFile(filepath.Join(dir, ".ci", "notes"), filepath.Join("..", "..", ".ci", "notes"), 0o755); err != nil {
		t.Fatal(err)
	}
	text := "# Changelog\n\n## [Unreleased]\n\n- later\n\n## [1.2.3] - 2026-12-01\n\n### Fixed\n\n- now\n\n## [1.2.2]\n\n- before\n"
	if err := os.WriteFile(filepath.Join(dir, "CHANGELOG.md"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for version, want := range map[string]string{"1.2.3": "# Perdiem 1.2.3\n\n## Fixed\n\n- now\n\n## To install", "1.3.0": "# Perdiem 1.3.0\n\n- later\n\n## To install"} {
		if got := script(t, dir, "notes", version); !strings.HasPrefix(got, want) {
			t.Errorf("%s has the notes %q, want %q", version, got, want)
		}
	}
}

// An update puts the new program in place of the old one, and a removal leaves the books alone.
func TestInstallingAndRemoving(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the archives of other systems install nothing")
	}
	home, archive := t.TempDir(), t.TempDir()
	from := filepath.Join("..", "..", ".ci", "archive")
	for to, file := range map[string]string{
		"install.sh": "install.sh", "uninstall.sh": "uninstall.sh",
		"systemd/perdiem.service": "perdiem.service", "share/applications/app.perdiem.desktop": "app.perdiem.desktop",
		"share/icons/hicolor/512x512/apps/app.perdiem.png": "../../assets/icon.png", "LICENSE": "../../LICENSE", "THIRD-PARTY-LICENCES.txt": "../../LICENSE",
	} {
		if err := copyFile(filepath.Join(archive, to), filepath.Join(from, file), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	as := func(path string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), path, args...)
		cmd.Env = []string{"HOME=" + home, "PATH=/usr/bin:/bin", "PERDIEM_INSTALL_ROOT_OK=1"}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", filepath.Base(path), err, out)
		}
		return string(out)
	}
	books := filepath.Join(home, ".config", "Perdiem", "perdiem.db")
	if err := os.MkdirAll(filepath.Dir(books), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(books, []byte("books"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"1.0.0", "1.1.0"} {
		if err := os.WriteFile(filepath.Join(archive, "perdiem"), []byte("#!/bin/sh\necho perdiem "+version+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		as(filepath.Join(archive, "install.sh"))
		if got := as(filepath.Join(home, ".local", "bin", "perdiem")); got != "perdiem "+version+"\n" {
			t.Errorf("installed is %s", got)
		}
	}
	entry, err := os.ReadFile(filepath.Join(home, ".local", "share", "applications", "app.perdiem.desktop"))
	if err != nil || !strings.Contains(string(entry), "\nExec=\""+home+"/.local/bin/perdiem\"\n") {
		t.Errorf("the entry in the menu says %s, %v", entry, err)
	}
	as(filepath.Join(home, ".local", "share", "perdiem", "uninstall.sh"))
	var left []string
	err = filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			left = append(left, path)
		}
		return err
	})
	if err != nil || len(left) != 1 || left[0] != books {
		t.Errorf("left are %v, %v", left, err)
	}
}

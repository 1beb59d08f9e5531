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
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), filepath.Join(dir, ".ci", name), args...)
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

// Whoever builds a release again gets the same program and the same archive, wherever they build it.
func TestTheSameSourcesMakeTheSameBytes(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("releases are made on Linux")
	}
	var programs, archives []string
	for _, name := range []string{"here", "in another folder, with a longer name"} {
		dir := copyOf(t, name)
		target := "linux/" + runtime.GOARCH
		program := filepath.Join(dir, "build", "program")
		script(t, dir, "build", "headless", target, program)
		told, err := exec.CommandContext(t.Context(), program, "--version").Output()
		if err != nil || string(told) != "perdiem 1.2.3\n" {
			t.Errorf("the program says %q, %v", told, err)
		}
		archive := script(t, dir, "package", "headless", target, program)
		if want := "perdiem-1.2.3-linux-" + runtime.GOARCH + "-headless.tar.xz"; filepath.Base(archive) != want {
			t.Errorf("the archive is named %s, want %s", archive, want)
		}
		programs, archives = append(programs, sum(t, program)), append(archives, sum(t, archive))
	}
	if programs[0] != programs[1] {
		t.Error("the programs differ")
	}
	if archives[0] != archives[1] {
		t.Error("the archives differ")
	}
}

// The notes of a version are its own section, or what is not released yet.
func TestNotesAreTheVersionsOwn(t *testing.T) {
	dir := t.TempDir()
	if err := copyFile(filepath.Join(dir, ".ci", "notes"), filepath.Join("..", "..", ".ci", "notes"), 0o755); err != nil {
		t.Fatal(err)
	}
	text := "# Changelog\n\n## [Unreleased]\n\n- later\n\n## [1.2.3] - 2026-12-01\n\n- now\n\n## [1.2.2]\n\n- before\n"
	if err := os.WriteFile(filepath.Join(dir, "CHANGELOG.md"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for version, want := range map[string]string{"1.2.3": "# Perdiem 1.2.3\n\n- now", "1.3.0": "# Perdiem 1.3.0\n\n- later"} {
		if got := script(t, dir, "notes", version); got != want {
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
	run := func(path string, args ...string) string {
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
		run(filepath.Join(archive, "install.sh"))
		if got := run(filepath.Join(home, ".local", "bin", "perdiem")); got != "perdiem "+version+"\n" {
			t.Errorf("installed is %s", got)
		}
	}
	entry, err := os.ReadFile(filepath.Join(home, ".local", "share", "applications", "app.perdiem.desktop"))
	if err != nil || !strings.Contains(string(entry), "\nExec=\""+home+"/.local/bin/perdiem\"\n") {
		t.Errorf("the entry in the menu says %s, %v", entry, err)
	}
	run(filepath.Join(home, ".local", "share", "perdiem", "uninstall.sh"))
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

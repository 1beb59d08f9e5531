package connect

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"perdiem/ui/live"
)

// record is what a tool's files were before they were first written, kept until they are taken back.
type record struct {
	Files []saved `json:"files"`
}

type saved struct {
	Path    string      `json:"path"`
	Existed bool        `json:"existed"`
	Mode    fs.FileMode `json:"mode"` // that it had when it was last looked at
	Before  []byte      `json:"before"`
	Wrote   string      `json:"wrote"` // the hash of what we left there
	// Touched tells that somebody else changed the file since, before we wrote it again.
	Touched bool     `json:"touched"`
	Folders []string `json:"folders"` // those that we made for it, the innermost first
}

var (
	// ErrNothing means that a tool was not connected from here, or was taken back already.
	ErrNothing = errors.New("there is nothing to take back")
	// ErrChanged means that a file was changed by somebody else since we wrote it.
	ErrChanged = errors.New("was changed since; taking it back would lose that")
)

// Connector writes and takes back; Records is the folder where it keeps what stood before.
type Connector struct {
	Records string
}

func (c Connector) recordPath(t Tool) string {
	return filepath.Join(c.Records, t.Name+".json")
}

// Write writes a tool's files, and returns their paths. Nothing is written unless all can be.
func (c Connector) Write(t Tool, to live.Target) ([]string, error) {
	p, err := here()
	if err != nil {
		return nil, fmt.Errorf("find your home folder: %w", err)
	}
	r, err := c.read(t)
	if err != nil && !errors.Is(err, ErrNothing) {
		return nil, err
	}
	type planned struct {
		*saved
		text []byte
	}
	var plan []planned
	var paths []string
	old := r.Files
	r.Files = make([]saved, len(t.Files))
	for i, f := range t.Files {
		s, now, err := look(f.path(p), old)
		if err != nil {
			return nil, err
		}
		text, err := f.edit(now, to)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Path, err)
		}
		s.Wrote = hash(text)
		r.Files[i] = s
		plan = append(plan, planned{&r.Files[i], text})
		paths = append(paths, s.Path)
	}
	// The record comes first: a crash in between leaves something to take back.
	if err := c.keep(t, r); err != nil {
		return nil, err
	}
	for _, f := range plan {
		if err := write(f.Path, f.text, f.Mode); err != nil {
			return nil, err
		}
	}
	return paths, nil
}

// look reads a file as it stands, and what is known of it from an earlier time.
func look(path string, earlier []saved) (saved, []byte, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // the link stays a link
	}
	now, err := os.ReadFile(path)
	there := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return saved{}, nil, err
	}
	mode := fs.FileMode(0o600)
	if there {
		info, err := os.Stat(path)
		if err != nil {
			return saved{}, nil, err
		}
		mode = info.Mode().Perm()
	}
	for _, s := range earlier {
		if s.Path == path {
			s.Touched = s.Touched || there && hash(now) != s.Wrote
			s.Mode = mode
			return s, now, nil
		}
	}
	s := saved{Path: path, Existed: there, Mode: mode, Before: now}
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			break
		}
		s.Folders = append(s.Folders, dir)
	}
	return s, now, nil
}

// Undo puts a tool's files back as they were before they were first written, and returns their
// paths. Unless forced, it does nothing where one was changed since.
func (c Connector) Undo(t Tool, force bool) ([]string, error) {
	r, err := c.read(t)
	if err != nil {
		return nil, err
	}
	for _, s := range r.Files {
		now, err := os.ReadFile(s.Path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		same := hash(now) == s.Wrote || s.Existed && bytes.Equal(now, s.Before) || !s.Existed && err != nil
		if !force && (s.Touched || !same) {
			return nil, fmt.Errorf("%s %w", s.Path, ErrChanged)
		}
	}
	var paths []string
	for _, s := range r.Files {
		if err := s.restore(); err != nil {
			return nil, err
		}
		paths = append(paths, s.Path)
	}
	return paths, os.Remove(c.recordPath(t))
}

func (s saved) restore() error {
	if s.Existed {
		mode := s.Mode
		if info, err := os.Stat(s.Path); err == nil {
			mode = info.Mode().Perm() // its owner may have changed it since
		}
		return write(s.Path, s.Before, mode)
	}
	if err := os.Remove(s.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, dir := range s.Folders {
		_ = os.Remove(dir) // unless something else is in it by now
	}
	return nil
}

func (c Connector) read(t Tool) (record, error) {
	text, err := os.ReadFile(c.recordPath(t))
	if errors.Is(err, fs.ErrNotExist) {
		return record{}, ErrNothing
	}
	if err != nil {
		return record{}, err
	}
	var r record
	if err := json.Unmarshal(text, &r); err != nil {
		return record{}, fmt.Errorf("%s: %w", c.recordPath(t), err)
	}
	return r, nil
}

func (c Connector) keep(t Tool, r record) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return write(c.recordPath(t), text, 0o600)
}

// write replaces a file in one step, so that a crash leaves the old one or the new.
func write(path string, text []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".perdiem-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

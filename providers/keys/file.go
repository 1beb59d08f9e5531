package keys

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"perdiem/providers"
)

// PassphraseEnv is the variable that the encrypted file's passphrase is read from.
const PassphraseEnv = "PERDIEM_PASSPHRASE"

// The ways that an encrypted file fails; test with errors.Is.
var (
	ErrNoPassphrase    = errors.New("the keys are in an encrypted file; give its passphrase in " + PassphraseEnv)
	ErrWrongPassphrase = errors.New("the encrypted file of keys does not open with this passphrase; set " + PassphraseEnv + " to the one that it was made with")
)

// lockedTick is how often a lock that another process holds is tried again.
const lockedTick = 50 * time.Millisecond

// File keeps secrets in one file, encrypted by age under a passphrase, for machines without a keychain. What was read
// stays in memory, and the passphrase with it. Several processes may share the file: each change is made under a lock
// beside it, and put in place as a whole; a change by another process is seen at the next Get.
type File struct {
	path       string
	passphrase func(context.Context) (string, error)
	now        func() time.Time
	strength   int

	turn  chan struct{} // held by the operation that runs, so that a person sees one prompt
	known string        // the passphrase that opened the file last; of whoever has the turn

	mu      sync.Mutex
	secrets map[string]string // never changed, only replaced
	read    fs.FileInfo       // the file as secrets were read from it; nil = not yet
	failed  failure           // so that a busy gateway neither asks nor tries a wrong passphrase for every call
}

// NewFile returns the source at path; there need be no file yet. passphrase is asked for once; it returns ErrNoPassphrase
// if there is none, and ends with its context. nil means time.Now.
func NewFile(path string, passphrase func(context.Context) (string, error), now func() time.Time) *File {
	if now == nil {
		now = time.Now
	}
	return &File{path: path, passphrase: passphrase, now: now, strength: strength, turn: make(chan struct{}, 1)}
}

// PassphraseFrom reads the passphrase from the environment (os.LookupEnv).
func PassphraseFrom(lookup func(string) (string, bool)) func(context.Context) (string, error) {
	return func(context.Context) (string, error) {
		if value, ok := lookup(PassphraseEnv); ok && value != "" {
			return value, nil
		}
		return "", ErrNoPassphrase
	}
}

// Get returns a key's secret, from memory if the file is as it was. Errors: ErrNotFound, ErrNoPassphrase,
// ErrWrongPassphrase, ErrLocked if the passphrase does not come in time, the context's.
func (f *File) Get(ctx context.Context, key providers.Key) (string, error) {
	if secrets, ok, err := f.remembered(); ok || err != nil {
		return secretOf(secrets, key, err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, readTime, ErrLocked)
	defer cancel()
	if err := f.take(ctx); err != nil {
		return "", err
	}
	defer f.leave()
	secrets, ok, err := f.remembered() // by whoever had the turn before
	if !ok && err == nil {
		secrets, err = f.load(ctx)
	}
	return secretOf(secrets, key, err)
}

func secretOf(secrets map[string]string, key providers.Key, err error) (string, error) {
	if err != nil {
		return "", err
	}
	if secret, ok := secrets[key.ID]; ok {
		return secret, nil
	}
	return "", ErrNotFound
}

// Set stores a secret. Errors: those of Get, ErrUnusable, ErrTooLong, others in words.
func (f *File) Set(ctx context.Context, key providers.Key, secret string) error {
	secret, err := clean(secret)
	if err != nil {
		return err
	}
	if len(secret) > longest("") {
		return ErrTooLong
	}
	return f.change(ctx, func(secrets map[string]string) { secrets[key.ID] = secret })
}

// Delete removes a secret. Errors: those of Get, others in words.
func (f *File) Delete(ctx context.Context, key providers.Key) error {
	if _, err := os.Stat(f.path); errors.Is(err, fs.ErrNotExist) {
		return nil // nor is a passphrase asked for
	}
	return f.change(ctx, func(secrets map[string]string) { delete(secrets, key.ID) })
}

// change reads the file, lets edit change its secrets, and writes it anew.
func (f *File) change(ctx context.Context, edit func(map[string]string)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, writeTime, ErrLocked)
	defer cancel()
	if err := f.take(ctx); err != nil {
		return err
	}
	defer f.leave()
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return fmt.Errorf("making room for the file of keys: %w", err)
	}
	lock := flock.New(f.path+".lock", flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, lockedTick); err != nil {
		return orCause(ctx, fmt.Errorf("locking the file of keys: %w", err))
	}
	defer func() { _ = lock.Close() }()
	passphrase, err := f.ask(ctx)
	if err != nil {
		return err
	}
	secrets, err := f.open(passphrase)
	if err != nil {
		return err
	}
	secrets = maps.Clone(secrets)
	edit(secrets)
	sealed, err := seal(secrets, passphrase, f.strength)
	if err == nil {
		err = replace(f.path, sealed)
	}
	if err != nil {
		return fmt.Errorf("writing the file of keys: %w", err)
	}
	f.known = passphrase
	info, err := os.Stat(f.path)
	if err != nil {
		return fmt.Errorf("writing the file of keys: %w", err)
	}
	f.remember(secrets, info)
	return nil
}

// take waits for the turn.
func (f *File) take(ctx context.Context) error {
	select {
	case f.turn <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if ctx.Err() != nil { // both came at once
		f.leave()
		return context.Cause(ctx)
	}
	return nil
}

func (f *File) leave() { <-f.turn }

// load reads the file, and remembers how that went.
func (f *File) load(ctx context.Context) (map[string]string, error) {
	if _, err := os.Stat(f.path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil // nor is a passphrase asked for
	}
	passphrase, err := f.ask(ctx)
	var secrets map[string]string
	if err == nil {
		secrets, err = f.open(passphrase)
	}
	if err != nil {
		if !errors.Is(err, context.Canceled) { // which is one caller's own affair
			f.fail(err)
		}
		return nil, err
	}
	f.known = passphrase
	return secrets, nil
}

func (f *File) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failed = failure{err, f.now().Add(failTime)}
}

// ask gets the passphrase, from memory if it opened the file before.
func (f *File) ask(ctx context.Context) (string, error) {
	if f.known != "" {
		return f.known, nil
	}
	passphrase, err := f.passphrase(ctx)
	switch {
	case err != nil:
		return "", orCause(ctx, err)
	case passphrase == "":
		return "", ErrNoPassphrase
	}
	return passphrase, nil
}

// orCause is why the context ended, if it did, else err.
func orCause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// open reads the secrets, and remembers them. No file is an empty one.
func (f *File) open(passphrase string) (map[string]string, error) {
	file, err := os.Open(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]string{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("opening the file of keys: %w", err)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("opening the file of keys: %w", err)
	}
	secrets, err := unseal(file, passphrase)
	if err != nil {
		f.known = "" // the owner may know a better one
		return nil, err
	}
	f.remember(secrets, info)
	return secrets, nil
}

// remembered are the secrets in memory, if the file is still the one that they were read from; or why reading it failed
// just now.
func (f *File) remembered() (map[string]string, bool, error) {
	info, err := os.Stat(f.path)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failed.err != nil && f.now().Before(f.failed.until) {
		return nil, false, f.failed.err
	}
	if err != nil || f.read == nil || !os.SameFile(info, f.read) || !info.ModTime().Equal(f.read.ModTime()) || info.Size() != f.read.Size() {
		return nil, false, nil
	}
	return f.secrets, true, nil
}

func (f *File) remember(secrets map[string]string, info fs.FileInfo) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.secrets, f.read, f.failed = secrets, info, failure{}
}

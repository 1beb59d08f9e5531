// Package keys gets and keeps the providers' secrets: in the operating system's keychain, where there is none in a file
// encrypted under a passphrase, or, read only, in environment variables. Never in plain text on a disk, never in the
// database.
//
// Invariants:
//   - A caller waits a bounded time, also while the keychain waits for a person who is not there.
//   - However many callers ask, the keychain is asked one thing at a time, so that a person sees one prompt.
//   - No error holds a secret, and each says in plain words what to do.
package keys

import (
	"context"
	"errors"
	"strings"
	"unicode"

	"perdiem/providers"
)

// Source is where secrets are. Its methods are safe for concurrent use.
type Source interface {
	// Get returns the secret of a key. Errors: ErrNotFound, ErrNoKeychain, ErrLocked, the context's, others in words.
	Get(ctx context.Context, key providers.Key) (string, error)
	// Set stores the secret of a key. Errors: those of Get, ErrUnusable, ErrTooLong, ErrReadOnly.
	Set(ctx context.Context, key providers.Key, secret string) error
	// Delete forgets the secret of a key; there being none is no error.
	Delete(ctx context.Context, key providers.Key) error
}

// The ways that a source fails; test with errors.Is. Their texts are written for the owner.
var (
	ErrNotFound   = errors.New("no secret is stored for this key; paste it again")
	ErrNoKeychain = errors.New("this session has no keychain; start GNOME Keyring, KWallet or KeePassXC, set PERDIEM_PASSPHRASE to keep keys in an encrypted file, or give the key in an environment variable")
	ErrLocked     = errors.New("the keychain is locked or waits for your answer; unlock it, then try again")
	ErrTooLong    = errors.New("this secret is too long for the keychain of this system; give it in an environment variable")
	ErrUnusable   = errors.New("this is no key: it is empty, or has a blank or a line break inside; copy it again")
	ErrReadOnly   = errors.New("keys in environment variables are set outside of Perdiem")
)

// clean takes the blanks off that come along with a paste. What is left goes into a header, so that nothing but
// visible ASCII may be in it.
func clean(secret string) (string, error) {
	secret = strings.TrimSpace(secret)
	bad := func(r rune) bool { return r <= ' ' || r > unicode.MaxASCII || !unicode.IsPrint(r) }
	if secret == "" || strings.ContainsFunc(secret, bad) {
		return "", ErrUnusable
	}
	return secret, nil
}

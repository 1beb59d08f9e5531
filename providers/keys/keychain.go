package keys

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/zalando/go-keyring"

	"perdiem/providers"
)

// service is the name under which the keychain shows the app's items; each item's user is the key's ID.
const service = "Perdiem"

const (
	readTime  = 5 * time.Second  // how long a reader waits; a prompt answered later still fills the cache
	writeTime = 60 * time.Second // how long a writer waits: a person may have to type a password first
	failTime  = 10 * time.Second // how long a failure is remembered, so that a busy gateway does not hammer the keychain
)

// Keychain is the operating system's. Secrets that were read stay in memory; there is one operation at a time.
//
// The keychain's calls cannot be cancelled: one that waits for a prompt may wait for ever. So each runs on a goroutine
// of its own, which its caller leaves behind when the time is up. While such a call is stuck, others are turned away at
// once instead of queueing behind it, and it alone can end that, by returning.
type Keychain struct {
	now       func() time.Time
	readTime  time.Duration
	writeTime time.Duration

	turn chan struct{} // held by the operation that runs

	mu      sync.Mutex
	stuck   bool
	secrets map[string]string
	failed  map[string]failure
	reads   map[string]*read
}

type failure struct {
	err   error
	until time.Time
}

// read is a Get on its way, which later callers for the same key join.
type read struct {
	done   chan struct{} // closed once the result is there
	secret string
	err    error
}

// NewKeychain returns the operating system's keychain. Nothing is asked of it yet. nil means time.Now.
func NewKeychain(now func() time.Time) *Keychain {
	if now == nil {
		now = time.Now
	}
	return &Keychain{
		now: now, readTime: readTime, writeTime: writeTime, turn: make(chan struct{}, 1),
		secrets: map[string]string{}, failed: map[string]failure{}, reads: map[string]*read{},
	}
}

// Get returns a key's secret, from memory if it was read before.
func (k *Keychain) Get(ctx context.Context, key providers.Key) (string, error) {
	k.mu.Lock()
	if secret, ok := k.secrets[key.ID]; ok {
		k.mu.Unlock()
		return secret, nil
	}
	if f, ok := k.failed[key.ID]; ok && k.now().Before(f.until) {
		k.mu.Unlock()
		return "", f.err
	}
	if k.stuck {
		k.mu.Unlock()
		return "", ErrLocked
	}
	r, joined := k.reads[key.ID]
	if !joined {
		r = &read{done: make(chan struct{})}
		k.reads[key.ID] = r
		go k.read(key.ID, r)
	}
	k.mu.Unlock()
	if err := k.wait(ctx, r.done, k.readTime); err != nil {
		return "", err
	}
	return r.secret, r.err
}

// read asks the keychain, however long that takes, and remembers the answer.
func (k *Keychain) read(id string, r *read) {
	k.turn <- struct{}{}
	secret, err := keyring.Get(service, id)

	k.mu.Lock()
	defer k.mu.Unlock()
	defer k.end(r.done)
	r.secret, r.err = secret, inWords(err)
	delete(k.reads, id)
	if r.err == nil {
		k.secrets[id] = secret
		delete(k.failed, id)
	} else {
		k.failed[id] = failure{r.err, k.now().Add(failTime)}
	}
}

// end gives the turn back and tells those who wait. It is called under the lock, so that wait, which looks under the
// lock too, calls only that stuck which is still to end.
func (k *Keychain) end(done chan struct{}) {
	k.stuck = false
	<-k.turn
	close(done)
}

// wait waits for an operation, for the caller or for the time limit.
func (k *Keychain) wait(ctx context.Context, done <-chan struct{}, limit time.Duration) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.stuck = len(k.turn) > 0
	return ErrLocked
}

// Set stores a secret and reads it back: some keychains have cut long ones short without a word.
func (k *Keychain) Set(ctx context.Context, key providers.Key, secret string) error {
	secret, err := clean(secret)
	if err != nil {
		return err
	}
	if len(secret) > longest(runtime.GOOS) {
		return ErrTooLong
	}
	return k.write(ctx, func() error {
		if err := keyring.Set(service, key.ID, secret); err != nil {
			return err
		}
		stored, err := keyring.Get(service, key.ID)
		if err == nil && stored != secret {
			err = errors.Join(ErrTooLong, keyring.Delete(service, key.ID))
		}
		if err == nil {
			k.remember(key.ID, secret)
		}
		return err
	})
}

// Delete removes a secret from the keychain and from memory.
func (k *Keychain) Delete(ctx context.Context, key providers.Key) error {
	return k.write(ctx, func() error {
		k.Forget(key)
		err := keyring.Delete(service, key.ID)
		if errors.Is(err, keyring.ErrNotFound) {
			return nil
		}
		return err
	})
}

// Forget drops what is remembered of a key, so that the next Get asks the keychain.
func (k *Keychain) Forget(key providers.Key) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.secrets, key.ID)
	delete(k.failed, key.ID)
}

func (k *Keychain) remember(id, secret string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.secrets[id] = secret
	delete(k.failed, id)
}

// write runs an operation on a goroutine of its own and waits for it.
func (k *Keychain) write(ctx context.Context, do func() error) error {
	k.mu.Lock()
	stuck := k.stuck
	k.mu.Unlock()
	if stuck {
		return ErrLocked
	}
	done := make(chan struct{})
	var result error
	go func() {
		k.turn <- struct{}{}
		err := inWords(do())
		k.mu.Lock()
		defer k.mu.Unlock()
		result = err
		k.end(done)
	}()
	if err := k.wait(ctx, done, k.writeTime); err != nil {
		return err
	}
	return result
}

// longest is how many bytes a secret may have. Windows' credentials hold 2,560
// (CRED_MAX_CREDENTIAL_BLOB_SIZE); macOS' security command reads lines of 4,096, in which the secret stands as base64.
func longest(goos string) int {
	switch goos {
	case "windows":
		return 2560
	case "darwin":
		return 2048
	default:
		return 16 << 10 // the Secret Service has no limit; no key is longer
	}
}

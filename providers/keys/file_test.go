package keys

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"filippo.io/age"

	"perdiem/providers"
)

// newFile is a file of keys with little work for scrypt, and how often its passphrase was asked for.
func newFile(path, passphrase string) (*File, *atomic.Int32) {
	asked := &atomic.Int32{}
	f := NewFile(path, func(context.Context) (string, error) {
		asked.Add(1)
		return passphrase, nil
	}, nil)
	f.strength = 4
	return f, asked
}

func mustSet(t *testing.T, s Source, key providers.Key, secret string) {
	t.Helper()
	if err := s.Set(t.Context(), key, secret); err != nil {
		t.Fatal(err)
	}
}

func TestAnEncryptedFileKeepsSecrets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "keys.age")
	f, asked := newFile(path, "correct horse")
	if _, err := f.Get(t.Context(), someKey("a")); !errors.Is(err, ErrNotFound) || asked.Load() != 0 {
		t.Errorf("without a file: got %v, asked %d times", err, asked.Load())
	}
	if err := f.Delete(t.Context(), someKey("a")); err != nil || asked.Load() != 0 {
		t.Errorf("deleting without a file: got %v, asked %d times", err, asked.Load())
	}
	mustSet(t, f, someKey("a"), " sk-CANARY-a\n")
	mustSet(t, f, someKey("b"), "sk-CANARY-b")
	other, _ := newFile(path, "correct horse")
	for name, source := range map[string]*File{"same": f, "fresh": other} {
		for id, want := range map[string]string{"a": "sk-CANARY-a", "b": "sk-CANARY-b"} {
			if got, err := source.Get(t.Context(), someKey(id)); err != nil || got != want {
				t.Errorf("%s: got %q, %v", name, got, err)
			}
		}
	}
	if asked.Load() != 1 {
		t.Errorf("asked %d times for the passphrase", asked.Load())
	}
	for range 2 {
		if err := f.Delete(t.Context(), someKey("a")); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := other.Get(t.Context(), someKey("a")); !errors.Is(err, ErrNotFound) {
		t.Errorf("deleted by another process: got %q, %v", got, err)
	}
	if got, err := other.Get(t.Context(), someKey("b")); err != nil || got != "sk-CANARY-b" {
		t.Errorf("the other one: got %q, %v", got, err)
	}
}

func TestTheFileIsEncryptedAndItsOwnersAlone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "keys.age")
	f, _ := newFile(path, "correct horse")
	mustSet(t, f, someKey("a"), "sk-CANARY")
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 { // the file and its lock
		t.Errorf("got %v, %v", entries, err)
	}
	for _, entry := range entries {
		info, _ := entry.Info()
		content, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil || info.Mode().Perm() != 0o600 || bytes.Contains(content, []byte("CANARY")) || bytes.Contains(content, []byte("test-a")) || bytes.Contains(content, []byte("horse")) {
			t.Errorf("%s: mode %v, %v", entry.Name(), info.Mode(), err)
		}
	}
	// Any program that knows age opens it.
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	identity, err := age.NewScryptIdentity("correct horse")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := age.Decrypt(file, identity); err != nil {
		t.Error(err)
	}
}

func TestAWrongPassphraseOpensAndOverwritesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.age")
	f, _ := newFile(path, "correct horse")
	mustSet(t, f, someKey("a"), "sk-CANARY")
	before, _ := os.ReadFile(path)
	now := time.Now()
	wrong, asked := newFile(path, "wrong")
	wrong.now = func() time.Time { return now }
	for range 3 {
		if _, err := wrong.Get(t.Context(), someKey("a")); !errors.Is(err, ErrWrongPassphrase) || strings.Contains(err.Error(), "wrong\"") {
			t.Errorf("Get: got %v", err)
		}
	}
	if asked.Load() != 1 {
		t.Errorf("tried %d times within ten seconds", asked.Load())
	}
	now = now.Add(failTime)
	if _, err := wrong.Get(t.Context(), someKey("a")); !errors.Is(err, ErrWrongPassphrase) || asked.Load() != 2 {
		t.Errorf("later: got %v, asked %d times", err, asked.Load())
	}
	for verb, err := range map[string]error{"Set": wrong.Set(t.Context(), someKey("b"), "sk-b"), "Delete": wrong.Delete(t.Context(), someKey("a"))} {
		if !errors.Is(err, ErrWrongPassphrase) {
			t.Errorf("%s: got %v", verb, err)
		}
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("the file was changed")
	}
}

func TestWithoutAPassphraseNothingIsWritten(t *testing.T) {
	dir := t.TempDir()
	f := NewFile(filepath.Join(dir, "keys.age"), PassphraseFrom(func(string) (string, bool) { return "", false }), nil)
	if err := f.Set(t.Context(), someKey("a"), "sk-CANARY"); !errors.Is(err, ErrNoPassphrase) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "keys.age")); err == nil {
		t.Error("a file was written")
	}
	ask := PassphraseFrom(func(name string) (string, bool) { return "from " + name, name == PassphraseEnv })
	if got, err := ask(t.Context()); err != nil || got != "from PERDIEM_PASSPHRASE" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestADamagedFileIsSaidAndKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.age")
	for name, content := range map[string]string{"no age file": "hello", "empty": "", "cut short": "age-encryption.org/v1\n"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		f, _ := newFile(path, "p")
		_, err := f.Get(t.Context(), someKey("a"))
		if err == nil || errors.Is(err, ErrNotFound) {
			t.Errorf("%s: got %v", name, err)
		}
		if err := f.Set(t.Context(), someKey("a"), "sk-x"); err == nil {
			t.Errorf("%s: written over", name)
		}
	}
}

func TestWhatIsNoKeyIsNotPutIntoTheFile(t *testing.T) {
	f, _ := newFile(filepath.Join(t.TempDir(), "keys.age"), "p")
	for secret, want := range map[string]error{"": ErrUnusable, "a b": ErrUnusable, strings.Repeat("k", 20_000): ErrTooLong} {
		if err := f.Set(t.Context(), someKey("a"), secret); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
}

func TestManyWritersLoseNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.age")
	var group sync.WaitGroup
	for process := range 2 {
		f, _ := newFile(path, "p") // each as in a process of its own
		for i := range 5 {
			group.Go(func() {
				if err := f.Set(t.Context(), someKey(fmt.Sprint(process, i)), "sk-x"); err != nil {
					t.Error(err)
				}
			})
		}
	}
	group.Wait()
	f, _ := newFile(path, "p")
	for process := range 2 {
		for i := range 5 {
			if _, err := f.Get(t.Context(), someKey(fmt.Sprint(process, i))); err != nil {
				t.Errorf("%d %d: %v", process, i, err)
			}
		}
	}
}

func TestAPromptThatNobodyAnswersIsOneAndEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.age")
	f, _ := newFile(path, "p")
	mustSet(t, f, someKey("a"), "sk-CANARY")
	synctest.Test(t, func(t *testing.T) {
		var prompts atomic.Int32
		waiting := NewFile(path, func(ctx context.Context) (string, error) {
			prompts.Add(1)
			<-ctx.Done()
			return "", ctx.Err()
		}, nil)
		start := time.Now()
		var group sync.WaitGroup
		for range 10 {
			group.Go(func() {
				if _, err := waiting.Get(t.Context(), someKey("a")); !errors.Is(err, ErrLocked) {
					t.Errorf("got %v", err)
				}
			})
		}
		group.Wait()
		if took := time.Since(start); took != readTime || prompts.Load() != 1 {
			t.Errorf("after %v, %d prompts", took, prompts.Load())
		}
	})
}

func TestTheChainUsesTheFileWhereThereIsNoKeychain(t *testing.T) {
	key := providers.Key{ID: "k", Provider: "openai", Source: providers.Keychain}
	set := map[string]string{"PERDIEM_KEY_OPENAI": "sk-env"}
	for name, c := range map[string]struct {
		keychain, file scripted
		vars           map[string]string
		want           string
		err            error
	}{
		"in the keychain":             {scripted{secret: "sk-chain"}, scripted{secret: "sk-file"}, set, "sk-chain", nil},
		"no keychain":                 {scripted{err: ErrNoKeychain}, scripted{secret: "sk-file"}, set, "sk-file", nil},
		"not in the keychain":         {scripted{err: ErrNotFound}, scripted{secret: "sk-file"}, set, "sk-file", nil},
		"not in the file":             {scripted{err: ErrNoKeychain}, scripted{err: ErrNotFound}, set, "sk-env", nil},
		"no passphrase":               {scripted{err: ErrNoKeychain}, scripted{err: ErrNoPassphrase}, set, "sk-env", nil},
		"no passphrase, and nowhere":  {scripted{err: ErrNoKeychain}, scripted{err: ErrNoPassphrase}, nil, "", ErrNoKeychain},
		"a wrong passphrase":          {scripted{err: ErrNoKeychain}, scripted{err: ErrWrongPassphrase}, set, "", ErrWrongPassphrase},
		"a locked keychain is enough": {scripted{err: ErrLocked}, scripted{secret: "sk-file"}, set, "", ErrLocked},
	} {
		t.Run(name, func(t *testing.T) {
			chain := Chain{Keychain: c.keychain, Env: env(c.vars), File: c.file}
			if got, err := chain.Get(t.Context(), key); got != c.want || !errors.Is(err, c.err) {
				t.Errorf("got %q, %v; want %q, %v", got, err, c.want, c.err)
			}
		})
	}
	for name, c := range map[string]struct {
		keychain, file, want error
	}{
		"in the keychain": {nil, errors.New("not asked"), nil}, "in the file": {ErrNoKeychain, nil, nil},
		"no passphrase": {ErrNoKeychain, ErrNoPassphrase, ErrNoKeychain}, "locked": {ErrLocked, nil, ErrLocked},
	} {
		chain := Chain{Keychain: scripted{err: c.keychain}, Env: env(nil), File: scripted{err: c.file}}
		if err := chain.Set(t.Context(), key, "sk-x"); !errors.Is(err, c.want) {
			t.Errorf("Set, %s: got %v", name, err)
		}
	}
}

func TestAChainTellsWhereASecretIs(t *testing.T) {
	key := providers.Key{ID: "k", Provider: "openai", Source: providers.Keychain}
	set := map[string]string{"PERDIEM_KEY_OPENAI": "sk-env"}
	none, absent, here := scripted{err: ErrNoKeychain}, scripted{err: ErrNotFound}, scripted{secret: "sk"}
	for name, c := range map[string]struct {
		keychain, file scripted
		vars           map[string]string
		want           Place
		err            error
	}{
		"in all":                        {here, here, set, InKeychain, nil},
		"a keychain without it":         {absent, here, set, InFile, nil},
		"no keychain":                   {none, here, set, InFile, nil},
		"in the environment":            {none, absent, set, InEnvironment, nil},
		"a locked keychain":             {scripted{err: ErrLocked}, here, set, InKeychain, ErrLocked},
		"no passphrase":                 {none, scripted{err: ErrNoPassphrase}, nil, InFile, ErrNoPassphrase},
		"no passphrase, but a variable": {none, scripted{err: ErrNoPassphrase}, set, InEnvironment, nil},
		"a wrong passphrase":            {none, scripted{err: ErrWrongPassphrase}, set, InFile, ErrWrongPassphrase},
		"nowhere":                       {absent, absent, nil, "", ErrNotFound},
		"nowhere, no keychain":          {none, absent, nil, "", ErrNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			chain := Chain{Keychain: c.keychain, Env: env(c.vars), File: c.file}
			if got, err := Where(t.Context(), chain, key); got != c.want || !errors.Is(err, c.err) {
				t.Errorf("got %q, %v; want %q, %v", got, err, c.want, c.err)
			}
			if _, err := chain.Get(t.Context(), key); (err == nil) != (c.err == nil) {
				t.Errorf("it is told otherwise than it is read: %v", err)
			}
		})
	}
	chain := Chain{Keychain: here, Env: env(nil)}
	if got, err := Where(t.Context(), chain, EnvKey("openai")); got != InEnvironment || !errors.Is(err, ErrNotFound) {
		t.Errorf("a variable that is not set: %q, %v", got, err)
	}
	if got, err := Where(t.Context(), here, key); got != InKeychain || err != nil {
		t.Errorf("no chain: %q, %v", got, err)
	}
}

func TestADeletedKeyIsInNeitherPlace(t *testing.T) {
	file, _ := newFile(filepath.Join(t.TempDir(), "keys.age"), "p")
	mustSet(t, file, someKey("a"), "sk-CANARY")
	for name, keychain := range map[string]error{"a keychain": nil, "none": ErrNoKeychain} {
		chain := Chain{Keychain: scripted{err: keychain}, Env: env(nil), File: file}
		if err := chain.Delete(t.Context(), someKey("a")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := file.Get(t.Context(), someKey("a")); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

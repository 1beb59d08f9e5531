package keys

import (
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

// waitingService is a Secret Service whose collection is locked, with a prompt that nobody answers until the test does.
// A real keyring cannot be made to do that without a screen and a person.
type waitingService struct {
	conn     *dbus.Conn
	prompts  atomic.Int32
	prompted chan struct{} // one for each prompt shown
}

const (
	secrets    = dbus.ObjectPath("/org/freedesktop/secrets")
	collection = dbus.ObjectPath("/org/freedesktop/secrets/collection/login")
	item       = dbus.ObjectPath("/org/freedesktop/secrets/collection/login/1")
	prompt     = dbus.ObjectPath("/org/freedesktop/secrets/prompt/1")
	session    = dbus.ObjectPath("/org/freedesktop/secrets/session/1")
)

func (s *waitingService) Unlock(objects []dbus.ObjectPath) ([]dbus.ObjectPath, dbus.ObjectPath, *dbus.Error) {
	if objects[0] == collection {
		return nil, prompt, nil
	}
	return objects, "/", nil
}

func (s *waitingService) OpenSession(string, dbus.Variant) (dbus.Variant, dbus.ObjectPath, *dbus.Error) {
	return dbus.MakeVariant(""), session, nil
}

func (s *waitingService) Prompt(string) *dbus.Error {
	s.prompts.Add(1)
	s.prompted <- struct{}{}
	return nil
}

func (s *waitingService) SearchItems(map[string]string) ([]dbus.ObjectPath, *dbus.Error) {
	return []dbus.ObjectPath{item}, nil
}

type wireSecret struct {
	Session     dbus.ObjectPath
	Parameters  []byte
	Value       []byte
	ContentType string
}

func (s *waitingService) GetSecret(dbus.ObjectPath) (wireSecret, *dbus.Error) {
	return wireSecret{session, []byte{}, []byte("sk-CANARY"), "text/plain"}, nil
}

func (s *waitingService) Close() *dbus.Error { return nil }

// Get is org.freedesktop.DBus.Properties.Get, which is asked for the collections.
func (s *waitingService) Get(string, string) (dbus.Variant, *dbus.Error) {
	return dbus.MakeVariant([]dbus.ObjectPath{collection}), nil
}

// answer ends the prompt: the person unlocked the keyring, or dismissed it.
func (s *waitingService) answer(t *testing.T, unlocked bool) {
	t.Helper()
	paths := []dbus.ObjectPath{}
	if unlocked {
		paths = append(paths, collection)
	}
	if err := s.conn.Emit(prompt, "org.freedesktop.Secret.Prompt.Completed", !unlocked, dbus.MakeVariant(paths)); err != nil {
		t.Fatal(err)
	}
}

func startWaitingService(t *testing.T) *waitingService {
	t.Helper()
	conn, err := dbus.ConnectSessionBus()
	if err != nil {
		t.Fatal(err)
	}
	s := &waitingService{conn: conn, prompted: make(chan struct{}, 100)}
	for path, of := range map[dbus.ObjectPath][]string{
		secrets: {"org.freedesktop.Secret.Service", "org.freedesktop.DBus.Properties"}, collection: {"org.freedesktop.Secret.Collection"},
		item: {"org.freedesktop.Secret.Item"}, prompt: {"org.freedesktop.Secret.Prompt"}, session: {"org.freedesktop.Secret.Session"},
	} {
		for _, name := range of {
			if err := conn.Export(s, path, name); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := conn.RequestName("org.freedesktop.secrets", dbus.NameFlagDoNotQueue); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return s
}

func impatient() *Keychain {
	k := NewKeychain(nil)
	k.readTime, k.writeTime = 200*time.Millisecond, 200*time.Millisecond
	return k
}

func TestAPromptThatNobodyAnswersStopsNobodyAndIsShownOnce(t *testing.T) {
	if !onAnEmptyBus(t) {
		return
	}
	service, k := startWaitingService(t), impatient()
	var callers sync.WaitGroup
	for i := range 10 { // five for one key, five for keys of their own
		id := "shared"
		if i%2 == 0 {
			id = string(rune('a' + i))
		}
		callers.Go(func() {
			if got, err := k.Get(t.Context(), someKey(id)); !errors.Is(err, ErrLocked) {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
	callers.Wait()
	if err := k.Set(t.Context(), someKey("x"), "sk-new"); !errors.Is(err, ErrLocked) {
		t.Errorf("Set: got %v", err)
	}
	if n := service.prompts.Load(); n != 1 {
		t.Errorf("%d prompts were shown, want 1", n)
	}
}

func TestAPromptAnsweredLateGivesTheSecretAfterAll(t *testing.T) {
	if !onAnEmptyBus(t) {
		return
	}
	service, k := startWaitingService(t), impatient()
	if _, err := k.Get(t.Context(), someKey("late")); !errors.Is(err, ErrLocked) {
		t.Fatal(err)
	}
	<-service.prompted
	k.mu.Lock()
	waiting := k.reads["test-late"]
	k.mu.Unlock()
	service.answer(t, true)
	<-waiting.done
	if got, err := k.Get(t.Context(), someKey("late")); err != nil || got != "sk-CANARY" {
		t.Errorf("got %q, %v", got, err)
	}
	if n := service.prompts.Load(); n != 1 {
		t.Errorf("%d prompts were shown, want 1", n)
	}
}

func TestADismissedPromptIsLockedAndNotShownAgainAtOnce(t *testing.T) {
	if !onAnEmptyBus(t) {
		return
	}
	service, k := startWaitingService(t), NewKeychain(nil)
	var callers sync.WaitGroup
	for range 10 {
		callers.Go(func() {
			if got, err := k.Get(t.Context(), someKey("a")); !errors.Is(err, ErrLocked) {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
	<-service.prompted
	service.answer(t, false)
	callers.Wait()
	if _, err := k.Get(t.Context(), someKey("a")); !errors.Is(err, ErrLocked) {
		t.Errorf("again: got %v", err)
	}
	if n := service.prompts.Load(); n != 1 {
		t.Errorf("%d prompts were shown, want 1", n)
	}
}

// An operation may end in the very moment in which its caller gives up; nothing may be called stuck from then on.
func TestNothingStaysStuckWhenOperationsEndAsTheirCallersGiveUp(t *testing.T) {
	if !onAnEmptyBus(t) {
		return
	}
	k := NewKeychain(nil)
	for i := range 1000 {
		k.mu.Lock()
		k.readTime = time.Duration(i%40) * 10 * time.Microsecond // an answer takes some 100 µs here
		k.mu.Unlock()
		if _, err := k.Get(t.Context(), someKey(strconv.Itoa(i))); !errors.Is(err, ErrLocked) && !errors.Is(err, ErrNoKeychain) {
			t.Fatal(err)
		}
		k.mu.Lock()
		var running []*read
		for _, r := range k.reads {
			running = append(running, r)
		}
		k.mu.Unlock()
		for _, r := range running {
			<-r.done
		}
		k.mu.Lock()
		stuck := k.stuck
		k.mu.Unlock()
		if stuck {
			t.Fatalf("round %d: stuck, though nothing runs", i)
		}
	}
}

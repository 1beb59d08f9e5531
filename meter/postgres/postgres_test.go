package postgres_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"perdiem/meter"
	"perdiem/meter/migrations"
	"perdiem/meter/postgres"
	"perdiem/testing/scratchpg"
)

// until looks again and again until something is so.
func until(t *testing.T, what string, so func() bool) {
	t.Helper()
	look := time.NewTicker(2 * time.Millisecond)
	defer look.Stop()
	late := time.After(20 * time.Second)
	for !so() {
		select {
		case <-look.C:
		case <-late:
			t.Fatalf("it never came to this: %s", what)
		}
	}
}

// team is one person without limits.
func team(t *testing.T, s meter.Store) (first *meter.Meter, who meter.Person) {
	t.Helper()
	m := meter.New(s, meter.Options{Gateway: "first"})
	p, err := m.AddPerson(context.Background(), "Ada", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := m.SetAllowance(context.Background(), meter.Allowance{Holder: meter.Holder{Kind: meter.ForEveryone}, Model: meter.AnyModel}); err != nil {
		t.Fatal(err)
	}
	return m, p
}

func hold(t *testing.T, m *meter.Meter, p meter.Person) meter.Hold {
	t.Helper()
	h, err := m.Reserve(context.Background(), meter.Request{ID: "r", PersonID: p.ID, Model: "acme/gauge", Input: 5, Output: 5, MinOutput: 5})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestADatabaseThatIsNotThereIsToldAtOnceWithoutThePassword(t *testing.T) {
	for _, address := range []string{
		"postgres://ada:secret@127.0.0.1:1/books",
		"postgres://ada:secret@127.0.0.1:99999/books",
		"postgres://ada:secret@127.0.0.1:1/books?sslmode=nonsense",
	} {
		began := time.Now()
		_, err := postgres.Open(context.Background(), postgres.Options{URL: address})
		if err == nil || strings.Contains(err.Error(), "secret") || time.Since(began) > 5*time.Second {
			t.Errorf("%s: %v after %s", address, err, time.Since(began))
		}
	}
}

func TestTwoThatWouldWaitForEachOtherBothWrite(t *testing.T) {
	scratchpg.Need(t)
	s := open(t, scratchpg.Schema(t)+"&deadlock_timeout=20ms")
	m, p := team(t, s)
	hold(t, m, p)
	lock := func(ctx context.Context, tx meter.Tx, scope string) error {
		_, err := tx.ExecContext(ctx, `UPDATE usage_daily SET day = day WHERE scope = $1`, scope)
		return err
	}
	var runs atomic.Int64
	var both, met sync.WaitGroup
	met.Add(2)
	for _, order := range [][2]string{{"person", "ceiling"}, {"ceiling", "person"}} {
		both.Go(func() {
			tried := false
			err := s.Write(context.Background(), func(ctx context.Context, tx meter.Tx) error {
				runs.Add(1)
				if err := lock(ctx, tx, order[0]); err != nil {
					return err
				}
				if !tried { // only the first time: then each has what the other wants
					tried = true
					met.Done()
					met.Wait()
				}
				return lock(ctx, tx, order[1])
			})
			if err != nil {
				t.Errorf("%v: %v", order, err)
			}
		})
	}
	both.Wait()
	// On a slow machine both may be told of the deadlock, and both run again.
	if n := runs.Load(); n != 3 && n != 4 {
		t.Errorf("the two ran %d times, want one of them again, or both", n)
	}
}

func TestTwoThatAddOnePersonGetOneAndAnError(t *testing.T) {
	scratchpg.Need(t)
	s := open(t, scratchpg.Schema(t))
	m := meter.New(s, meter.Options{})
	var added, told atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			switch _, err := m.AddPerson(context.Background(), "Ada", ""); {
			case err == nil:
				added.Add(1)
			case errors.Is(err, meter.ErrExists):
				told.Add(1)
			default:
				t.Errorf("%v", err)
			}
		})
	}
	all.Wait()
	if added.Load() != 1 || told.Load() != 7 {
		t.Errorf("%d added, %d told that the name is taken", added.Load(), told.Load())
	}
}

func TestACommitOfAnyGatewayIsSeenAsAChange(t *testing.T) {
	scratchpg.Need(t)
	address := scratchpg.Schema(t)
	one, two := open(t, address), open(t, address)
	m, p := team(t, one)
	last, err := two.Changed(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		hold(t, m, p)
		now, err := two.Changed(context.Background())
		if err != nil || now == last {
			t.Fatalf("a commit was not seen: %d, %v", now, err)
		}
		last = now
	}
	// One that began earlier commits last: the newest transaction is then an old friend.
	busy, free := make(chan struct{}), make(chan struct{})
	var slow sync.WaitGroup
	slow.Go(func() {
		err := one.Write(context.Background(), func(ctx context.Context, tx meter.Tx) error {
			_, err := tx.ExecContext(ctx, `INSERT INTO tiers (name) VALUES ('slow')`)
			close(busy)
			<-free
			return err
		})
		if err != nil {
			t.Errorf("the slow write: %v", err)
		}
	})
	<-busy
	hold(t, m, p)
	before, err := two.Changed(context.Background())
	close(free)
	slow.Wait()
	if after, err2 := two.Changed(context.Background()); errors.Join(err, err2) != nil || before == after {
		t.Errorf("the late commit was not seen: %v, %v", err, err2)
	}
}

func TestAMachineWhoseClockIsWrongIsRefused(t *testing.T) {
	scratchpg.Need(t)
	address := scratchpg.Schema(t)
	for off, refused := range map[time.Duration]bool{
		0: false, 4 * time.Second: false, -4 * time.Second: false, 6 * time.Second: true, -6 * time.Second: true, 24 * time.Hour: true,
	} {
		s, err := postgres.Open(context.Background(), postgres.Options{URL: address, Now: func() time.Time { return time.Now().Add(off) }})
		if refused != errors.Is(err, postgres.ErrDrift) {
			t.Errorf("off by %s: %v", off, err)
		}
		if err != nil {
			continue
		}
		if drift := time.Until(s.Now()).Abs(); drift > time.Second {
			t.Errorf("off by %s: the store's time is %s from the database's", off, drift)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestManyThatOpenANewDatabaseMakeItsTablesOnce(t *testing.T) {
	scratchpg.Need(t)
	address := scratchpg.Schema(t)
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() { open(t, address) })
	}
	all.Wait()
}

func TestAFailedMigrationLeavesNothing(t *testing.T) {
	scratchpg.Need(t)
	address := scratchpg.Schema(t)
	migrate := func(text string) error {
		s, err := postgres.Open(context.Background(), postgres.Options{URL: address, Migrations: []migrations.Set{{
			Name: "test", Files: fstest.MapFS{"0001_a.sql": {Data: []byte(text)}},
		}}})
		if err != nil {
			return err
		}
		return s.Close()
	}
	if err := migrate(`CREATE TABLE a (x BIGINT); NONSENSE`); err == nil || !strings.Contains(err.Error(), "migration 1") {
		t.Errorf("got %v", err)
	}
	if err := migrate(`CREATE TABLE a (x BIGINT); CREATE TABLE b (x BIGINT)`); err != nil {
		t.Errorf("after a failed one: %v", err)
	}
}

func TestTheLedgerIsOnlyAppendedTo(t *testing.T) {
	scratchpg.Need(t)
	s := open(t, scratchpg.Schema(t))
	m, p := team(t, s)
	hold(t, m, p)
	for _, statement := range []string{`UPDATE ledger SET input = 0`, `DELETE FROM ledger`, `TRUNCATE ledger`} {
		err := s.Write(context.Background(), func(ctx context.Context, tx meter.Tx) error {
			_, err := tx.ExecContext(ctx, statement)
			return err
		})
		if err == nil || !strings.Contains(err.Error(), "only appended to") {
			t.Errorf("%s gave %v", statement, err)
		}
	}
}

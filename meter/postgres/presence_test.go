package postgres_test

import (
	"context"
	"sync"
	"testing"

	"perdiem/meter"
	"perdiem/meter/postgres"
	"perdiem/testing/scratchpg"
)

func enter(t *testing.T, s *postgres.Store, gateway string) (leave func()) {
	t.Helper()
	end, err := s.Enter(context.Background(), gateway)
	if err != nil {
		t.Fatal(err)
	}
	leave = sync.OnceFunc(func() {
		if err := end(); err != nil {
			t.Errorf("leave: %v", err)
		}
	})
	t.Cleanup(leave)
	return leave
}

func recovered(t *testing.T, m *meter.Meter, want int) {
	t.Helper()
	if ended, err := m.Recover(context.Background()); err != nil || ended != want {
		t.Errorf("recover ended %d holds, %v; want %d", ended, err, want)
	}
}

func TestASecondGatewayEndsOnlyTheHoldsOfOneThatIsGone(t *testing.T) {
	scratchpg.Need(t)
	address := scratchpg.Schema(t)
	one, two := open(t, address), open(t, address)
	first, p := team(t, one)
	second := meter.New(two, meter.Options{Gateway: "second"})
	leave := enter(t, one, "first")
	enter(t, two, "second")
	hold(t, first, p)
	hold(t, second, p)
	recovered(t, second, 0)
	recovered(t, first, 0)
	leave()
	until(t, "the server has seen the first leave, and its hold was ended", func() bool {
		ended, err := second.Recover(context.Background())
		return err == nil && ended == 1
	})
	recovered(t, second, 0)
}

func TestAGatewayIsPresentAgainAfterItsConnectionWasCut(t *testing.T) {
	scratchpg.Need(t)
	address := scratchpg.Schema(t)
	s, other := open(t, address), open(t, address)
	enter(t, s, "first")
	gone := func() (gone bool) {
		err := other.Write(context.Background(), func(ctx context.Context, tx meter.Tx) (err error) {
			gone, err = other.Gone(ctx, tx, "first")
			return err
		})
		return err == nil && gone
	}
	if gone() {
		t.Fatal("a gateway that entered counts as gone")
	}
	scratchpg.Cut(t, address)
	until(t, "the gateway is present again", func() bool { return !gone() })
}

func TestALostConnectionIsAnErrorAndThenMendsItself(t *testing.T) {
	scratchpg.Need(t)
	address := scratchpg.Schema(t)
	s := open(t, address)
	m, p := team(t, s)
	err := s.Write(context.Background(), func(ctx context.Context, tx meter.Tx) error {
		scratchpg.Cut(t, address)
		_, err := tx.ExecContext(ctx, `DELETE FROM limits`)
		return err
	})
	if err == nil {
		t.Fatal("a write over a connection that was cut gave no error")
	}
	scratchpg.Cut(t, address) // those that are idle now too: they are no loss
	hold(t, m, p)
	until(t, "reads go through again, and the books are right", func() bool {
		report, err := m.Verify(context.Background())
		return err == nil && report.Clean()
	})
}

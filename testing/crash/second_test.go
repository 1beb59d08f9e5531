package crash

import (
	"bufio"
	"context"
	"errors"
	"os"
	"testing"

	"perdiem/gateway/boot"
	"perdiem/meter"
	"perdiem/meter/sqlite"
	"perdiem/providers/keys"
)

func openApp(ctx context.Context, data string) (*boot.App, error) {
	return boot.Open(ctx, boot.Options{
		Data: data, Listen: "127.0.0.1:0", Secrets: keys.NewEnv(func(string) (string, bool) { return "", false }, nil),
	})
}

// beGateway serves a folder with one request running, until it is killed.
func beGateway() error {
	ctx := context.Background()
	app, err := openApp(ctx, os.Getenv("PERDIEM_CRASH_FILE"))
	if err != nil {
		return err
	}
	if err := app.Start(ctx); err != nil {
		return err
	}
	p, err := app.Meter.AddPerson(ctx, "Ada", "")
	if err != nil {
		return err
	}
	if err := app.Meter.SetAllowance(ctx, meter.Allowance{Holder: meter.Holder{Kind: meter.ForEveryone}, Model: meter.AnyModel}); err != nil {
		return err
	}
	h, err := app.Meter.Reserve(ctx, meter.Request{ID: "r", PersonID: p.ID, Model: model})
	if err != nil {
		return err
	}
	if err := tell(ack{Verb: "reserve", Hold: h.ID}); err != nil {
		return err
	}
	<-make(chan struct{})
	return nil
}

func TestASecondProcessLeavesTheFirstOnesHoldsAlone(t *testing.T) {
	ctx, data := t.Context(), t.TempDir()
	first := child(t, "gateway", "PERDIEM_CRASH_FILE="+data)
	out, err := first.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = first.Process.Kill() }()
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("the first does not serve: %v", err)
	}
	second, err := openApp(ctx, data)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	held := func() int64 {
		totals, err := second.Meter.Totals(ctx, meter.Day(second.Meter.Now()))
		if err != nil {
			t.Fatal(err)
		}
		return totals.HeldRequests
	}
	if err := second.Start(ctx); !errors.Is(err, sqlite.ErrLocked) {
		t.Fatalf("a second start gave %v", err)
	}
	if n := held(); n != 1 {
		t.Errorf("%d requests are held, want the first one's", n)
	}
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait() // killed, as told
	if err := second.Start(ctx); err != nil {
		t.Fatalf("after the first was killed: %v", err)
	}
	if n := held(); n != 0 {
		t.Errorf("%d requests are held by a dead process", n)
	}
	verify(t, second.Meter)
}

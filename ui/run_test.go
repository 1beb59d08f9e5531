package ui

import (
	"context"
	"testing"
)

func TestLeavingRunsOnceAndNothingIsLeftRunning(t *testing.T) {
	for name, end := range map[string]bool{"by its own menu": false, "by the context": true} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			ctx, cancel := context.WithCancel(t.Context())
			if end {
				cancel()
			}
			left := make(chan struct{}, 2)
			if err := r.Run(ctx, func() { left <- struct{}{} }); err != nil {
				t.Fatal(err)
			}
			cancel()
			<-left
			r.tasks.Wait()
			if len(left) != 0 {
				t.Fatal("leaving ran twice")
			}
		})
	}
}

func TestAWindowThatIsShownHasAppeared(t *testing.T) {
	r := newRig(t)
	if !r.appeared() {
		t.Fatal("a window in sight is taken for one that could not be made")
	}
}

package metertest

import (
	"context"
	"errors"
	"testing"

	"perdiem/meter"
)

func testObjects(t *testing.T, b *Books) {
	ctx := context.Background()
	mine := meter.Object{ID: "resp_1", PersonID: "ada", Provider: "acme", KeyID: "k"}
	theirs := mine
	theirs.PersonID = "bo"
	for _, o := range []meter.Object{mine, theirs} {
		if err := b.KeepObject(ctx, o); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := b.FindObject(ctx, "ada", "resp_1"); err != nil || got != mine {
		t.Errorf("found %+v, %v", got, err)
	}
	for _, c := range [][2]string{{"bo", "resp_1"}, {"ada", "resp_2"}, {"", "resp_1"}} {
		if _, err := b.FindObject(ctx, c[0], c[1]); !errors.Is(err, meter.ErrNotFound) {
			t.Errorf("%v found %v", c, err)
		}
	}
}

package metertest

import (
	"context"
	"testing"
)

func testSettings(t *testing.T, b *Books) {
	ctx := context.Background()
	want := func(value string) {
		t.Helper()
		if got, err := b.Setting(ctx, "s"); err != nil || got != value {
			t.Errorf("the setting is %q, %v; want %q", got, err, value)
		}
	}
	want("")
	for _, try := range []string{"first", "second"} {
		if got, err := b.SetSettingOnce(ctx, "s", try); err != nil || got != "first" {
			t.Errorf("setting %q gave %q, %v", try, got, err)
		}
	}
	want("first")
	for _, value := range []string{"second", ""} {
		if err := b.SetSetting(ctx, "s", value); err != nil {
			t.Fatal(err)
		}
		want(value)
	}
}

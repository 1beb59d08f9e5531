package live_test

import (
	"slices"
	"testing"

	"perdiem/ui/live"
)

func TestListenAtAndBack(t *testing.T) {
	for _, c := range []struct {
		port       string
		everywhere bool
		want       string
	}{{"7427", true, ":7427"}, {" 80 ", false, "127.0.0.1:80"}, {"", true, ""}} {
		got, err := live.ListenAt(c.port, c.everywhere)
		if err != nil || got != c.want {
			t.Errorf("%q, %v is %q, %v, want %q", c.port, c.everywhere, got, err, c.want)
		}
		port, everywhere := live.ListenParts(got)
		if again, err := live.ListenAt(port, everywhere); err != nil || again != c.want {
			t.Errorf("%q reads back as %q, %v", got, again, err)
		}
	}
	for _, port := range []string{"x", "0", "65536", "-1", "80 80"} {
		if got, err := live.ListenAt(port, true); err == nil {
			t.Errorf("%q is taken for %q", port, got)
		}
	}
}

func TestNamesAreTakenApart(t *testing.T) {
	if got := live.Names(" a.example, b;c\nd "); !slices.Equal(got, []string{"a.example", "b", "c", "d"}) {
		t.Errorf("got %q", got)
	}
}

package cli

import (
	"bytes"
	"strings"
	"testing"
)

func TestVersionIsTheReleasesOrSaysThatThereIsNone(t *testing.T) {
	defer func(old string) { version = old }(version)
	for _, c := range []struct{ version, want string }{{"1.2.3", "perdiem 1.2.3\n"}, {"", "perdiem, built from source"}} {
		version = c.version
		var out bytes.Buffer
		if status := Main(t.Context(), []string{"--version"}, Streams{Out: &out, Err: &out}, Hooks{}); status != statusOK || !strings.HasPrefix(out.String(), c.want) {
			t.Errorf("with the version %q it printed %q, status %d", c.version, out.String(), status)
		}
	}
}

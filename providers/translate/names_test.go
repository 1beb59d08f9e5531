package translate

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestToolsGetNamesThatEveryDialectBears(t *testing.T) {
	var n names
	long := strings.Repeat("x", 70)
	for _, c := range []struct{ space, said, want string }{
		{"", "read_file", "read_file"},
		{"", "fs.read", "fs_read"},
		{"", "fs/read", "fs_read_2"},
		{"", "fs.read", "fs_read"},
		{"fs", "read", "fs__read"},
		{"", "fs__read", "fs__read_2"},
		{"", long, long[:64]},
		{"", long + "y", long[:62] + "_2"},
		{"", "größe", "gr____e"},
		{"", "3d", "_3d"},
		{"", "-x", "_-x"},
	} {
		if got := n.of(c.space, c.said); got != c.want {
			t.Errorf("%q in %q is %q, want %q", c.said, c.space, got, c.want)
		}
	}
}

func TestTwoToolsNeverShareAName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var n names
		said := map[string][2]string{}
		for range rapid.IntRange(1, 20).Draw(t, "tools") {
			key := [2]string{rapid.SampledFrom([]string{"", "a", "b."}).Draw(t, "space"), rapid.StringMatching(`[a._2-]{1,4}|x{63,66}`).Draw(t, "said")}
			name := n.of(key[0], key[1])
			if other, ok := said[name]; ok && other != key {
				t.Fatalf("%q is the name of %q and %q", name, key, other)
			}
			if said[name] = key; len(name) > maxName || plain(name, maxName) != name || name[0] >= '0' && name[0] <= '9' {
				t.Fatalf("%q is no name", name)
			}
		}
	})
}

package gateway

import (
	"bytes"
	"testing"
)

func TestMemoryIsForWhatCameNotForWhatWasAnnounced(t *testing.T) {
	for _, c := range []struct {
		name                   string
		begun, came, announced int
		most                   int
	}{
		{"nothing announced", 0, 3 << 20, -1, 12 << 20},
		{"as announced", 64 << 10, 500 << 10, 564 << 10, 600 << 10},
		{"much announced", 64 << 10, 1 << 10, 64 << 20, 2 << 20},
		{"nothing came", 0, 0, 64 << 20, 2 << 20},
		{"more than announced", 0, 2 << 20, 10, 8 << 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			all := bytes.Repeat([]byte("a word "), (c.begun+c.came)/7+1)[:c.begun+c.came]
			got, err := readOn(bytes.Clone(all[:c.begun]), bytes.NewReader(all[c.begun:]), int64(c.announced))
			if err != nil || !bytes.Equal(got, all) || cap(got) > c.most {
				t.Errorf("%d bytes in memory for %d, want at most %d: %v", len(got), cap(got), c.most, err)
			}
		})
	}
}

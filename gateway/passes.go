package gateway

import (
	"crypto/sha256"
	"sync"
)

// badPassesAMinute is how many passes that are not valid a network may send before it has to wait.
const badPassesAMinute = 30

// goodPasses remembers which passes were good, so that those who have one are not shut out when
// somebody in their network, or behind the same proxy, sends bad ones. Passes are kept as their
// hashes; only good ones are, so that no stranger can fill it.
type goodPasses struct{ hashes sync.Map }

func (g *goodPasses) has(pass string) bool {
	_, ok := g.hashes.Load(sha256.Sum256([]byte(pass)))
	return ok
}

func (g *goodPasses) keep(pass string)   { g.hashes.LoadOrStore(sha256.Sum256([]byte(pass)), true) }
func (g *goodPasses) forget(pass string) { g.hashes.Delete(sha256.Sum256([]byte(pass))) }

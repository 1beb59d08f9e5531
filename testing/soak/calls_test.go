package soak

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"perdiem/testing/fakeprovider"
)

// idMark is how a call's own id stands in its prompt, which reaches the provider in every dialect.
var idMark = regexp.MustCompile(`soak-(\d+)\.`)

// call is one call of a caller, and all that either side saw of it.
type call struct {
	id     int
	kind   *kind
	caller int
	model  string
	wire   string
	stream bool
	prompt int64  // tokens, as the provider counts them
	retry  string // the key under which it may be tried again
	of     *call  // the one that it tries again

	gate    *fakeprovider.Gate
	arrived chan struct{} // closed at the provider's first sight of it

	// What the caller saw.
	status    int
	requestID string // the gateway's; "" if no header came
	seen      int64  // words
	replayed  bool
	serves    *life // the gateway that it was made at
	broken    bool  // that was killed or stopped meanwhile
	err       error
	took      time.Duration

	visits []*visit // under the register's lock
}

// visit is one time that a call reached the provider.
type visit struct {
	of            *byte // the request's body, which is another for each
	want          want
	ended         fakeprovider.Ending // "" while it runs
	input, output int64               // what was carried by its end
}

// register knows all calls, by their ids.
type register struct {
	mu    sync.Mutex
	calls []*call
	open  int           // visits that have not ended
	shut  chan struct{} // closed when the next one does
}

func newRegister() *register { return &register{shut: make(chan struct{})} }

// add gives a call its id.
func (g *register) add(c *call) {
	c.gate, c.arrived = fakeprovider.NewGate(), make(chan struct{})
	g.mu.Lock()
	defer g.mu.Unlock()
	c.id = len(g.calls)
	g.calls = append(g.calls, c)
}

func (g *register) find(r fakeprovider.Request) *call {
	mark := idMark.FindSubmatch(r.Body)
	if mark == nil {
		return nil
	}
	i, err := strconv.Atoi(string(mark[1]))
	g.mu.Lock()
	defer g.mu.Unlock()
	if err != nil || i >= len(g.calls) {
		return nil
	}
	return g.calls[i]
}

// answer is what the provider does with a request.
func (g *register) answer(r fakeprovider.Request) fakeprovider.Reply {
	c := g.find(r)
	if c == nil || c.kind.reply == nil {
		return fakeprovider.Error(400, "lost", "this call has no business here")
	}
	g.mu.Lock()
	n := len(c.visits)
	v := &visit{of: &r.Body[0]}
	c.visits = append(c.visits, v)
	g.open++
	g.mu.Unlock()
	reply, want := c.kind.reply(r, c, n)
	g.mu.Lock()
	v.want = want
	g.mu.Unlock()
	if n == 0 {
		close(c.arrived)
	}
	return reply
}

// told notes how a reply ended. A call's visits overlap: the gateway goes on to the next once it has a failure's head.
func (g *register) told(r fakeprovider.Request, ended fakeprovider.Ending, carried fakeprovider.Tally) {
	c := g.find(r)
	if c == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, v := range c.visits {
		if v.of == &r.Body[0] {
			v.ended, v.input, v.output = ended, carried.Input, carried.Output
			break
		}
	}
	g.open--
	close(g.shut)
	g.shut = make(chan struct{})
}

// allEnded waits until no visit runs, and says so where some do not end in time.
func (g *register) allEnded(within time.Duration) error {
	late := time.NewTimer(within)
	defer late.Stop()
	for {
		g.mu.Lock()
		open, shut := g.open, g.shut
		g.mu.Unlock()
		if open == 0 {
			return nil
		}
		select {
		case <-shut:
		case <-late.C:
			return fmt.Errorf("%d replies of the provider did not end within %v", open, within)
		}
	}
}

// idTokens is at most how many tokens the mark takes, in any vocabulary.
const idTokens = 12

// text is the call's prompt: its id, and so many words that it has the tokens that the provider counts.
func (c *call) text() string {
	id := c.id
	if c.of != nil {
		id = c.of.id
	}
	return "soak-" + strconv.Itoa(id) + "." + strings.Repeat(" word", int(c.prompt)-idTokens)
}

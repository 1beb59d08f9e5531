package soak

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"perdiem/testing/harness"
)

// office is the owner, who goes on changing limits, people and passes while all call: each change by a
// process of its own, as on the command line.
type office struct {
	program *harness.Program
	callers []*caller
	random  *rand.Rand
	changes int
	locked  int // of them came to nothing, since the gateway kept the database for too long
}

// errLocked is a command that waited in vain for the database. On a machine that has too much to do that
// happens; seldomLocked of a hundred changes may.
var errLocked = errors.New("the database stayed locked")

const seldomLocked = 2

// work makes a change each so often until ctx ends, and ends with everything allowed.
func (o *office) work(ctx context.Context, each time.Duration) error {
	tick := time.NewTicker(each)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			switch err := o.change(); {
			case errors.Is(err, errLocked):
				o.locked++
			case err != nil:
				return err
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// limited is the model of which people may be allowed little, or nothing: it is then unknown to them.
const limited = "fake/m"

// change makes one change. Most people stay without a limit most of the time.
func (o *office) change() error {
	o.changes++
	who := o.callers[o.random.IntN(len(o.callers))]
	some := strconv.Itoa(50 + o.random.IntN(5_000))
	switch o.random.IntN(12) {
	case 0:
		return o.run(nil, "allow", who.person, "*", "--tokens", some)
	case 1:
		return o.run(nil, "allow", who.person, limited, "--requests", strconv.Itoa(o.random.IntN(40)))
	case 2, 3:
		if err := o.run(nil, "allow", who.person, limited, "--requests", "none", "--tokens", "none"); err != nil {
			return err
		}
		return o.run(nil, "allow", who.person, "*", "--requests", "none", "--tokens", "none")
	case 4:
		return o.run(nil, "grant", who.person, limited, "--requests", "3", "--tokens", some)
	case 5:
		return o.run(nil, "rate", who.person, "--requests", strconv.Itoa(10+o.random.IntN(100)), "--tokens", "none")
	case 6:
		return o.run(nil, "rate", who.person, "--requests", "none", "--tokens", "none")
	case 7:
		if err := o.run(nil, "person", "suspend", who.person); err != nil {
			return err
		}
		return o.run(nil, "person", "resume", who.person)
	case 8:
		return o.run(nil, "ceiling", "chat/m", "--tokens", strconv.Itoa(o.random.IntN(200_000)))
	case 9:
		return o.run(nil, "ceiling", "chat/m", "--tokens", "none", "--requests", "none")
	default:
		return o.rotate(who)
	}
}

// rotate gives a caller a new pass and then ends the old one.
func (o *office) rotate(who *caller) error {
	old := *who.pass.Load()
	var issued struct{ Pass string }
	if err := o.run(&issued, "pass", "issue", who.person); err != nil {
		return err
	}
	who.pass.Store(&issued.Pass)
	return o.run(nil, "pass", "revoke", old[len("pdm_"):len("pdm_")+8])
}

func (o *office) run(value any, args ...string) error {
	cmd := o.program.Command(append(args, "--json")...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	switch {
	case err != nil && bytes.Contains(errs.Bytes(), []byte("locked")):
		return errLocked
	case err != nil:
		return fmt.Errorf("perdiem %v: %w: %s", args, err, &errs)
	}
	if value == nil {
		return nil
	}
	return json.Unmarshal(out, value)
}

// Package doctor looks at everything that a gateway needs, and says what is in the way and what to
// do about it. It changes nothing, and spends nothing at any provider.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"perdiem/gateway/boot"
	"perdiem/meter"
)

// State is how something was found.
type State string

// The states. Only a fault keeps the gateway from its work.
const (
	Good  State = "good"
	Mind  State = "mind" // it works, and there is something to know
	Fault State = "fault"
)

// Finding is what was found of one thing.
type Finding struct {
	What  string `json:"what"`
	State State  `json:"state"`
	Says  string `json:"says"`
	Do    string `json:"do,omitempty"` // what to do about it
}

func good(what, format string, args ...any) Finding {
	return Finding{what, Good, fmt.Sprintf(format, args...), ""}
}

// Examine looks at an app that was opened, whether or not a gateway serves its books at this moment.
func Examine(ctx context.Context, app *boot.App) []Finding {
	// Only the time that a server tells is wanted of it, so a redirect is as good an answer as any.
	client := &http.Client{Timeout: 10 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	found := []Finding{books(ctx, app), disk(app), keychain(ctx, app), port(ctx, client, app), encryption(ctx, app, time.Now())}
	found = append(found, addresses(app)...)
	found = append(found, setUp(ctx, app)...)

	all, err := app.Providers.Providers(ctx)
	if err != nil {
		return append(found, Finding{"providers", Fault, err.Error(), "See what is said of the database."})
	}
	reached := make([]reach, len(all))
	var asking sync.WaitGroup
	for i, p := range all {
		asking.Go(func() { reached[i] = provider(ctx, client, app, p) })
	}
	asking.Wait()
	var dates []reading
	for _, r := range reached {
		found = append(found, r.findings...)
		dates = append(dates, r.date)
	}
	return append(found, clock(dates))
}

// books reads the day's totals: that shows that the database answers.
func books(ctx context.Context, app *boot.App) Finding {
	where := "in " + app.Data()
	if app.Data() == "" {
		where = "in the shared database"
	}
	totals, err := app.Meter.Totals(ctx, meter.Day(app.Meter.Now()))
	if err != nil {
		return Finding{"database", Fault, "The books " + where + " cannot be read: " + err.Error(),
			"If a disk or a server is gone, bring it back; else restore a backup, as docs/books.md tells."}
	}
	return good("database", "The books %s answer: %s requests today.", where, meter.Group(totals.Requests))
}

// setUp tells what is still missing before anybody can call.
func setUp(ctx context.Context, app *boot.App) []Finding {
	providers, err := app.Providers.Providers(ctx)
	models, errModels := app.Providers.Models(ctx)
	people, errPeople := app.Meter.People(ctx)
	if err := errors.Join(err, errModels, errPeople); err != nil {
		return []Finding{{"set-up", Fault, err.Error(), "See what is said of the database."}}
	}
	switch {
	case len(providers) == 0:
		return []Finding{{"set-up", Mind, "There is no provider yet.", "perdiem provider add NAME --vendor VENDOR --key-stdin"}}
	case len(models) == 0:
		return []Finding{{"set-up", Mind, "There is no model yet.", "perdiem model import " + providers[0].Name}}
	case len(people) == 0:
		return []Finding{{"set-up", Mind, "There is nobody yet who has a pass.", "perdiem person add NAME"}}
	}
	return []Finding{good("set-up", "Providers %d, models %d, people %d.", len(providers), len(models), len(people))}
}

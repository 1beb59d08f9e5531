package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"perdiem/gateway/boot"
	"perdiem/providers"
	"perdiem/providers/check"
	"perdiem/providers/keys"
)

// reach is what was found of one provider, and the time that it told.
type reach struct {
	findings []Finding
	date     reading
}

// reading is a server's clock less this machine's; ok if there was one.
type reading struct {
	ahead time.Duration
	ok    bool
}

// provider tests every key of a provider that is in use; one without keys, as a local server is, is
// asked without.
func provider(ctx context.Context, client *http.Client, app *boot.App, p providers.Provider) reach {
	r := reach{date: dateOf(ctx, client, p.BaseURL)}
	what := "provider " + p.Name
	stored, err := app.Providers.Keys(ctx, p.Name)
	if err != nil {
		r.findings = append(r.findings, Finding{what, Fault, err.Error(), "See what is said of the database."})
		return r
	}
	if len(stored) == 0 {
		secret, err := app.Secrets.Get(ctx, keys.EnvKey(p.Name))
		if err != nil && !errors.Is(err, keys.ErrNotFound) {
			r.findings = append(r.findings, Finding{what, Fault, err.Error(), ""})
			return r
		}
		r.findings = append(r.findings, test(ctx, what, p, secret))
		return r
	}
	for _, k := range stored {
		name := what
		if k.Label != "" {
			name += ", key " + k.Label
		}
		if k.Disabled {
			r.findings = append(r.findings, Finding{name, Mind, "The key is out of use: " + k.Reason, "perdiem key --help"})
			continue
		}
		secret, err := app.Secrets.Get(ctx, k)
		if err != nil {
			r.findings = append(r.findings, Finding{name, Fault, "The key cannot be read: " + err.Error(), "Store it anew: perdiem key add " + p.Name})
			continue
		}
		r.findings = append(r.findings, test(ctx, name, p, secret))
	}
	return r
}

func test(ctx context.Context, what string, p providers.Provider, secret string) Finding {
	err := check.Key(ctx, p, secret)
	var problem *check.Problem
	switch {
	case err == nil:
		return good(what, "It answers, and takes the key.")
	case errors.As(err, &problem) && problem.KeyRefused():
		return Finding{what, Fault, err.Error(), "Give it a key that works: perdiem key add " + p.Name}
	}
	return Finding{what, Fault, err.Error(), "Look whether its address is right and this machine is online: perdiem provider list"}
}

// dateOf asks a server for nothing but the time. Where it does not answer, the test of its key says so.
func dateOf(ctx context.Context, client *http.Client, at string) reading {
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, at, http.NoBody)
	if err != nil {
		return reading{}
	}
	res, err := client.Do(req)
	if err != nil {
		return reading{}
	}
	defer res.Body.Close()
	date, err := http.ParseTime(res.Header.Get("Date"))
	if err != nil {
		return reading{}
	}
	return reading{time.Until(date), true}
}

// mostDrift is how far the clock may be off: days and passes end by it.
const mostDrift = 2 * time.Minute

// clock compares this machine's clock with that of the providers that told theirs.
func clock(dates []reading) Finding {
	for _, d := range dates {
		if !d.ok {
			continue
		}
		if off := d.ahead.Abs(); off > mostDrift {
			return Finding{"clock", Fault, fmt.Sprintf("This machine's clock is off by %s, so days here turn at the wrong time.", off.Round(time.Second)),
				"Let the system set its clock by the network."}
		}
		return good("clock", "It agrees with the providers'.")
	}
	return Finding{"clock", Mind, "No provider told the time, so this machine's clock could not be compared.", ""}
}

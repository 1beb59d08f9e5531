package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"perdiem/gateway/boot"
	"perdiem/meter"
	"perdiem/providers"
	"perdiem/providers/keys"
	"perdiem/ui/live"
)

// How much room the disk should have. A day's books take some megabytes, and a backup of all of them
// is made each day.
const (
	littleRoom = 1 << 30   // bytes
	noRoom     = 100 << 20 // bytes
)

func disk(app *boot.App) Finding {
	if app.Data() == "" {
		return good("disk", "The books are on the database server's.")
	}
	free, err := freeBytes(app.Data())
	if err != nil {
		return Finding{"disk", Mind, "How much room is left cannot be read: " + err.Error(), ""}
	}
	says := fmt.Sprintf("%s MB are left where the books are.", meter.Group(free>>20))
	switch {
	case free < noRoom:
		return Finding{"disk", Fault, says, "Make room: without it the gateway refuses everything, since it cannot write what is spent."}
	case free < littleRoom:
		return Finding{"disk", Mind, says, "Make room soon; a backup of the books is made each day."}
	}
	return good("disk", "%s", says)
}

// keychain asks for a secret that is not there. One that does not answer is a fault for the keys that can be read from nowhere
// else.
func keychain(ctx context.Context, app *boot.App) Finding {
	_, err := app.Secrets.Get(ctx, providers.Key{ID: "doctor", Provider: "doctor", Source: providers.Keychain})
	if err == nil || errors.Is(err, keys.ErrNotFound) {
		return good("keychain", "It answers.")
	}
	f := Finding{"keychain", Mind, err.Error(), "Unlock it, or give keys in the environment: " + keys.EnvName("NAME") + " for the provider NAME."}
	stored, err := app.Providers.Keys(ctx, "")
	if err != nil {
		f.Says += " " + err.Error()
	}
	stored = slices.DeleteFunc(stored, func(k providers.Key) bool { return k.Source != providers.Keychain || k.Disabled })
	for _, k := range stored {
		if _, err := app.Secrets.Get(ctx, k); err != nil {
			f.State = Fault
			return f
		}
	}
	if len(stored) > 0 {
		return good("keychain", "None answers here; the keys are read from the encrypted file or the environment.")
	}
	return f
}

// port tells whether a gateway answers on the port, or could have it.
func port(ctx context.Context, client *http.Client, app *boot.App) Finding {
	n := strconv.Itoa(app.Port())
	if serves(ctx, client, "http://"+net.JoinHostPort(localHost(app), n)+"/healthz") {
		return good("port", "A gateway serves on port %s.", n)
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", app.Listen())
	if err != nil {
		return Finding{"port", Fault, "Port " + n + " cannot be had, and what holds it is no gateway: " + err.Error(),
			"End the program that holds it, or choose another port: perdiem serve --listen :7428"}
	}
	if err := l.Close(); err != nil {
		return Finding{"port", Mind, err.Error(), ""}
	}
	return Finding{"port", Mind, "Port " + n + " is free; no gateway serves at this moment.", "Start one: perdiem, or without a window perdiem serve"}
}

// localHost is a name by which this machine itself reaches the gateway.
func localHost(app *boot.App) string {
	if all := app.Addresses(); len(all) == 1 {
		if u, err := url.Parse(all[0].URL); err == nil {
			return u.Hostname()
		}
	}
	return "127.0.0.1"
}

func serves(ctx context.Context, client *http.Client, at string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, http.NoBody)
	if err != nil {
		return false
	}
	res, err := client.Do(req)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	var health struct{ Status string }
	return json.NewDecoder(io.LimitReader(res.Body, 1<<10)).Decode(&health) == nil && health.Status == "ok"
}

// addresses tells where teammates reach the gateway, and what may stand in their way.
func addresses(app *boot.App) []Finding {
	var urls, told []string
	for _, a := range app.Addresses() {
		urls, told = append(urls, a.URL), append(told, a.URL+" ("+a.Label+")")
	}
	says := strings.Join(told, ", ")
	if live.ForTeammates(urls) == "" {
		return []Finding{{"addresses", Mind, "Only this machine itself reaches the gateway: " + says,
			"Connect to a network, or let the gateway listen on all of them: perdiem serve --listen :" + strconv.Itoa(app.Port())}}
	}
	return []Finding{{"addresses", Good, says, firewall(app.Port())}}
}

// firewall says how to open the port, in case a teammate cannot reach it: no program can see its own
// machine from outside.
func firewall(port int) string {
	const lead = "If a teammate cannot reach it, open the port: "
	switch runtime.GOOS {
	case "windows":
		return lead + "allow Perdiem in Windows Security, Firewall, for private networks"
	case "darwin":
		return lead + "allow Perdiem in System Settings, Network, Firewall"
	default:
		return fmt.Sprintf("%ssudo ufw allow %d/tcp, or sudo firewall-cmd --add-port=%d/tcp", lead, port, port)
	}
}

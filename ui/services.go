package ui

import (
	"cmp"
	"context"
	"os"
	"runtime"
	"slices"

	"perdiem/gateway"
	"perdiem/gateway/boot"
	"perdiem/providers"
	"perdiem/providers/catalog"
	"perdiem/providers/check"
	"perdiem/providers/registry"
	"perdiem/ui/live"
)

// For is the services of a real app.
func For(app *boot.App) Services {
	return Services{
		Meter: app.Meter, Registry: app.Providers, Secrets: app.Secrets,
		Vendors: world{}, Gateway: served{app}, House: app, Login: login(), Tray: hasTray(context.Background()), Now: app.Meter.Now,
	}
}

// login starts this very program for this user.
func login() live.Login {
	// Where one of them is not to be had, starting at login is not offered.
	config, _ := os.UserConfigDir()
	home, _ := os.UserHomeDir()
	program, _ := os.Executable()
	return live.NewLogin(runtime.GOOS, config, home, program)
}

// world is the vendors that there are: those of the catalogue, asked over the network.
type world struct{}

// Vendors are those that an owner may add; the demo's own is not among them.
func (world) Vendors() []providers.Vendor {
	return slices.DeleteFunc(slices.Clone(catalog.Vendors()), func(v providers.Vendor) bool { return v.ID == catalog.Simulated })
}

// List asks the provider for its models, and adds what the catalogue knows of each. Some list them to anyone, so that a key
// is tested beside.
func (world) List(ctx context.Context, p providers.Provider, secret string) ([]providers.Model, error) {
	var err error
	if p.BaseURL, err = registry.NormalizeBaseURL(p.BaseURL, p.Dialects[0]); err != nil {
		return nil, err
	}
	models, err := check.Import(ctx, p, secret)
	if err != nil || secret == "" {
		return models, err
	}
	return models, check.Key(ctx, p, secret)
}

// served is an app's gateway in the window's terms.
type served struct{ *boot.App }

func (s served) Addresses() []Address {
	var all []Address
	for _, a := range s.App.Addresses() {
		all = append(all, Address(a))
	}
	return all
}

// InFlight is in the order in which the requests began, so that no row jumps about.
func (s served) InFlight() []live.Flight {
	flights := s.App.InFlight()
	slices.SortFunc(flights, func(a, b gateway.Flight) int {
		return cmp.Or(a.Started.Compare(b.Started), cmp.Compare(a.RequestID, b.RequestID))
	})
	all := make([]live.Flight, len(flights))
	for i, f := range flights {
		all[i] = live.Flight{Person: f.Person, Model: f.Model, Tool: f.Tool, Started: f.Started, InputTokens: f.InputTokens, OutputTokens: f.OutputTokens}
	}
	return all
}

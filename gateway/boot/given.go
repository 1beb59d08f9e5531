package boot

import "context"

// givenName is the setting by which a gateway tells commands, which are other processes, the address that it was given at its
// start. There is none where it goes by the settings, as they do.
const givenName = "given address"

// tellGiven tells it. Gateways that share a database each have an address of their own, and tell none.
func (a *App) tellGiven(ctx context.Context, at string) error {
	if _, own := a.store.(file); !own {
		return nil
	}
	if !a.listenGiven {
		at = ""
	}
	return a.Meter.SetSetting(ctx, givenName, at)
}

// Follow has an App that does not serve tell the addresses of the gateway that serves these books, or served them last.
func (a *App) Follow(ctx context.Context) error {
	at, err := a.Meter.Setting(ctx, givenName)
	if err != nil || at == "" || a.listenGiven {
		return err
	}
	a.mu.Lock()
	a.options.Listen = at
	a.mu.Unlock()
	return nil
}

package doctor

import (
	"context"
	"strings"
	"time"

	"perdiem/gateway/boot"
)

// soon is how long before a certificate of the owner's own ends they are told.
const soon = 14 * 24 * time.Hour

// encryption tells whether the port's certificate is good for what teammates call it.
func encryption(ctx context.Context, app *boot.App, now time.Time) Finding {
	h, err := app.HTTPS(ctx)
	switch {
	case err != nil:
		return Finding{"https", Fault, err.Error(), "Unlock the keychain, or go back to plain HTTP: perdiem https off"}
	case !h.On:
		return good("https", "The port speaks plain HTTP: passes and prompts can be read on the way. To encrypt it: perdiem https on")
	case !now.Before(h.Expires):
		return Finding{"https", Fault, "The certificate has ended, on " + h.Expires.Format(time.DateOnly) + ".", "Renew it, and put the new one in the place of the old."}
	case h.Own && now.After(h.Expires.Add(-soon)):
		return Finding{"https", Mind, "The certificate ends on " + h.Expires.Format(time.DateOnly) + ".", "Renew it, and put the new one in the place of the old."}
	case len(h.Uncovered) > 0:
		return Finding{"https", Mind, "The certificate is not for " + strings.Join(h.Uncovered, ", ") + ", which came later.",
			"Make a new one, and have every tool trust it: perdiem https renew"}
	}
	return good("https", "The port speaks HTTPS; its certificate is good until %s.", h.Expires.Format(time.DateOnly))
}

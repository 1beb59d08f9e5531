package cli

import (
	"context"
	"fmt"
	"strings"

	"perdiem/gateway/boot"
	"perdiem/meter"
)

// tierPrefix marks a tier where a person may stand as well.
const tierPrefix = "tier:"

// findHolder reads whom a limit is for: a person, tier:NAME, or everyone.
func findHolder(ctx context.Context, m *meter.Meter, who string) (meter.Holder, error) {
	if who == "everyone" {
		return meter.Holder{Kind: meter.ForEveryone}, nil
	}
	if tier, ok := strings.CutPrefix(who, tierPrefix); ok {
		found, err := findTier(ctx, m, tier)
		return meter.Holder{Kind: meter.ForTier, ID: found}, err
	}
	p, err := findPerson(ctx, m, who)
	return meter.Holder{Kind: meter.ForPerson, ID: p.ID}, err
}

// findModel reads a model by id or alias, or says which may have been meant. A '*' is itself.
func findModel(ctx context.Context, app *boot.App, name string) (string, error) {
	if name == meter.AnyModel {
		return name, nil
	}
	return resolveModel(ctx, app, name)
}

func modelWords(model string) string {
	if model == meter.AnyModel {
		return "every model"
	}
	return model
}

// holderWords is the reverse of findHolder.
func holderWords(h meter.Holder, people []meter.Person) string {
	switch h.Kind {
	case meter.ForPerson:
		for _, p := range people {
			if p.ID == h.ID {
				return p.Name
			}
		}
		return h.ID
	case meter.ForTier:
		return tierPrefix + h.ID
	default:
		return fmt.Sprint(h.Kind)
	}
}

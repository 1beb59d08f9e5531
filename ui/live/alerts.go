package live

import (
	"context"
	"fmt"
	"strings"

	"perdiem/meter"
	"perdiem/providers"
)

// AlertBooks is what the owner is notified of.
type AlertBooks interface {
	Alerts(ctx context.Context, after int64) ([]meter.Alert, error)
	People(ctx context.Context) ([]meter.Person, error)
}

// KeyShelf is where keys stand that may have failed.
type KeyShelf interface {
	Keys(ctx context.Context, provider string) ([]providers.Key, error)
}

// Notice is something that the owner is told although they did not look.
type Notice struct {
	Title, Text string
	Bad         bool // spent, or failed; else a warning
}

// Watch finds what is new to tell. What was so before the first look is not new. It is used by one goroutine at a time.
type Watch struct {
	books    AlertBooks
	keys     KeyShelf
	begun    bool
	seq      int64
	disabled map[string]bool // by the key's id
}

// NewWatch returns a watch that has not looked yet.
func NewWatch(books AlertBooks, keys KeyShelf) *Watch {
	return &Watch{books: books, keys: keys, disabled: map[string]bool{}}
}

// alertFrom is from which share of a limit on the owner is told, in percent.
const alertFrom = 80

// noticesAtOnce is how many are told one by one; more become one that counts them.
const noticesAtOnce = 3

// Look returns what became new since the last look.
func (w *Watch) Look(ctx context.Context) ([]Notice, error) {
	var alerts []meter.Alert
	for {
		some, err := w.books.Alerts(ctx, w.seq)
		if err != nil {
			return nil, err
		}
		if len(some) == 0 {
			break
		}
		w.seq = some[len(some)-1].Seq
		alerts = append(alerts, some...)
	}
	keys, err := w.keys.Keys(ctx, "")
	if err != nil {
		return nil, err
	}
	notices := w.failed(keys)
	if !w.begun {
		w.begun = true
		return nil, nil
	}
	crossed, err := w.crossed(ctx, alerts, keys)
	return gather(append(notices, crossed...)), err
}

// failed tells of the keys that are disabled and were not before.
func (w *Watch) failed(keys []providers.Key) []Notice {
	var notices []Notice
	for _, k := range keys {
		if k.Disabled && !w.disabled[k.ID] {
			notices = append(notices, Notice{"A key of " + k.Provider + " does not work", plainly(Sentence(k.Reason)), true})
		}
		w.disabled[k.ID] = k.Disabled
	}
	return notices
}

// crossed tells of budgets that are nearly spent, or spent.
func (w *Watch) crossed(ctx context.Context, alerts []meter.Alert, keys []providers.Key) ([]Notice, error) {
	names := map[string]string{}
	for _, k := range keys {
		names[k.ID] = k.Provider
	}
	var notices []Notice
	for _, a := range alerts {
		if a.Percent < alertFrom {
			continue
		}
		if len(notices) == 0 {
			people, err := w.books.People(ctx)
			if err != nil {
				return nil, err
			}
			for _, p := range people {
				names[p.ID] = p.Name
			}
		}
		title := fmt.Sprintf("%d %% used", a.Percent)
		if a.Percent >= 100 {
			title = "Spent for today"
		}
		notices = append(notices, Notice{title, plainly(what(a, names)), a.Percent >= 100})
	}
	return notices, nil
}

// what names the budget of an alert.
func what(a meter.Alert, names map[string]string) string {
	on := a.Model
	if on == meter.AnyModel {
		on = "everything"
	}
	switch a.Scope {
	case meter.ScopePurse:
		return OrGuest(names[a.Subject], a.Subject) + "'s money for the day"
	case meter.ScopeKey:
		return "The day of a key of " + names[a.Subject]
	case meter.ScopeCeiling:
		if a.Subject == meter.Guests {
			return "The guests' ceiling on " + on
		}
		return "The team's ceiling on " + on
	}
	return OrGuest(names[a.Subject], a.Subject) + " on " + on
}

// plainly keeps typographic quotes out of a notification: on Windows they would end the string that carries it.
func plainly(text string) string {
	return strings.NewReplacer("\u2018", "'", "\u2019", "'", "\u201a", "'", "\u201b", "'").Replace(text)
}

// gather makes one notice of many.
func gather(all []Notice) []Notice {
	if len(all) <= noticesAtOnce {
		return all
	}
	bad := false
	for _, n := range all {
		bad = bad || n.Bad
	}
	return []Notice{{fmt.Sprintf("%d budgets or keys want a look", len(all)), all[0].Text + ", and others", bad}}
}

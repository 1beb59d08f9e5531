package live

import (
	"context"
	"strconv"
	"strings"
	"time"
)

// ShowBooks is where a second start asks the first to show its window: the one thing that both have is the books.
type ShowBooks interface {
	Setting(ctx context.Context, name string) (string, error)
	SetSetting(ctx context.Context, name, value string) error
}

const (
	showAsked  = "show-window"
	showShown  = "show-window-shown"
	showWithin = 3 * time.Second // the first looks four times a second
)

// ShowFirst asks the window that serves these books to come to the front, and tells whether one did.
func ShowFirst(ctx context.Context, books ShowBooks) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, showWithin)
	defer cancel()
	stamp := strconv.FormatInt(time.Now().UnixNano(), 36)
	if err := books.SetSetting(ctx, showAsked, stamp); err != nil {
		return false, err
	}
	look := time.NewTicker(Beat / 5)
	defer look.Stop()
	for {
		shown, err := books.Setting(ctx, showShown)
		if err == nil && shown == stamp {
			return true, nil
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return false, nil
		}
	}
}

// FirstWindow hears of later starts. It is used by one goroutine at a time.
type FirstWindow struct {
	books ShowBooks
	seen  string
	begun bool
}

// NewFirstWindow listens in these books.
func NewFirstWindow(books ShowBooks) *FirstWindow { return &FirstWindow{books: books} }

// Asked tells whether a later start asked for the window since the last look, and answers it.
func (f *FirstWindow) Asked(ctx context.Context) (bool, error) {
	stamp, err := f.books.Setting(ctx, showAsked)
	if err != nil {
		return false, err
	}
	fresh := f.begun && stamp != f.seen && strings.TrimSpace(stamp) != ""
	f.seen, f.begun = stamp, true
	if !fresh {
		return false, nil
	}
	return true, f.books.SetSetting(ctx, showShown, stamp)
}

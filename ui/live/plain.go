package live

import (
	"context"
	"errors"
	"strings"

	"perdiem/meter"
)

// Plain puts an error in words for the owner of the window: what is wrong, without the trail of who was doing what.
func Plain(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, context.DeadlineExceeded):
		return "This took too long and was given up. Nothing was changed, as far as we know; look before you try again."
	case errors.Is(err, meter.ErrExists):
		return Sentence(last(err, meter.ErrExists)) + "."
	case errors.Is(err, meter.ErrNotFound):
		return Sentence(last(err, meter.ErrNotFound)) + ": it may have been removed meanwhile."
	case errors.Is(err, meter.ErrInvalid):
		return Sentence(strings.TrimSuffix(last(err, meter.ErrInvalid), ": "+meter.ErrInvalid.Error())) + "."
	}
	return Sentence(err.Error())
}

// last is the innermost error that still says more than what it wraps.
func last(err, kind error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil || inner == kind {
			return err.Error()
		}
		err = inner
	}
}

// Sentence begins with a capital letter.
func Sentence(s string) string {
	for i, r := range s {
		return strings.ToUpper(string(r)) + s[i+len(string(r)):]
	}
	return s
}

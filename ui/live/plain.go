package live

import (
	"context"
	"errors"
	"strings"

	"perdiem/meter"
	"perdiem/providers/check"
	"perdiem/providers/registry"
)

// Plain puts an error in words for the owner of the window: what is wrong, without the trail of who was doing what.
func Plain(err error) string {
	var problem *check.Problem
	switch {
	case err == nil:
		return ""
	case errors.As(err, &problem):
		return Sentence(problem.Message)
	case errors.Is(err, context.DeadlineExceeded):
		return "This took too long and was given up. Nothing was changed, as far as we know; look before you try again."
	}
	for _, kind := range kinds {
		if errors.Is(err, kind.err) {
			return Sentence(strings.TrimSuffix(innermost(err), ": "+kind.err.Error())) + kind.end
		}
	}
	return Sentence(err.Error())
}

// kinds are the errors that the owner caused or can mend; what they wrap says it all.
var kinds = []struct {
	err error
	end string
}{
	{meter.ErrExists, " is there already."},
	{registry.ErrExists, " is there already."},
	{meter.ErrNotFound, " is gone; somebody may have removed it."},
	{registry.ErrNotFound, " is gone; somebody may have removed it."},
	{meter.ErrInvalid, "."},
	{registry.ErrInvalid, "."},
}

// innermost is the text of the innermost error that still says more than the kind at the end of the chain.
func innermost(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil || errors.Unwrap(inner) == nil {
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

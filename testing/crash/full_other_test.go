//go:build !linux

package crash

import "errors"

func beFull() error { return errors.New("only on Linux") }

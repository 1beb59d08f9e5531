//go:build !linux

package crash

import "errors"

var errElsewhere = errors.New("only on Linux")

func beFull() error     { return errElsewhere }
func beReadOnly() error { return errElsewhere }

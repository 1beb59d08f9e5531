package cli

import (
	"context"
	"errors"
	"fmt"

	"perdiem/gateway/boot"
	"perdiem/ui/cli/doctor"
)

type doctorCmd struct{}

var errFaults = errors.New("the gateway cannot do its work until that is mended")

// Run prints what was found; the status is that of a failure where there is a fault.
func (doctorCmd) Run(ctx context.Context, s *session, app *boot.App) error {
	found := doctor.Examine(ctx, app)
	err := s.show(found, func() error {
		for _, f := range found {
			if _, err := fmt.Fprintf(s.Out, "%-5s  %s: %s\n", f.State, f.What, f.Says); err != nil {
				return err
			}
			if f.Do != "" {
				fmt.Fprintf(s.Out, "       %s\n", f.Do)
			}
		}
		return nil
	})
	for _, f := range found {
		if f.State == doctor.Fault {
			return errors.Join(err, errFaults)
		}
	}
	return err
}

package boot

import "time"

// SweepEvery has an App that does not serve yet look after its books more often.
func (a *App) SweepEvery(d time.Duration) { a.sweepEvery = d }

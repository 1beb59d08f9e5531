package ui

import "fyne.io/fyne/v2"

// lockIcon says "not allowed"; Fyne's set has no lock.
var lockIcon = fyne.NewStaticResource("lock.svg", []byte(
	`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="24" height="24"><path fill="#000000" d="M7 10V7a5 5 0 0 1 10 0v3h1a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1v-9a1 1 0 0 1 1-1h1zm2 0h6V7a3 3 0 0 0-6 0v3z"/></svg>`))

// gaugeIcon stands for allowances: a dial with its hand.
var gaugeIcon = fyne.NewStaticResource("gauge.svg", []byte(
	`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="24" height="24"><path fill="#000000" d="M12 4a10 10 0 0 0-10 10c0 1.700.4 3.300 1.200 4.700l1.700-1a8 8 0 1 1 14.200 0l1.700 1A9.700 9.700 0 0 0 22 14 10 10 0 0 0 12 4zm5.700 4.900-6.500 3.600a2 2 0 1 0 2.600 2.600l3.900-6.200z"/></svg>`))

// barredIcon stands for refusals: a circle that is barred.
var barredIcon = fyne.NewStaticResource("barred.svg", []byte(
	`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="24" height="24"><path fill="#000000" d="M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20zm0 2c1.850 0 3.550.63 4.900 1.690L5.690 16.900A8 8 0 0 1 12 4zm0 16a7.950 7.950 0 0 1-4.900-1.690L18.310 7.100A8 8 0 0 1 12 20z"/></svg>`))

// chipIcon stands for models: a processor with its pins.
var chipIcon = fyne.NewStaticResource("chip.svg", []byte(
	`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="24" height="24"><path fill="#000000" d="M9 2v3H7a2 2 0 0 0-2 2v2H2v2h3v2H2v2h3v2a2 2 0 0 0 2 2h2v3h2v-3h2v3h2v-3h2a2 2 0 0 0 2-2v-2h3v-2h-3v-2h3V9h-3V7a2 2 0 0 0-2-2h-2V2h-2v3h-2V2H9zM7 7h10v10H7V7zm2 2v6h6V9H9z"/></svg>`))

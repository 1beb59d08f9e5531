package ui

import "fyne.io/fyne/v2"

// Fyne's set lacks these four. They are filled outlines, since only fills take a theme's colour.
var (
	lockIcon = drawn("lock", "M6 10 H18 V21 H6 Z M7 10 V7 A5 5 0 0 1 17 7 V10 H15 V7 A3 3 0 0 0 9 7 V10 Z")
	// gaugeIcon stands for allowances: a dial with its hand.
	gaugeIcon = drawn("gauge", "M2 17 A10 10 0 0 1 22 17 H19 A7 7 0 0 0 5 17 Z M10.5 15.5 L16.5 9.5 L13.5 17.5 A1.8 1.8 0 0 1 10.5 15.5 Z")
	// barredIcon stands for refusals: a circle that is barred.
	barredIcon = drawn("barred", "M12 2 A10 10 0 1 1 12 22 A10 10 0 1 1 12 2 Z M12 4 A8 8 0 1 0 12 20 A8 8 0 1 0 12 4 Z M5.6 7 L7 5.6 L18.4 17 L17 18.4 Z")
	// chipIcon stands for models: a processor with its pins.
	chipIcon = drawn("chip", "M5 5 H19 V19 H5 Z M7 7 V17 H17 V7 Z M10 10 H14 V14 H10 Z M8 2 H10 V5 H8 Z M14 2 H16 V5 H14 Z M8 19 H10 V22 H8 Z M14 19 H16 V22 H14 Z M2 8 H5 V10 H2 Z M2 14 H5 V16 H2 Z M19 8 H22 V10 H19 Z M19 14 H22 V16 H19 Z")
)

func drawn(name, path string) fyne.Resource {
	return fyne.NewStaticResource(name+".svg", []byte(
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="24" height="24"><path fill="#000000" d="`+path+`"/></svg>`))
}

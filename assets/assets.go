// Package assets holds what is drawn rather than written: the application's icon, embedded.
//
// icon.png is icon.svg rendered at 512 × 512 pixels; `rsvg-convert -w 512 -h 512 icon.svg -o icon.png` makes it anew.
// Both exist because system trays refuse SVG and window managers scale PNG badly.
package assets

import _ "embed"

// IconPNG is the icon as a 512 × 512 PNG.
//
//go:embed icon.png
var IconPNG []byte

// IconSVG is the icon as its drawing.
//
//go:embed icon.svg
var IconSVG []byte

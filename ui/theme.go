package ui

import (
	"image/color"
	"os"
	"strconv"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

// Colour names of our own, beside Fyne's. A budget's bar is drawn in used, held and track; its words in the tones.
const (
	colorHeld  fyne.ThemeColorName = "perdiemHeld"
	colorTrack fyne.ThemeColorName = "perdiemTrack"
	colorPanel fyne.ThemeColorName = "perdiemPanel"
	colorSide  fyne.ThemeColorName = "perdiemSide"
	colorQuiet fyne.ThemeColorName = "perdiemQuiet"
	colorAmber fyne.ThemeColorName = "perdiemAmber"
	colorSpent fyne.ThemeColorName = "perdiemSpent"
	colorGood  fyne.ThemeColorName = "perdiemGood"
)

// Sizes on the 8-point grid (half steps inside a control).
const (
	gap  float32 = 8
	edge float32 = 16
)

// palette maps a colour name to its light and its dark value.
var palette = map[fyne.ThemeColorName][2]color.NRGBA{
	theme.ColorNameBackground:          {rgb(0xf4f6f7), rgb(0x14191c)},
	colorPanel:                         {rgb(0xffffff), rgb(0x1c2327)},
	colorSide:                          {rgb(0xe8edef), rgb(0x0f1416)},
	theme.ColorNameForeground:          {rgb(0x172024), rgb(0xe6ecee)},
	colorQuiet:                         {rgb(0x52616a), rgb(0x9fb0b8)},
	theme.ColorNamePlaceHolder:         {rgb(0x5d6b73), rgb(0x93a4ac)},
	theme.ColorNameDisabled:            {rgb(0x7d8a91), rgb(0x6f7f87)},
	theme.ColorNamePrimary:             {rgb(0x0e6a78), rgb(0x4bb6c6)},
	theme.ColorNameHyperlink:           {rgb(0x0e6a78), rgb(0x4bb6c6)},
	theme.ColorNameForegroundOnPrimary: {rgb(0xffffff), rgb(0x06222a)},
	colorHeld:                          {rgb(0x8cc3cb), rgb(0x2c6873)},
	colorTrack:                         {rgb(0xdde4e7), rgb(0x313b41)},
	colorAmber:                         {rgb(0x855200), rgb(0xf0b252)},
	theme.ColorNameWarning:             {rgb(0x855200), rgb(0xf0b252)},
	theme.ColorNameForegroundOnWarning: {rgb(0xffffff), rgb(0x2b1b00)},
	colorSpent:                         {rgb(0xb3261e), rgb(0xff8f85)},
	theme.ColorNameError:               {rgb(0xb3261e), rgb(0xff8f85)},
	theme.ColorNameForegroundOnError:   {rgb(0xffffff), rgb(0x3a0703)},
	colorGood:                          {rgb(0x1e6b3a), rgb(0x74cf95)},
	theme.ColorNameSuccess:             {rgb(0x1e6b3a), rgb(0x74cf95)},
	theme.ColorNameForegroundOnSuccess: {rgb(0xffffff), rgb(0x06230f)},
	theme.ColorNameButton:              {rgb(0xe4eaed), rgb(0x2a343a)},
	theme.ColorNameDisabledButton:      {rgb(0xe9edef), rgb(0x222a2f)},
	theme.ColorNameInputBackground:     {rgb(0xffffff), rgb(0x11171a)},
	theme.ColorNameInputBorder:         {rgb(0xb9c5cb), rgb(0x45535b)},
	theme.ColorNameSeparator:           {rgb(0xd9e1e4), rgb(0x2d373c)},
	theme.ColorNameHeaderBackground:    {rgb(0xffffff), rgb(0x1c2327)},
	theme.ColorNameMenuBackground:      {rgb(0xffffff), rgb(0x222b30)},
	theme.ColorNameOverlayBackground:   {rgb(0xffffff), rgb(0x1c2327)},
	theme.ColorNameHover:               {rgba(0x0e6a7814), rgba(0xffffff10)},
	theme.ColorNamePressed:             {rgba(0x0e6a7828), rgba(0xffffff20)},
	theme.ColorNameSelection:           {rgba(0x0e6a7830), rgba(0x4bb6c640)},
	theme.ColorNameFocus:               {rgba(0x0e6a7850), rgba(0x4bb6c660)},
	theme.ColorNameScrollBar:           {rgba(0x17202460), rgba(0xe6ecee60)},
}

// Theme is the look of the window: light or dark as the owner or the system asks, one accent, sizes on an 8-point grid. Fonts and icons
// are Fyne's own: Noto Sans has figures of one width, and falls back to the system's fonts for other scripts.
type Theme struct {
	fyne.Theme
	look int // one of looks
}

// The looks that the owner may choose among; the first follows the system.
var looks = []string{"As the system", "Light", "Dark"}

const lookKey = "look" // its name in the application's preferences

// NewTheme returns the theme; set it on the application before the first window.
func NewTheme() Theme { return Theme{Theme: theme.DefaultTheme()} }

// look is which of looks the owner chose.
func (d *Desk) look() int {
	return max(0, min(len(looks)-1, d.app.Preferences().Int(lookKey)))
}

func (d *Desk) setLook(look int) {
	d.app.Preferences().SetInt(lookKey, look)
	d.app.Settings().SetTheme(Theme{theme.DefaultTheme(), look})
}

// The sizes that the owner may have everything drawn in, beside what the screen asks for, and how much larger each is.
var (
	sizes  = []string{"Small", "Usual", "Large", "Largest"}
	scales = []string{"0.9", "", "1.2", "1.5"} // empty leaves it to the system
)

const (
	sizeKey   = "size" // its name in the application's preferences
	usualSize = 1
	scaleEnv  = "FYNE_SCALE" // where the driver looks, whenever the theme is set
)

// size is which of sizes the owner chose.
func (d *Desk) size() int {
	return max(0, min(len(sizes)-1, d.app.Preferences().IntWithFallback(sizeKey, usualSize)))
}

// setSize draws everything in another size, in a window that takes as much of the screen as before.
func (d *Desk) setSize(size int) {
	d.app.Preferences().SetInt(sizeKey, size)
	canvas := d.window.Canvas()
	room, scale := canvas.Size(), canvas.Scale()
	if err := os.Setenv(scaleEnv, scales[size]); err != nil {
		return
	}
	d.setLook(d.look())
	d.draw(func() { // after the driver has taken the scale on, which it does in its turn
		if ratio := scale / canvas.Scale(); ratio != 1 {
			d.window.Resize(fyne.NewSize(room.Width*ratio, room.Height*ratio))
		}
	})
}

// startSize draws in the size that the owner chose, unless the program was started with another, and tells how large the
// window is to be, in that size, to take the usual part of the screen.
func (d *Desk) startSize() fyne.Size {
	usual := fyne.NewSize(1280, 800)
	chosen := scales[d.size()]
	if chosen == "" || os.Getenv(scaleEnv) != "" || os.Setenv(scaleEnv, chosen) != nil {
		return usual
	}
	scale, err := strconv.ParseFloat(chosen, 32)
	if err != nil {
		return usual
	}
	return fyne.NewSize(usual.Width/float32(scale), usual.Height/float32(scale))
}

// Color implements fyne.Theme.
func (t Theme) Color(name fyne.ThemeColorName, variant fyne.ThemeVariant) color.Color {
	switch t.look {
	case 1:
		variant = theme.VariantLight
	case 2:
		variant = theme.VariantDark
	}
	if pair, ok := palette[name]; ok {
		if variant == theme.VariantLight {
			return pair[0]
		}
		return pair[1]
	}
	return t.Theme.Color(name, variant)
}

// Size implements fyne.Theme. A line of text is drawn on as many pixels as its height rounds to, from a picture of as many
// as it rounds up to: only sizes at which the two agree are drawn sharp.
func (t Theme) Size(name fyne.ThemeSizeName) float32 {
	switch name {
	case theme.SizeNameText:
		return 13
	case theme.SizeNameCaptionText:
		return 11
	case theme.SizeNameHeadingText:
		return 22
	case theme.SizeNameSubHeadingText:
		return 16
	case theme.SizeNameInlineIcon:
		return 18
	case theme.SizeNameInputRadius, theme.SizeNameSelectionRadius:
		return 4
	}
	return t.Theme.Size(name)
}

func rgb(hex uint32) color.NRGBA { return rgba(hex<<8 | 0xff) }

func rgba(hex uint32) color.NRGBA {
	return color.NRGBA{R: uint8(hex >> 24), G: uint8(hex >> 16), B: uint8(hex >> 8), A: uint8(hex)}
}

package ui

import (
	"fmt"
	"image/color"
	"math"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

// TestTextIsReadable holds every text colour to WCAG 2.1 AA (4.5 to 1) on every ground it is drawn on, light and dark.
func TestTextIsReadable(t *testing.T) {
	grounds := []fyne.ThemeColorName{theme.ColorNameBackground, colorPanel, colorSide, theme.ColorNameInputBackground}
	texts := []fyne.ThemeColorName{theme.ColorNameForeground, colorQuiet, theme.ColorNamePlaceHolder, theme.ColorNamePrimary,
		colorAmber, colorSpent, colorGood, theme.ColorNameError, theme.ColorNameSuccess, theme.ColorNameWarning}
	pairs := [][2]fyne.ThemeColorName{
		{theme.ColorNameForegroundOnPrimary, theme.ColorNamePrimary},
		{theme.ColorNameForegroundOnError, theme.ColorNameError},
		{theme.ColorNameForegroundOnWarning, theme.ColorNameWarning},
		{theme.ColorNameForegroundOnSuccess, theme.ColorNameSuccess},
		{theme.ColorNameForeground, theme.ColorNameButton},
	}
	for _, ground := range grounds {
		for _, text := range texts {
			pairs = append(pairs, [2]fyne.ThemeColorName{text, ground})
		}
	}
	for name, variant := range map[string]fyne.ThemeVariant{"light": theme.VariantLight, "dark": theme.VariantDark} {
		for _, pair := range pairs {
			t.Run(fmt.Sprintf("%s/%s on %s", name, pair[0], pair[1]), func(t *testing.T) {
				th := NewTheme()
				if got := contrast(th.Color(pair[0], variant), th.Color(pair[1], variant)); got < 4.5 {
					t.Errorf("contrast is %.2f, want at least 4.5", got)
				}
			})
		}
	}
}

// contrast is the ratio of WCAG 2.1, https://www.w3.org/TR/WCAG21/#dfn-contrast-ratio.
func contrast(a, b color.Color) float64 {
	l1, l2 := luminance(a), luminance(b)
	return (max(l1, l2) + 0.05) / (min(l1, l2) + 0.05)
}

func luminance(c color.Color) float64 {
	linear := func(v uint32) float64 {
		s := float64(v) / 0xffff
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	r, g, b, _ := c.RGBA()
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}

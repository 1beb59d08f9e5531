package ui

import (
	"fmt"
	"image"
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"rsc.io/qr"
)

const (
	qrQuiet = 4 // bare modules around the code, without which cameras do not find it
	qrScale = 4 // dots a module
)

// newQR draws text as a QR code, dark on white under either theme: cameras want it so.
func newQR(text string) (fyne.CanvasObject, error) {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		return nil, fmt.Errorf("draw the QR code: %w", err)
	}
	side := (code.Size + 2*qrQuiet) * qrScale
	dots := image.NewGray(image.Rect(0, 0, side, side))
	for y := range side {
		for x := range side {
			shade := color.Gray{Y: 255}
			if code.Black(x/qrScale-qrQuiet, y/qrScale-qrQuiet) {
				shade.Y = 0
			}
			dots.SetGray(x, y, shade)
		}
	}
	picture := canvas.NewImageFromImage(dots)
	picture.FillMode, picture.ScaleMode = canvas.ImageFillContain, canvas.ImageScalePixels
	return picture, nil
}

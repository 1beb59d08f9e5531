package assets_test

import (
	"bytes"
	"encoding/xml"
	"image/png"
	"testing"

	"perdiem/assets"
)

func TestIconPNGIsASquareOf512Pixels(t *testing.T) {
	img, err := png.Decode(bytes.NewReader(assets.IconPNG))
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() != 512 || b.Dy() != 512 {
		t.Fatalf("icon.png is %d × %d, want 512 × 512", b.Dx(), b.Dy())
	}
}

func TestIconSVGIsWellFormed(t *testing.T) {
	var root struct{ XMLName xml.Name }
	if err := xml.Unmarshal(assets.IconSVG, &root); err != nil {
		t.Fatal(err)
	}
	if root.XMLName.Local != "svg" {
		t.Fatalf("root element is %q, want svg", root.XMLName.Local)
	}
}

package translate

import (
	"testing"

	"pgregory.net/rapid"
)

func TestProofsFindTheirVendorAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vendors := rapid.SampledFrom([]Vendor{ByAnthropic, HiddenByAnthropic, ByGoogle, ByOpenAI, ByChat})
		own := vendors.Draw(t, "own")
		p := Proof{vendors.Draw(t, "vendor"), rapid.StringMatching(`[A-Za-z0-9+/_=-]{1,40}`).Draw(t, "token")}
		if got := unseal(own, p.seal(own)); got != p {
			t.Errorf("%+v came back as %+v", p, got)
		}
	})
}

func TestNoProofIsSealedAsNothing(t *testing.T) {
	if sealed := (Proof{}).seal(ByGoogle); sealed != "" || unseal(ByGoogle, "") != (Proof{}) {
		t.Errorf("got %q, %+v", sealed, unseal(ByGoogle, ""))
	}
}

package translate

import (
	"encoding/base64"
	"strings"
)

// seal is a proof as a caller is told it in a field of the dialect of a vendor of their own. Another vendor's goes in the
// same field under that vendor's name, in base64 as such fields are, so that it finds its way back.
func (p Proof) seal(own Vendor) string {
	if p.Vendor == own || p.Token == "" {
		return p.Token
	}
	return base64.StdEncoding.EncodeToString([]byte(string(p.Vendor) + ":" + p.Token))
}

// noProof is the seal of a proof that there is none.
var noProof = base64.StdEncoding.EncodeToString([]byte(string(ByChat) + ":"))

// mark is seal for fields that a caller's own vendor wants filled: that there is no proof is sealed, too, so that whose
// thought it is not can be seen.
func (p Proof) mark(own Vendor) string {
	if p.Token == "" {
		return noProof
	}
	return p.seal(own)
}

// unseal reads the proof that such a field has.
func unseal(own Vendor, field string) Proof {
	if field == "" || field == noProof {
		return Proof{}
	}
	if plain, err := base64.StdEncoding.DecodeString(field); err == nil {
		vendor, token, _ := strings.Cut(string(plain), ":")
		switch v := Vendor(vendor); v {
		case ByAnthropic, HiddenByAnthropic, ByGoogle, ByOpenAI, ByChat:
			return Proof{v, token}
		}
	}
	return Proof{own, field}
}

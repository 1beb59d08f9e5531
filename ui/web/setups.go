package web

import (
	"net/http"

	"perdiem/ui/live"
)

// here stands in the set-up texts for what the script fills in. It alone knows the address under
// which the browser found us, perhaps through a proxy that speaks HTTPS, and has the pass already.
var here = live.Target{Base: "{{origin}}/v1", Pass: "{{pass}}", Model: "{{model}}"}

type setUps struct {
	Tools       []setUp `json:"tools"`
	Fingerprint string  `json:"fingerprint,omitempty"` // of the port's certificate, where it has one
	CA          string  `json:"ca,omitempty"`          // where the authority's is, where one must be trusted
}

type setUp struct {
	Tool string `json:"tool"`
	Text string `json:"text"`
}

// setUps are the texts for every tool.
func (p *page) setUps(*http.Request, asker) (any, error) {
	var all setUps
	to := here
	if p.Certificate != nil {
		c := p.Certificate()
		if all.Fingerprint = c.Fingerprint; len(c.CA) > 0 {
			all.CA, to.CA = CAPath, live.CAHere
		}
	}
	for _, s := range append(live.ToolSetUps(to), live.SetUps(to)...) {
		all.Tools = append(all.Tools, setUp{s.Tool, s.Text})
	}
	return all, nil
}

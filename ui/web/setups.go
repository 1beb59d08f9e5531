package web

import (
	"net/http"

	"perdiem/ui/live"
)

// What stands in the set-up texts for what the script fills in. It alone knows the address under
// which the browser found us, perhaps through a proxy that speaks HTTPS, and has the pass already.
const (
	originHere = "{{origin}}"
	passHere   = "{{pass}}"
	modelHere  = "{{model}}"
)

type setUp struct {
	Tool string `json:"tool"`
	Text string `json:"text"`
}

// setUps are the texts for every tool.
func (d Deps) setUps(*http.Request, asker) (any, error) {
	const base = originHere + "/v1"
	all := append(live.ToolSetUps(base, passHere, modelHere), live.SetUps(base, passHere, modelHere)...)
	texts := make([]setUp, len(all))
	for i, s := range all {
		texts[i] = setUp{s.Tool, s.Text}
	}
	return texts, nil
}

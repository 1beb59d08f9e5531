package web

import (
	"net/http"

	"perdiem/ui/live"
)

// What stands in the set-up texts for the pass and the model. The script fills them in: the pass is
// in the browser already, and need not be sent back.
const (
	passHere  = "{{pass}}"
	modelHere = "{{model}}"
)

type setUp struct {
	Tool string `json:"tool"`
	Text string `json:"text"`
}

// setUps are the texts for every tool, with the address under which the browser found us: a tool
// on the same machine finds us there as well.
func (d Deps) setUps(r *http.Request, _ asker) (any, error) {
	base := "http://" + r.Host + "/v1"
	all := append(live.ToolSetUps(base, passHere, modelHere), live.SetUps(base, passHere, modelHere)...)
	texts := make([]setUp, len(all))
	for i, s := range all {
		texts[i] = setUp{s.Tool, s.Text}
	}
	return map[string]any{"baseUrl": base, "setUps": texts}, nil
}

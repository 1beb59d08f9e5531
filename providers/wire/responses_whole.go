package wire

import (
	"strings"

	"github.com/tidwall/gjson"
)

// AsWhole is the response as the last event has it; its output is that of the events before, where it was left out there.
func (responses) AsWhole(events [][]byte) ([]byte, error) {
	var response gjson.Result
	var items []string
	for _, data := range events {
		event, err := parseReply(data)
		if err != nil {
			continue
		}
		switch event.Get("type").Str {
		case "response.output_item.done":
			items = append(items, event.Get("item").Raw)
		case "response.completed", "response.incomplete", "response.failed":
			response = event.Get("response")
		}
	}
	if !response.IsObject() {
		return nil, errNoWhole
	}
	if len(items) == 0 || len(response.Get("output").Array()) > 0 {
		return []byte(response.Raw), nil
	}
	return setRaw(response.Raw, rawEdit{"output", "[" + strings.Join(items, ",") + "]"})
}

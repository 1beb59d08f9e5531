package wire

import (
	"github.com/tidwall/gjson"
)

// MaxOutputTokens is the field that caps a reply in responses.
const MaxOutputTokens = "max_output_tokens"

// Responses is OpenAI's newer API, whose conversation may be kept by the provider: what a previous response adds to the
// prompt is not in the body, and only the usage tells it.
// https://platform.openai.com/docs/api-reference/responses/create
var Responses Wire = responses{}

type responses struct{}

// The last three say whose conversation is gone on with, and whether the call goes on where nobody meters it: what is
// judged of them here must be what they mean upstream.
var responsesGuarded = []string{"model", "stream", MaxOutputTokens, "background", "previous_response_id", "conversation"}

type responsesFields struct{ model, stream, maxOutput gjson.Result }

func readResponsesFields(root gjson.Result) (responsesFields, error) {
	var values [6]gjson.Result
	err := pick(root, responsesGuarded, values[:], "")
	if err != nil {
		return responsesFields{}, err
	}
	return responsesFields{values[0], values[1], values[2]}, nil
}

func (responses) Inspect(body []byte) (Facts, error) {
	root, err := parse(body)
	if err != nil {
		return Facts{}, err
	}
	fields, err := readResponsesFields(root)
	if err != nil {
		return Facts{}, err
	}
	return fields.facts()
}

func (r responsesFields) facts() (Facts, error) {
	return oneReply(r.model, r.stream, r.maxOutput, MaxOutputTokens)
}

func (responses) Edit(body []byte, e Edits) ([]byte, error) {
	fields, err := readResponsesFields(view(body))
	if err != nil {
		return nil, err
	}
	facts, err := fields.facts()
	if err != nil {
		return nil, err
	}
	return editOneReply(body, facts, e, capPaths{limit: MaxOutputTokens}, 0, 0)
}

func (responses) NewReader(Facts) Reader { return &responsesReader{} }

// ErrorEvent is a failed response, as agents pass over the event "error".
func (responses) ErrorEvent(f Failure) []byte {
	return responsesEvent("response.failed", 0, responseObject{
		ID: "resp_failed", Object: "response", Status: "failed", Output: emptyList, Error: &responseError{f.Code, f.Message},
	})
}

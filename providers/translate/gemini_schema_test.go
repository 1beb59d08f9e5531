package translate

import (
	"testing"

	"github.com/tidwall/gjson"
)

func TestGooglesSchemasAreSaidAsJSONSchemas(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"OBJECT","properties":{"type":{"type":"STRING"},"n_o":{"type":"INTEGER","format":"int32"}},"required":["type"],"propertyOrdering":["type"]}`: `{"type":"object","properties":{"type":{"type":"string"},"n_o":{"type":"integer","format":"int32"}},"required":["type"]}`,
		`{"type":"STRING","format":"enum","enum":["a","b"]}`:                               `{"type":"string","enum":["a","b"]}`,
		`{"type":"STRING","nullable":true,"enum":["a"]}`:                                   `{"type":["string","null"],"enum":["a",null]}`,
		`{"nullable":true,"anyOf":[{"type":"NUMBER"},{"type":"BOOLEAN"}]}`:                 `{"anyOf":[{"type":"number"},{"type":"boolean"},{"type":"null"}]}`,
		`{"any_of":[],"nullable":true}`:                                                    `{"anyOf":[{"type":"null"}]}`,
		`{"type":"ARRAY","items":{"type":"ARRAY","items":{"type":"NULL"}},"maxItems":"3"}`: `{"type":"array","items":{"type":"array","items":{"type":"null"}},"maxItems":3}`,
		`{"type":"STRING","min_length":1,"maxLength":"many","pattern":"\\d"}`:              `{"type":"string","minLength":1,"maxLength":"many","pattern":"\\d"}`,
		`{"type":"NUMBER","minimum":1.0,"maximum":2e3,"default":null,"example":5}`:         `{"type":"number","minimum":1.0,"maximum":2e3,"default":null,"examples":[5]}`,
		`{"type":"TYPE_UNSPECIFIED","description":"a \"b\""}`:                              `{"description":"a \"b\""}`,
		`{"oneOf":[{"type":"OBJECT"}],"prefix_items":[{"type":"STRING"}]}`:                 `{"oneOf":[{"type":"object"}],"prefixItems":[{"type":"string"}]}`,
		// What is of JSON Schema already stays.
		`{"type":["string","null"],"$ref":"#/$defs/a","$defs":{"a":{"type":"OBJECT"}},"additionalProperties":false,"x_y":{"type":"A"}}`: `{"type":["string","null"],"$ref":"#/$defs/a","$defs":{"a":{"type":"object"}},"additionalProperties":false,"x_y":{"type":"A"}}`,
		`{}`:                      `{}`,
		`{"propertyOrdering":[]}`: `{}`,
		`"any"`:                   `"any"`,
		`{"properties":[1],"enum":2,"anyOf":{"type":"OBJECT"}}`: `{"properties":[1],"enum":2,"anyOf":{"type":"OBJECT"}}`,
	} {
		if got := string(appendSchema(nil, gjson.Parse(schema))); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", schema, got, want)
		}
	}
}

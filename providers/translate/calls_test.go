package translate

import (
	"reflect"
	"testing"
)

func TestResultsStandBehindTheirCalls(t *testing.T) {
	calls := func(ids ...string) (m Message) {
		m.Role = Assistant
		for _, id := range ids {
			m.Parts = append(m.Parts, Part{Kind: Call, ID: id, Name: "f"})
		}
		return m
	}
	result := func(id, text string) Message {
		return Message{ToolRole, []Part{{Kind: Result, ID: id, Content: texts(text)}}}
	}
	words := Message{User, texts("a")}
	for name, c := range map[string]struct{ said, want []Message }{
		"as they were":             {[]Message{words, calls("1", "2"), result("2", "b"), result("1", "a"), words}, []Message{words, calls("1", "2"), result("2", "b"), result("1", "a"), words}},
		"words between":            {[]Message{calls("1", "2"), result("1", "a"), words, result("2", "b")}, []Message{calls("1", "2"), result("1", "a"), result("2", "b"), words}},
		"calls before all results": {[]Message{calls("1"), calls("2"), result("1", "a"), result("2", "b")}, []Message{calls("1"), result("1", "a"), calls("2"), result("2", "b")}},
		"an id again, later":       {[]Message{calls("1"), result("1", "a"), calls("1"), result("1", "b")}, []Message{calls("1"), result("1", "a"), calls("1_2"), result("1_2", "b")}},
		"an id of two at once":     {[]Message{calls("", ""), result("", "a"), result("", "b")}, []Message{calls("", "_2"), result("", "a"), result("_2", "b")}},
		"an id that is taken":      {[]Message{calls("1", "1_2", "1")}, []Message{calls("1", "1_2", "1_3")}},
	} {
		r := &reading{}
		if got := r.matched(c.said); r.err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v\ngot  %+v\nwant %+v", name, r.err, got, c.want)
		}
	}
	for name, said := range map[string][]Message{
		"a result without call":    {words, result("1", "a")},
		"a result before its call": {result("1", "a"), calls("1")},
		"a second result":          {calls("1"), result("1", "a"), result("1", "b")},
	} {
		r := &reading{}
		r.matched(said)
		if no := refusal(r); no == nil || no.Param != "messages" {
			t.Errorf("%s: got %v", name, r.err)
		}
	}
}

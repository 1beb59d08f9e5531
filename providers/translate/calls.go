package translate

import "strconv"

// opening stands for the user's first words where there are none, as some providers want the user to begin.
const opening = "(The assistant speaks first.)"

// matched puts each result right behind what was said with the call that it answers, and gives no two calls the same id:
// dialects differ in what may stand between the two, and in how long an id is a call's own.
func (r *reading) matched(list []Message) []Message {
	type turn struct {
		said    Message
		answers []Message
	}
	type call struct {
		turn int
		id   string
	}
	turns := make([]turn, 0, len(list))
	open := map[string][]call{} // those without a result, by the id that the caller gave them
	taken := map[string]bool{}
	for _, m := range list {
		if m.Role != ToolRole {
			for i, p := range m.Parts {
				if p.Kind != Call {
					continue
				}
				id := p.ID
				for n := 2; taken[id]; n++ {
					id = p.ID + "_" + strconv.Itoa(n)
				}
				taken[id] = true
				open[p.ID] = append(open[p.ID], call{len(turns), id})
				m.Parts[i].ID = id
			}
			turns = append(turns, turn{said: m})
			continue
		}
		result := &m.Parts[0]
		waiting := open[result.ID]
		if len(waiting) == 0 {
			r.refuse("messages", "the result of a tool answers no call of theirs")
			return list
		}
		open[result.ID] = waiting[1:]
		result.ID = waiting[0].id
		turns[waiting[0].turn].answers = append(turns[waiting[0].turn].answers, m)
	}
	ordered := make([]Message, 0, len(list))
	for _, t := range turns {
		ordered = append(append(ordered, t.said), t.answers...)
	}
	return ordered
}

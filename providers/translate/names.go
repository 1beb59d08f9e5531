package translate

import (
	"slices"
	"strconv"
)

// maxName is the longest name of a tool that every dialect bears, in bytes; letters, digits, "_" and "-" are what all bear
// in it, and at Google it begins with a letter or "_".
// https://platform.openai.com/docs/api-reference/chat/create (tools[].function.name), https://ai.google.dev/api/caching#FunctionDeclaration
const maxName = 64

// names gives each tool of a request a name that every dialect bears: always the same one to the same tool, and never one
// to two. The zero value is ready.
type names struct {
	given map[[2]string]string
	taken map[string]bool
}

// of is the name for the tool that the caller knows by a name, in a group ("" = none).
func (n *names) of(space, said string) string {
	key := [2]string{space, said}
	if name, ok := n.given[key]; ok {
		return name
	}
	if n.given == nil {
		n.given, n.taken = map[[2]string]string{}, map[string]bool{}
	}
	wanted := said
	if space != "" {
		wanted = space + "__" + said
	}
	if wanted != "" && (wanted[0] == '-' || wanted[0] >= '0' && wanted[0] <= '9') {
		wanted = "_" + wanted
	}
	name := plain(wanted, maxName)
	for i := 2; n.taken[name]; i++ {
		suffix := "_" + strconv.Itoa(i)
		name = plain(wanted, maxName-len(suffix)) + suffix
	}
	n.given[key], n.taken[name] = name, true
	return name
}

// plain is a name of at most so many bytes, with "_" for each that not every dialect bears.
func plain(s string, most int) string {
	b := []byte(s[:min(len(s), most)])
	for i, c := range b {
		if c != '_' && c != '-' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			b[i] = '_'
		}
	}
	return string(b)
}

// saidUnless is what the caller calls a tool, where that is not its name in the middle form.
func saidUnless(name, s string) string {
	if s == name {
		return ""
	}
	return s
}

// tool finds a tool by its name in the middle form, with the name that the caller knows it by.
func (q *Request) tool(name string) Tool {
	for _, t := range q.Tools {
		if t.Name == name {
			if t.Said == "" {
				t.Said = name
			}
			return t
		}
	}
	return Tool{Name: name, Said: name}
}

// offered are the tools that the model may call.
func (q *Request) offered() []Tool {
	if len(q.Choice.Allowed) == 0 {
		return q.Tools
	}
	return slices.DeleteFunc(slices.Clone(q.Tools), func(t Tool) bool { return !slices.Contains(q.Choice.Allowed, t.Name) })
}

package cli

import (
	"strings"

	"github.com/alecthomas/kong"
)

// help prints kong's help, in whose usage line flags of which one is required would stand as if all were. It changes the
// command that it tells of: nothing runs after it.
func help(options kong.HelpOptions, ctx *kong.Context) error {
	if node := ctx.Selected(); node != nil {
		node.Name = strings.Join(append([]string{node.Name}, alternatives(node)...), " ")
	}
	return kong.DefaultHelpPrinter(options, ctx)
}

// alternatives takes a command's required alternatives from among what is required, and writes them as such.
func alternatives(node *kong.Node) (written []string) {
	var groups []string
	flags := map[string][]string{}
	for _, f := range node.Flags {
		if !f.Required || len(f.Xor) == 0 {
			continue
		}
		group := f.Xor[0]
		if flags[group] == nil {
			groups = append(groups, group)
		}
		flags[group] = append(flags[group], f.Summary())
		f.Required = false
	}
	for _, group := range groups {
		written = append(written, "("+strings.Join(flags[group], " | ")+")")
	}
	return written
}

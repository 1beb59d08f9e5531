package cli

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"Which shell: ${enum}."`
}

// completions are what each shell is told, so that it asks the command below at each Tab.
var completions = map[string]string{
	"bash": "complete -C 'perdiem suggest' perdiem",
	"zsh":  "autoload -U +X compinit bashcompinit && compinit && bashcompinit && complete -C 'perdiem suggest' perdiem",
	"fish": "complete -c perdiem -f -a '(env COMP_LINE=(commandline -cp) perdiem suggest)'",
}

func (c completionCmd) Run(s *session) error {
	return s.say(map[string]string{"shell": c.Shell, "line": completions[c.Shell]}, "%s", completions[c.Shell])
}

// suggestCmd answers a shell: it prints what the word before the cursor may become.
type suggestCmd struct {
	Words []string `arg:"" optional:"" passthrough:""` // bash tells the word and the one before; COMP_LINE says it all
}

func (suggestCmd) Run(s *session, k *kong.Context) error {
	line := os.Getenv("COMP_LINE")
	if at, err := strconv.Atoi(os.Getenv("COMP_POINT")); err == nil && at >= 0 && at < len(line) {
		line = line[:at]
	}
	for _, word := range suggest(k.Model.Node, line) {
		fmt.Fprintln(s.Out, word)
	}
	return nil
}

// suggest lists what the last word of a line may become: commands, choices, or after a dash flags.
func suggest(node *kong.Node, line string) []string {
	words := strings.Fields(line)
	if len(words) == 0 {
		return nil
	}
	begun := ""
	if !strings.HasSuffix(line, " ") {
		begun = words[len(words)-1]
		words = words[:len(words)-1]
	}
	for _, word := range words[min(1, len(words)):] {
		if child := childOf(node, word); child != nil {
			node = child
		}
	}
	var all []string
	if strings.HasPrefix(begun, "-") {
		for _, group := range node.AllFlags(true) {
			for _, flag := range group {
				all = append(all, "--"+flag.Name)
			}
		}
	} else {
		for _, child := range node.Children {
			if !child.Hidden {
				all = append(all, child.Name)
			}
		}
		for _, p := range node.Positional {
			all = append(all, p.EnumSlice()...)
		}
	}
	var fitting []string
	for _, word := range all {
		if word != "" && strings.HasPrefix(word, begun) {
			fitting = append(fitting, word)
		}
	}
	return fitting
}

func childOf(node *kong.Node, name string) *kong.Node {
	for _, child := range node.Children {
		if child.Name == name {
			return child
		}
	}
	return nil
}

// Package connect writes the configuration of a teammate's tools, so that they call a gateway, and
// takes it back.
//
// Invariants:
//
//   - What stood in a file before is kept until it is taken back, and then restored byte for byte.
//   - What we do not set in a file stays; a file that we do not understand is left alone.
//   - A new file that holds a pass can be read by its owner alone; one that was there keeps its mode.
package connect

import (
	"errors"
	"os"
	"path/filepath"

	"perdiem/ui/live"
)

// Tool is a program that can be connected.
type Tool struct {
	Name  string // what one types
	Title string // what it calls itself, as the set-up texts do
	Files []File // none for what has no file
	// Trusts is the variable by which it learns of a certificate to trust, where no file of its own can say it.
	Trusts string
}

// File is a file of a tool's configuration.
type File struct {
	path func(place) string
	// edit makes what is to stand in it of what does; nothing where there is no file yet.
	edit func(old []byte, t live.Target) ([]byte, error)
}

// ErrTooUnusual means that a file has a form which we cannot change without a risk to the rest of it.
var ErrTooUnusual = errors.New("the file has a form that cannot be changed safely; put the set-up in by hand, as the same command without --write prints it")

// Tools are all that can be connected.
var Tools = []Tool{
	{"claude-code", "Claude Code", []File{{inFolder("CLAUDE_CONFIG_DIR", ".claude", "settings.json"), claudeSettings}}, ""},
	{"codex", "Codex", []File{{inFolder("CODEX_HOME", ".codex", "config.toml"), codexConfig}}, "SSL_CERT_FILE"},
	{"gemini", "Gemini CLI", []File{
		{inFolder("", ".gemini", "settings.json"), geminiSettings}, {inFolder("", ".gemini", ".env"), geminiVariables},
	}, "NODE_EXTRA_CA_CERTS"},
	{"opencode", "opencode", []File{{opencodePath, opencodeConfig}}, "NODE_EXTRA_CA_CERTS"},
	{"continue", "Continue", []File{{inFolder("", ".continue", "config.yaml"), continueConfig}}, ""},
	{"aider", "aider", []File{{inFolder("", "", ".aider.conf.yml"), aiderConfig}}, "SSL_CERT_FILE"},
	{"env", "Environment", nil, ""},
}

// Find finds a tool by its name.
func Find(name string) (Tool, bool) {
	for _, t := range Tools {
		if t.Name == name {
			return t, true
		}
	}
	return Tool{}, false
}

// place is where a user's files are.
type place struct {
	home   string
	lookup func(string) string // the environment
}

// here is the place of the user who runs this program.
func here() (place, error) {
	home, err := os.UserHomeDir()
	return place{home, os.Getenv}, err
}

// inFolder names a file in a folder of the user's home, or in the one that a variable names.
func inFolder(variable, folder, name string) func(place) string {
	return func(p place) string {
		if variable != "" && p.lookup(variable) != "" {
			return filepath.Join(p.lookup(variable), name)
		}
		return filepath.Join(p.home, folder, name)
	}
}

func opencodePath(p place) string {
	if dir := p.lookup("XDG_CONFIG_HOME"); dir != "" {
		return filepath.Join(dir, "opencode", "opencode.json")
	}
	return filepath.Join(p.home, ".config", "opencode", "opencode.json")
}

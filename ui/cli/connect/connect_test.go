package connect

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"perdiem/ui/live"
)

var target = live.Target{Base: "http://192.0.2.1:7427/v1", Pass: "pdm_canary", Model: "acme/m-1.5"}

// home is a scratch home, and a connector that keeps its records elsewhere.
func home(t *testing.T) (string, Connector) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("USERPROFILE", dir)
	for _, name := range []string{"XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR"} {
		t.Setenv(name, "")
	}
	return dir, Connector{Records: filepath.Join(t.TempDir(), "connect")}
}

func tool(t *testing.T, name string) Tool {
	found, ok := Find(name)
	if !ok {
		t.Fatalf("there is no tool %s", name)
	}
	return found
}

func put(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// tree is every file and folder below a folder, with its mode and text.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		all.WriteString(path + " " + info.Mode().String() + "\n")
		if d.Type().IsRegular() {
			all.WriteString(read(t, path) + "\n")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// files are what people have: nothing, and files with things of their own in odd forms.
var files = []struct {
	tool, path, text string
	keeps            []string // what must still be there
	says             []string // and what must have come
}{
	{"claude-code", ".claude/settings.json", "{\n\t\"permissions\" : {\"allow\":[ \"Bash\" ]},\n \"env\":{\"A\":\"1e400\", \"ANTHROPIC_MODEL\":\"old\"}, \"n\": 1.50}",
		[]string{"\t\"permissions\" : {\"allow\":[ \"Bash\" ]}", `"A":"1e400"`, "1.50"}, []string{`"ANTHROPIC_BASE_URL":"http://192.0.2.1:7427"`, `"ANTHROPIC_MODEL":"acme/m-1.5"`}},
	{"codex", ".codex/config.toml", "# mine\nmodel = \"old\" # was\napproval_policy = \"never\"\n\n[model_providers.perdiem]\nbase_url = \"http://old\"\n\n[tools]\nweb_search = true\n",
		[]string{"# mine", `approval_policy = "never"`, "[tools]\nweb_search = true"}, []string{`model = "acme/m-1.5"`, `base_url = "http://192.0.2.1:7427/v1"`}},
	{"gemini", ".gemini/.env", "export GEMINI_API_KEY=old\r\nOTHER=1", []string{"OTHER=1"}, []string{"GEMINI_API_KEY=pdm_canary\n", "GOOGLE_GEMINI_BASE_URL=http://192.0.2.1:7427\n"}},
	{"opencode", ".config/opencode/opencode.json", `{"theme":"x","provider":{"other":{"a":1}}}`,
		[]string{`"theme":"x"`, `"other":{"a":1}`}, []string{`"model":"perdiem/acme/m-1.5"`, `"acme/m-1.5":{}`}},
	{"continue", ".continue/config.yaml", "# mine\nname: Me\nversion: 1.0.0\nschema: v1\nmodels:\n  - name: Other\n    provider: ollama\n    model: x\n",
		[]string{"# mine", "name: Other", "version: 1.0.0"}, []string{"name: Perdiem acme/m-1.5", "apiBase: http://192.0.2.1:7427/v1"}},
	{"aider", ".aider.conf.yml", "# mine\nauto-commits: false\nmodel: old\n", []string{"# mine", "auto-commits: false"}, []string{"model: openai/acme/m-1.5", "openai-api-key: pdm_canary"}},
}

func TestWritingKeepsTheRestAndUndoRestoresEveryByte(t *testing.T) {
	for _, c := range files {
		t.Run(c.tool, func(t *testing.T) {
			dir, connector := home(t)
			path := filepath.Join(dir, c.path)
			put(t, path, c.text, 0o644)
			before := tree(t, dir)
			for range 2 { // twice is as once
				if _, err := connector.Write(tool(t, c.tool), target); err != nil {
					t.Fatal(err)
				}
			}
			got := read(t, path)
			for _, want := range append(c.keeps, c.says...) {
				if !strings.Contains(got, want) {
					t.Errorf("%q is not in it:\n%s", want, got)
				}
			}
			if strings.Contains(got, "old") {
				t.Errorf("what was replaced is still there:\n%s", got)
			}
			if _, err := connector.Undo(tool(t, c.tool), false); err != nil {
				t.Fatal(err)
			}
			if after := tree(t, dir); after != before {
				t.Errorf("before:\n%s\nafter:\n%s", before, after)
			}
		})
	}
}

func TestWhereNothingWasNothingIsLeft(t *testing.T) {
	for _, one := range Tools {
		t.Run(one.Name, func(t *testing.T) {
			dir, connector := home(t)
			before := tree(t, dir)
			paths, err := connector.Write(one, target)
			if err != nil || len(paths) != len(one.Files) {
				t.Fatal(paths, err)
			}
			for _, path := range paths {
				info, err := os.Stat(path)
				if err != nil || info.Mode().Perm() != 0o600 {
					t.Errorf("%s: %v, %v", path, info.Mode(), err)
				}
			}
			if _, err := connector.Undo(one, false); err != nil {
				t.Fatal(err)
			}
			if after := tree(t, dir); after != before {
				t.Errorf("left behind:\n%s", after)
			}
			if _, err := connector.Undo(one, false); !errors.Is(err, ErrNothing) {
				t.Errorf("taken back twice: %v", err)
			}
		})
	}
}

func TestAFileThatCannotBeChangedSafelyIsLeftAlone(t *testing.T) {
	for name, c := range map[string]struct{ tool, path, text string }{
		"JSON with comments":       {"opencode", ".config/opencode/opencode.json", "{ // mine\n}"},
		"JSON that is a list":      {"claude-code", ".claude/settings.json", "[]"},
		"TOML that is broken":      {"codex", ".codex/config.toml", "model = "},
		"TOML with a key in text":  {"codex", ".codex/config.toml", "notes = \"\"\"\nmodel = \"x\"\n\"\"\"\n"},
		"TOML with inline tables":  {"codex", ".codex/config.toml", "model_providers = { perdiem = { name = \"x\" } }\n"},
		"YAML that is a list":      {"aider", ".aider.conf.yml", "- a\n"},
		"YAML with models as text": {"continue", ".continue/config.yaml", "models: none\n"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, connector := home(t)
			put(t, filepath.Join(dir, c.path), c.text, 0o600)
			before := tree(t, dir)
			if _, err := connector.Write(tool(t, c.tool), target); !errors.Is(err, ErrTooUnusual) {
				t.Errorf("got %v", err)
			}
			if after := tree(t, dir); after != before {
				t.Errorf("it was changed:\n%s", after)
			}
			if _, err := connector.Undo(tool(t, c.tool), false); !errors.Is(err, ErrNothing) {
				t.Errorf("there is something to take back: %v", err)
			}
		})
	}
}

func TestWhatSomebodyElseChangedIsNotLost(t *testing.T) {
	for name, again := range map[string]bool{"after us": false, "between two writings": true} {
		t.Run(name, func(t *testing.T) {
			dir, connector := home(t)
			path := filepath.Join(dir, ".aider.conf.yml")
			put(t, path, "dark-mode: true\n", 0o600)
			aider := tool(t, "aider")
			write := func() {
				if _, err := connector.Write(aider, target); err != nil {
					t.Fatal(err)
				}
			}
			write()
			put(t, path, read(t, path)+"stream: false\n", 0o600)
			if again {
				write()
			}
			if _, err := connector.Undo(aider, false); !errors.Is(err, ErrChanged) {
				t.Fatalf("got %v", err)
			}
			if !strings.Contains(read(t, path), "stream: false") {
				t.Error("it is lost")
			}
			if _, err := connector.Undo(aider, true); err != nil || read(t, path) != "dark-mode: true\n" {
				t.Errorf("forced: %v", err)
			}
		})
	}
}

func TestALinkStaysALink(t *testing.T) {
	dir, connector := home(t)
	real := filepath.Join(dir, "dotfiles", "aider.yml")
	put(t, real, "", 0o600)
	link := filepath.Join(dir, ".aider.conf.yml")
	if err := os.Symlink(real, link); err != nil {
		t.Skipf("links cannot be made here: %v", err)
	}
	if _, err := connector.Write(tool(t, "aider"), target); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 || !strings.Contains(read(t, real), "openai/acme") {
		t.Errorf("%v, %v: %s", info.Mode(), err, read(t, real))
	}
}

func TestAddressesAsPeopleGiveThem(t *testing.T) {
	for given, want := range map[string]string{
		"192.0.2.1:7427": target.Base, "http://192.0.2.1:7427": target.Base, "http://192.0.2.1:7427/": target.Base,
		"http://192.0.2.1:7427/v1": target.Base, "http://192.0.2.1:7427/v1/": target.Base, "https://llm.example": "https://llm.example/v1",
		"": "", "ftp://x": "", "http://": "", "http://user:pw@host": "",
	} {
		if got, err := Base(given); got != want || (err == nil) != (want != "") {
			t.Errorf("%q gives %q, %v", given, got, err)
		}
	}
}

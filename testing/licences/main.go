// Licences lists the modules that the program is made of, with their licences, and fails where one is
// not known to be compatible with giving the program away. It reads the module cache and asks no
// server. With -texts it writes every licence's whole text, as most of them want to come along.
//
// Only modules that are linked count: those that tests alone need are given to nobody.
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	texts := flag.String("texts", "", "also write the licences' whole texts to this file")
	flag.Parse()
	if err := run(*texts, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

// systems are those that are released; another may link other modules.
var systems = []string{"linux", "darwin", "windows"}

func run(texts string, out io.Writer) error {
	modules, err := linked()
	if err != nil {
		return err
	}
	var all strings.Builder
	var bad []error
	for _, m := range modules {
		files, err := licenceFiles(m.Dir)
		if err != nil {
			return err
		}
		names := []string{}
		for _, f := range files {
			text, err := os.ReadFile(filepath.Join(m.Dir, f))
			if err != nil {
				return err
			}
			name := classify(string(text))
			if name == "" && !notice(f) && !notLinked[m.Path+"/"+filepath.ToSlash(f)] {
				bad = append(bad, fmt.Errorf("%s: what %s says is not known here to be a licence that fits", m.Path, f))
			}
			if name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
			fmt.Fprintf(&all, "%s %s, %s\n\n%s\n\n%s\n\n", m.Path, m.Version, f, strings.TrimSpace(string(text)), strings.Repeat("-", 80))
		}
		if len(names) == 0 {
			bad = append(bad, fmt.Errorf("%s has no licence", m.Path))
		}
		fmt.Fprintf(out, "%-60s %-40s %s\n", m.Path, m.Version, strings.Join(names, ", "))
	}
	if texts != "" {
		if err := os.WriteFile(texts, []byte(all.String()), 0o644); err != nil {
			return err
		}
	}
	return errors.Join(bad...)
}

type module struct{ Path, Version, Dir string }

// linked asks the go command for the modules of all packages in the released programs, and Go's own.
func linked() ([]module, error) {
	found := map[string]module{}
	for _, system := range systems {
		cmd := exec.Command("go", "list", "-deps", "-json=Module", ".")
		cmd.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=1") // with the window; nothing is compiled
		cmd.Stderr = os.Stderr
		list, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("listing what is linked for %s: %w", system, err)
		}
		for dec := json.NewDecoder(strings.NewReader(string(list))); ; {
			var p struct{ Module *module }
			if err := dec.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, fmt.Errorf("reading what is linked: %w", err)
			}
			if p.Module != nil && p.Module.Version != "" { // ours has none
				found[p.Module.Path] = *p.Module
			}
		}
	}
	version, err := exec.Command("go", "env", "GOROOT", "GOVERSION").Output()
	if err != nil {
		return nil, fmt.Errorf("finding Go: %w", err)
	}
	root, number, _ := strings.Cut(strings.TrimSpace(string(version)), "\n")
	all := []module{{Path: "Go's own packages", Version: number, Dir: root}}
	for _, m := range found {
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b module) int { return cmp.Compare(a.Path, b.Path) })
	return all, nil
}

// licenceFiles are a module's own, and those beside fonts and sources that it took from others.
func licenceFiles(dir string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := strings.ToUpper(d.Name())
		switch {
		case d.IsDir() && path != dir && (skipped[d.Name()] || strings.HasPrefix(d.Name(), ".") || isModule(path)):
			return filepath.SkipDir
		case d.IsDir(), strings.HasSuffix(name, ".GO"):
		case strings.HasPrefix(name, "LICEN"), strings.HasPrefix(name, "COPYING"), notice(d.Name()):
			rel, err := filepath.Rel(dir, path)
			files = append(files, rel)
			return err
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("looking for licences in %s: %w", dir, err)
	}
	return files, nil
}

// skipped are folders of which nothing is linked.
var skipped = map[string]bool{"testdata": true, "examples": true, "docs": true, "test": true, "misc": true, "node_modules": true, "pkg": true}

func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// notLinked are files that tell of something else than what is linked.
var notLinked = map[string]bool{"modernc.org/memory/LICENSE-LOGO": true} // the address of a picture

// notice tells whether a file is one that some licences want kept, and no licence itself.
func notice(file string) bool {
	return strings.HasPrefix(strings.ToUpper(filepath.Base(file)), "NOTICE")
}

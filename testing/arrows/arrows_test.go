package arrows

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestImportsFollowTheArrows(t *testing.T) {
	for _, build := range []struct{ name, cgo, tags string }{
		{name: "with the window", cgo: "1", tags: "ci"},
		{name: "headless", cgo: "0", tags: ""},
	} {
		t.Run(build.name, func(t *testing.T) {
			for _, fault := range Check(list(t, build.cgo, build.tags)) {
				t.Error(fault)
			}
		})
	}
}

func TestHeadlessBuildLinksNoFyne(t *testing.T) {
	for _, fault := range CheckHeadless(list(t, "0", "")) {
		t.Error(fault)
	}
}

// list asks the go command for the module's real packages and what they import.
func list(t *testing.T, cgo, tags string) []Package {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-e", "-tags", tags, "-json=ImportPath,Imports,Deps", Module+"/...")
	cmd.Env = append(os.Environ(), "CGO_ENABLED="+cgo)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("listing the packages: %v", err)
	}
	var graph []Package
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p Package
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("reading the packages: %v", err)
		}
		graph = append(graph, p)
	}
	if !slices.ContainsFunc(graph, func(p Package) bool { return p.ImportPath == Module+"/testing/arrows" }) {
		t.Fatal("the list of packages lacks this very one")
	}
	return graph
}

func TestCheckerKnowsEveryArrow(t *testing.T) {
	cases := []struct {
		from, to string
		ok       bool
	}{
		{"perdiem", "perdiem/ui", true},
		{"perdiem", "perdiem/ui/cli", true},
		{"perdiem", "perdiem/gateway/boot", true},
		{"perdiem", "fyne.io/fyne/v2/app", true},
		{"perdiem", "perdiem/meter", false},
		{"perdiem", "perdiem/gateway", false},
		{"perdiem", "perdiem/providers/sim", false},

		{"perdiem/ui", "perdiem/ui/live", true},
		{"perdiem/ui", "perdiem/meter", true},
		{"perdiem/ui", "perdiem/providers/catalog", true},
		{"perdiem/ui", "fyne.io/fyne/v2/widget", true},
		{"perdiem/ui", "fyne.io/fyne/v2/app", false},
		{"perdiem/ui", "perdiem", false},
		{"perdiem/ui", "perdiem/testing/harness", false},
		{"perdiem/ui/cli", "perdiem/gateway/boot", true},
		{"perdiem/ui/cli", "perdiem/ui", false},
		{"perdiem/ui/live", "fyne.io/fyne/v2", false},
		{"perdiem/ui/web", "fyne.io/fyne/v2/widget", false},

		{"perdiem/gateway", "perdiem/meter", true},
		{"perdiem/gateway/relay", "perdiem/providers/wire", true},
		{"perdiem/gateway", "perdiem/ui/web", false},
		{"perdiem/gateway", "perdiem/gateway/boot", false},
		{"perdiem/gateway/boot", "perdiem/ui/web", true},
		{"perdiem/gateway/boot", "perdiem/ui/cli", false},
		{"perdiem/gateway/boot", "perdiem/ui", false},
		{"perdiem/gateway/boot", "perdiem/meter/sqlite", true},

		{"perdiem/meter", "perdiem/providers", false},
		{"perdiem/meter/sqlite", "perdiem/providers/keys", false},
		{"perdiem/meter", "perdiem/gateway", false},
		{"perdiem/meter", "net/http", false},
		{"perdiem/meter", "modernc.org/sqlite", false},
		{"perdiem/meter", "github.com/jackc/pgx/v5", false},
		{"perdiem/meter/sqlite", "modernc.org/sqlite", true},
		{"perdiem/providers", "perdiem/meter", false},
		{"perdiem/providers/registry", "perdiem/meter/sqlite", false},
		{"perdiem/providers/check", "net/http", true},
		{"perdiem/providers/sim", "perdiem/gateway", false},
		{"perdiem/providers", "fyne.io/fyne/v2", false},
		{"perdiem/assets", "perdiem/ui", false},
		{"perdiem/assets", "embed", true},
		{"perdiem/ui", "perdiem/assets", true},
		{"perdiem/testing/harness", "perdiem/gateway/boot", true},
	}
	for _, c := range cases {
		t.Run(c.from+" to "+c.to, func(t *testing.T) {
			faults := Check([]Package{{ImportPath: c.from, Imports: []string{c.to}}})
			if ok := len(faults) == 0; ok != c.ok {
				t.Errorf("allowed = %v, want %v: %q", ok, c.ok, faults)
			}
		})
	}
}

func TestCheckerSeesThroughAThirdPackage(t *testing.T) {
	for _, p := range []Package{
		{ImportPath: "perdiem/meter", Deps: []string{"perdiem/providers/tokens"}},
		{ImportPath: "perdiem/providers/registry", Deps: []string{"perdiem/meter"}},
		{ImportPath: "perdiem/gateway", Deps: []string{"perdiem/ui/web"}},
	} {
		if len(Check([]Package{p})) != 1 {
			t.Errorf("%s may reach %s", p.ImportPath, p.Deps[0])
		}
	}
	headless := []Package{{ImportPath: "perdiem", Deps: []string{"fyne.io/fyne/v2/widget"}}}
	if len(CheckHeadless(headless)) != 1 {
		t.Error("a headless main may reach Fyne")
	}
}

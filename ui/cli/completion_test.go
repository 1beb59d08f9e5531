package cli

import (
	"strings"
	"testing"
)

func TestAShellIsToldWhatAWordMayBecome(t *testing.T) {
	for line, want := range map[string]string{
		"perdiem prov":                "provider",
		"perdiem person ":             "add join list suspend resume",
		"perdiem connect op":          "opencode",
		"perdiem --data x connect co": "codex continue",
		"perdiem serve --log-":        "--log-level --log-format",
		"perdiem sug":                 "",
		"":                            "",
	} {
		t.Setenv("COMP_LINE", line)
		t.Setenv("COMP_POINT", "")
		_, out, errs := newShell(t).run("", "suggest")
		if got := strings.Join(strings.Fields(out), " "); !strings.HasPrefix(got, want) || want == "" && got != "" || errs != "" {
			t.Errorf("%q: %q, want %q; %s", line, got, want, errs)
		}
	}
	t.Setenv("COMP_LINE", "perdiem provider add")
	t.Setenv("COMP_POINT", "12")
	if _, out, _ := newShell(t).run("", "suggest", "--", "perdiem", "prov", "perdiem"); out != "provider\n" {
		t.Errorf("with the cursor inside the line: %q", out)
	}
}

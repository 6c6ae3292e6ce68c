package session_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline/internal/session"
)

// TestRules plays testdata/rules.txt: rules, and what they say of calls. Its first
// lines tell how to read it.
func TestRules(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "rules.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var rules session.Rules
	var out strings.Builder
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		said, _, isCall := strings.Cut(line, " → ")
		switch words := strings.Fields(said); {
		case strings.HasPrefix(line, "#"):
			rules = nil
		case isCall && len(words) > 0:
			line = said + " → " + ruling(t, rules, words[0], words[1:])
		case len(words) > 0:
			rules = append(rules, parseRule(t, words))
		}
		out.WriteString(line + "\n")
	}
	golden(t, "rules.txt", out.String())
}

func parseRule(t *testing.T, words []string) session.Rule {
	t.Helper()
	r := session.Rule{Verdict: session.Verdict(words[0])}
	for _, w := range words[1:] {
		switch what, value, _ := strings.Cut(w, "="); what {
		case "tool":
			r.Tool = value
		case "path":
			r.Path = value
		default:
			t.Fatalf("%q in a rule", w)
		}
	}
	return r
}

func ruling(t *testing.T, rules session.Rules, tool string, paths []string) string {
	t.Helper()
	if err := rules.Check(); err != nil {
		t.Fatal(err)
	}
	r := rules.Of(tool, paths...)
	if len(paths) == 1 && paths[0] == "?" {
		r = rules.OfAny(tool)
	}
	words := []string{}
	if r.Verdict != "" {
		words = append(words, fmt.Sprintf("%s, by: %s", r.Verdict, r.Rule))
	}
	if r.Silent {
		words = append(words, "as supervised")
	}
	return strings.Join(words, "; the rest ")
}

// TestManyRules: the first of one kind wins, however many there are.
func TestManyRules(t *testing.T) {
	var rules session.Rules
	for i := range 200 {
		rules = append(rules, session.Rule{Verdict: session.Deny}, session.Rule{Tool: "*", Path: fmt.Sprint(i, "/*"), Verdict: session.Ask}, session.Rule{Path: fmt.Sprintf("*/%d", i), Verdict: session.Allow})
	}
	for i := range 200 {
		if r := rules.Of("edit", fmt.Sprint(i, "/", 7)); r.Rule.Path != fmt.Sprint(i, "/*") {
			t.Errorf("%d: %s", i, r.Rule)
		}
	}
	for i := range rules {
		if rules[i].Tool != "" {
			rules[i].Path, rules[i].Tool = "**", fmt.Sprintf("{edit,%d}", i)
		}
	}
	if r := rules.Of("edit", "a"); r.Rule != rules[1] {
		t.Errorf("%s", r.Rule)
	}
}

func TestRulesThatCannotBeUsed(t *testing.T) {
	tests := []struct {
		rule session.Rule
		want string // "": it can be used
	}{
		{session.Rule{Verdict: "allow"}, ""},
		{session.Rule{Tool: "{edit,delete}_*", Path: "a/**/[bc]?.md", Verdict: "deny"}, ""},
		{session.Rule{Path: "/a/", Verdict: "ask"}, ""},
		{session.Rule{Path: "a..b", Verdict: "ask"}, ""},
		{session.Rule{}, `rule 2: there is no verdict ""; choose allow, ask or deny`},
		{session.Rule{Verdict: "Allow"}, `rule 2: there is no verdict "Allow"; choose allow, ask or deny`},
		{session.Rule{Tool: "[a", Verdict: "deny"}, `rule 2: the tool "[a" is no name and no glob`},
		{session.Rule{Tool: "private/**", Verdict: "deny"}, `rule 2: no tool is called "private/**"; a path goes into path`},
		{session.Rule{Path: "{a", Verdict: "deny"}, `rule 2: the path "{a" is no glob; use a pattern such as drafts/**`},
		{session.Rule{Path: "a/../b", Verdict: "deny"}, `rule 2: the path "a/../b" leads out of the folder; name it as seen from the folder`},
	}
	for _, test := range tests {
		got := ""
		if err := (session.Rules{{Verdict: session.Ask}, test.rule}).Check(); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%+v: %q, want %q", test.rule, got, test.want)
		}
	}
}

// FuzzRules: whatever the rules and the path, a rule that denies every path is
// never overruled by one that is less specific, and nothing panics.
func FuzzRules(f *testing.F) {
	f.Add("edit_*", "private/**", "edit_document", "private/a.md")
	f.Add("", "[", "x", "\xff/./..")
	f.Add("*", "a/", "y", "A")
	f.Fuzz(func(t *testing.T, tool, path, name, at string) {
		rules := session.Rules{{Tool: tool, Path: path, Verdict: session.Allow}, {Path: "**", Verdict: session.Deny}, {Tool: name, Verdict: session.Allow}, {Verdict: session.Allow}}
		if rules.Check() != nil || at == "" {
			return
		}
		alone := rules[:1].Of(name, at)
		all := rules.Of(name, at)
		if specific := path != "" && alone.Verdict == session.Allow; (all.Verdict == session.Allow) != specific || all.Silent {
			t.Errorf("%v of %q %q: %+v alone, %+v with the rest", rules[0], name, at, alone, all)
		}
		if unknown := rules.OfAny(name); unknown.Silent {
			t.Errorf("%+v, though a rule speaks of every path", unknown)
		}
	})
}

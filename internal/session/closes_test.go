package session_test

import (
	"strings"
	"testing"

	"redline/internal/ledger"
	"redline/internal/session"
)

func TestCloses(t *testing.T) {
	rule := func(verdict session.Verdict, tool, path string) session.Rule {
		return session.Rule{Verdict: verdict, Tool: tool, Path: path}
	}
	for _, test := range []struct {
		name   string
		rules  session.Rules
		path   string
		closed bool
	}{
		{"none", nil, "a.md", false},
		{"denied to all", session.Rules{rule(session.Deny, "", "private/**")}, "private/a.md", true},
		{"elsewhere", session.Rules{rule(session.Deny, "", "private/**")}, "a.md", false},
		{"whatever the case", session.Rules{rule(session.Deny, "", "private/**")}, "Private/A.md", true},
		{"an earlier rule allows", session.Rules{rule(session.Allow, "", "private/open.md"), rule(session.Deny, "", "private/**")}, "private/open.md", false},
		{"one tool may", session.Rules{rule(session.Deny, "", "private/**"), rule(session.Allow, "edit_document", "private/a.md")}, "private/a.md", false},
		{"denied to one tool", session.Rules{rule(session.Deny, "edit_document", "private/**")}, "private/a.md", false},
		{"asked about", session.Rules{rule(session.Ask, "", "private/**")}, "private/a.md", false},
		{"no path in the rule", session.Rules{rule(session.Deny, "", "")}, "a.md", false},
	} {
		if got := test.rules.Closes(test.path); got != test.closed {
			t.Errorf("%s: closed is %v", test.name, got)
		}
	}
}

// TestRuleForAReader: a rule that could not be kept is refused at once.
func TestRuleForAReader(t *testing.T) {
	c := session.Config{Mode: session.Custom, Review: ledger.Auto, Audit: new(auditLog)}
	c.Rules = session.Rules{{Verdict: session.Deny, Tool: "read_document", Path: "private/**"}}
	if _, err := session.Guard(new(toolbox).set(t), c); err == nil || !strings.Contains(err.Error(), "leave out the tool") {
		t.Errorf("guarded: %v", err)
	}
}

package vault_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"redline/internal/shell/staged"
	"redline/internal/toolset/vault"
	"redline/internal/workspace"
)

// FuzzShell: whatever the script, it ends, nothing breaks down, and what is outside of
// the vault or closed in it is neither opened, told nor in what would be written; nor
// is the environment. All commands are allowed, also those that remove something.
func FuzzShell(f *testing.F) {
	f.Setenv("OPENAI_API_KEY", envToken)
	files, err := filepath.Glob("testdata/commands/*.txt")
	if err != nil || len(files) == 0 {
		f.Fatal("there are no scripts to begin with: ", err)
	}
	for _, file := range files {
		for _, c := range readTrials(f, file) {
			for _, command := range c.commands {
				f.Add(command)
			}
		}
	}
	g := newGrounds(f, vault.Options{}, []string{
		`link "link.md" "{{outside}}/canary.txt"`, `link "linkdir" "../outside"`, `link "chain" "linkdir/canary.txt"`, `link "journal/up" "../.."`, `link "hidden" ".env"`,
	}, "9")
	desk := g.bench.Desk(f.Context())
	policy := workspace.ForDocuments()
	f.Fuzz(func(t *testing.T, script string) {
		defer time.AfterFunc(10*time.Second, func() { panic("it does not end: " + script) }).Stop()
		g.watch.begin()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		tree := staged.NewTree(desk.View(ctx), desk.Root())
		all := func(string) bool { return true }
		r := staged.Run(ctx, staged.Command{Line: g.places.Replace(script), Tree: tree, Allow: all, Timeout: 100 * time.Millisecond, MaxOutput: 1 << 16})
		if strings.Contains(r.Cut, "broke down") {
			t.Errorf("it breaks down: %s\n%s", r.Cut, r.Stderr)
		}
		told(t, script, "the output", r.Stdout+r.Stderr)
		if r.Cut == "" {
			effects, err := tree.Effects()
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range effects {
				told(t, script, e.Name, string(e.Data))
				checkEffect(t, policy, e)
			}
		}
		if seen := g.watch.end(); seen != "" {
			t.Errorf("outside was opened: %s", seen)
		}
	})
}

// told looks for tokens that the script does not have itself.
func told(t *testing.T, script, where, text string) {
	t.Helper()
	for _, token := range append(append([]string{envToken}, outsideTokens...), closedTokens...) {
		if strings.Contains(text, token) && !strings.Contains(script, token) {
			t.Errorf("%s has %s", where, token)
		}
	}
}

// checkEffect: an effect is about an open path of the vault.
func checkEffect(t *testing.T, policy *workspace.Policy, e staged.Effect) {
	t.Helper()
	for _, name := range []string{e.Name, e.From} {
		if name == "" {
			continue
		}
		p, err := workspace.ParsePath(name)
		if err != nil || p.String() != name || p.IsRoot() {
			t.Errorf("an effect on %q: %v", name, err)
			continue
		}
		if verdict, err := policy.Check(p, workspace.Writing); verdict != workspace.Allow {
			t.Errorf("an effect on a closed path: %v", err)
		}
	}
}

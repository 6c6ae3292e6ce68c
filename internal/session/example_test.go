package session_test

import (
	"context"
	"fmt"

	"redline/internal/ledger"
	"redline/internal/session"
	"redline/llm"
	"redline/tool"
)

type deleteArgs struct {
	Path string `json:"path"`
}

// deleter is a tool that can tell what a call would delete.
type deleter struct{ tool.Tool }

func (d deleter) Unwrap() tool.Tool { return d.Tool }

func (d deleter) Touches(context.Context, tool.Call) ([]string, error) {
	return []string{
		"Meeting Notes - Jan 15, 2023.md", "Meeting Notes - Feb 3, 2023.md", "Meeting Notes - Mar 22, 2023.md",
		"Meeting Notes - Apr 10, 2023.md", "Meeting Notes - May 2, 2023.md", "Meeting Notes - Jun 7, 2023.md",
	}, nil
}

// terminal shows the question and lets the user say no.
type terminal struct{}

func (terminal) Ask(_ context.Context, r session.Request) (session.Answer, error) {
	fmt.Println(r.Text())
	return session.Answer{}, nil
}

// printed is an audit log on the screen.
type printed struct{}

func (printed) Audit(_ context.Context, e ledger.AuditEntry) error {
	fmt.Println("audit:", e.Result, e.Action, string(e.Parameters))
	return nil
}

// The user is asked before documents are deleted, and says no.
func Example() {
	remove := tool.Must(tool.New(tool.Info{Name: "delete_document", Label: "Delete Document", Description: "Moves a document to the trash.", Destructive: true},
		func(context.Context, deleteArgs, tool.Update) (tool.Result, error) {
			return tool.Result{Output: "deleted"}, nil
		}))
	set, err := tool.NewSet(deleter{remove})
	if err != nil {
		panic(err)
	}
	defaults := session.DefaultsFor("documents")
	set, err = session.Guard(set, session.Config{
		Mode: defaults.Mode, Review: defaults.Review, Limits: defaults.Limits, Asker: terminal{}, Audit: printed{},
	})
	if err != nil {
		panic(err)
	}
	r := tool.Run(context.Background(), set, llm.ToolCall{Name: "delete_document", Arguments: []byte(`{"path":"2023"}`)}, nil)
	fmt.Println("the run ends:", r.EndRun)
	// Output:
	// Delete Document: 6 files
	// • Meeting Notes - Jan 15, 2023.md
	// • Meeting Notes - Feb 3, 2023.md
	// • Meeting Notes - Mar 22, 2023.md
	// • Meeting Notes - Apr 10, 2023.md
	// • ... and 2 more
	// This action cannot be easily undone.
	// audit: rejected delete_document {"path":"2023"}
	// the run ends: Action cancelled by user.
}

// In custom mode the first matching rule of the most specific kind decides.
func ExampleRules() {
	rules := session.Rules{
		{Tool: "delete_*", Verdict: session.Deny},
		{Path: "drafts/**", Verdict: session.Allow},
		{Path: "**/*.toml", Verdict: session.Ask},
	}
	for _, path := range []string{"drafts/a.md", "b.md"} {
		fmt.Println(path, "→", rules.Of("delete_document", path).Verdict)
	}
	fmt.Println("both →", rules.Of("delete_document", "drafts/a.md", "b.md").Verdict)
	// Output:
	// drafts/a.md → allow
	// b.md → deny
	// both → deny
}

package tool_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"redline/llm"
	"redline/tool"
)

type countArgs struct {
	Text string `json:"text" jsonschema:"the text to look at" min:"1"`
	Unit string `json:"unit" jsonschema:"what to count" enum:"words,letters" default:"words"`
}

// A tool is a function and a struct; Run answers a model's call whatever it
// sent.
func Example() {
	count, err := tool.New(
		tool.Info{Name: "count", Label: "Count", Description: "Counts the words or letters of a text.", ReadOnly: true},
		func(ctx context.Context, args countArgs, update tool.Update) (tool.Result, error) {
			n := len(strings.Fields(args.Text))
			if args.Unit == "letters" {
				n = len([]rune(args.Text))
			}
			return tool.Result{Output: fmt.Sprintf("%d %s", n, args.Unit), Details: map[string]int{"count": n}}, nil
		})
	if err != nil {
		fmt.Println(err)
		return
	}
	set, err := tool.NewSet(tool.Wrap(count,
		tool.Audit(func(r tool.Record) { fmt.Println("audit:", r.Call.Name, string(r.Call.Arguments)) }),
		tool.Limit(tool.Limits{Output: 64 << 10, Timeout: time.Minute}),
	))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, arguments := range []string{`{"txt": "red fox", "unit": "lines"}`, `{"text": "red fox"}`} {
		r := tool.Run(context.Background(), set, llm.ToolCall{ID: "tc_1", Name: "count", Arguments: []byte(arguments)}, nil)
		fmt.Println(r.Output)
	}
	// Output:
	// invalid arguments for count:
	// - text: missing, but required (string of ≥ 1 characters: the text to look at)
	// - txt: unknown parameter "txt"; did you mean "text"?
	// - unit: must be one of "words", "letters", got the string "lines"
	// expected: {text: string of ≥ 1 characters, unit?: "words" | "letters" = "words"}
	// audit: count {"text":"red fox","unit":"words"}
	// 2 words
}

// Permit asks before a tool runs. Here everything destructive is refused.
func ExamplePermit() {
	remove := tool.Must(tool.New(
		tool.Info{Name: "delete_document", Description: "Deletes a document.", Destructive: true},
		func(context.Context, struct {
			Path string `json:"path"`
		}, tool.Update) (tool.Result, error) {
			return tool.Result{Output: "deleted"}, nil
		}))
	ask := func(_ context.Context, t tool.Tool, call tool.Call) (tool.Decision, error) {
		if tool.IsDestructive(t, call) {
			return tool.Cancel(), nil // a person would be asked here
		}
		return tool.Allow(), nil
	}
	set, err := tool.NewSet(tool.Wrap(remove, tool.Permit(ask)))
	if err != nil {
		fmt.Println(err)
		return
	}
	r := tool.Run(context.Background(), set, llm.ToolCall{Name: "delete_document", Arguments: []byte(`{"path": "a.md"}`)}, nil)
	fmt.Println(r.Code(), r.EndRun)
	// Output: denied Action cancelled by user.
}

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"redline"
	"redline/internal/session"
	"redline/llm"
	"redline/tool"
)

func newTool(s streams, w *where) *cobra.Command {
	c := &cobra.Command{
		Use:   "tool",
		Short: "The tools of the agent, without a model",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(newToolList(s, w), newToolCall(s, w))
	return c
}

func newToolList(s streams, w *where) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "Print the tools of a toolset: names, descriptions and schemas",
		Long: `Print what a model is told of the tools of a toolset. With --json it is a list of
{name, description, schema}.`,
		Example: `  redline tool list --toolset coding
  redline tool list --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			set, err := loadSettings(cmd.Context(), w)
			if err != nil {
				return err
			}
			specs, err := redline.Specs(set.word("toolset"), set.word("mode"))
			if err != nil {
				return err
			}
			if w.json {
				return printJSON(s.out, specs)
			}
			for i, spec := range specs {
				if i > 0 {
					fmt.Fprintln(s.out)
				}
				fmt.Fprintf(s.out, "%s\n%s\n%s\n", spec.Name, indent(spec.Description), indent(prettyJSON(spec.Schema)))
			}
			return nil
		},
	}
}

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func prettyJSON(data []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, data, "", "  ") != nil {
		return string(data)
	}
	return b.String()
}

func indent(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    ")
}

func newToolCall(s streams, w *where) *cobra.Command {
	return &cobra.Command{
		Use:   "call NAME JSON | call -",
		Short: "Run one tool, or those that are read from standard input",
		Long: `Run one tool without a model and print its result as a line of JSON:

  {"tool_call_id", "name", "ok", "result", "error", "output"}

output is the text that a model would get. With - lines are read from standard
input, {"id": …, "name": …, "arguments": {…}}, and each is answered with one line.
All calls of one run are one turn.

The exit status is 0 if all calls succeeded, 1 if one failed, 3 if one was denied.`,
		Example: `  redline tool call read_document '{"path": "ideas.md"}'
  redline -C ~/project --toolset coding tool call bash '{"command": "ls"}'
  redline tool call - < calls.jsonl`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 1 && args[0] == "-":
				return nil
			case len(args) == 1:
				return fmt.Errorf("the arguments of %s are missing: give a JSON object, such as '{}'", args[0])
			}
			if len(args) != 2 {
				return fmt.Errorf("give the name of a tool and its arguments, or - to read calls from standard input")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			calls := one(args)
			if args[0] == "-" {
				calls = lines(s.in)
			}
			return callTools(cmd.Context(), s, w, calls)
		},
	}
}

// asked is a line of standard input.
type asked struct {
	ID        callID          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// callID is the name of a call: a text, or a number, as other programs have it.
type callID string

func (id *callID) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*id = callID(text)
		return nil
	}
	var number json.Number
	if json.Unmarshal(data, &number) != nil {
		return fmt.Errorf("the id must be a text or a number")
	}
	*id = callID(number)
	return nil
}

// next returns calls until io.EOF. An error that is not the last one is of one
// line alone.
type next func() (asked, error)

func one(args []string) next {
	done := false
	return func() (asked, error) {
		if done {
			return asked{}, io.EOF
		}
		done = true
		return asked{Name: args[0], Arguments: json.RawMessage(args[len(args)-1])}, nil
	}
}

// badLine is a line that is no call.
type badLine struct{ err error }

func (b badLine) Error() string { return b.err.Error() }

func lines(in io.Reader) next {
	r := bufio.NewReader(in)
	number := 0
	return func() (asked, error) {
		for {
			number++
			line, err := r.ReadBytes('\n')
			if len(bytes.TrimSpace(line)) == 0 {
				if err != nil {
					return asked{}, err
				}
				continue
			}
			a, err := parseCall(line)
			if err != nil {
				return a, badLine{fmt.Errorf("line %d is no call: %w; write {\"id\": …, \"name\": …, \"arguments\": {…}}", number, err)}
			}
			return a, nil
		}
	}
}

// parseCall reads a line, which is one call and nothing else.
func parseCall(line []byte) (asked, error) {
	var a asked
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&a); err != nil {
		return a, err
	}
	if _, err := d.Token(); err != io.EOF {
		return a, errors.New("there is something behind it")
	}
	return a, nil
}

// answered is a canonical result with what a model would read.
type answered struct {
	tool.CallResult
	Output string `json:"output"`
}

func callTools(ctx context.Context, s streams, w *where, calls next) (err error) {
	set, err := loadSettings(ctx, w)
	if err != nil {
		return err
	}
	set.tell(s)
	set.tellGaps(s)
	folder, err := openWith(ctx, s, w, set.options())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	turn, err := folder.Begin(ctx, redline.TurnOptions{
		Toolset: set.word("toolset"), Review: set.word("review"), Mode: set.word("mode"), Rules: set.rules(),
		Session: cmp.Or(w.session, redline.ToolSession), Yes: w.yes, Message: "redline tool call",
	})
	if err != nil {
		return err
	}
	code, err := answerAll(ctx, s.out, turn, calls)
	if endErr := turn.End(context.WithoutCancel(ctx), ctx.Err() != nil); err == nil {
		err = endErr
	}
	if err == nil && code != exitDone {
		return &status{code: code}
	}
	return err
}

// answerAll runs the calls and prints a line for each.
func answerAll(ctx context.Context, out io.Writer, turn *redline.Turn, calls next) (code int, err error) {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	for n := 1; ; n++ {
		a, err := unlessDone(ctx, calls)
		switch {
		case ctx.Err() != nil:
			return code, ctx.Err()
		case errors.Is(err, io.EOF):
			return code, nil
		}
		if a.ID == "" {
			a.ID = callID(fmt.Sprintf("call_%d", n))
		}
		call := llm.ToolCall{ID: string(a.ID), Name: a.Name, Arguments: a.Arguments}
		var result tool.Result
		var bad badLine
		switch {
		case errors.As(err, &bad):
			result = tool.Result{Output: bad.Error(), IsError: true, Details: &tool.Failure{Code: "invalid_argument", Message: bad.Error()}}
		case err != nil:
			return exitError, fmt.Errorf("read the calls: %w", err)
		default:
			result = turn.Run(ctx, call)
		}
		code = max(code, statusOf(result))
		line := answered{tool.Canonical(llm.Call{ID: call.ID, Name: call.Name, Arguments: call.Arguments}, result, nil), result.Output}
		if err := e.Encode(line); err != nil {
			return exitError, err
		}
	}
}

func statusOf(r tool.Result) int {
	switch {
	case r.Code() == session.CodeLimit:
		return exitError
	case r.EndRun != "" || r.Code() == tool.CodeDenied:
		return exitDenied
	case r.IsError:
		return exitError
	}
	return exitDone
}

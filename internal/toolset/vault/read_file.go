package vault

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"redline/internal/ops"
	"redline/tool"
)

//go:embed read_file.md
var readFileText string

type readFileArgs struct {
	Path      string `json:"path" jsonschema:"path of the file, from the top of the vault" min:"1"`
	StartLine int    `json:"start_line,omitempty" jsonschema:"first line to read, counted from 1" min:"1"`
	EndLine   int    `json:"end_line,omitempty" jsonschema:"last line to read, included" min:"1"`
}

type readFileDetails struct {
	Path       string `json:"path"`
	StartLine  int    `json:"startLine"`
	EndLine    int    `json:"endLine"` // startLine - 1 if there are no lines
	TotalLines int    `json:"totalLines"`
	Truncated  bool   `json:"truncated"` // a limit left out what was asked for
}

func (s *set) readFile() (tool.Tool, error) {
	info := tool.Info{Name: "read_file", Label: "Read file", Description: readFileText}
	return reads(s, info, func(ctx context.Context, a readFileArgs, _ tool.Update) (tool.Result, error) {
		ctx, desk := s.desk.At(ctx)
		r, err := desk.Read(ctx, ops.ReadRequest{Path: a.Path, From: a.StartLine, To: a.EndLine, MaxLines: maxLines, MaxBytes: maxBytes})
		if err != nil {
			return tool.Result{}, fail(desk, err)
		}
		d := readFileDetails{Path: r.Path, StartLine: r.From, EndLine: r.To, TotalLines: r.Lines, Truncated: r.Truncated}
		return tool.Result{Output: reading(desk, r), Details: d}, nil
	})
}

// reading is the lines with their numbers, and a line behind them that says what is
// missing.
func reading(desk *ops.Desk, r ops.Reading) string {
	if r.Lines == 0 {
		return desk.Tell("The file " + r.Path + " is empty (0 lines).")
	}
	shown := strings.TrimSuffix(numbered(r.Text, r.From), "\n")
	switch {
	case r.Cut:
		return shown + "\n" + desk.Tell(fmt.Sprintf("[This is only the beginning of line %d, which is longer than %s. See the rest with bash: sed -n %dp … | cut -c…]", r.From, size(maxBytes), r.From))
	case r.Truncated:
		return shown + "\n" + desk.Tell(fmt.Sprintf("[These are the lines %d to %d of %d. Read on with start_line %d.]", r.From, r.To, r.Lines, r.To+1))
	}
	return shown
}

// numbered is text with the numbers of its lines, the first of them from. A byte
// order mark is not shown: it stays in the file whatever becomes of its line.
func numbered(content string, from int) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimPrefix(content, "\ufeff")) {
		fmt.Fprintf(&b, "%6d\t%s\n", from, strings.TrimRight(line, "\r\n"))
		from++
	}
	return b.String()
}

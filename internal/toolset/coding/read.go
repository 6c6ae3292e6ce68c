package coding

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"redline/internal/ops"
	"redline/internal/toolset"
	"redline/tool"
)

//go:embed read.md
var readText string

type readArgs struct {
	FilePath string `json:"file_path" jsonschema:"Path to file to read (relative or absolute)"`
	Offset   int    `json:"offset,omitempty" jsonschema:"Line number to start reading from (1-indexed). Omit to read from beginning." min:"1"`
	Limit    int    `json:"limit,omitempty" jsonschema:"Maximum number of lines to read. Omit to read entire file (max 5000 lines)." min:"1" max:"5000"`
}

type readDetails struct {
	FilePath   string `json:"filePath"`
	TotalLines int    `json:"totalLines"`
	LinesRead  int    `json:"linesRead"`
	Offset     int    `json:"offset"`    // as asked for; 0: from the beginning
	Truncated  bool   `json:"truncated"` // a limit of the tool cut it, not that of the call
}

func (s *set) readTool() (tool.Tool, error) {
	return plain(s, tool.Info{Name: "read", Label: "Read File", Description: s.description(readText), ReadOnly: true}, s.read)
}

func (s *set) read(ctx context.Context, a readArgs, _ tool.Update) (tool.Result, error) {
	ctx, desk := s.desk.At(ctx)
	request := ops.ReadRequest{Path: a.FilePath, From: a.Offset, MaxLines: maxLines, MaxBytes: max(s.options.MaxOutput, 4*(maxLine+1)), MaxLine: maxLine}
	if a.Limit > 0 {
		request.MaxLines = a.Limit
	}
	r, err := desk.Read(ctx, request)
	if err != nil {
		return tool.Result{}, fail(desk, unreadable(err, "read", a.FilePath))
	}
	d := readDetails{FilePath: r.Path, TotalLines: r.Lines, LinesRead: r.To - r.From + 1, Offset: a.Offset}
	if r.Lines == 0 {
		return done(desk, d, "The file %s is empty (0 lines).", r.Path), nil
	}
	output, cut := numbered(desk, r.Text, r.From)
	d.Truncated = cut
	if r.To < r.Lines && (a.Limit == 0 || d.LinesRead < a.Limit) {
		d.Truncated = true
		output = warning(desk, r) + "\n\n" + output
	}
	return tool.Result{Output: output, Details: d}, nil
}

// warning says what a limit has left out.
func warning(desk *ops.Desk, r ops.Reading) string {
	shown := fmt.Sprintf("first %d", r.To)
	if r.From > 1 {
		shown = fmt.Sprintf("lines %d to %d", r.From, r.To)
	}
	return desk.Tell(fmt.Sprintf("WARNING: File has %s, showing %s. Use offset and limit parameters to read more.", count(r.Lines, "line"), shown))
}

// numbered shows lines with their numbers as cat -n does, without line ends. Of a
// line that is too long only the beginning is shown, and a note behind it; cut
// tells whether there is one.
func numbered(desk *ops.Desk, text string, from int) (shown string, cut bool) {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimPrefix(text, "\uFEFF")) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%6d", from)
		from++
		if line == "" {
			continue
		}
		b.WriteString("  ")
		if end := beginning(line, maxLine); end < len(line) {
			cut = true
			line = line[:end] + desk.Tell(fmt.Sprintf("… [only the first %d characters of this line are shown]", maxLine))
		}
		b.WriteString(line)
	}
	return b.String(), cut
}

// beginning is how many bytes the first n characters have.
func beginning(s string, n int) int {
	if len(s) <= n {
		return len(s)
	}
	for i := range s {
		if n--; n < 0 {
			return i
		}
	}
	return len(s)
}

// unreadable gives the error about a file that is no text the words of the
// contract.
func unreadable(err error, verb, name string) error {
	what := "binary file '" + name + "'"
	switch {
	case errors.Is(err, ops.ErrEncoding):
		what = "file '" + name + "', which is not UTF-8 text"
	case !errors.Is(err, ops.ErrBinary):
		return err
	}
	word := quoted(name)
	e := toolset.Refusal(ops.UnsupportedFile, name, `Cannot %s %s. Use bash tool if you need to inspect: bash(command="file %s") or bash(command="xxd %s | head")`, verb, what, word, word)
	e.Suggestions = nil
	return e
}

// quoted is a name as a word of a command.
func quoted(name string) string {
	plain := strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,+@%=")
	if plain == "" && name != "" && name[0] != '-' {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}

package project

import (
	"context"
	_ "embed"
	"fmt"

	"redline/internal/ops"
	"redline/tool"
)

//go:embed read_file.md
var readFileText string

type readFileArgs struct {
	FilePath  string `json:"file_path" jsonschema:"path of the file, from the top of the project" min:"1"`
	StartLine int    `json:"start_line,omitempty" jsonschema:"first line to read, counted from 1; 1 if left out" min:"1"`
	EndLine   int    `json:"end_line,omitempty" jsonschema:"last line to read, included" min:"1"`
	MaxBytes  int    `json:"max_bytes,omitempty" jsonschema:"how many bytes to read at most" min:"1"`
}

type readFileResult struct {
	FilePath   string `json:"file_path"`
	Content    string `json:"content"`
	StartLine  int    `json:"start_line"`
	EndLine    int    `json:"end_line"` // start_line - 1 if there are no lines
	TotalLines int    `json:"total_lines"`
	Truncated  bool   `json:"truncated"` // a limit left out what was asked for
	// The hashes of the whole file, and of the lines start_line to end_line. There
	// are none if a line was cut: whoever replaced it would lose the rest unseen.
	BaseFileHash string `json:"base_file_hash,omitempty"`
	Hash         string `json:"hash,omitempty"`
}

func (s *set) readFile() (tool.Tool, error) {
	return newTool(s, tool.Info{Name: "read_file", Label: "Read file", Description: readFileText, ReadOnly: true},
		func(ctx context.Context, args readFileArgs, _ tool.Update) (tool.Result, error) {
			ctx, desk := s.desk.At(ctx)
			r := ops.ReadRequest{Path: args.FilePath, From: args.StartLine, To: args.EndLine, MaxBytes: s.limits.ReadBytes}
			if args.EndLine == 0 {
				r.MaxLines = s.limits.ReadLines
			}
			if args.MaxBytes > 0 {
				r.MaxBytes = min(args.MaxBytes, s.limits.ReadCap)
			}
			read, err := desk.Read(ctx, r)
			if err != nil {
				return tool.Result{}, fail(desk, err)
			}
			details := readFileResult{
				FilePath: read.Path, Content: read.Text, StartLine: read.From, EndLine: read.To, TotalLines: read.Lines,
				Truncated: read.Truncated,
			}
			if !read.Cut {
				details.BaseFileHash, details.Hash = read.Hash.String(), read.PartHash.String()
			}
			return tool.Result{Output: readWords(desk, read), Details: details}, nil
		})
}

// readWords are the lines with their numbers, below a line that says what they
// are, and above one that says what is missing.
func readWords(desk *ops.Desk, r ops.Reading) string {
	switch {
	case r.Lines == 0:
		return desk.Tell(fmt.Sprintf("%s is empty. base_file_hash %s", r.Path, r.Hash))
	case r.Cut:
		return desk.Tell(fmt.Sprintf("%s, the beginning of line %d of %d:", r.Path, r.From, r.Lines)) + "\n" + numbered(r.Text, r.From) +
			desk.Tell(fmt.Sprintf("[Line %d is longer than these %s. Read it with a higher max_bytes before you change it.]", r.From, count(len(r.Text), "byte")))
	}
	head := fmt.Sprintf("%s, %s of %d (base_file_hash %s", r.Path, lines(r.From, r.To), r.Lines, r.Hash)
	if !r.Whole {
		head += ", hash of these lines " + r.PartHash.String()
	}
	words := desk.Tell(head+"):") + "\n" + numbered(r.Text, r.From)
	switch {
	case r.Truncated:
		words += desk.Tell(fmt.Sprintf("[Lines are left out here. Read on with start_line %d.]", r.To+1))
	case r.To < r.Lines:
		words += desk.Tell(fmt.Sprintf("[The file goes on with line %d.]", r.To+1))
	}
	return words
}

package project

import (
	"context"
	_ "embed"

	"redline/internal/ops"
	"redline/internal/toolset"
	"redline/tool"
)

//go:embed propose_edits.md
var proposeEditsText string

// ProposedEdit is one change of a file by lines, as the contract has it.
type ProposedEdit struct {
	EditID       string  `json:"edit_id,omitempty" jsonschema:"name of the edit, different from the others; made up if left out" max:"64" pattern:"^\\S*$"`
	FilePath     string  `json:"file_path" jsonschema:"path of the file, from the top of the project" min:"1"`
	Operation    string  `json:"operation" jsonschema:"replace and delete are about the lines start_line to end_line, both included; insert puts new_text before start_line" enum:"replace,insert,delete"`
	StartLine    int     `json:"start_line" jsonschema:"first line, counted from 1, in the file as it is before all edits of this call; to append, insert at the number of lines plus 1" min:"1"`
	EndLine      *int    `json:"end_line,omitempty" jsonschema:"last line, included; needed for replace and delete" min:"1"`
	NewText      *string `json:"new_text,omitempty" jsonschema:"whole lines, without line numbers; empty for delete"`
	ExpectedHash string  `json:"expected_hash,omitempty" jsonschema:"hash that read_file gave: of the whole file, or of exactly the lines start_line to end_line"`
	Rationale    string  `json:"rationale,omitempty" jsonschema:"why, in a sentence for the user"`
}

type proposeEditsArgs struct {
	Edits []ProposedEdit `json:"edits" jsonschema:"the edits, of any number of files; all of them are made or none" min:"1" max:"500"`
}

// proposeEditsResult is the details of a proposal that was taken.
type proposeEditsResult struct {
	ProposedEdits []ProposedEdit `json:"proposed_edits"` // with their names, in the order of the call
	Files         []changedFile  `json:"files"`
}

// changedFile is a file that a proposal changed.
type changedFile struct {
	FilePath     string       `json:"file_path"`
	Created      bool         `json:"created,omitempty"`
	BaseFileHash string       `json:"base_file_hash"` // before the edits; "" if it was not there
	FileHash     string       `json:"file_hash"`      // now: what a next proposal shows as expected_hash
	TotalLines   int          `json:"total_lines"`    // now
	AddedLines   int          `json:"added_lines"`
	RemovedLines int          `json:"removed_lines"`
	Edits        []placedEdit `json:"edits"`
}

// placedEdit is where the lines of an edit are now.
type placedEdit struct {
	EditID    string `json:"edit_id"`
	StartLine int    `json:"start_line"`
	EndLine   int    `json:"end_line"` // start_line - 1 if there are none
}

func (s *set) proposeEdits() (tool.Tool, error) {
	t, err := newTool(s, tool.Info{Name: "propose_edits", Label: "Propose edits", Description: proposeEditsText},
		func(ctx context.Context, args proposeEditsArgs, _ tool.Update) (tool.Result, error) {
			ctx, desk := s.desk.At(ctx)
			r, words, err := s.names.propose(ctx, desk, args.Edits)
			if err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Output: words, Details: r}, nil
		})
	if err != nil {
		return nil, err
	}
	return changing{t.(toolset.Contract), s}, nil
}

// propose makes the edits, all or none.
func (n *names) propose(ctx context.Context, desk *ops.Desk, edits []ProposedEdit) (proposeEditsResult, string, error) {
	edits, twice := n.named(desk, edits)
	var list []ops.Proposed
	for i, e := range edits {
		p := e.translated()
		if twice[i] {
			p.Wrong = refusal(ops.InvalidArgument, e.FilePath, "another edit has the edit_id %s as well", e.EditID)
		}
		list = append(list, p)
	}
	files, err := desk.Propose(ctx, "propose_edits", list)
	if err != nil {
		return proposeEditsResult{}, "", failProposal(desk, edits, err)
	}
	n.taken(desk, edits)
	r := proposeEditsResult{ProposedEdits: edits, Files: changedFiles(files)}
	return r, proposedWords(desk, edits, files), nil
}

// translated is an edit as the desk makes it.
func (e ProposedEdit) translated() ops.Proposed {
	p := ops.Proposed{ID: e.EditID, Path: e.FilePath, From: e.StartLine, Expected: e.ExpectedHash}
	wrong := func(code ops.Code, format string, args ...any) ops.Proposed {
		p.Wrong = refusal(code, e.FilePath, format, args...)
		return p
	}
	if e.NewText != nil {
		p.Text = *e.NewText
	}
	switch {
	case e.Operation == "delete" && p.Text != "":
		return wrong(ops.InvalidArgument, "delete takes no new_text; to put other lines there, use replace")
	case e.Operation == "replace" && e.NewText == nil:
		return wrong(ops.ContentRequired, "replace needs new_text; to remove lines, use delete")
	case e.Operation == "insert" && p.Text == "":
		return wrong(ops.ContentRequired, "insert needs new_text")
	case e.Operation == "insert" && e.EndLine != nil && *e.EndLine != e.StartLine && *e.EndLine != e.StartLine-1:
		return wrong(ops.InvalidArgument, "insert goes before start_line and replaces nothing: leave end_line out, or use replace")
	case e.Operation == "insert":
		p.To = e.StartLine - 1
		return p
	case e.EndLine == nil:
		return wrong(ops.InvalidArgument, "%s needs end_line; for one line it is the same as start_line", e.Operation)
	case *e.EndLine < e.StartLine:
		return wrong(ops.InvalidRange, "end_line %d is before start_line %d", *e.EndLine, e.StartLine)
	}
	p.To = *e.EndLine
	return p
}

func changedFiles(files []ops.ProposedFile) []changedFile {
	var list []changedFile
	for _, f := range files {
		c := changedFile{
			FilePath: f.Path, Created: f.Created, BaseFileHash: f.Before.String(), FileHash: f.After.String(),
			TotalLines: f.Lines, AddedLines: f.Added, RemovedLines: f.Removed, Edits: []placedEdit{},
		}
		for _, e := range f.Edits {
			c.Edits = append(c.Edits, placedEdit{e.ID, e.From, e.To})
		}
		list = append(list, c)
	}
	return list
}

package redline

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"redline/internal/diff"
	"redline/internal/ledger"
	"redline/internal/ops"
	"redline/internal/text"
	"redline/internal/wire"
	"redline/internal/workspace"
)

// longestHunk is the size in bytes of the longest patch that is taken apart into
// lines and words.
const longestHunk = 1 << 20

// Changes is what a turn changed, as front ends show it: file by file, hunk by
// hunk, line by line.
func (f *Folder) Changes(ctx context.Context, r *ledger.TurnRecord) (wire.Turn, error) {
	t := wire.Turn{
		ID: r.ID, Session: r.Session, Message: r.Message, Checkpoint: r.Checkpoint, Review: string(r.Review), Status: string(r.Status),
		Began: r.Began, Ended: r.Ended, Files: []wire.File{},
	}
	bundle, err := ops.Bundle(ctx, f.ledger, r)
	if err != nil {
		return t, fmt.Errorf("the changes of %s: %w", r.ID, err)
	}
	for i, bundled := range bundle.Files {
		file, err := f.changed(ctx, &r.Changes[i], bundled)
		if err != nil {
			return t, fmt.Errorf("the changes of %s: %w", r.ID, err)
		}
		t.Files = append(t.Files, file)
	}
	return t, nil
}

// changed is one file of a turn.
func (f *Folder) changed(ctx context.Context, c *ledger.Change, bundled wire.DiffFile) (wire.File, error) {
	file := wire.File{Path: bundled.Path, From: bundled.From, Verb: verb(c.Effect), Base: bundled.Base, Hunks: []wire.Hunk{}}
	for k, h := range c.Hunks {
		hunk := wire.Hunk{ID: h.ID, Kind: string(h.Kind), State: string(h.State), Applied: h.Applied, Patch: bundled.Hunks[k].Patch, Oversized: h.Oversized, DependsOn: h.DependsOn}
		added, gone := countLines(hunk.Patch)
		file.Added, file.Gone = file.Added+added, file.Gone+gone
		switch {
		case hunk.Patch == "":
			note, binary, err := f.note(ctx, c, h)
			if err != nil {
				return file, err
			}
			hunk.Note, file.Binary = note, file.Binary || binary
		case len(hunk.Patch) > longestHunk:
			hunk.Note = fmt.Sprintf("%s of text, too much to show; the patch has it", size(len(hunk.Patch)))
		default:
			lines, err := linesOf(hunk.Patch, h.B.Start-h.A.Start)
			if err != nil {
				return file, err
			}
			hunk.Lines = lines
		}
		file.Hunks = append(file.Hunks, hunk)
	}
	return file, nil
}

// verb is what happened to a file or a folder.
func verb(e ledger.Effect) string {
	if e.Before.Kind == ledger.Dir && e.After.Kind != ledger.File || e.After.Kind == ledger.Dir && e.Before.Kind != ledger.File {
		return "folder " + e.Verb()
	}
	return e.Verb()
}

// note says what a hunk without text does, and whether it is about bytes that are
// no text.
func (f *Folder) note(ctx context.Context, c *ledger.Change, h ledger.Hunk) (note string, binary bool, err error) {
	switch h.Kind {
	case ledger.MoveHunk:
		return "moved from " + workspace.Display(c.From.String()), false, nil
	case ledger.ModeHunk:
		return fmt.Sprintf("mode %o → %o", c.Before.Mode, c.After.Mode), false, nil
	}
	before, after, err := f.ledger.Contents(ctx, c)
	if err != nil {
		return "", false, err
	}
	was, wasBinary := thing(c.Before, before)
	is, isBinary := thing(c.After, after)
	switch {
	case !c.Before.Exists():
		note = "new " + is
	case !c.After.Exists():
		note = was + " removed"
	default:
		note = was + " → " + is
	}
	return note, wasBinary || isBinary, nil
}

// thing is what is at a path, in words.
func thing(s ledger.State, data []byte) (words string, binary bool) {
	switch {
	case s.Kind == ledger.Dir:
		return "folder", false
	case s.Kind == ledger.Link:
		return "link to " + workspace.Display(string(data)), false
	case s.Kind == ledger.None:
		return "nothing", false
	case len(data) == 0:
		return "empty file", false
	case text.Check(data) != nil:
		return "binary file of " + size(len(data)), true
	}
	return "file of " + size(len(data)), false
}

func size(n int) string {
	switch {
	case n == 1:
		return "1 byte"
	case n < 1000:
		return fmt.Sprintf("%d bytes", n)
	case n < 1000*1000:
		return fmt.Sprintf("%.1f kB", float64(n)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1000/1000)
}

// countLines counts the added and the removed lines of a patch without file names.
func countLines(patch string) (added, gone int) {
	for line := range strings.Lines(patch) {
		switch line[0] {
		case '+':
			added++
		case '-':
			gone++
		}
	}
	return added, gone
}

// linesOf takes a patch without file names apart. The patch counts the new lines as
// if it were alone; shift is how much farther down they are.
func linesOf(patch string, shift int) ([]wire.Line, error) {
	parsed, err := diff.Parse([]byte(patch))
	if err != nil {
		return nil, err
	}
	var lines []wire.Line
	for _, p := range parsed {
		for _, h := range p.Hunks {
			lines = append(lines, hunkLines(h, shift)...)
		}
	}
	return lines, nil
}

func hunkLines(h diff.Hunk, shift int) []wire.Line {
	a, b := sides(h)
	before, after := h.A.Start+1, h.A.Start+shift+1
	var lines []wire.Line
	x, y := 0, 0 // in a and b
	for i := 0; i < len(h.Lines); {
		gone, added := run(h.Lines[i:], diff.Delete), 0
		added = run(h.Lines[i+gone:], diff.Insert)
		if gone+added == 0 {
			line := wire.Line{Type: "unchanged", Before: before + x, After: after + y, NoEnd: noEnd(h.Lines[i].Text)}
			line.Spans = []wire.Span{{Text: string(trimEnd(h.Lines[i].Text, false))}}
			lines = append(lines, line)
			i, x, y = i+1, x+1, y+1
			continue
		}
		group := diff.Group{Changed: true, Change: diff.Change{A: text.Range{Start: x, End: x + gone}, B: text.Range{Start: y, End: y + added}}}
		lines = append(lines, changedLines(group, a, b, before, after)...)
		i, x, y = i+gone+added, x+gone, y+added
	}
	return lines
}

// sides are the old and the new lines of a hunk.
func sides(h diff.Hunk) (a, b *text.Document) {
	var older, newer []byte
	for _, l := range h.Lines {
		if l.Op != diff.Insert {
			older = append(older, l.Text...)
		}
		if l.Op != diff.Delete {
			newer = append(newer, l.Text...)
		}
	}
	return text.New(older), text.New(newer)
}

// run is how many of the first lines are of one kind.
func run(lines []diff.Span, op diff.Op) int {
	n := 0
	for n < len(lines) && lines[n].Op == op {
		n++
	}
	return n
}

// changedLines are the lines of a group, first the removed ones, then the added
// ones, with the words that differ between those that are alike.
func changedLines(g diff.Group, a, b *text.Document, before, after int) []wire.Line {
	var gone, added []wire.Line
	for row := range g.Rows(a, b) {
		// A line end that alone is different must show.
		ends := row.Old >= 0 && row.New >= 0 && crlf(a.Line(row.Old)) != crlf(b.Line(row.New))
		if row.Old >= 0 {
			gone = append(gone, wire.Line{Type: "removed", Before: before + row.Old, NoEnd: noEnd(a.Line(row.Old)), Spans: spans(row.Left, row.Kind, ends)})
		}
		if row.New >= 0 {
			added = append(added, wire.Line{Type: "added", After: after + row.New, NoEnd: noEnd(b.Line(row.New)), Spans: spans(row.Right, row.Kind, ends)})
		}
	}
	return append(gone, added...)
}

// spans are the pieces of a line. In a line that has no counterpart nothing is
// marked.
func spans(pieces []diff.Span, kind diff.Kind, ends bool) []wire.Span {
	out := []wire.Span{}
	for i, p := range pieces {
		data := p.Text
		if i == len(pieces)-1 {
			data = trimEnd(data, ends)
		} else if i == len(pieces)-2 && string(pieces[i+1].Text) == "\n" && !ends {
			data = bytes.TrimSuffix(data, []byte("\r"))
		}
		if len(data) > 0 {
			out = append(out, wire.Span{Text: string(data), Changed: kind == diff.Changed && p.Op != diff.Equal})
		}
	}
	return out
}

// trimEnd takes the line end off, but for the carriage return if that is to show.
func trimEnd(line []byte, ends bool) []byte {
	line, ok := bytes.CutSuffix(line, []byte("\n"))
	if ok && !ends {
		line = bytes.TrimSuffix(line, []byte("\r"))
	}
	return line
}

func crlf(line []byte) bool  { return bytes.HasSuffix(line, []byte("\r\n")) }
func noEnd(line []byte) bool { return !bytes.HasSuffix(line, []byte("\n")) }

// paths are names of files, checked.
func (f *Folder) paths(names []string) ([]ledger.Path, error) {
	var list []ledger.Path
	for _, name := range names {
		p, err := f.files.Path(name)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// Only are the files among some that paths name, under their old names or their new
// ones, or by a folder; all of them without paths.
func (f *Folder) Only(files []wire.File, paths ...string) ([]wire.File, error) {
	if len(paths) == 0 {
		return files, nil
	}
	only, err := f.paths(paths)
	if err != nil {
		return nil, err
	}
	kept := []wire.File{}
	for _, file := range files {
		if within(file.Path, only) || file.From != "" && within(file.From, only) {
			kept = append(kept, file)
		}
	}
	return kept, nil
}

func within(name string, paths []ledger.Path) bool {
	for _, p := range paths {
		if p.IsRoot() || name == p.String() || strings.HasPrefix(name, p.String()+"/") {
			return true
		}
	}
	return false
}

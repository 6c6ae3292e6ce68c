package ops

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"redline/internal/ledger"
	"redline/internal/text"
	"redline/internal/workspace"
)

// ReadRequest asks for a document or a part of it. Lines are counted from 1 and
// ranges are inclusive; 0 stands for the first or the last line.
type ReadRequest struct {
	Path     string
	From, To int
	MaxLines int // 0: no limit
	MaxBytes int // 0: no limit
	// MaxLine is how many characters of a line the caller shows. A document with
	// a longer line has not been shown as a whole. 0: all
	MaxLine int
}

// Reading is what was read.
type Reading struct {
	Path      string
	Text      string // the lines From to To, as they are
	From, To  int    // To is From-1 if there are none
	Lines     int    // of the whole document
	Size      int    // of the whole document, in bytes
	Hash      text.Hash
	PartHash  text.Hash // of Text alone
	Truncated bool      // a limit cut it: there is more after To
	Cut       bool      // the limit cut a line: Text is the beginning of it
	Whole     bool      // it is all there is
	short     bool      // the caller shows only the beginning of a line
}

// Read reads a document or a part of it. A session that was shown all of it, at once
// or in parts, may replace it as a whole; one that was shown whole lines may edit it
// by lines.
func (d *Desk) Read(ctx context.Context, r ReadRequest) (Reading, error) {
	s, doc, err := d.look(ctx, r.Path)
	if err != nil {
		return Reading{}, err
	}
	return d.show(s, doc, r)
}

// look is a document as the turn sees it. Nothing of it counts as shown yet.
func (d *Desk) look(ctx context.Context, name string) (*ledger.Snapshot, *text.Document, error) {
	p, err := d.resolve(ctx, name, workspace.Reading)
	if err != nil {
		return nil, nil, err
	}
	s, err := d.turn.Peek(ctx, p)
	if err != nil {
		return nil, nil, d.absent(ctx, name, err)
	}
	doc, err := s.Document()
	if err != nil {
		return nil, nil, AsError(err)
	}
	return s, doc, nil
}

// show is the part of a document that is asked for, which counts as shown.
func (d *Desk) show(s *ledger.Snapshot, doc *text.Document, r ReadRequest) (Reading, error) {
	out, err := part(doc, r)
	if err != nil {
		return Reading{}, err
	}
	out.Path = s.Path.String()
	if out.Cut {
		return out, nil // who replaced the line would lose the rest of it unseen
	}
	lines := text.Range{Start: out.From - 1, End: out.To}
	if out.short {
		lines = text.Range{}
	}
	d.turn.Saw(s, lines)
	return out, nil
}

func part(doc *text.Document, r ReadRequest) (Reading, error) {
	lines := doc.Lines()
	out := Reading{From: max(r.From, 1), To: r.To, Lines: lines, Size: doc.Len(), Hash: doc.Hash()}
	switch {
	case r.From < 0 || r.To < 0:
		return out, errorf(InvalidRange, r.Path, "lines are counted from 1; %d to %d is no range", r.From, r.To)
	case r.To != 0 && r.To < out.From:
		return out, errorf(InvalidRange, r.Path, "the range ends (line %d) before it begins (line %d)", r.To, out.From)
	case out.From > max(lines, 1):
		return out, errorf(InvalidRange, r.Path, "line %d is beyond the end of %s, which has %s", out.From, r.Path, lineCount(lines))
	}
	if out.To == 0 || out.To > lines {
		out.To = lines
	}
	asked := out.To
	if r.MaxLines > 0 {
		out.To = min(out.To, out.From+r.MaxLines-1)
	}
	content := slice(doc, out.From, out.To)
	if r.MaxBytes > 0 && len(content) > r.MaxBytes {
		content, out.To = within(doc, out.From, out.To, r.MaxBytes)
	}
	out.Text = string(content)
	out.PartHash = text.Sum(content)
	out.Cut = len(out.Text) < len(slice(doc, out.From, out.To))
	out.Truncated = out.Cut || out.To < asked
	out.short = hasLonger(out.Text, r.MaxLine)
	out.Whole = len(out.Text) == doc.Len() && !out.short
	return out, nil
}

func lineCount(n int) string {
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}

// hasLonger tells whether a line has more characters than a limit.
func hasLonger(s string, limit int) bool {
	for line := range strings.Lines(s) {
		if limit > 0 && len(line) > limit && utf8.RuneCountInString(strings.TrimRight(line, "\r\n")) > limit {
			return true
		}
	}
	return false
}

// slice is the bytes of the lines from to to, counted from 1.
func slice(doc *text.Document, from, to int) []byte {
	if to < from {
		return nil
	}
	data := doc.Bytes()
	end := len(data)
	if to < doc.Lines() {
		end = doc.Offset(to)
	}
	return data[doc.Offset(from-1):end]
}

// within is as many whole lines as fit into a number of bytes, and at least a part
// of the first one.
func within(doc *text.Document, from, to, limit int) ([]byte, int) {
	last := from - 1
	for last < to && len(slice(doc, from, last+1)) <= limit {
		last++
	}
	if last >= from {
		return slice(doc, from, last), last
	}
	line := slice(doc, from, from)[:limit]
	for len(line) > 0 && !utf8.Valid(line) {
		line = line[:len(line)-1]
	}
	return line, from
}

// Item is an entry of a list.
type Item struct {
	Name   string
	Path   string
	Folder bool
}

// ListRequest asks for documents and folders.
type ListRequest struct {
	Folder    string // "" and "/": all
	Recursive bool
	Glob      string // of paths below Folder; "": all
	FilesOnly bool
	Keep      func(name string) bool // of files, by name; nil: all
	Limit     int                    // 0: none
}

// Listing is a list in the order of paths.
type Listing struct {
	Items []Item
	More  int // left out by the limit
}

// List lists documents and folders as the turn sees them.
func (d *Desk) List(ctx context.Context, r ListRequest) (Listing, error) {
	under, err := d.folderPath(ctx, r.Folder)
	if err != nil {
		return Listing{}, err
	}
	o := workspace.WalkOptions{Under: under, Policy: d.policy, Closed: true}
	if !r.Recursive {
		o.Depth = 1
	}
	var glob workspace.Glob
	if r.Glob != "" {
		if glob, err = workspace.ParseGlob(r.Glob); err != nil {
			return Listing{}, errorf(InvalidGlob, r.Glob, "%v", err)
		}
	}
	found, err := d.turn.List(ctx, o)
	if err != nil {
		return Listing{}, AsError(err)
	}
	var out Listing
	for _, l := range found {
		switch {
		case !l.IsDir() && !l.IsFile() && !l.IsLink():
			continue
		case l.IsDir() && r.FilesOnly:
			continue
		case !l.IsDir() && r.Keep != nil && !r.Keep(l.Path.Base()):
			continue
		case r.Glob != "" && !glob.Match(relative(under, l.Path)):
			continue
		case r.Limit > 0 && len(out.Items) == r.Limit:
			out.More++
			continue
		}
		out.Items = append(out.Items, Item{Name: l.Path.Base(), Path: l.Path.String(), Folder: l.IsDir()})
	}
	return out, nil
}

func relative(under, p workspace.Path) workspace.Path {
	return p.Rebase(under, workspace.Path{})
}

// folderPath resolves the name of a folder that must be there.
func (d *Desk) folderPath(ctx context.Context, name string) (workspace.Path, error) {
	if name = strings.Trim(name, "/"); name == "" || name == "." {
		return workspace.Path{}, nil
	}
	p, err := d.resolve(ctx, name, workspace.Reading)
	if err != nil {
		return p, err
	}
	s, err := d.turn.Stat(ctx, p)
	switch {
	case err != nil:
		return p, AsError(err)
	case !s.Exists():
		return p, d.absent(ctx, name, &workspace.Error{Code: workspace.NotFound, Path: name})
	case s.Kind != ledger.Dir:
		return p, errorf(NotDirectory, name, "%s is a document, not a folder", name)
	}
	return p, nil
}

// Info is what is at a path.
type Info struct {
	Path   string
	Exists bool
	Folder bool
	Hash   text.Hash // of a document
}

// Stat tells what is at a path.
func (d *Desk) Stat(ctx context.Context, name string) (Info, error) {
	p, err := d.resolve(ctx, name, workspace.Reading)
	if err != nil {
		return Info{}, err
	}
	s, err := d.turn.Stat(ctx, p)
	if err != nil {
		return Info{}, AsError(err)
	}
	return Info{Path: p.String(), Exists: s.Exists(), Folder: s.Kind == ledger.Dir, Hash: s.Hash}, nil
}

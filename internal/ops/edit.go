package ops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"redline/internal/ledger"
	"redline/internal/outline"
	"redline/internal/text"
	"redline/internal/workspace"
)

// Edit is one change of a document: Lines, Replace, Append, Prepend, Insert or
// Rewrite. The set is closed.
type Edit interface{ edit() }

// Lines replaces the lines From to To, both included and counted from 1, by
// Text. With To = From-1 it inserts before From; an empty Text deletes. Expected,
// if set, is the hash of these lines, or of the whole document.
type Lines struct {
	ID       string
	From, To int
	Text     string
	Expected text.Hash
}

// Replace puts New in the place of Old, which is in the document exactly once, or
// at least once with All.
type Replace struct {
	Old, New string
	All      bool
}

// Append and Prepend add a paragraph at the end, or at the beginning behind any
// front matter.
type (
	Append  struct{ Text string }
	Prepend struct{ Text string }
)

// Insert adds a paragraph behind a heading, or lines of which the first becomes
// the line Line, counted from 1.
type Insert struct {
	Heading string
	Line    int
	Text    string
}

// Rewrite is the whole text anew. It needs a session that has seen all of the
// old one.
type Rewrite struct{ Text string }

func (Lines) edit()   {}
func (Replace) edit() {}
func (Append) edit()  {}
func (Prepend) edit() {}
func (Insert) edit()  {}
func (Rewrite) edit() {}

// EditRequest changes a document, by all of the edits or by none. The lines of
// all Lines refer to the document as it is before; the other edits are made
// after them, one after the other.
type EditRequest struct {
	Path  string
	Token text.Hash // of the text that the edits are about; zero: what the session last read
	Edits []Edit
}

// Edited is a document that was changed.
type Edited struct {
	Path          string
	Before, After []byte
	Hash          text.Hash // of After
	Replaced      int       // occurrences, of Replace
	Added         int       // lines
	Removed       int       // lines
}

// Edit changes a document.
func (d *Desk) Edit(ctx context.Context, tool string, r EditRequest) (Edited, error) {
	p, err := d.resolve(ctx, r.Path, workspace.Writing)
	if err != nil {
		return Edited{}, err
	}
	if len(r.Edits) == 0 {
		return Edited{}, errorf(InvalidArgument, r.Path, "there is no edit to make")
	}
	if rewrite, ok := r.Edits[0].(Rewrite); ok && len(r.Edits) == 1 {
		return d.Write(ctx, tool, WriteRequest{Path: r.Path, Content: rewrite.Text, Token: r.Token})
	}
	var out Edited
	var now *ledger.Snapshot // what the edits were tried on
	var after *ledger.Snapshot
	err = retry(ctx, func() (err error) {
		after, err = d.turn.Edit(ctx, tool, ledger.EditRequest{Path: p, Token: r.Token, Unread: !byLines(r.Edits), Edit: func(doc *text.Document) (*text.Document, []ledger.EditNote, error) {
			now = &ledger.Snapshot{Path: p, State: ledger.State{Hash: doc.Hash()}, Data: doc.Bytes()}
			edited, notes, replaced, err := d.apply(r, now, doc)
			if err != nil {
				return nil, nil, err
			}
			out = Edited{Before: doc.Bytes(), Replaced: replaced}
			if bytes.Equal(edited.Bytes(), doc.Bytes()) {
				return nil, nil, errorf(NoChange, r.Path, "%s has this text already; nothing would change", r.Path)
			}
			return edited, notes, nil
		}})
		return err
	})
	if err != nil {
		return Edited{}, d.refused(ctx, r, err)
	}
	out.Path, out.After, out.Hash = p.String(), after.Data, after.Hash
	out.Added, out.Removed = countLines(out.Before, out.After)
	return out, nil
}

// byLines tells whether an edit goes by line numbers, which only somebody can know
// who has read the document.
func byLines(edits []Edit) bool {
	return slices.ContainsFunc(edits, func(e Edit) bool {
		switch e := e.(type) {
		case Lines:
			return true
		case Insert:
			return e.Line > 0
		}
		return false
	})
}

// apply makes the edits on a document.
func (d *Desk) apply(r EditRequest, now *ledger.Snapshot, doc *text.Document) (*text.Document, []ledger.EditNote, int, error) {
	var lines []Lines
	replaced := 0
	for i, e := range r.Edits {
		if err := text.Check([]byte(textOf(e))); err != nil {
			return nil, nil, 0, r.about(i, errorf(UnsupportedFile, r.Path, "the content is no text: %v", err))
		}
		if err := d.checkContent(r.Path, textOf(e), doc.Bytes()); err != nil {
			return nil, nil, 0, r.about(i, err)
		}
		if l, ok := e.(Lines); ok {
			if err := checkLines(r.Path, now, doc, l); err != nil {
				return nil, nil, 0, r.about(i, err)
			}
			lines = append(lines, l)
		}
	}
	out, notes, err := applyLines(r.Path, now, doc, lines)
	if err != nil {
		return nil, nil, 0, err
	}
	for i, e := range r.Edits {
		if _, ok := e.(Lines); ok {
			continue
		}
		notes = nil // they would be about another text
		n := 0
		if out, n, err = applyOne(r.Path, now, out, e); err != nil {
			return nil, nil, 0, r.about(i, err)
		}
		replaced += n
	}
	return out, notes, replaced, nil
}

// about says which edit an error is about, where there are several.
func (r EditRequest) about(i int, err error) error {
	if len(r.Edits) == 1 {
		return err
	}
	e := AsError(err)
	e.Edit = i + 1
	return e
}

func textOf(e Edit) string {
	switch e := e.(type) {
	case Lines:
		return e.Text
	case Replace:
		return e.New
	case Append:
		return e.Text
	case Prepend:
		return e.Text
	case Insert:
		return e.Text
	case Rewrite:
		return e.Text
	}
	return ""
}

func applyLines(name string, now *ledger.Snapshot, doc *text.Document, list []Lines) (*text.Document, []ledger.EditNote, error) {
	if len(list) == 0 {
		return doc, nil, nil
	}
	var edits []text.Edit
	for _, l := range list {
		if err := checkLines(name, now, doc, l); err != nil {
			return nil, nil, err
		}
		edits = append(edits, text.Edit{Range: text.Range{Start: l.From - 1, End: l.To}, Content: []byte(l.Text)})
	}
	out, err := doc.Apply(edits...)
	if errors.Is(err, text.ErrOverlap) {
		return nil, nil, errorf(Overlap, name, "two of the edits touch the same lines of %s", name)
	}
	if err != nil {
		return nil, nil, AsError(err)
	}
	return out, editNotes(list), nil
}

func checkLines(name string, now *ledger.Snapshot, doc *text.Document, l Lines) error {
	if l.From < 1 || l.To < l.From-1 || l.To > doc.Lines() || l.From > doc.Lines()+1 {
		e := errorf(InvalidRange, name, "lines %d to %d: %s has %d lines", l.From, l.To, name, doc.Lines())
		if l.To == l.From-1 {
			e.Message = fmt.Sprintf("line %d: %s has %d lines, so text can become line 1 to %d", l.From, name, doc.Lines(), doc.Lines()+1)
		}
		e.Near = piece(now, doc, min(max(l.From-1, 0), doc.Lines()), min(max(l.To, 0), doc.Lines()))
		return e
	}
	if l.Expected.IsZero() || l.Expected == doc.Hash() {
		return nil
	}
	target := slice(doc, l.From, max(l.To, l.From))
	if l.From <= doc.Lines() && text.Sum(target) == l.Expected {
		return nil
	}
	e := errorf(Stale, name, "lines %d to %d of %s are not what they were when they were read", l.From, l.To, name)
	e.Near = piece(now, doc, l.From-1, max(l.To, l.From))
	return e
}

// editNotes says which lines of the text after each edit made of which before.
func editNotes(list []Lines) []ledger.EditNote {
	order := slices.Clone(list)
	slices.SortStableFunc(order, func(a, b Lines) int {
		if a.From != b.From {
			return a.From - b.From
		}
		return a.To - b.To
	})
	var notes []ledger.EditNote
	shift := 0
	for _, l := range order {
		n := text.FromString(l.Text).Lines()
		start := l.From - 1 + shift
		notes = append(notes, ledger.EditNote{ID: l.ID, A: text.Range{Start: l.From - 1, End: l.To}, B: text.Range{Start: start, End: start + n}})
		shift += n - (l.To - l.From + 1)
	}
	return notes
}

func applyOne(name string, now *ledger.Snapshot, doc *text.Document, e Edit) (*text.Document, int, error) {
	switch e := e.(type) {
	case Replace:
		return replaceText(name, now, doc, e)
	case Append:
		out, err := addParagraph(name, doc, doc.Lines(), e.Text)
		return out, 0, err
	case Prepend:
		out, err := addParagraph(name, doc, outline.FrontMatter(doc), e.Text)
		return out, 0, err
	case Insert:
		out, err := insert(name, doc, e)
		return out, 0, err
	}
	return nil, 0, errorf(InvalidArgument, name, "a rewrite cannot be one of several edits")
}

func replaceText(name string, now *ledger.Snapshot, doc *text.Document, e Replace) (*text.Document, int, error) {
	out, n, err := doc.ReplaceText([]byte(e.Old), []byte(e.New), e.All)
	var many *text.AmbiguousError
	switch {
	case errors.As(err, &many):
		var places []string
		var numbers []int
		for _, line := range many.Lines {
			numbers = append(numbers, line+1)
			places = append(places, fmt.Sprint(line+1))
		}
		more := ""
		if many.Count > len(places) {
			more = " and further ones"
		}
		fail := errorf(Ambiguous, name, "the text is in %s %d times, on lines %s%s", name, many.Count, strings.Join(places, ", "), more)
		fail.Details = map[string]any{"count": many.Count, "lines": numbers}
		fail.Near = piece(now, doc, many.Lines[0], many.Lines[0]+1)
		return nil, 0, fail
	case errors.Is(err, text.ErrNotFound):
		if fail := pasted(name, now, doc, e.Old); fail != nil {
			return nil, 0, fail
		}
		fail := errorf(TextNotFound, name, "the text is not in %s", name)
		fail.Near = nearText(now, doc, e.Old)
		return nil, 0, fail
	case err != nil:
		return nil, 0, AsError(err)
	}
	return out, n, nil
}

func insert(name string, doc *text.Document, e Insert) (*text.Document, error) {
	at, err := insertionPoint(name, doc, e)
	switch {
	case err != nil:
		return nil, err
	case e.Heading != "" || e.Text == "":
		return addParagraph(name, doc, at, e.Text)
	}
	out, err := doc.Insert(at-1, []byte(strings.TrimSuffix(e.Text, "\n")+"\n"))
	if err != nil {
		return nil, AsError(err)
	}
	return out, nil
}

// insertionPoint is the line behind which a paragraph goes, counted from 0.
func insertionPoint(name string, doc *text.Document, e Insert) (int, error) {
	if e.Heading != "" && e.Line != 0 {
		return 0, errorf(InvalidArgument, name, "give a heading or a line, not both")
	}
	if e.Heading == "" {
		if e.Line < 1 || e.Line > doc.Lines()+1 {
			return 0, errorf(InvalidRange, name, "line %d: %s has %d lines, so content can become line 1 to %d", e.Line, name, doc.Lines(), doc.Lines()+1)
		}
		return e.Line - 1, nil
	}
	headings := outline.Headings(doc)
	h, err := outline.Find(headings, e.Heading)
	if err == nil {
		return h.Last, nil
	}
	var names []string
	for _, h := range headings {
		names = append(names, h.Text)
	}
	fail := errorf(HeadingNotFound, name, "%s: %v", name, err)
	var many *outline.AmbiguousError
	if errors.As(err, &many) {
		fail.Code, fail.Suggestions = Ambiguous, []string{"Give the number of the line instead of the heading."}
		fail.Details = map[string]any{"count": len(many.Lines), "lines": many.Lines}
		return 0, fail
	}
	fail.Details = map[string]any{"headings": names}
	if len(names) > 0 {
		fail.hint("Headings of the document: " + strings.Join(names[:min(len(names), 30)], "; "))
	}
	return 0, fail
}

// addParagraph puts a paragraph behind a line, with an empty line on each side
// where there is text.
func addParagraph(name string, doc *text.Document, behind int, content string) (*text.Document, error) {
	if content == "" {
		return nil, errorf(ContentRequired, name, "there is nothing to add to %s", name)
	}
	var b strings.Builder
	if behind > 0 && !emptyLine(doc, behind-1) {
		if behind < doc.Lines() && emptyLine(doc, behind) {
			behind++ // there is an empty line already
		} else {
			b.WriteString("\n")
		}
	}
	b.WriteString(content)
	if !strings.HasSuffix(content, "\n") {
		b.WriteString("\n")
	}
	if behind < doc.Lines() && !emptyLine(doc, behind) {
		b.WriteString("\n")
	}
	out, err := doc.Insert(behind-1, []byte(b.String()))
	if err != nil {
		return nil, AsError(err)
	}
	return out, nil
}

func emptyLine(doc *text.Document, i int) bool {
	return len(bytes.TrimSpace(doc.LineText(i))) == 0
}

// refused makes the error for an edit that was not made, with the text as it is
// now if the writer did not know it.
func (d *Desk) refused(ctx context.Context, r EditRequest, err error) error {
	var stale *ledger.StaleError
	if !errors.As(err, &stale) {
		return d.absent(ctx, r.Path, err)
	}
	e := errorf(Stale, r.Path, "%s: %s", r.Path, stale.Reason)
	doc := text.New(stale.Current.Data)
	switch first := r.Edits[0].(type) {
	case Lines:
		e.Near = piece(stale.Current, doc, min(max(first.From-1, 0), doc.Lines()), min(max(first.To, first.From), doc.Lines()))
	case Replace:
		e.Near = nearText(stale.Current, doc, first.Old)
	}
	if e.Near == nil {
		e.Near = piece(stale.Current, doc, 0, min(20, doc.Lines()))
	}
	return e
}

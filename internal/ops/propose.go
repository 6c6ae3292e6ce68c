package ops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"redline/internal/ledger"
	"redline/internal/text"
	"redline/internal/workspace"
)

// Proposed is one edit of a proposal. The lines From to To of a document, both
// included and counted from 1, become Text; with To = From-1 it is put before
// From, and an empty Text deletes. Before line 1 of a document that is not there
// it makes a new one.
type Proposed struct {
	ID       string
	Path     string
	From, To int
	Text     string // whole lines; a missing last terminator is supplied where lines follow
	// Expected is a hash that was given with a reading: of the whole document, of
	// the lines From to To, or of the line that an insertion goes before. Without
	// it the session must have read the current text.
	Expected string
	// Wrong is what the caller found wrong with it, so that it is named along with
	// the problems of the others.
	Wrong *Error
}

// ProposedFile is a document that a proposal changed.
type ProposedFile struct {
	Path           string
	Created        bool
	Before, After  text.Hash // of the whole document
	Lines          int       // of the document now
	Added, Removed int       // lines
	Edits          []Placed  // in the order of lines
	// Elsewhere: the document has also changed in other places since the session
	// read it, so the session does not know all of it.
	Elsewhere bool
}

// Placed is where the lines of an edit are now; To is From-1 if there are none.
type Placed struct {
	ID       string
	From, To int
}

// Problem is why some edits of a proposal cannot be made.
type Problem struct {
	IDs  []string
	Path string
	Err  *Error
}

// ProposalError says what is wrong with a proposal, edit by edit.
type ProposalError struct {
	Problems []Problem
	// Made are the documents that were changed all the same: when all was well
	// with the proposal, and then the folder changed while it was written.
	Made []ProposedFile
}

func (e *ProposalError) Error() string {
	var list []string
	for _, p := range e.Problems {
		list = append(list, strings.Join(p.IDs, ", ")+": "+p.Err.Message)
	}
	return strings.Join(list, "; ")
}

// Propose makes edits in any number of documents, all of them or none. The lines
// of all edits of a document are those of the document as it is before; edits
// must not overlap, and insertions at one place keep their order.
//
// All edits are checked before the first document is changed, and the error is a
// *ProposalError that names every problem.
func (d *Desk) Propose(ctx context.Context, tool string, edits []Proposed) ([]ProposedFile, error) {
	if len(edits) == 0 {
		return nil, errorf(InvalidArgument, "", "there is no edit to make")
	}
	drafts, problems := d.drafts(ctx, edits)
	for _, f := range drafts {
		problems = append(problems, d.check(ctx, f)...)
	}
	problems = append(problems, nested(drafts)...)
	if len(problems) > 0 {
		slices.SortStableFunc(problems, func(a, b Problem) int { return order(edits, a) - order(edits, b) })
		return nil, &ProposalError{Problems: problems}
	}
	var made []ProposedFile
	for i, f := range drafts {
		file, err := d.put(ctx, tool, f)
		if err == nil {
			made = append(made, file)
			continue
		}
		e := AsError(err)
		switch workspace.CodeOf(err) {
		case workspace.NoSpace, workspace.ReadOnly, workspace.Failed:
			made = nil // the ledger has taken back the turn
		}
		fail := &ProposalError{Problems: []Problem{f.problem(e)}, Made: made}
		for _, rest := range drafts[i+1:] {
			fail.Problems = append(fail.Problems, rest.problem(errorf(e.Code, rest.name, "%s was left alone, because of what happened to %s", rest.name, f.name)))
		}
		return made, fail
	}
	return made, nil
}

// order is the place of a problem's first edit in the proposal.
func order(edits []Proposed, p Problem) int {
	return slices.IndexFunc(edits, func(e Proposed) bool { return e.ID == p.IDs[0] })
}

// draft is a document that a proposal is about.
type draft struct {
	name   string
	path   workspace.Path
	lines  []Lines
	before *text.Document
	after  *text.Document
	create bool
	narrow bool // the session knows only the lines that it changes
}

func (f *draft) problem(err *Error) Problem {
	p := Problem{Path: f.name, Err: err}
	for _, l := range f.lines {
		p.IDs = append(p.IDs, l.ID)
	}
	return p
}

// drafts sorts the edits by document.
func (d *Desk) drafts(ctx context.Context, edits []Proposed) ([]*draft, []Problem) {
	var list []*draft
	var problems []Problem
	for _, e := range edits {
		if e.Wrong != nil {
			problems = append(problems, Problem{[]string{e.ID}, e.Path, e.Wrong})
			continue
		}
		p, err := d.resolve(ctx, e.Path, workspace.Writing)
		if err != nil {
			problems = append(problems, Problem{[]string{e.ID}, e.Path, AsError(err)})
			continue
		}
		expected, err := text.ParseHash(e.Expected)
		if err != nil {
			problems = append(problems, Problem{[]string{e.ID}, e.Path, badHash(e)})
			continue
		}
		i := slices.IndexFunc(list, func(f *draft) bool { return f.path == p })
		if i < 0 {
			i = len(list)
			list = append(list, &draft{name: p.String(), path: p})
		}
		list[i].lines = append(list[i].lines, Lines{ID: e.ID, From: e.From, To: e.To, Text: e.Text, Expected: expected})
	}
	return list, problems
}

func badHash(e Proposed) *Error {
	fail := errorf(InvalidArgument, e.Path, "the expected hash %.80q is none", e.Expected)
	fail.Suggestions = []string{"Send a hash as reading the document gave it, \"sha256:\" and 64 digits, or leave it out."}
	return fail
}

// check finds out whether the edits of a document can be made, and what comes of
// them.
func (d *Desk) check(ctx context.Context, f *draft) []Problem {
	now, err := d.turn.Peek(ctx, f.path)
	if err != nil {
		e := AsError(err)
		if e.Code == NotFound {
			return d.checkNewFile(ctx, f)
		}
		return []Problem{f.problem(e)}
	}
	if f.before, err = now.Document(); err != nil {
		return []Problem{f.problem(AsError(err))}
	}
	if now.Mode&0o200 == 0 {
		return []Problem{f.problem(errorf(PermissionDenied, f.name, "%s is read-only; the user has to make it writable first", f.name))}
	}
	unread := d.unread(ctx, f.path)
	// Who shows the hash of the whole document knows all of it.
	known := unread == nil || slices.ContainsFunc(f.lines, func(l Lines) bool { return l.Expected == now.Hash })
	var problems []Problem
	for i := range f.lines {
		l := &f.lines[i]
		l.Text = wholeLines(f.before, *l)
		if err := d.checkEdit(f, now, *l, known, unread); err != nil {
			problems = append(problems, Problem{[]string{l.ID}, f.name, err})
		}
	}
	if problems = append(problems, f.overlaps(now)...); len(problems) > 0 {
		return problems
	}
	f.narrow = !known
	return f.apply(now)
}

// apply makes the edits on the text before.
func (f *draft) apply(now *ledger.Snapshot) []Problem {
	after, _, err := applyLines(f.name, now, f.before, f.lines)
	if err != nil {
		return []Problem{f.problem(AsError(err))}
	}
	f.after = after
	return nil
}

// errProbed ends an edit that is only tried.
var errProbed = errors.New("only tried")

// unread is why the session does not know the current text of p, or nil.
func (d *Desk) unread(ctx context.Context, p workspace.Path) error {
	_, err := d.turn.Edit(ctx, "", ledger.EditRequest{Path: p, Edit: func(*text.Document) (*text.Document, []ledger.EditNote, error) {
		return nil, nil, errProbed
	}})
	if errors.Is(err, errProbed) {
		return nil
	}
	return err
}

// checkEdit finds what is wrong with one edit.
func (d *Desk) checkEdit(f *draft, now *ledger.Snapshot, l Lines, known bool, unread error) *Error {
	if err := checkLines(f.name, now, f.before, l); err != nil {
		e := AsError(err)
		switch {
		case e.Code == InvalidRange:
			e.Message = fmt.Sprintf("there is no such place: %s; %s has %s", linesOf(l), f.name, lineCount(f.before.Lines()))
		case known:
			e.Message = fmt.Sprintf("the expected hash is neither that of %s nor that of the whole of %s, which has not changed since it was read", linesOf(l), f.name)
			e.Suggestions = []string{"Send the hash of the whole document, or none."}
		default:
			e.Message = fmt.Sprintf("%s, %s: not what the expected hash stands for", f.name, linesOf(l))
		}
		return e
	}
	if l.Expected.IsZero() && !known {
		return unreadError(f, now, l, unread)
	}
	if e := d.checkText(f, l); e != nil {
		return e
	}
	if out, err := f.before.Apply(text.Edit{Range: text.Range{Start: l.From - 1, End: l.To}, Content: []byte(l.Text)}); err == nil && bytes.Equal(out.Bytes(), f.before.Bytes()) {
		return errorf(NoChange, f.name, "%s has this text on %s already; the edit would change nothing", f.name, linesOf(l))
	}
	return nil
}

// unreadError refuses an edit of lines that the session does not know.
func unreadError(f *draft, now *ledger.Snapshot, l Lines, unread error) *Error {
	e := AsError(unread)
	e.Path = f.name
	var stale *ledger.StaleError
	if errors.As(unread, &stale) && !strings.Contains(stale.Reason, "changed") {
		e.Message = fmt.Sprintf("%s has not been read, or no whole line of it", f.name)
		e.Suggestions = []string{"Read the lines first, and make the edit on what you see."}
	}
	e.Near = piece(now, f.before, l.From-1, max(l.To, l.From))
	return e
}

// shownNumbers is how the lines of documents are numbered for models.
var shownNumbers = regexp.MustCompile(`(?m)^(?: {5}\d| {4}\d\d| {3}\d{3}| {2}\d{4}| \d{5}|\d{6})\t`)

// checkText refuses what is no text of a document: binary data, a message of a
// tool, line numbers.
func (d *Desk) checkText(f *draft, l Lines) *Error {
	if err := text.Check([]byte(l.Text)); err != nil {
		return errorf(UnsupportedFile, f.name, "the new text is no text: %v", err)
	}
	if err := d.checkContent(f.name, l.Text, f.before.Bytes()); err != nil {
		return AsError(err)
	}
	lines := text.FromString(l.Text).Lines()
	if lines > 0 && len(shownNumbers.FindAllStringIndex(l.Text, lines)) == lines && !shownNumbers.Match(f.before.Bytes()) {
		e := errorf(InvalidArgument, f.name, "the new text has line numbers before its lines; they are shown with a document and are not part of it")
		e.Suggestions = []string{"Send the lines without their numbers and the tab behind them."}
		return e
	}
	return nil
}

// wholeLines gives the last line of a text the terminator that it lacks, unless
// it becomes the end of a document that has none either.
func wholeLines(doc *text.Document, l Lines) string {
	if l.Text == "" || strings.HasSuffix(l.Text, "\n") {
		return l.Text
	}
	if n := doc.Lines(); n > 0 && l.To >= n && text.Terminator(doc.Line(n-1)) == text.None {
		return l.Text
	}
	return l.Text + "\n"
}

// overlaps finds edits that touch the lines of another one.
func (f *draft) overlaps(now *ledger.Snapshot) []Problem {
	order := slices.Clone(f.lines)
	slices.SortStableFunc(order, compareLines)
	var problems []Problem
	for i := 1; i < len(order); i++ {
		a, b := order[i-1], order[i]
		if b.From <= a.To {
			e := errorf(Overlap, f.name, "%s (%s) and %s (%s) of %s touch the same lines", a.ID, linesOf(a), b.ID, linesOf(b), f.name)
			if b.From <= f.before.Lines() {
				e.Near = piece(now, f.before, a.From-1, max(a.To, b.To))
			}
			problems = append(problems, Problem{[]string{a.ID, b.ID}, f.name, e})
		}
		if a.To > b.To {
			order[i] = a // it may reach further
		}
	}
	return problems
}

// compareLines sorts edits as they are made: an insertion comes before a
// replacement that starts at the same line.
func compareLines(a, b Lines) int {
	if a.From != b.From {
		return a.From - b.From
	}
	return a.To - b.To
}

// linesOf names the lines of an edit.
func linesOf(l Lines) string {
	switch {
	case l.To < l.From:
		return fmt.Sprintf("the place before line %d", l.From)
	case l.To == l.From:
		return fmt.Sprintf("line %d", l.From)
	}
	return fmt.Sprintf("lines %d to %d", l.From, l.To)
}

// checkNewFile is check for a document that is not there.
func (d *Desk) checkNewFile(ctx context.Context, f *draft) []Problem {
	f.create, f.before = true, text.New(nil)
	var problems []Problem
	for i := range f.lines {
		l := &f.lines[i]
		l.Text = wholeLines(f.before, *l)
		var e *Error
		switch {
		case l.From != 1 || l.To != 0 || !l.Expected.IsZero():
			e = AsError(d.absent(ctx, f.name, &workspace.Error{Code: workspace.NotFound, Path: f.name}))
			e.hint("A new document is made by an insertion before line 1, without an expected hash.")
		case l.Text == "":
			e = errorf(ContentRequired, f.name, "there is nothing to write to %s", f.name)
		default:
			e = d.checkText(f, *l)
		}
		if e != nil {
			problems = append(problems, Problem{[]string{l.ID}, f.name, e})
		}
	}
	if problems != nil {
		return problems
	}
	for dir := f.path.Parent(); !dir.IsRoot(); dir = dir.Parent() {
		s, err := d.turn.Stat(ctx, dir)
		if err != nil {
			return []Problem{f.problem(AsError(err))}
		}
		if s.Exists() && s.Kind != ledger.Dir {
			return []Problem{f.problem(errorf(NotDirectory, f.name, "%s is a document, so there can be nothing in it", dir))}
		}
	}
	return f.apply(&ledger.Snapshot{Path: f.path})
}

// nested finds new documents that would have to be in another one.
func nested(drafts []*draft) []Problem {
	var problems []Problem
	for _, f := range drafts {
		for _, dir := range drafts {
			if f.create && dir.create && f != dir && f.path.Within(dir.path) {
				problems = append(problems, f.problem(errorf(NotDirectory, f.name, "%s is a document, so there can be nothing in it", dir.name)))
			}
		}
	}
	return problems
}

// put writes a document whose edits are checked.
func (d *Desk) put(ctx context.Context, tool string, f *draft) (ProposedFile, error) {
	notes := editNotes(f.lines)
	var after *ledger.Snapshot
	err := retry(ctx, func() (err error) {
		if f.create {
			after, err = d.turn.Create(ctx, tool, f.path, f.after.Bytes(), 0, notes...)
			return err
		}
		after, err = d.turn.Edit(ctx, tool, ledger.EditRequest{Path: f.path, Token: f.before.Hash(), Narrow: f.narrow, Edit: func(*text.Document) (*text.Document, []ledger.EditNote, error) {
			return f.after, notes, nil
		}})
		return err
	})
	if err != nil {
		return ProposedFile{}, d.refused(ctx, EditRequest{Path: f.name, Edits: []Edit{f.lines[0]}}, err)
	}
	out := ProposedFile{Path: f.path.String(), Created: f.create, After: after.Hash, Lines: f.after.Lines(), Elsewhere: f.narrow}
	if !f.create {
		out.Before = f.before.Hash()
	}
	out.Added, out.Removed = countLines(f.before.Bytes(), f.after.Bytes())
	for _, n := range notes {
		out.Edits = append(out.Edits, Placed{n.ID, n.B.Start + 1, n.B.End})
	}
	return out, nil
}

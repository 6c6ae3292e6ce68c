package ledger

import (
	"context"
	"fmt"
	"slices"

	"redline/internal/diff"
	"redline/internal/text"
	"redline/internal/workspace"
)

// undoing collects what an undo does and what it leaves.
type undoing struct {
	ledger  *Ledger
	request UndoRequest
	view    *scratch
	chosen  map[Path]*chosen // of requests that name hunks
	passed  map[Path]bool    // was passed over, and can be undone by name
	reports []FileReport
}

// chosen is what is to be taken back of a file.
type chosen struct {
	whole bool // everything
	mode  bool
	texts []diff.Change
}

// part tells what to take back of the file p; nil: everything.
func (u *undoing) part(p Path) *chosen {
	if c := u.chosen[p]; c != nil && !c.whole {
		return c
	}
	return nil
}

func (u *undoing) report(p Path, o Outcome, reason string) {
	u.reports = append(u.reports, FileReport{p, o, reason})
}

func (u *undoing) conflicted() int {
	n := 0
	for _, r := range u.reports {
		if r.Outcome == FileConflicted {
			n++
		}
	}
	return n
}

func (u *undoing) conflict() error {
	e := &Error{Code: Conflict, Reason: "others have changed the same places since"}
	for _, r := range u.reports {
		if r.Outcome == FileConflicted {
			e.Conflicts = append(e.Conflicts, FileConflict{Path: r.Path, Reason: r.Reason, Hunks: u.request.Hunks})
		}
	}
	return e
}

// selectHunks finds the places of the hunks that were asked for.
func (u *undoing) selectHunks(ctx context.Context) error {
	if len(u.request.Hunks) == 0 {
		return nil
	}
	t, err := u.ledger.Turn(ctx, u.request.Turn)
	if err != nil {
		return err
	}
	for _, id := range u.request.Hunks {
		c, h := t.hunk(id)
		switch {
		case h == nil:
			return errorf(NotFound, "no hunk %s in %s", id, t.ID)
		case !h.Applied:
			return errorf(NothingToUndo, "hunk %s is not on the disk", id)
		}
		file := u.chosen[c.Path]
		if file == nil {
			file = &chosen{}
			u.chosen[c.Path] = file
		}
		switch h.Kind {
		case TextHunk:
			file.texts = append(file.texts, diff.Change{A: h.A, B: h.B})
		case ModeHunk:
			file.mode = true
		default: // what else there is of the file builds on it
			file.whole = true
		}
	}
	return nil
}

// wanted tells whether the request covers an effect.
func (u *undoing) wanted(e Effect) bool {
	if len(u.request.Hunks) > 0 {
		return u.chosen[e.Path] != nil
	}
	named := slices.ContainsFunc(u.request.Paths, func(p Path) bool { return e.Path.Within(p) || e.origin().Within(p) })
	if e.Unattributed {
		return named && u.request.Unattributed
	}
	return len(u.request.Paths) == 0 || named
}

// invert takes back the sum of a group of commits.
func (u *undoing) invert(ctx context.Context, group []*Commit) error {
	var all []Effect
	for _, c := range group {
		for _, e := range c.Effects {
			if e.Unattributed && !u.wanted(e) {
				u.report(e.Path, FileSkipped, "the command may not have done this; name the file, with --unattributed, to undo it")
				u.passed[e.Path] = true
				continue
			}
			all = append(all, e)
		}
	}
	// Things come back before what they lay in goes; inner things go first.
	for _, e := range slices.Backward(netOf(all)) {
		if !u.wanted(e) {
			continue
		}
		var err error
		switch {
		case e.From != nil && u.part(e.Path) == nil:
			err = u.moveBack(ctx, e)
		case !e.Before.Exists():
			err = u.uncreate(e)
		case !e.After.Exists():
			err = u.bringBack(e)
		case e.Before.Kind != e.After.Kind:
			err = u.turnBack(e)
		default:
			err = u.unmodify(ctx, e, e.Path)
		}
		if workspace.CodeOf(err) == workspace.Permission { // one closed file does not hold up the rest
			u.report(e.Path, FileConflicted, err.Error())
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (u *undoing) uncreate(e Effect) error {
	now, err := u.view.look(e.Path)
	switch {
	case err != nil:
		return err
	case !now.Exists():
		u.report(e.Path, FileSkipped, "gone already")
	case now.Kind == Dir && e.After.Kind == Dir:
		u.view.set(e.Path, State{}) // stays if something is in it: see effects
		u.report(e.Path, FileRestored, "")
	case !sameState(now, e.After):
		u.report(e.Path, FileConflicted, "created by the turn and changed since; it is kept")
	default:
		u.view.set(e.Path, State{})
		u.report(e.Path, FileRestored, "")
	}
	return nil
}

func (u *undoing) bringBack(e Effect) error {
	now, err := u.view.look(e.Path)
	switch {
	case err != nil:
		return err
	case sameState(now, e.Before):
		u.report(e.Path, FileSkipped, "there again already")
	case now.Exists():
		u.report(e.Path, FileConflicted, "something else has its name now")
	default:
		u.view.set(e.Path, e.Before)
		u.report(e.Path, FileRestored, "")
	}
	return nil
}

// turnBack makes a thing of another kind of it again.
func (u *undoing) turnBack(e Effect) error {
	now, err := u.view.look(e.Path)
	switch {
	case err != nil:
		return err
	case sameState(now, e.Before):
		u.report(e.Path, FileSkipped, "back already")
	case !sameState(now, e.After):
		u.report(e.Path, FileConflicted, "something else is there now")
	default:
		u.view.set(e.Path, e.Before)
		u.report(e.Path, FileRestored, "")
	}
	return nil
}

func (u *undoing) moveBack(ctx context.Context, e Effect) error {
	now, err := u.view.look(e.Path)
	if err != nil {
		return err
	}
	old, err := u.view.look(*e.From)
	switch {
	case err != nil:
		return err
	case !now.Exists() && sameState(old, e.Before):
		u.report(*e.From, FileSkipped, "back already")
		return nil
	case !now.Exists():
		u.report(e.Path, FileConflicted, "moved by the turn and gone since")
		return nil
	case old.Exists():
		u.report(*e.From, FileConflicted, "something else has its old name now; it stays at "+workspace.Display(e.Path.String()))
		return nil
	}
	conflicts := u.conflicted()
	if e.Before != e.After {
		if err := u.unmodify(ctx, e, e.Path); err != nil || u.conflicted() > conflicts {
			return err
		}
	} else {
		u.report(*e.From, FileRestored, "")
	}
	u.view.move(e.Path, *e.From)
	return nil
}

// unmodify takes back a change of content or mode.
func (u *undoing) unmodify(ctx context.Context, e Effect, p Path) error {
	now, err := u.view.look(p)
	if err != nil {
		return err
	}
	if now.Kind != e.After.Kind {
		u.report(p, FileConflicted, difference(e.After, now))
		return nil
	}
	next, part := now, u.part(p)
	if e.Before.Mode != e.After.Mode && now.Mode == e.After.Mode && (part == nil || part.mode) {
		next.Mode = e.Before.Mode
	}
	if e.rewrites() {
		hash, ok, err := u.mergeBack(ctx, e, p, now)
		if err != nil {
			return err
		}
		if !ok {
			u.report(p, FileConflicted, "changed since at the same place; it is kept")
			return nil
		}
		next.Hash = hash
	}
	if next == now {
		u.report(p, FileSkipped, "nothing of it is left")
		return nil
	}
	u.view.set(p, next)
	if part == nil {
		p = e.origin()
	}
	u.report(p, FileRestored, "")
	return nil
}

// mergeBack is the content of p without what e did.
func (u *undoing) mergeBack(ctx context.Context, e Effect, p Path, now State) (text.Hash, bool, error) {
	part := u.part(p)
	switch {
	case part == nil && now.Hash == e.After.Hash:
		return e.Before.Hash, true, nil
	case part != nil && len(part.texts) == 0:
		return now.Hash, true, nil
	}
	after, err := u.ledger.store.Blob(ctx, e.After.Hash)
	if err != nil {
		return text.Hash{}, false, fmt.Errorf("content of %s: %w", p, err)
	}
	before, err := u.ledger.store.Blob(ctx, e.Before.Hash)
	if err != nil {
		return text.Hash{}, false, fmt.Errorf("content of %s: %w", p, err)
	}
	current, err := u.view.content(ctx, p, now.Hash)
	if err != nil {
		return text.Hash{}, false, err
	}
	if text.Check(after) != nil || text.Check(before) != nil || text.Check(current) != nil {
		return text.Hash{}, false, nil
	}
	a, target := text.New(after), text.New(before)
	if part != nil {
		var ok bool
		if target, ok, err = u.withoutHunks(ctx, a, p, part.texts); err != nil || !ok {
			return text.Hash{}, false, err
		}
	}
	m := diff.Merge3(a, text.New(current), target)
	if !m.Clean() {
		return text.Hash{}, false, nil
	}
	return u.view.keep(m.Result.Bytes()), true, nil
}

// withoutHunks is the text that a commit left without some hunks of its turn.
// They count their lines in the text that the whole turn made, which is another
// if not all of it was applied: their places are mapped.
func (u *undoing) withoutHunks(ctx context.Context, a *text.Document, p Path, hunks []diff.Change) (*text.Document, bool, error) {
	t, err := u.ledger.Turn(ctx, u.request.Turn)
	if err != nil {
		return nil, false, err
	}
	i := slices.IndexFunc(t.Changes, func(c Change) bool { return c.Path == p })
	if i < 0 {
		return nil, false, nil
	}
	before, after, err := u.ledger.ends(ctx, &t.Changes[i])
	if err != nil {
		return nil, false, err
	}
	slices.SortFunc(hunks, func(x, y diff.Change) int { return x.B.Start - y.B.Start })
	moved := diff.Lines(after, a)
	var back []diff.Change // from a to before
	for _, h := range hunks {
		r, intact := diff.Map(moved, h.B)
		if !intact {
			return nil, false, nil
		}
		back = append(back, diff.Change{A: r, B: h.A})
	}
	target, err := diff.Apply(a, before, back)
	return target, err == nil, err
}

// takenBack notes in a plan which hunks of the turn it takes back or, being a
// redo, brings back. rest tells whether others of the turn stay on the disk.
func (u *undoing) takenBack(ctx context.Context, p *plan, commits []*Commit) (rest bool, err error) {
	if u.request.Turn == "" && !p.Redo {
		return true, nil // one commit of several, perhaps: hunks are of the whole turn
	}
	t, err := u.ledger.Turn(ctx, p.Turn)
	if err != nil {
		return false, err
	}
	back := map[string]bool{}
	for _, c := range commits {
		for _, id := range c.Hunks {
			back[id] = p.Redo
		}
	}
	named := setOf(u.request.Hunks)
	for _, c := range t.Changes {
		asked := u.wanted(c.Effect) && !u.left(c)
		for _, h := range c.Hunks {
			switch {
			case p.Redo && !back[h.ID] || !p.Redo && !h.Applied:
			case asked && (u.part(c.Path) == nil || named[h.ID]):
				p.Hunks = append(p.Hunks, h.ID)
			default:
				rest = true
			}
		}
	}
	return rest || len(p.Hunks) == 0, nil
}

// left tells whether a change stays: it is in conflict, or was passed over and nothing
// else of the file is taken back.
func (u *undoing) left(c Change) bool {
	passed, restored := u.passed[c.Path] || u.passed[c.origin()], false
	for _, r := range u.reports {
		if r.Path != c.Path && r.Path != c.origin() {
			continue
		}
		if r.Outcome == FileConflicted {
			return true
		}
		restored = restored || r.Outcome == FileRestored
	}
	return passed && !restored
}

// measure looks at every file that was said to be restored.
func (u *undoing) measure() []FileReport {
	pass := u.ledger.folder.Pass()
	defer pass.Close()
	for i, r := range u.reports {
		if r.Outcome != FileRestored {
			continue
		}
		now, _, err := lookIn(pass, r.Path)
		want := u.view.want(r.Path)
		switch {
		case err != nil:
			u.reports[i] = FileReport{r.Path, FileConflicted, err.Error()}
		case want.Kind == None && now.Kind == Dir:
			u.reports[i] = FileReport{r.Path, FileSkipped, "the folder is not empty"}
		case !sameState(now, want):
			u.reports[i] = FileReport{r.Path, FileConflicted, difference(want, now)}
		}
	}
	slices.SortStableFunc(u.reports, func(a, b FileReport) int { return a.Path.Compare(b.Path) })
	return u.reports
}

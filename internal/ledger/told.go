package ledger

import (
	"bytes"
	"slices"

	"redline/internal/diff"
	"redline/internal/text"
)

// EditNote is one of several edits of a call: it replaced the lines A of the
// text before the call by the lines B of the text behind it. A call that tells
// its edits gets a hunk for each.
type EditNote struct {
	ID   string
	A, B text.Range
}

// toldChange is a change of a file since the turn began, and the edits that it
// comes from.
type toldChange struct {
	diff.Change
	edits []string
}

// follow keeps account of which edits the text of a file comes from, while call
// after call changes it. It is given up for a file that was changed before by
// somebody who did not tell.
func (t *Turn) follow(p Path, before, after []byte, notes []EditNote, touched bool) {
	earlier, known := t.edits[p]
	if !known && (touched || len(notes) == 0) {
		return
	}
	t.edits[p] = compose(earlier, toldChanges(text.New(before), text.New(after), notes))
}

// touched tells whether the turn has changed p before.
func (t *Turn) touched(p Path) bool {
	return slices.ContainsFunc(t.log, func(e Effect) bool { return e.Path == p })
}

// toldChanges are the changes of one call. Where the edits are not all that
// happened, such as the terminator that a last line gets when lines are put
// behind it, the changes are those of a diff.
func toldChanges(a, b *text.Document, notes []EditNote) []toldChange {
	var told []toldChange
	for _, n := range notes {
		told = append(told, toldChange{diff.Change{A: n.A, B: n.B}, []string{n.ID}})
	}
	if len(told) > 0 && leadsTo(a, b, told) {
		return told
	}
	told = nil
	for _, c := range diff.Lines(a, b) {
		told = append(told, toldChange{c, editsOf(notes, c)})
	}
	return told
}

// leadsTo tells whether the changes are all that is different.
func leadsTo(a, b *text.Document, told []toldChange) bool {
	var changes []diff.Change
	for _, c := range told {
		changes = append(changes, c.Change)
	}
	result, err := diff.Apply(a, b, changes)
	return err == nil && bytes.Equal(result.Bytes(), b.Bytes())
}

// editsOf are the edits that a change of a diff comes from: those that share
// lines with it, before or behind. A diff has a choice where lines are alike;
// if none shares any, it is the edit that is nearest.
func editsOf(notes []EditNote, c diff.Change) []string {
	var ids []string
	nearest, best := "", -1
	for _, n := range notes {
		if (diff.Change{A: n.A}).Overlaps(c) || (diff.Change{A: n.B}).Overlaps(c.Reverse()) {
			ids = append(ids, n.ID)
		}
		if d := max(n.A.Start-c.A.End, c.A.Start-n.A.End, 0); best < 0 || d < best {
			nearest, best = n.ID, d
		}
	}
	if ids == nil && nearest != "" {
		ids = []string{nearest}
	}
	return ids
}

// compose adds later changes to earlier ones, so that the result leads from the
// first text to the last. Changes that share lines of the text in between become
// one.
//
//	before  ──earlier──▶  between  ──later──▶  behind
func compose(earlier, later []toldChange) []toldChange {
	var out []toldChange
	back, forth := 0, 0 // how far lines of between are moved in before, and in behind
	for len(earlier) > 0 || len(later) > 0 {
		var sum toldChange
		var at text.Range // the lines of between
		wasBack, wasForth := back, forth
		for first := true; ; first = false {
			switch {
			case len(earlier) > 0 && (first && !comesFirst(later, earlier) || !first && shares(at, earlier[0].B)):
				c := earlier[0]
				earlier = earlier[1:]
				at = cover(at, c.B, first)
				back += c.A.Len() - c.B.Len()
				sum.edits = union(sum.edits, c.edits)
				continue
			case len(later) > 0 && (first || shares(at, later[0].A)):
				c := later[0]
				later = later[1:]
				at = cover(at, c.A, first)
				forth += c.B.Len() - c.A.Len()
				sum.edits = union(sum.edits, c.edits)
				continue
			}
			break
		}
		sum.A = text.Range{Start: at.Start + wasBack, End: at.End + back}
		sum.B = text.Range{Start: at.Start + wasForth, End: at.End + forth}
		if sum.A.Len()+sum.B.Len() > 0 { // else it was taken back
			out = append(out, sum)
		}
	}
	return out
}

// comesFirst tells whether the next later change is before the next earlier
// one in the text between them.
func comesFirst(later, earlier []toldChange) bool {
	if len(later) == 0 {
		return false
	}
	x, y := later[0].A, earlier[0].B
	return x.Start < y.Start || x.Start == y.Start && x.End < y.End
}

func shares(r, s text.Range) bool { return (diff.Change{A: r}).Overlaps(diff.Change{A: s}) }

func cover(r, s text.Range, first bool) text.Range {
	if first {
		return s
	}
	return text.Range{Start: min(r.Start, s.Start), End: max(r.End, s.End)}
}

// union keeps the order.
func union(ids, more []string) []string {
	for _, id := range more {
		if !slices.Contains(ids, id) {
			ids = append(ids[:len(ids):len(ids)], id)
		}
	}
	return ids
}

// apart puts together what cannot be decided apart: a last line without a
// terminator, and what another change puts behind it.
func apart(a, b *text.Document, told []toldChange) []toldChange {
	var out []toldChange
	for _, c := range told {
		if n := len(out); n > 0 && (unterminated(a, out[n-1].A.End) || unterminated(b, out[n-1].B.End)) {
			last := &out[n-1]
			last.A.End, last.B.End = c.A.End, c.B.End
			last.edits = union(last.edits, c.edits)
			continue
		}
		out = append(out, c)
	}
	return out
}

// unterminated tells whether the line before line i of d has no terminator.
func unterminated(d *text.Document, i int) bool {
	return i > 0 && i == d.Lines() && text.Terminator(d.Line(i-1)) == text.None
}

// allEdits are the edits of all changes.
func allEdits(told []toldChange) []string {
	var ids []string
	for _, c := range told {
		ids = union(ids, c.edits)
	}
	return ids
}

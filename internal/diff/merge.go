package diff

import (
	"bytes"
	"sync"

	"redline/internal/text"
)

// Conflict is a place that both sides changed, and not in the same way.
type Conflict struct {
	Base, Ours, Theirs             text.Range // the lines in each of the three documents
	Result                         text.Range // the lines in the merged document, which are those of ours
	BaseText, OursText, TheirsText []byte     // their exact bytes
}

// Merge is the result of a three-way merge.
type Merge struct {
	// Result has the changes of both sides; where they conflict it has ours.
	Result    *text.Document
	Conflicts []Conflict
}

// Clean tells whether there is no conflict.
func (m *Merge) Clean() bool { return len(m.Conflicts) == 0 }

// Merge3 makes the changes from base to ours and from base to theirs in one
// document. A change that both sides made is made once. Changes that share a
// line of base, or have no unchanged line between them, are a conflict.
//
// Where lines repeat, so that it is open which of them changed, Merge3 takes
// the widest reading. It may report a conflict where git merge-file is content;
// what it merges, it merges in every reading.
func Merge3(base, ours, theirs *text.Document) *Merge {
	t := newInterner(base.Lines())
	all := func(d *text.Document) []int32 { return lineIDs(t, d, text.Range{End: d.Lines()}) }
	m := merger{base: base, ours: ours, theirs: theirs, b: all(base), o: all(ours), t: all(theirs)}
	var other sync.WaitGroup
	other.Go(func() { m.left = regions(m.b, m.o, t.len()) })
	m.right = regions(m.b, m.t, t.len())
	other.Wait()
	m.out = make([]byte, 0, ours.Len()+max(0, theirs.Len()-base.Len()))
	for len(m.left) > 0 || len(m.right) > 0 {
		m.step()
	}
	m.copyBase(base.Lines())
	return &Merge{Result: text.New(m.out), Conflicts: m.conflicts}
}

// merger writes the merged document from top to bottom.
type merger struct {
	base, ours, theirs *text.Document
	b, o, t            []int32  // the same as ids
	left, right        []Change // regions of ours and theirs that are still to come

	at                    int // lines of base that are dealt with
	shiftLeft, shiftRight int // lines of ours and theirs minus lines of base, up to at
	out                   []byte
	written               int // lines in out
	conflicts             []Conflict
}

// step merges the next group of regions that touch each other.
func (m *merger) step() {
	start := m.base.Lines()
	for _, side := range [][]Change{m.left, m.right} {
		if len(side) > 0 {
			start = min(start, side[0].A.Start)
		}
	}
	m.copyBase(start)
	r := text.Range{Start: start, End: start}
	l, h := start+m.shiftLeft, start+m.shiftRight // where r starts in ours and theirs
	ours, theirs := false, false
	for more := true; more; {
		o, t := take(&m.left, &r, &m.shiftLeft), take(&m.right, &r, &m.shiftRight)
		ours, theirs, more = ours || o, theirs || t, o || t
	}
	m.at = r.End
	m.merge(r, text.Range{Start: l, End: r.End + m.shiftLeft}, text.Range{Start: h, End: r.End + m.shiftRight}, ours, theirs)
}

// take removes the regions that touch r and widens r by them.
func take(side *[]Change, r *text.Range, shift *int) (took bool) {
	for len(*side) > 0 && (*side)[0].A.Start <= r.End {
		c := (*side)[0]
		r.End = max(r.End, c.A.End)
		*shift += c.B.Len() - c.A.Len()
		*side, took = (*side)[1:], true
	}
	return took
}

// merge writes what became of the lines r of base: l in ours, h in theirs.
func (m *merger) merge(r, l, h text.Range, ours, theirs bool) {
	switch {
	case !ours:
		m.write(m.theirs, h)
	case !theirs, bytes.Equal(lines(m.ours, l), lines(m.theirs, h)):
		m.write(m.ours, l)
	default:
		m.conflict(r, l, h)
	}
}

// conflict records a conflict, without the lines at both ends that are the same
// in all three documents.
func (m *merger) conflict(r, l, h text.Range) {
	same := func(i, j, k int) bool { return m.b[i] == m.o[j] && m.b[i] == m.t[k] }
	head, tail, most := 0, 0, min(r.Len(), l.Len(), h.Len())
	for head < most && same(r.Start+head, l.Start+head, h.Start+head) {
		head++
	}
	for tail < most-head && same(r.End-1-tail, l.End-1-tail, h.End-1-tail) {
		tail++
	}
	c := Conflict{
		Base:   text.Range{Start: r.Start + head, End: r.End - tail},
		Ours:   text.Range{Start: l.Start + head, End: l.End - tail},
		Theirs: text.Range{Start: h.Start + head, End: h.End - tail},
	}
	c.Result = text.Range{Start: m.written + head, End: m.written + l.Len() - tail}
	c.BaseText, c.OursText, c.TheirsText = lines(m.base, c.Base), lines(m.ours, c.Ours), lines(m.theirs, c.Theirs)
	m.conflicts = append(m.conflicts, c)
	m.write(m.ours, l)
}

func (m *merger) copyBase(to int) { m.write(m.base, text.Range{Start: m.at, End: to}) }

func (m *merger) write(d *text.Document, r text.Range) {
	m.out = append(m.out, lines(d, r)...)
	m.written += r.Len()
}

// Labels name the three documents in conflict markers.
type Labels struct{ Ours, Base, Theirs string }

// Marked is the result with each conflict written out between markers, all
// three texts, in the form of git merge-file --diff3.
func (m *Merge) Marked(labels Labels) []byte {
	eol := string(m.Result.EOL())
	out := make([]byte, 0, m.Result.Len())
	side := func(marker, label string, s []byte) {
		out = append(out, marker...)
		if label != "" {
			out = append(append(out, ' '), label...)
		}
		out = append(append(out, eol...), s...)
		if open(s) {
			out = append(out, eol...)
		}
	}
	at := 0
	for _, c := range m.Conflicts {
		out = append(out, lines(m.Result, text.Range{Start: at, End: c.Result.Start})...)
		side("<<<<<<<", labels.Ours, c.OursText)
		side("|||||||", labels.Base, c.BaseText)
		side("=======", "", c.TheirsText)
		side(">>>>>>>", labels.Theirs, nil)
		at = c.Result.End
	}
	return append(out, lines(m.Result, text.Range{Start: at, End: m.Result.Lines()})...)
}

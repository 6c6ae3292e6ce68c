package ops

import (
	"context"
	"strings"

	"redline/internal/text"
)

// Again reads lines that a user has picked before, when they said was. If that is no
// longer where it was but elsewhere in the document, it is read there. If it is nowhere, or was is blank, the lines are read as they are now, as many
// of them as there are.
//
// Of whole lines as many are read as before, if was has fewer: a limit may have cut it.
// A part of lines is read as such: its Text is not that of From to To.
func (d *Desk) Again(ctx context.Context, r ReadRequest, was string) (Reading, error) {
	s, doc, err := d.look(ctx, r.Path)
	if err != nil {
		return Reading{}, err
	}
	m, found := place(doc, was, max(r.From, 1)-1)
	if !found {
		return d.show(s, doc, r)
	}
	more := max(r.To-max(r.From, 1), 0) // lines behind the first
	r.From, r.To = doc.LineAt(m.Start)+1, doc.LineAt(max(m.End-1, m.Start))+1
	if ofLines(doc, m) {
		r.To = max(r.To, r.From+more) // was may be the beginning alone, or end in empty lines
		return d.show(s, doc, r)
	}
	out, err := part(doc, r)
	if err != nil {
		return Reading{}, err
	}
	piece := doc.Bytes()[m.Start:m.End]
	out.Path, out.Text, out.To = s.Path.String(), string(piece), r.To
	out.PartHash, out.Whole, out.Cut, out.Truncated = text.Sum(piece), false, false, false
	if limit := r.MaxBytes; limit > 0 && len(piece) > limit {
		out.Text = strings.ToValidUTF8(string(piece[:limit]), "")
		out.PartHash, out.Cut, out.Truncated = text.Sum([]byte(out.Text)), true, true
		out.To = doc.LineAt(m.Start+len(out.Text)-1) + 1
	}
	d.turn.Saw(s, text.Range{}) // some of it
	return out, nil
}

// place is where a text is: where it begins in the line, and else the place that is
// nearest to it, but one of whole lines rather than a part of some. Line ends at the
// end of the text do not matter.
func place(doc *text.Document, was string, line int) (best text.Match, ok bool) {
	was = strings.TrimRight(was, "\r\n")
	if strings.TrimSpace(was) == "" {
		return best, false
	}
	distance, whole := 0, false
	for _, m := range doc.Find([]byte(was)) {
		away, complete := doc.LineAt(m.Start)-line, ofLines(doc, m)
		away = max(away, -away)
		if away == 0 {
			return m, true
		}
		if !ok || complete && !whole || complete == whole && away < distance {
			best, distance, whole, ok = m, away, complete, true
		}
	}
	return best, ok
}

// ofLines tells whether a place begins and ends where lines do.
func ofLines(doc *text.Document, m text.Match) bool {
	first, last := doc.LineAt(m.Start), doc.LineAt(max(m.End-1, m.Start))
	begin := doc.Offset(first)
	if first == 0 && doc.HasBOM() {
		begin += len(text.BOM)
	}
	end := doc.Offset(last) + len(doc.Line(last)) - len(text.Terminator(doc.Line(last)))
	return m.Start <= begin && m.End >= end
}

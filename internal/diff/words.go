package diff

import (
	"bytes"

	"redline/internal/text"
)

// Words compares two texts the way a person reads them: sentence by sentence,
// and inside sentences that resemble each other word by word. So one changed
// word in a paragraph that is one long line shows as that word, and a rewritten
// sentence as a whole, not as confetti of the words that happen to be in both.
//
// The spans hold every byte: the equal and deleted ones joined are a, the equal
// and inserted ones are b. A deletion comes before an insertion at the same
// place.
func Words(a, b []byte) []Span {
	x, y := sentences(a), sentences(b)
	t := newInterner(x.len())
	w := spanWriter{a: a, b: b}
	for _, c := range align(x.ids(t), y.ids(t), t.len()) {
		w.equal(x.offset(c.A.Start), y.offset(c.B.Start))
		w.passage(x.sub(c.A), y.sub(c.B), x.offset(c.A.Start), y.offset(c.B.Start))
		w.differ(x.offset(c.A.End), y.offset(c.B.End))
	}
	w.equal(len(a), len(b))
	return w.flush()
}

// spanWriter is told from left to right what is equal, and makes spans.
type spanWriter struct {
	a, b   []byte
	i, j   int // everything before is dealt with
	i0, j0 int // where the difference before i, j starts, or i, j
	spans  []Span
}

// equal says that the texts are equal from where the writer is up to i and j.
func (w *spanWriter) equal(i, j int) {
	if i == w.i {
		return
	}
	start := w.i
	if w.i0 == w.i && w.j0 == w.j && len(w.spans) > 0 { // goes on
		last := &w.spans[len(w.spans)-1]
		start -= len(last.Text)
		w.spans = w.spans[:len(w.spans)-1]
	}
	w.flush()
	w.spans = append(w.spans, Span{Equal, w.a[start:i:i]})
	w.i, w.j, w.i0, w.j0 = i, j, i, j
}

// differ says that nothing is known to be equal up to i and j.
func (w *spanWriter) differ(i, j int) { w.i, w.j = i, j }

// flush writes the difference before i, j.
func (w *spanWriter) flush() []Span {
	if w.i > w.i0 {
		w.spans = append(w.spans, Span{Delete, w.a[w.i0:w.i:w.i]})
	}
	if w.j > w.j0 {
		w.spans = append(w.spans, Span{Insert, w.b[w.j0:w.j:w.j]})
	}
	return w.spans
}

// passage compares sentences x and y, which start at i and j.
func (w *spanWriter) passage(x, y pieces, i, j int) {
	if x.len() == 1 && y.len() == 1 {
		w.sentence(x.data, y.data, i, j)
		return
	}
	for _, p := range pairs(x, y) {
		w.differ(i+x.offset(p.x), j+y.offset(p.y))
		w.sentence(x.at(p.x), y.at(p.y), i+x.offset(p.x), j+y.offset(p.y))
	}
}

// sentence compares the words of a and b, which start at i and j.
func (w *spanWriter) sentence(a, b []byte, i, j int) {
	x, y := words(a), words(b)
	t := newInterner(x.len())
	idx, idy := x.ids(t), y.ids(t)
	changes := slide(align(idx, idy, t.len()), idx, idy, func(inserted bool, start, end int) int {
		if inserted {
			return wordCost(y, start, end)
		}
		return wordCost(x, start, end)
	})
	for _, c := range clean(changes, x, y) {
		w.equal(i+x.offset(c.A.Start), j+y.offset(c.B.Start))
		w.differ(i+x.offset(c.A.End), j+y.offset(c.B.End))
	}
	w.equal(i+len(a), j+len(b))
}

// wordCost prefers changes that start with a word and end with the space behind
// one.
func wordCost(p pieces, start, end int) int {
	cost := 0
	for _, at := range []int{start, end} {
		if at > 0 && !isSpace(p.at(at-1)) {
			cost++
		}
	}
	return cost
}

func isSpace(s []byte) bool { return isBlank(s[0]) || s[0] == '\n' || s[0] == '\r' }

// clean joins changes where what is equal between them is so little that it
// only hinders reading. Equal words are worth their length.
func clean(changes []Change, x, y pieces) []Change {
	if len(changes) > 1 && rewritten(changes, x, y) {
		return []Change{join(changes[0], changes[len(changes)-1])}
	}
	done := changes[:0]
	for _, c := range changes {
		for len(done) > 0 && trifling(done[len(done)-1], c, x, y) {
			c = join(done[len(done)-1], c)
			done = done[:len(done)-1]
		}
		done = append(done, c)
	}
	return done
}

// rewritten tells whether less than a quarter of the words stayed, so that the
// sentence is better read as a new one.
func rewritten(changes []Change, x, y pieces) bool {
	weight := func(p pieces, r text.Range) (n int) {
		for i := r.Start; i < r.End; i++ {
			if isWord(p.at(i)) {
				n += len(p.at(i))
			}
		}
		return n
	}
	old, new := weight(x, text.Range{End: x.len()}), weight(y, text.Range{End: y.len()})
	stayed := old
	for _, c := range changes {
		stayed -= weight(x, c.A)
	}
	return 4*stayed < min(old, new)
}

// trifling tells whether the equal text between c and d is noise: a space
// between two replaced words, or a word that is short next to what is replaced
// on both sides of it.
func trifling(c, d Change, x, y pieces) bool {
	between := x.data[x.offset(c.A.End):x.offset(d.A.Start)]
	size := func(c Change) int { return max(len(x.slice(c.A)), len(y.slice(c.B))) }
	if len(between) > max(1, min(size(c), size(d))/2) || bytes.IndexByte(between, '\n') >= 0 {
		return false
	}
	if isBlank(between[0]) && len(between) == 1 {
		return replacesWord(c, x, y) && replacesWord(d, x, y)
	}
	return len(between) <= min(size(c), size(d))/2
}

// replacesWord tells whether c has words on both sides.
func replacesWord(c Change, x, y pieces) bool {
	has := func(p pieces, from, to int) bool {
		for i := from; i < to; i++ {
			if isWord(p.at(i)) {
				return true
			}
		}
		return false
	}
	return has(x, c.A.Start, c.A.End) && has(y, c.B.Start, c.B.End)
}

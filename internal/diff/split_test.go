package diff

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"redline/internal/text"
)

// TestSplit splits the one change of each archive at 6 lines or 200 bytes. The
// edits file has a range of old lines in each line, counted from 0.
func TestSplit(t *testing.T) {
	golden(t, "split", func(t *testing.T, file func(string) string) string {
		a, b := text.FromString(file("old")), text.FromString(file("new"))
		var edits []text.Range
		for line := range strings.Lines(file("edits")) {
			var e text.Range
			if _, err := fmt.Sscanf(line, "%d,%d", &e.Start, &e.End); err != nil {
				t.Fatal(err)
			}
			edits = append(edits, e)
		}
		var out strings.Builder
		for _, c := range Lines(a, b) {
			pieces := Split(a, b, c, edits, Limits{MaxHunkLines: 6, MaxHunkBytes: 200})
			checkPieces(t, a, b, c, pieces)
			for _, p := range pieces {
				if p.Oversized {
					out.WriteString("oversized ")
				}
				h := Hunk{A: p.A, B: p.B, Lines: hunk(a, b, []Change{p.Change}, 0).Lines}
				out.Write(h.Append(nil))
			}
		}
		return out.String()
	})
}

// checkPieces checks that the pieces are c, cut.
func checkPieces(t *testing.T, a, b *text.Document, c Change, pieces []Piece) {
	t.Helper()
	at := Change{text.Range{Start: c.A.Start, End: c.A.Start}, text.Range{Start: c.B.Start, End: c.B.Start}}
	for _, p := range pieces {
		if p.A.Start != at.A.End || p.B.Start != at.B.End || p.A.Len() < 0 || p.B.Len() < 0 || p.A.Len()+p.B.Len() == 0 {
			t.Fatalf("%q → %q: pieces %v of %v", a, b, pieces, c)
		}
		at = p.Change
	}
	if at.A.End != c.A.End || at.B.End != c.B.End {
		t.Fatalf("%q → %q: pieces %v of %v", a, b, pieces, c)
	}
}

// checkSplit splits every change and applies some of the pieces.
func checkSplit(t *testing.T, a, b *text.Document, edits []text.Range, limits Limits, pick uint64) {
	t.Helper()
	var all []Change
	for _, c := range Lines(a, b) {
		pieces := Split(a, b, c, edits, limits)
		checkPieces(t, a, b, c, pieces)
		for _, p := range pieces {
			size := p.A.Len() + p.B.Len()
			bytes := len(lines(a, p.A)) + len(lines(b, p.B))
			if over := size > limits.MaxHunkLines || bytes > limits.MaxHunkBytes; over != p.Oversized {
				t.Fatalf("%q → %q: piece %+v is %d lines, %d bytes", a, b, p, size, bytes)
			}
			all = append(all, p.Change)
		}
	}
	if got := apply(t, a, b, all); got != b.String() {
		t.Fatalf("%q → %q: all pieces give %q", a, b, got)
	}
	checkSubset(t, a, b, all, pick)
	var some []Change
	n := a.Lines()
	for i, c := range all {
		if pick>>(i%64)&1 == 1 {
			some = append(some, c)
			n += c.B.Len() - c.A.Len()
		}
	}
	// No line may run into the next because its neighbour was left out.
	if got := text.FromString(apply(t, a, b, some)); got.Lines() != n {
		t.Fatalf("%q → %q: pieces %v of %v give %q, which has not %d lines", a, b, some, all, got, n)
	}
}

func FuzzSplit(f *testing.F) {
	for i, s := range seeds {
		f.Add([]byte(s.a), []byte(s.b), uint64(i)*0x9e3779b97f4a7c15, uint8(3), uint8(20), uint8(i), uint8(1))
	}
	f.Fuzz(func(t *testing.T, x, y []byte, pick uint64, maxLines, maxBytes, start, length uint8) {
		a, b := text.New(x), text.New(y)
		edits := []text.Range{{Start: int(start), End: int(start) + int(length)}, {Start: 1, End: 1}, {Start: 2, End: 4}}
		checkSplit(t, a, b, edits, Limits{int(maxLines), int(maxBytes)}, pick)
	})
}

func TestSplitRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 13))
	for range 10000 {
		a, b := text.FromString(document(r)+document(r)), text.FromString(document(r)+document(r))
		var edits []text.Range
		for range r.IntN(3) {
			start := r.IntN(a.Lines() + 1)
			edits = append(edits, text.Range{Start: start, End: start + r.IntN(a.Lines()-start+1)})
		}
		checkSplit(t, a, b, edits, Limits{r.IntN(8), r.IntN(40)}, r.Uint64())
	}
}

// TestSplitDefault: a new chapter becomes hunks that a person can review.
func TestSplitDefault(t *testing.T) {
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, "Paragraph %d has a few words in it.\nAnd a second line\nand a third.\n\n", i)
	}
	a, d := text.FromString(""), text.FromString(b.String())
	pieces := Split(a, d, Lines(a, d)[0], nil, DefaultLimits)
	if len(pieces) != 10 {
		t.Errorf("%d pieces, want 10", len(pieces))
	}
	for _, p := range pieces {
		if p.Oversized || p.B.Len() != 80 {
			t.Errorf("piece %+v", p)
		}
	}
}

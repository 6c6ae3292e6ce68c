package diff

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"redline/internal/text"
)

// TestRows shows both documents side by side.
func TestRows(t *testing.T) {
	golden(t, "rows", func(t *testing.T, file func(string) string) string {
		a, b := text.FromString(file("old")), text.FromString(file("new"))
		changes := Lines(a, b)
		var out strings.Builder
		for _, g := range Groups(a, changes, 1) {
			if g.Folded {
				fmt.Fprintf(&out, "· · · %d lines\n", g.A.Len())
				continue
			}
			for r := range g.Rows(a, b) {
				fmt.Fprintf(&out, "%-7v %2s %-40s│ %2s %s\n", r.Kind, number(r.Old), cell(r.Left), number(r.New), cell(r.Right))
			}
		}
		s := Count(a, changes)
		fmt.Fprintf(&out, "%d added, %d removed, %d unchanged\n", s.Added, s.Removed, s.Unchanged)
		return out.String()
	})
}

func number(line int) string {
	if line < 0 {
		return ""
	}
	return fmt.Sprint(line + 1)
}

func cell(spans []Span) string {
	return strings.TrimRight(strings.ReplaceAll(inline(spans), "\n", ""), " ")
}

// TestGroupsRandom: the groups and their rows are the documents, in order.
func TestGroupsRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 12))
	for range 5000 {
		s := document(r) + document(r)
		a, b := text.FromString(s), text.FromString(mutate(r, s))
		var old, new []byte
		i, j := 0, 0
		for _, g := range Groups(a, Lines(a, b), r.IntN(3)) {
			if g.A.Start != i || g.B.Start != j || g.A.Len()+g.B.Len() == 0 || g.Changed && g.Folded {
				t.Fatalf("%q → %q: group %+v at %d, %d", a, b, g, i, j)
			}
			for row := range g.Rows(a, b) {
				for _, s := range row.Left {
					old = append(old, s.Text...)
				}
				for _, s := range row.Right {
					new = append(new, s.Text...)
				}
				if row.Old >= 0 && row.Old != i || row.New >= 0 && row.New != j {
					t.Fatalf("%q → %q: row %+v at %d, %d", a, b, row, i, j)
				}
				if row.Old >= 0 {
					i++
				}
				if row.New >= 0 {
					j++
				}
			}
			if g.A.End != i || g.B.End != j {
				t.Fatalf("%q → %q: group %+v ends at %d, %d", a, b, g, i, j)
			}
		}
		if !bytes.Equal(old, a.Bytes()) || !bytes.Equal(new, b.Bytes()) {
			t.Fatalf("%q → %q: rows hold %q and %q", a, b, old, new)
		}
	}
}

// TestRowsStop: a reader may stop at any row.
func TestRowsStop(t *testing.T) {
	a, b := text.FromString("1\n2 and more\n3\n4\n"), text.FromString("1\nx\n2 and less\n3\n")
	for _, g := range Groups(a, Lines(a, b), 3) {
		for range g.Rows(a, b) {
			break
		}
	}
}

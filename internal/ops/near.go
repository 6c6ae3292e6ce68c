package ops

import (
	"context"
	"path"
	"slices"
	"strings"

	"redline/internal/ledger"
	"redline/internal/text"
	"redline/internal/workspace"
)

// absent makes the error for a document that could not be read. If there is no
// such document it names those that are nearest.
func (d *Desk) absent(ctx context.Context, name string, err error) error {
	e := AsError(err)
	if e.Code != NotFound {
		return e
	}
	e = errorf(NotFound, name, "there is no %s", name)
	found, listErr := d.turn.List(ctx, workspace.WalkOptions{Policy: d.policy, Closed: true})
	if listErr != nil {
		return e
	}
	var paths []string
	for _, l := range found {
		paths = append(paths, l.Path.String())
	}
	if near := nearest(name, paths, 3); len(near) > 0 {
		e.Details = map[string]any{"similar": near}
		e.hint("Did you mean " + strings.Join(near, ", ") + "?")
	}
	return e
}

// nearest are the candidates that look most like name, best first: by the whole
// path, or by the last part of it.
func nearest(name string, candidates []string, n int) []string {
	type scored struct {
		path  string
		score int
	}
	base := stem(name)
	limit := max(2, len(base)/3)
	var list []scored
	for _, c := range candidates {
		score := distance(base, stem(c), limit)
		if score > limit && len(base) > 3 && strings.Contains(stem(c), base) {
			score = limit // a part of the name is near enough
		}
		if score <= limit {
			list = append(list, scored{c, score*4 + min(3, distance(strings.ToLower(path.Dir(name)), strings.ToLower(path.Dir(c)), 3))})
		}
	}
	slices.SortStableFunc(list, func(a, b scored) int { return a.score - b.score })
	var out []string
	for _, s := range list[:min(n, len(list))] {
		out = append(out, s.path)
	}
	return out
}

// stem is the last part of a path without its extension, in lower case.
func stem(name string) string {
	base := strings.ToLower(path.Base(name))
	return strings.TrimSuffix(base, path.Ext(base))
}

// distance is how many letters have to change between a and b, or more than limit.
func distance(a, b string, limit int) int {
	x, y := []rune(a), []rune(b)
	if len(x)-len(y) > limit || len(y)-len(x) > limit {
		return limit + 1
	}
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j := range y {
			cost := diagonal
			if x[i] != y[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(y)]
}

// nearText is the piece of a document that looks most like a text that is not in
// it, with a line before and behind.
func nearText(s *ledger.Snapshot, doc *text.Document, wanted string) *Near {
	want := splitLines(wanted)
	if len(want) == 0 || doc.Lines() == 0 {
		return nil
	}
	want = want[:min(len(want), 50)]
	best, at := 0, 0
	for i := 0; i < doc.Lines(); i++ {
		score := 0
		for j := 0; j < len(want) && i+j < doc.Lines(); j++ {
			score += likeness(want[j], strings.TrimSpace(string(doc.LineText(i+j))))
		}
		if score > best {
			best, at = score, i
		}
	}
	if best == 0 {
		return nil
	}
	return piece(s, doc, at, at+len(want))
}

// How much of a document an error shows.
const (
	nearLines = 60
	nearBytes = 8 << 10
)

// piece is the lines from start (counted from 0) to before end, and one around,
// or as many of them as an error has room for; nil if that is none.
func piece(s *ledger.Snapshot, doc *text.Document, start, end int) *Near {
	from, to := max(start, 1), min(end+1, doc.Lines())
	to = min(to, from+nearLines-1)
	for to >= from && len(slice(doc, from, to)) > nearBytes {
		to = from + (to-from+1)/2 - 1
	}
	if to < from {
		return nil
	}
	return &Near{Path: s.Path.String(), StartLine: from, EndLine: to, Text: string(slice(doc, from, to)), Token: s.Hash}
}

func splitLines(s string) []string {
	var lines []string
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// likeness is how much two lines are alike, from 0 to 100: by the words that they
// share.
func likeness(a, b string) int {
	if a == b {
		return 100
	}
	x, y := strings.Fields(a), strings.Fields(b)
	if len(x) == 0 || len(y) == 0 {
		return 0
	}
	have := map[string]int{}
	for _, w := range y {
		have[w]++
	}
	shared := 0
	for _, w := range x {
		if have[w] > 0 {
			have[w]--
			shared++
		}
	}
	if shared == 0 && distance(a, b, len(a)/3) <= len(a)/3 {
		return 40
	}
	return 180 * shared / (len(x) + len(y))
}

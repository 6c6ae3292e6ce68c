package ops

import (
	"bytes"
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
	if d := len(a) - len(b); d > 4*limit || -d > 4*limit { // a letter has at most four bytes
		return limit + 1
	}
	return text.Distance(a, b)
}

// nearText is the piece of a document that looks most like a text that is not in
// it, with a line before and behind.
func nearText(s *ledger.Snapshot, doc *text.Document, wanted string) *Near {
	want := newTarget(wanted)
	if len(want.lines) == 0 || doc.Lines() == 0 {
		return nil
	}
	scores := make([]int, doc.Lines()) // of the piece that begins there
	for i := range doc.Lines() {
		for j, score := range want.likeness(string(compared(doc.LineText(i)))) {
			if j <= i {
				scores[i-j] += score
			}
		}
	}
	at := 0
	for i, score := range scores {
		if score > scores[at] {
			at = i
		}
	}
	if scores[at] == 0 {
		return nil
	}
	return piece(s, doc, at, at+len(want.lines))
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

// How much is compared to find the closest text: enough for any text that people
// write, and an answer within a second for the rest.
const (
	nearWanted = 50       // lines of the text that is looked for
	nearWidth  = 300      // bytes of a line
	nearCells  = 64 << 20 // letters that are compared with letters
)

// compared is the part of a line that is compared.
func compared(line []byte) []byte { return bytes.TrimSpace(line[:min(len(line), nearWidth)]) }

// target is the text that is looked for.
type target struct {
	lines  []string         // those that are not empty
	length []int            // of each, in words
	words  map[string][]use // by word
	cells  int              // that may still be compared
	scores []int            // of the last line
}

// use is how often a word is in a line of the target.
type use struct{ line, count int }

func newTarget(s string) *target {
	t := &target{words: map[string][]use{}, cells: nearCells}
	for line := range strings.Lines(s) {
		line = string(compared([]byte(line)))
		if line == "" {
			continue
		}
		if len(t.lines) == nearWanted {
			break
		}
		counts, n := wordsOf(line)
		for word, count := range counts {
			t.words[word] = append(t.words[word], use{len(t.lines), count})
		}
		t.lines, t.length = append(t.lines, line), append(t.length, n)
	}
	t.scores = make([]int, len(t.lines))
	return t
}

func wordsOf(line string) (counts map[string]int, n int) {
	words := strings.Fields(line)
	counts = make(map[string]int, len(words))
	for _, w := range words {
		counts[w]++
	}
	return counts, len(words)
}

// likeness is how much each line of the target is like a line, from 0 to 100: by
// the words that they share; without any, by their letters. The result is valid
// until the next call.
func (t *target) likeness(line string) []int {
	clear(t.scores)
	counts, n := wordsOf(line)
	for word, count := range counts {
		for _, u := range t.words[word] {
			t.scores[u.line] += min(count, u.count)
		}
	}
	for j, shared := range t.scores {
		switch {
		case t.lines[j] == line:
			t.scores[j] = 100
		case shared > 0:
			t.scores[j] = 180 * shared / (t.length[j] + n)
		case n > 0 && t.misspelt(t.lines[j], line):
			t.scores[j] = 40
		}
	}
	return t.scores
}

// misspelt tells whether two lines differ in a few letters.
func (t *target) misspelt(a, b string) bool {
	limit := len(a) / 3
	if len(a)-len(b) > 2*limit || len(b)-len(a) > 2*limit || t.cells < 0 {
		return false
	}
	t.cells -= len(a) * len(b)
	return distance(a, b, limit) <= limit
}

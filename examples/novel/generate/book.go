package main

import (
	"errors"
	"fmt"
	"strings"
)

// seed fixes the book. Any other number gives another one with the same plot.
const seed = 1887

// chapterWords is the length that the gaps of each chapter are filled up to.
const chapterWords = 2360

// gapWords keeps the grammar from talking for too long at a time.
const gapWords = 110

// instead lists what a gap is filled with when the kind it asks for is used up.
var instead = []string{"quiet", "place", "thought", "habit", "memory"}

// book returns the files of the novel by name.
func book() (map[string]string, error) {
	chapters, err := readPlot()
	if err != nil {
		return nil, err
	}
	b, err := readBanks()
	if err != nil {
		return nil, err
	}
	w := &writer{dice: seed, banks: b, sentences: map[string]use{}}
	for _, c := range chapters {
		for _, s := range c.scenes {
			for _, p := range s.pieces {
				w.remember(p.text, 2) // what was written by hand never comes back
			}
		}
	}
	files := map[string]string{
		"characters.md": charactersPage(),
		"places.md":     placesPage(),
		"README.md":     contentsPage(chapters),
	}
	for i, c := range chapters {
		text, err := w.chapter(i+1, c)
		if err != nil {
			return nil, fmt.Errorf("chapter %d: %w", i+1, err)
		}
		files[chapterFile(i+1)] = text
	}
	return files, nil
}

func chapterFile(n int) string { return fmt.Sprintf("chapter-%02d.md", n) }

// chapter writes the paragraphs made by hand and shares the words that are
// still missing out among the gaps.
func (w *writer) chapter(n int, c chapter) (string, error) {
	w.chapterNo = n
	missing, gaps := chapterWords, 0
	for _, s := range c.scenes {
		for _, p := range s.pieces {
			missing -= len(strings.Fields(p.text))
			if p.fill != nil {
				gaps++
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Chapter %d: %s\n\n*%s*\n", n, c.title, c.date)
	for i, s := range c.scenes {
		if i > 0 {
			b.WriteString("\n* * *\n")
		}
		for _, p := range s.pieces {
			if p.fill == nil {
				fmt.Fprintf(&b, "\n%s\n", p.text)
				w.lastShape = nil
				continue
			}
			text, err := w.gap(s, p.fill, min(missing/gaps, gapWords))
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, "\n%s\n", text)
			missing -= len(strings.Fields(text))
			gaps--
		}
	}
	return b.String(), nil
}

// gap returns paragraphs of the given kinds, in turn, with about so many words. Two short ones
// that are not dialogue become one.
func (w *writer) gap(s scene, kinds []string, words int) (string, error) {
	var paragraphs []string
	for k := 0; k == 0 || words > 25; k++ {
		kind := kinds[k%len(kinds)]
		text, err := w.passage(s, kind)
		for _, other := range instead {
			if errors.Is(err, errStale) {
				text, err = w.passage(s, other)
			}
		}
		if err != nil {
			return "", err
		}
		words -= len(strings.Fields(text))
		if n := len(paragraphs); n > 0 && mayJoin(paragraphs[n-1], text) {
			paragraphs[n-1] = joined(paragraphs[n-1], text, s.present[0])
			continue
		}
		paragraphs = append(paragraphs, text)
	}
	return strings.Join(paragraphs, "\n\n"), nil
}

func mayJoin(a, b string) bool {
	return !strings.ContainsAny(a+b, "\"\n") && len(strings.Fields(a)) < 55
}

// joined puts two passages into one paragraph and, where nobody else is named in it, calls the
// viewpoint by name only once.
func joined(a, b string, who person) string {
	for _, p := range people {
		if p.name != who.name && strings.Contains(a+b, p.name) {
			return a + " " + b
		}
	}
	if !strings.Contains(a, who.called()) {
		return a + " " + b
	}
	he := capital(who.he) + " "
	b = strings.ReplaceAll(b, ". "+who.called()+" ", ". "+he)
	if rest, ok := strings.CutPrefix(b, who.called()+" "); ok {
		b = he + rest
	}
	return a + " " + b
}

func contentsPage(chapters []chapter) string {
	var b strings.Builder
	b.WriteString(blurb)
	for i, c := range chapters {
		fmt.Fprintf(&b, "%d. [%s](%s), %s\n", i+1, c.title, chapterFile(i+1), c.date)
	}
	b.WriteString(colophon)
	return b.String()
}

const blurb = `# The Salt Ledger

Skerrow lives by salt and by the Long Gate, which keeps the sea out of the Lower Town. Eleven years ago the sea came in all the
same, and fourteen people drowned. The tide ledger says that the gate was shut. Then a bookbinder takes the ledger apart,
and finds four leaves that were not sewn by the hand that sewed the rest.

Who everybody is stands in [characters](characters.md), where everything is in [places](places.md).

## Contents

`

const colophon = `
## How it was made

The plot, its scenes and most of its paragraphs were written by hand; a grammar with a fixed seed fills the gaps between them. All
of it is in the folder ` + "`generate`" + `, and running that program again gives the same book, byte for byte:

` + "```sh\ngo run ./examples/novel/generate -out examples/novel\n```\n"

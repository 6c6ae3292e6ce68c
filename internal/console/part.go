package console

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"redline/internal/wire"
)

// split divides a hunk; done if it did.
func (w *walk) split(ctx context.Context, it item) (done bool, err error) {
	if !w.divisible(it) {
		w.screen.line("It cannot be split.")
		return false, nil
	}
	old, added := between(changed(it.hunk.Lines))
	if old+added == 0 {
		if old, added, err = w.askCut(ctx, it); err != nil || old+added == 0 {
			return false, err
		}
	}
	first, _, err := w.reviews.Split(ctx, it.hunk.ID, old, added)
	if err != nil {
		w.screen.line(w.screen.colors.red("✗ ") + Clean(err.Error()))
		return false, nil
	}
	if err := w.reload(ctx); err != nil {
		return false, err
	}
	w.at = max(0, slices.IndexFunc(w.items, func(it item) bool { return it.hunk.ID == first }))
	return true, nil
}

// askCut asks after how many lines a hunk of one piece is cut; 0 and 0 if the user
// does not want to.
func (w *walk) askCut(ctx context.Context, it item) (old, added int, err error) {
	removed, new := sides(changed(it.hunk.Lines))
	most := max(removed, new) - 1
	for {
		line, err := w.keys.line(ctx, fmt.Sprintf("After how many of its lines (1 to %d; empty: do not split)? ", most))
		if gone(err) || err == nil && strings.TrimSpace(line) == "" {
			return 0, 0, nil
		}
		if err != nil {
			return 0, 0, err
		}
		if n, err := strconv.Atoi(strings.TrimSpace(line)); err == nil && n >= 1 && n <= most {
			return min(n, removed), min(n, new), nil
		}
	}
}

// divisible tells whether a hunk can be split.
func (w *walk) divisible(it item) bool {
	if it.hunk.Kind != "text" || it.hunk.Applied {
		return false
	}
	lines := changed(it.hunk.Lines)
	old, added := between(lines)
	removed, new := sides(lines)
	return old+added > 0 || max(removed, new) > 1
}

// changed are the lines of a hunk without the unchanged ones around them.
func changed(lines []wire.Line) []wire.Line {
	same := func(l wire.Line) bool { return l.Type == "unchanged" }
	for len(lines) > 0 && same(lines[0]) {
		lines = lines[1:]
	}
	for len(lines) > 0 && same(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// sides counts the lines before and after.
func sides(lines []wire.Line) (old, added int) {
	for _, l := range lines {
		if l.Type != "added" {
			old++
		}
		if l.Type != "removed" {
			added++
		}
	}
	return old, added
}

// between is the place between the first two runs of changed lines, in lines
// before and after; 0 and 0 if there is one run only.
func between(lines []wire.Line) (old, added int) {
	for i := 1; i < len(lines); i++ {
		if lines[i].Type == "unchanged" {
			return sides(lines[:i])
		}
	}
	return 0, 0
}

func (w *walk) editable(it item) bool {
	_, able := w.reviews.(Editor)
	return able && it.hunk.Kind == "text" && !it.hunk.Applied
}

// change lets the user write the new text of a hunk; done if it was taken.
func (w *walk) change(ctx context.Context, it item) (done bool, err error) {
	if !w.editable(it) {
		w.screen.line("It cannot be edited here.")
		return false, nil
	}
	before := newText(changed(it.hunk.Lines))
	text, err := w.edit(ctx, "change.txt", before)
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case err == nil && text == before:
		w.screen.line("The text is as it was.")
		return false, nil
	case err == nil:
		err = w.reviews.(Editor).Edit(ctx, it.hunk.ID, text)
	}
	if err != nil {
		w.screen.line(w.screen.colors.red("✗ ") + Clean(err.Error()))
		return false, nil
	}
	w.accepted = true
	return true, w.reload(ctx)
}

// newText is what a hunk brings.
func newText(lines []wire.Line) string {
	var b strings.Builder
	for _, l := range lines {
		if l.Type == "removed" {
			continue
		}
		for _, s := range l.Spans {
			b.WriteString(s.Text)
		}
		if !l.NoEnd {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

package console

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"redline/internal/wire"
)

// Review lets the user decide about turns that wait for it, as their review says:
// hunk by hunk, or a turn as a whole. What the user leaves open stays open. Ctrl-C
// leaves all of it open.
func (c *Console) Review(ctx context.Context, reviews Reviews, turns []wire.Turn) (wire.Decided, error) {
	var all wire.Decided
	var byHunk []wire.Turn
	for _, t := range turns {
		var d wire.Decided
		var err error
		switch t.Review {
		case "auto":
			continue
		case "hunks":
			byHunk = append(byHunk, t)
			continue
		case "turn":
			d, err = c.reviewTurn(ctx, reviews, &t)
		default:
			d, err = c.reviewKept(ctx, reviews, &t)
		}
		all = join(all, d)
		if err != nil {
			return all, err
		}
	}
	if len(byHunk) == 0 {
		return all, nil
	}
	d, err := c.walk(ctx, reviews, byHunk, "Accept this change?")
	return join(all, d), err
}

func join(a, b wire.Decided) wire.Decided {
	return wire.Decided{Also: append(a.Also, b.Also...), Applied: append(a.Applied, b.Applied...), Files: append(a.Files, b.Files...), Open: b.Open}
}

// reviewTurn asks about a turn that is accepted or rejected as a whole.
func (c *Console) reviewTurn(ctx context.Context, reviews Reviews, t *wire.Turn) (wire.Decided, error) {
	c.diff(t)
	for {
		key, err := c.reviewKey(ctx, "Accept all of it? [y,n,v,q,?] ")
		if err != nil {
			return wire.Decided{}, err
		}
		switch key {
		case 'y':
			return c.decide(ctx, reviews, wire.Decision{Turn: t.ID, All: accept, AsOne: oversized(*t)}, nil)
		case 'n':
			return c.decide(ctx, reviews, wire.Decision{Turn: t.ID, All: reject}, nil)
		case 'v':
			c.wholeDiff(t)
		case 'q':
			c.screen.line("It waits for a decision.")
			return wire.Decided{Open: 1}, nil
		default:
			c.screen.line(`y  accept: it is written, all of it
n  reject: nothing is written
v  show all of the diff
q  leave it open`)
		}
	}
}

// reviewKept asks about changes that are on the disk already.
func (c *Console) reviewKept(ctx context.Context, reviews Reviews, t *wire.Turn) (wire.Decided, error) {
	c.diff(t)
	for {
		key, err := c.reviewKey(ctx, "Keep these changes? [y] keep  [u] undo all  [r] review one by one ")
		if err != nil {
			return wire.Decided{}, err
		}
		switch key {
		case 'y', enter:
			d, err := reviews.Decide(ctx, wire.Decision{Turn: t.ID, All: accept, AsOne: oversized(*t)})
			if err == nil {
				c.screen.line(c.screen.colors.green("✓") + " Kept. redline undo still takes them back.")
			}
			return d, err
		case 'u', 'n':
			return c.decide(ctx, reviews, wire.Decision{Turn: t.ID, All: reject}, nil)
		case 'r':
			return c.walk(ctx, reviews, []wire.Turn{*t}, "Keep this change?")
		case 'v':
			c.wholeDiff(t)
		case 'q':
			c.screen.line("They stay, and can still be undone.")
			return wire.Decided{Open: 1}, nil
		default:
			c.screen.line(`y  keep them (Enter does the same)
u  undo them all
r  decide one by one
v  show all of the diff
q  decide later`)
		}
	}
}

// oversized are the hunks of turns that are too large to be judged in passing. Who
// accepts all of what was shown accepts them as they are.
func oversized(turns ...wire.Turn) []string {
	var large []string
	for _, t := range turns {
		for _, f := range t.Files {
			for _, h := range f.Hunks {
				if h.Oversized {
					large = append(large, h.ID)
				}
			}
		}
	}
	return large
}

// reviewKey reads a key of a review. At the end of input everything is left open.
func (c *Console) reviewKey(ctx context.Context, question string) (rune, error) {
	key, err := c.keys.key(ctx, question)
	switch {
	case gone(err):
		return 'q', nil
	case errors.Is(err, errInterrupt):
		c.screen.line("Nothing was decided; it all stays open.")
	}
	return key, err
}

func (c *Console) wholeDiff(t *wire.Turn) {
	if err := Diff(c.screen.w, *t, Style{Color: bool(c.screen.colors)}); err != nil && c.screen.err == nil {
		c.screen.err = err
	}
}

// decide sends a decision and tells what came of it. Hunks are called by their
// names.
func (c *Console) decide(ctx context.Context, reviews Reviews, d wire.Decision, names map[string]string) (wire.Decided, error) {
	decided, err := reviews.Decide(ctx, d)
	if err == nil || len(decided.Also)+len(decided.Applied)+len(decided.Files) > 0 { // a part of it may have been done
		c.tell(decided, names)
	}
	return decided, err
}

func (c *Console) tell(d wire.Decided, names map[string]string) {
	good := c.screen.colors.green("✓")
	if len(d.Also) > 0 {
		also := make([]string, len(d.Also))
		for i, id := range d.Also {
			if also[i] = names[id]; also[i] == "" {
				also[i] = Clean(id)
			}
		}
		c.screen.line("Decided with them, because they depend on each other: " + strings.Join(also, "; "))
	}
	for _, f := range d.Applied {
		text := good + " " + oneLine(f.Path) + ": "
		switch {
		case f.Applied == 0:
			text += count(f.Rejected, "change") + " rejected"
		case f.Rejected == 0:
			text += count(f.Applied, "change") + " written"
		default:
			text += fmt.Sprintf("%s written, %d rejected", count(f.Applied, "change"), f.Rejected)
		}
		c.screen.line(text)
	}
	c.tellFiles(d.Files, "taken back")
	if len(d.Applied)+len(d.Files) == 0 && d.Open == 0 {
		c.screen.line(good + " Decided.")
	}
	if d.Open > 0 {
		c.screen.line(count(d.Open, "change") + " still open: redline accept, redline reject.")
	}
}

// tellFiles tells what became of files; restored is the word for those where it
// worked.
func (c *Console) tellFiles(files []wire.FileReport, restored string) {
	for _, f := range files {
		mark, word := c.screen.colors.green("✓"), restored
		switch f.Outcome {
		case "restored":
		case "skipped":
			mark, word = "–", "skipped"
		default:
			mark, word = c.screen.colors.red("✗"), oneLine(f.Outcome)
		}
		if f.Reason != "" {
			word += ": " + oneLine(f.Reason)
		}
		c.screen.line(mark + " " + oneLine(f.Path) + ": " + word)
	}
}

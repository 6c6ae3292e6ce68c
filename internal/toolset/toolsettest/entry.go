package toolsettest

import (
	"context"
	"fmt"
	"strings"

	"redline/internal/ledger"
)

// entries are the records of the turns, for people.
func (b *Bench) entries() string {
	var out strings.Builder
	for i, r := range b.records {
		fmt.Fprintf(&out, "turn %d, %s, %s\n", i+1, r.Review, r.Status)
		for _, c := range r.Changes {
			name := c.Path.String()
			if c.From != nil {
				name = c.From.String() + " -> " + name
			}
			fmt.Fprintf(&out, "%s %s: %s\n", c.Verb(), name, hunksOf(c))
		}
	}
	return out.String()
}

// hunksOf lists the hunks of a change: kind, and the edits they came from.
func hunksOf(c ledger.Change) string {
	var list []string
	for _, h := range c.Hunks {
		s := string(h.Kind)
		if len(h.Edits) > 0 {
			s += " (" + strings.Join(h.Edits, " ") + ")"
		}
		list = append(list, s)
	}
	return strings.Join(list, ", ")
}

// takeBack undoes the turns, newest first, or rejects them where they are not on
// the disk.
func (b *Bench) takeBack() {
	b.t.Helper()
	ctx := context.Background()
	for i := len(b.records) - 1; i >= 0; i-- {
		r := b.records[i]
		if r.Status == ledger.Empty {
			continue
		}
		var report ledger.Report
		var err error
		switch b.review {
		case ledger.Hunks:
			err = b.Ledger.DecideAll(ctx, session, ledger.Path{}, false)
		case ledger.WholeTurn:
			report, err = b.Ledger.Reject(ctx, r.ID)
		default:
			report, err = b.Ledger.Undo(ctx, ledger.UndoRequest{Turn: r.ID})
		}
		b.must(err)
		if !report.Clean() {
			b.t.Errorf("turn %d could not be taken back: %+v", i+1, report.Files)
		}
	}
}

// onDisk tells whether the changes of a turn are on the disk when it ends.
func (b *Bench) onDisk() bool { return !b.review.Staged() }

package ledger

import (
	"context"

	"redline/internal/diff"
	"redline/internal/text"
)

// StaleError refuses a write by somebody who has not seen the current text. It
// brings that text, and with its hash a token for another try.
type StaleError struct {
	Reason  string
	Current *Snapshot
}

func (e *StaleError) Error() string { return e.Current.Path.String() + ": " + e.Reason }

// Is makes a StaleError a Stale.
func (e *StaleError) Is(target error) bool { return target == Stale }

func stale(now *Snapshot, reason string) error { return &StaleError{Reason: reason, Current: now} }

// carryOver makes an edit on the text that it is about, and merges the result
// with the current text.
func (t *Turn) carryOver(ctx context.Context, now *Snapshot, current *text.Document, r EditRequest) ([]byte, error) {
	about, ok := t.textOf(ctx, now.Path, r.Token)
	if !ok {
		return nil, stale(now, "the token belongs to no text of this file that is known here")
	}
	edited, _, err := r.Edit(about)
	if err != nil {
		return nil, stale(now, "the file has changed since it was read")
	}
	m := diff.Merge3(about, current, edited)
	if !m.Clean() {
		return nil, stale(now, "the file has changed at the same place since it was read")
	}
	return m.Result.Bytes(), nil
}

// textOf finds the text of p that a token stands for. A token of another file
// is none.
func (t *Turn) textOf(ctx context.Context, p Path, token text.Hash) (*text.Document, bool) {
	if seen, ok := t.ledger.seen.get(t.record.Session, p); ok && seen.hash == token {
		return text.New(seen.data), true
	}
	for _, e := range t.log {
		if e.Path != p || e.Before.Hash != token && e.After.Hash != token {
			continue
		}
		if data, err := t.view.content(ctx, token); err == nil {
			return text.New(data), true
		}
	}
	return nil, false
}

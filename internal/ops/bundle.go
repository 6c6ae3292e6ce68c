package ops

import (
	"context"

	"redline/internal/diff"
	"redline/internal/ledger"
	"redline/internal/text"
	"redline/internal/wire"
)

// Bundle is the changes of a turn that has ended.
func Bundle(ctx context.Context, l *ledger.Ledger, r *ledger.TurnRecord) (wire.DiffBundle, error) {
	b := wire.DiffBundle{Job: r.Job, Files: []wire.DiffFile{}}
	for i := range r.Changes {
		c := &r.Changes[i]
		patches, err := l.Patches(ctx, c)
		if err != nil {
			return b, AsError(err)
		}
		f := wire.DiffFile{Path: c.Path.String(), Base: c.Before.Hash.String(), Hunks: []wire.DiffHunk{}}
		if c.From != nil {
			f.From = c.From.String()
		}
		for k, h := range c.Hunks {
			hunk := wire.DiffHunk{ID: h.ID, Patch: patches[k].Forward, Edits: append([]string{}, h.Edits...), Oversized: h.Oversized, DependsOn: h.DependsOn}
			if h.State != ledger.HunkPending {
				accepted := h.State == ledger.HunkAccepted
				hunk.Accepted = &accepted
			}
			if h.Kind != ledger.TextHunk {
				hunk.Kind = string(h.Kind)
			}
			if h.Kind == ledger.CreateHunk || h.Kind == ledger.DeleteHunk {
				whole, err := WholeFile(ctx, l, c)
				if err != nil {
					return b, AsError(err)
				}
				hunk.Patch = whole.Forward
			}
			f.Hunks = append(f.Hunks, hunk)
		}
		b.Files = append(b.Files, f)
	}
	return b, nil
}

// WholeFile is the patch that makes or removes a text file, and its opposite. Both are
// empty for what is no text.
func WholeFile(ctx context.Context, l *ledger.Ledger, c *ledger.Change) (ledger.HunkPatch, error) {
	if c.Before.Kind != ledger.File && c.After.Kind != ledger.File {
		return ledger.HunkPatch{}, nil // a folder or a link
	}
	before, after, err := l.Contents(ctx, c)
	if err != nil {
		return ledger.HunkPatch{}, err
	}
	if text.Check(before) != nil || text.Check(after) != nil {
		return ledger.HunkPatch{}, nil
	}
	a, b := text.New(before), text.New(after)
	return ledger.HunkPatch{Forward: patch(a, b), Reverse: patch(b, a)}, nil
}

func patch(a, b *text.Document) string {
	patch := ""
	for _, h := range diff.Hunks(a, b, diff.Lines(a, b), diff.Context) {
		patch += h.String()
	}
	return patch
}

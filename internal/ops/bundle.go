package ops

import (
	"context"

	"redline/internal/diff"
	"redline/internal/ledger"
	"redline/internal/text"
)

// DiffBundle is what a turn changed, as a person reviews it: file by file, hunk
// by hunk.
type DiffBundle struct {
	JobID string     `json:"job_id"`
	Files []DiffFile `json:"files"`
}

// DiffFile is a file of a bundle.
type DiffFile struct {
	FilePath     string     `json:"file_path"`
	From         string     `json:"from,omitempty"` // its name before, if it was moved
	BaseFileHash text.Hash  `json:"base_file_hash"` // of the file before the turn; "" if there was none
	Hunks        []DiffHunk `json:"hunks"`
}

// DiffHunk is the unit of decision.
type DiffHunk struct {
	HunkID   string   `json:"hunk_id"`
	Patch    string   `json:"patch"`    // unified; "" for what is no text
	Accepted *bool    `json:"accepted"` // nil: not decided
	EditIDs  []string `json:"edit_ids"` // the edits that it comes from, never nil

	// Kind says what happens to the file as a whole; "" for a piece of text.
	Kind      ledger.HunkKind `json:"kind,omitempty"`
	Oversized bool            `json:"oversized_hunk,omitempty"`
	DependsOn []string        `json:"depends_on,omitempty"`
}

// Bundle is the changes of a turn that has ended.
func Bundle(ctx context.Context, l *ledger.Ledger, r *ledger.TurnRecord) (DiffBundle, error) {
	b := DiffBundle{JobID: r.Job, Files: []DiffFile{}}
	for i := range r.Changes {
		c := &r.Changes[i]
		patches, err := l.Patches(ctx, c)
		if err != nil {
			return b, AsError(err)
		}
		f := DiffFile{FilePath: c.Path.String(), BaseFileHash: c.Before.Hash, Hunks: []DiffHunk{}}
		if c.From != nil {
			f.From = c.From.String()
		}
		for k, h := range c.Hunks {
			hunk := DiffHunk{HunkID: h.ID, Patch: patches[k].Forward, EditIDs: append([]string{}, h.Edits...), Oversized: h.Oversized, DependsOn: h.DependsOn}
			if h.State != ledger.HunkPending {
				accepted := h.State == ledger.HunkAccepted
				hunk.Accepted = &accepted
			}
			if h.Kind != ledger.TextHunk {
				hunk.Kind = h.Kind
			}
			if h.Kind == ledger.CreateHunk || h.Kind == ledger.DeleteHunk {
				if hunk.Patch, err = wholeFile(ctx, l, c); err != nil {
					return b, AsError(err)
				}
			}
			f.Hunks = append(f.Hunks, hunk)
		}
		b.Files = append(b.Files, f)
	}
	return b, nil
}

// wholeFile is the patch that makes or removes a text file.
func wholeFile(ctx context.Context, l *ledger.Ledger, c *ledger.Change) (string, error) {
	if c.Before.Kind != ledger.File && c.After.Kind != ledger.File {
		return "", nil // a folder or a link
	}
	before, after, err := l.Contents(ctx, c)
	if err != nil {
		return "", err
	}
	if text.Check(before) != nil || text.Check(after) != nil {
		return "", nil
	}
	a, b := text.New(before), text.New(after)
	patch := ""
	for _, h := range diff.Hunks(a, b, diff.Lines(a, b), diff.Context) {
		patch += h.String()
	}
	return patch, nil
}

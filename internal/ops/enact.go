package ops

import (
	"context"
	"io/fs"

	"redline/internal/ledger"
	"redline/internal/text"
	"redline/internal/workspace"
)

// Deed is what a command did, in its copy of the folder, to one name.
type Deed struct {
	Name string // relative to the folder, with slashes
	From string // where it was moved from; "": it was not moved
	// Before and After are what is there: "file", "dir", "link", or "" for nothing.
	Before, After string
	Seen          [32]byte    // the SHA-256 of what was there; zero if the command did not look
	Data          []byte      // of a file or link, if Written
	Written       bool        // otherwise the content is what it was
	Mode          fs.FileMode // the permission bits of a file
}

// Enact makes what a command did in its copy part of the turn: all of it, or nothing.
// If the folder has changed meanwhile, that is Stale.
func (d *Desk) Enact(ctx context.Context, tool string, deeds []Deed) (Ran, error) {
	effects := make([]ledger.Effect, 0, len(deeds))
	var contents [][]byte
	for _, deed := range deeds {
		e, err := deed.effect()
		if err != nil {
			return Ran{}, AsError(err)
		}
		if deed.Written {
			contents = append(contents, deed.Data)
		}
		effects = append(effects, e)
	}
	var enacted []ledger.Effect
	err := retry(ctx, func() (err error) {
		enacted, err = d.turn.Enact(ctx, tool, effects, contents...)
		return err
	})
	if err != nil {
		return Ran{}, AsError(err)
	}
	return ranOf(&ledger.Commit{Effects: enacted}), nil
}

func (d Deed) effect() (ledger.Effect, error) {
	p, err := workspace.ParsePath(d.Name)
	if err != nil {
		return ledger.Effect{}, err
	}
	e := ledger.Effect{
		Path:   p,
		Before: ledger.State{Kind: ledger.Kind(d.Before), Hash: d.Seen},
		After:  ledger.State{Kind: ledger.Kind(d.After)},
	}
	if e.After.Kind == ledger.File {
		e.After.Mode = d.Mode.Perm()
	}
	if d.Written {
		e.After.Hash = text.Sum(d.Data)
	}
	if d.From != "" {
		from, err := workspace.ParsePath(d.From)
		if err != nil {
			return e, err
		}
		e.From = &from
	}
	return e, nil
}

package ops

import (
	"context"
	"errors"
	"strings"

	"redline/internal/diff"
	"redline/internal/ledger"
	"redline/internal/text"
	"redline/internal/workspace"
)

// Created is a document or folder that was made.
type Created struct {
	Path string
	Hash text.Hash // of a document
}

// Create makes a new document and the folders on the way to it.
func (d *Desk) Create(ctx context.Context, tool, name, content string) (Created, error) {
	p, err := d.resolve(ctx, name, workspace.Writing)
	if err != nil {
		return Created{}, err
	}
	if err := d.checkNew(name, content); err != nil {
		return Created{}, err
	}
	var s *ledger.Snapshot
	err = retry(ctx, func() (err error) {
		s, err = d.turn.Create(ctx, tool, p, []byte(content), 0)
		return err
	})
	if err != nil {
		e := AsError(err)
		if e.Code == AlreadyExists {
			e = errorf(AlreadyExists, name, "%s exists already", name)
		}
		return Created{}, e
	}
	return Created{p.String(), s.Hash}, nil
}

func (d *Desk) checkNew(name, content string) error {
	if err := text.Check([]byte(content)); err != nil {
		return errorf(UnsupportedFile, name, "the content is no text: %v", err)
	}
	return d.checkContent(name, content, nil)
}

// WriteRequest replaces the whole content of a document, or makes a new one.
type WriteRequest struct {
	Path    string
	Content string
	Token   text.Hash // of the text that is replaced; zero: what the session last read
	// Overwrite replaces what the session has not seen: for a user who was asked.
	Overwrite bool
}

// Write replaces the whole content of a document. It is refused unless the session
// has seen all of what it replaces.
func (d *Desk) Write(ctx context.Context, tool string, r WriteRequest) (Edited, error) {
	p, err := d.resolve(ctx, r.Path, workspace.Writing)
	if err != nil {
		return Edited{}, err
	}
	before, err := d.replaced(ctx, r, p)
	if err != nil {
		return Edited{}, err
	}
	if err := d.checkContent(r.Path, r.Content, before.Data); err != nil {
		return Edited{}, err
	}
	content := text.New(before.Data).Rewrite([]byte(r.Content)).Bytes()
	if err := text.Check(content); err != nil {
		return Edited{}, errorf(UnsupportedFile, r.Path, "the content is no text: %v", err)
	}
	if string(content) == string(before.Data) {
		return Edited{}, errorf(NoChange, r.Path, "%s has this text already; nothing would change", r.Path)
	}
	token := r.Token
	if r.Overwrite {
		token = before.Hash
	}
	var after *ledger.Snapshot
	err = retry(ctx, func() (err error) {
		after, err = d.turn.Write(ctx, tool, p, content, token)
		return err
	})
	var stale *ledger.StaleError
	if errors.As(err, &stale) {
		return Edited{}, d.unseen(r.Path, stale)
	}
	if err != nil {
		return Edited{}, AsError(err)
	}
	out := Edited{Path: p.String(), Before: before.Data, After: after.Data, Hash: after.Hash}
	out.Added, out.Removed = countLines(out.Before, out.After)
	return out, nil
}

// replaced is the document that a write is about, without the session having seen
// it by that.
func (d *Desk) replaced(ctx context.Context, r WriteRequest, p workspace.Path) (*ledger.Snapshot, error) {
	s, err := d.turn.Peek(ctx, p)
	if err != nil {
		return nil, d.absent(ctx, r.Path, err)
	}
	if _, err := s.Document(); err != nil {
		return nil, AsError(err)
	}
	return s, nil
}

// unseen says why a document must not be replaced as a whole.
func (d *Desk) unseen(name string, stale *ledger.StaleError) error {
	if strings.Contains(stale.Reason, "changed") {
		e := errorf(Stale, name, "%s: %s", name, stale.Reason)
		doc := text.New(stale.Current.Data)
		e.Near = piece(stale.Current, doc, 0, min(20, doc.Lines()))
		return e
	}
	return errorf(Unseen, name, "%s: %s", name, stale.Reason)
}

// MakeFolder makes a folder and those on the way to it. made is false if it is
// there already.
func (d *Desk) MakeFolder(ctx context.Context, tool, name string) (c Created, made bool, err error) {
	p, err := d.resolve(ctx, strings.TrimRight(name, "/"), workspace.Writing)
	if err != nil {
		return Created{}, false, err
	}
	s, err := d.turn.Stat(ctx, p)
	switch {
	case err != nil:
		return Created{}, false, AsError(err)
	case s.Kind == ledger.Dir:
		return Created{Path: p.String()}, false, nil
	case s.Exists():
		return Created{}, false, errorf(AlreadyExists, name, "%s is a document, so no folder can have its name", name)
	}
	if err := retry(ctx, func() error { return d.turn.MakeDir(ctx, tool, p) }); err != nil {
		return Created{}, false, AsError(err)
	}
	return Created{Path: p.String()}, true, nil
}

// countLines is how many lines a change adds and removes.
func countLines(before, after []byte) (added, removed int) {
	a := text.New(before)
	stats := diff.Count(a, diff.Lines(a, text.New(after)))
	return stats.Added, stats.Removed
}

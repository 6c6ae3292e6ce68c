package redline

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"redline/internal/ledger"
	"redline/internal/text"
	"redline/internal/wire"
	"redline/internal/workspace"
)

const (
	mostEntries   = 5000    // of a tree, if nobody says otherwise
	largestOnPage = 4 << 20 // bytes of a document that is shown as a whole
)

// Tree lists what is in the folder, in the order of paths: what tools could read, and
// no ignore file hides.
func (h *Host) Tree(ctx context.Context, q wire.TreeQuery) (wire.Tree, error) {
	o := workspace.WalkOptions{Policy: h.policy(""), Depth: q.Depth, Closed: true}
	if strings.Trim(q.Under, "/") != "" {
		p, err := h.folder.files.Resolve(q.Under, o.Policy, workspace.Reading)
		if err != nil {
			return wire.Tree{}, err
		}
		o.Under = p
	}
	list, err := h.listing(ctx, q.Glob, o)
	if err != nil {
		return wire.Tree{}, err
	}
	limit := q.Limit
	if limit <= 0 {
		limit = mostEntries
	}
	tree := wire.Tree{Entries: []wire.TreeEntry{}, Truncated: len(list) > limit}
	for _, l := range list[:min(limit, len(list))] {
		if e, ok := h.entry(l); ok {
			tree.Entries = append(tree.Entries, e)
		}
	}
	return tree, nil
}

func (h *Host) listing(ctx context.Context, glob string, o workspace.WalkOptions) ([]workspace.Listed, error) {
	if glob == "" {
		return h.folder.files.List(ctx, o)
	}
	if _, err := workspace.ParseGlob(glob); err != nil {
		return nil, wire.Errorf(wire.CodeInvalid, "the glob cannot be understood: %s", err.Error())
	}
	return h.folder.files.Glob(ctx, glob, o)
}

// entry is what a tree shows of something, unless it is gone meanwhile.
func (h *Host) entry(l workspace.Listed) (wire.TreeEntry, bool) {
	info, err := h.folder.files.Stat(l.Path)
	if err != nil || l.IsLink() {
		return wire.TreeEntry{}, false
	}
	e := wire.TreeEntry{Path: l.Path.String(), Kind: "file", Size: info.Size, Modified: time.Unix(0, info.Stamp.Modified).UTC()}
	if l.IsDir() {
		e.Kind, e.Size = "folder", 0
	}
	return e, true
}

// Read is a document as it is on the disk or, in a session, with the changes in place
// that wait for a decision there.
func (h *Host) Read(ctx context.Context, q wire.DocumentQuery) (wire.Document, error) {
	if q.Session != "" {
		if err := h.known(ctx, q.Session); err != nil {
			return wire.Document{}, err
		}
	}
	p, err := h.folder.files.Resolve(q.Path, h.policy(q.Session), workspace.Reading)
	if err != nil {
		return wire.Document{}, err
	}
	now, pending, err := h.current(ctx, q.Session, p)
	if err != nil {
		return wire.Document{}, err
	}
	return h.document(p, now, pending)
}

// current is a document as a session sees it, or with "" as it is on the disk, and
// whether changes of the session wait in it.
func (h *Host) current(ctx context.Context, session string, p ledger.Path) (*ledger.Snapshot, bool, error) {
	if session == "" {
		s, err := h.folder.files.Read(p)
		if err != nil {
			return nil, false, err
		}
		return &ledger.Snapshot{Path: p, State: ledger.State{Kind: ledger.File, Hash: s.Hash, Mode: s.Mode}, Data: s.Data}, false, nil
	}
	log, err := h.folder.ledger.ChangeLog(ctx, session, p)
	if err != nil {
		return nil, false, err
	}
	waiting := slices.ContainsFunc(log, func(e ledger.LogEntry) bool { return !e.Applied && e.Status != ledger.HunkRejected })
	if !waiting {
		s, _, err := h.current(ctx, "", p)
		return s, false, err
	}
	s, err := h.folder.ledger.Buffer(ctx, session, p)
	if err == nil && s.Kind != ledger.File {
		err = &workspace.Error{Code: workspace.NotFound, Path: p.String(), Reason: "there is no such document any more, in what waits for a decision"}
	}
	return s, true, err
}

// document is a text with its token. Of a very large one there is only the beginning,
// without a token: it cannot be saved by that.
func (h *Host) document(p ledger.Path, s *ledger.Snapshot, pending bool) (wire.Document, error) {
	if err := text.Check(s.Data); err != nil {
		return wire.Document{}, unreadable(p, err)
	}
	doc := text.New(s.Data)
	d := wire.Document{Path: p.String(), Content: string(s.Data), Token: s.Hash.String(), Lines: doc.Lines(), EOL: lineEnds(doc), Pending: pending, Locked: h.jobs.Locked()}
	if len(d.Content) > largestOnPage {
		d.Content, d.Token, d.Truncated = strings.ToValidUTF8(d.Content[:largestOnPage], ""), "", true
	}
	return d, nil
}

// lineEnds says how the lines of a document end.
func lineEnds(doc *text.Document) string {
	lf, crlf := false, false
	for i := range doc.Lines() {
		switch text.Terminator(doc.Line(i)) {
		case text.LF:
			lf = true
		case text.CRLF:
			crlf = true
		}
	}
	switch {
	case lf && crlf:
		return "mixed"
	case crlf:
		return "crlf"
	case lf:
		return "lf"
	}
	return "none"
}

// Save writes a document for the user, who shows the token of the text that was
// changed; a new document has none. Line ends and a byte order mark stay as the
// document has them.
//
// A document with changes of the session that wait in it is saved in the session's
// buffer, as a change of the user's; it reaches the disk with the last decision about
// it. All others are written at once.
func (h *Host) Save(ctx context.Context, r wire.SaveRequest) (wire.Document, error) {
	h.deciding.RLock()
	defer h.deciding.RUnlock()
	if r.Session != "" {
		if err := h.known(ctx, r.Session); err != nil {
			return wire.Document{}, err
		}
	}
	p, err := h.folder.files.Resolve(r.Path, h.policy(r.Session), workspace.Writing)
	if err != nil && !workspace.Asks(err) { // the user does it, and need not be asked
		return wire.Document{}, err
	}
	if h.jobs.Locked() {
		return wire.Document{}, locked()
	}
	h.saving.Lock()
	defer h.saving.Unlock()
	now, pending, err := h.current(ctx, r.Session, p)
	if errors.Is(err, workspace.NotFound) {
		now, err = nil, nil
	}
	if err != nil {
		return wire.Document{}, err
	}
	content, err := h.written(p, now, r)
	if err != nil {
		return wire.Document{}, err
	}
	if pending {
		return h.saveBuffer(ctx, r.Session, p, content)
	}
	return h.saveFile(ctx, p, now, content)
}

// written is the text that is to be saved, if whoever wrote it has seen the current one.
func (h *Host) written(p ledger.Path, now *ledger.Snapshot, r wire.SaveRequest) ([]byte, error) {
	if err := text.Check([]byte(r.Content)); err != nil {
		return nil, unreadable(p, err)
	}
	if now == nil {
		if r.Token != "" {
			return nil, stale(p, nil, "is gone: save it without a token to make it anew")
		}
		return []byte(r.Content), nil
	}
	token, err := text.ParseHash(r.Token)
	switch {
	case r.Token == "":
		return nil, stale(p, now, "is there already: read it, and show the token of what you read")
	case err != nil:
		return nil, wire.Errorf(wire.CodeInvalid, "the token is none that was given: %s", err.Error())
	case token != now.Hash:
		return nil, stale(p, now, "has changed since it was read: take over the current text, and save again with its token")
	}
	return text.New(now.Data).Rewrite([]byte(r.Content)).Bytes(), nil
}

// stale refuses to save over a text that the writer has not seen, and brings it.
func stale(p ledger.Path, now *ledger.Snapshot, why string) error {
	e := wire.Errorf(wire.CodeStale, "%s %s", workspace.Display(p.String()), why).With("file_path", p.String())
	if now == nil {
		return e.With("current", nil).With("token", "")
	}
	if text.Check(now.Data) == nil && len(now.Data) <= largestOnPage {
		e.With("current", string(now.Data))
	}
	return e.With("token", now.Hash.String())
}

// saveFile writes the disk, as a change by hand.
func (h *Host) saveFile(ctx context.Context, p ledger.Path, now *ledger.Snapshot, content []byte) (wire.Document, error) {
	turn, err := h.folder.ledger.Begin(ctx, ledger.TurnRequest{Session: byHand, Message: "save " + p.String(), Review: ledger.Auto})
	if err != nil {
		return wire.Document{}, err
	}
	var saved *ledger.Snapshot
	if now == nil {
		saved, err = turn.Create(ctx, "save", p, content, 0o644)
	} else {
		saved, err = turn.Write(ctx, "save", p, content, now.Hash)
	}
	if err != nil {
		_, discardErr := turn.Discard(context.WithoutCancel(ctx))
		var changed *ledger.StaleError
		if errors.As(err, &changed) {
			err = stale(p, changed.Current, "has changed since it was read: take over the current text, and save again with its token")
		}
		return wire.Document{}, errors.Join(err, discardErr)
	}
	if _, err := turn.End(context.WithoutCancel(ctx)); err != nil {
		return wire.Document{}, err
	}
	return h.document(p, saved, false)
}

// saveBuffer puts the user's text into the buffer of a session. When nothing in the
// document waits for a decision any more, it is written.
func (h *Host) saveBuffer(ctx context.Context, session string, p ledger.Path, content []byte) (wire.Document, error) {
	if _, err := h.folder.ledger.UserEdit(ctx, session, p, content); err != nil {
		return wire.Document{}, err
	}
	ctx = context.WithoutCancel(ctx)
	log, err := h.folder.ledger.ChangeLog(ctx, session, p)
	if err != nil {
		return wire.Document{}, err
	}
	if !slices.ContainsFunc(log, func(e ledger.LogEntry) bool { return e.Status == ledger.HunkPending }) {
		if _, err := h.Decide(ctx, session, wire.Decision{}); err != nil {
			return wire.Document{}, err
		}
	} else if err := h.tell(ctx, session); err != nil {
		return wire.Document{}, err
	}
	now, pending, err := h.current(ctx, session, p)
	if err != nil {
		return wire.Document{}, err
	}
	return h.document(p, now, pending)
}

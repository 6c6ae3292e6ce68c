package ledger

import (
	"context"
	"slices"
	"time"

	"redline/internal/text"
)

// Version is what one commit made of a document.
type Version struct {
	Commit  string     `json:"commit"`
	Turn    string     `json:"turn,omitempty"`
	Kind    CommitKind `json:"kind"`
	Time    time.Time  `json:"time"`
	Message string     `json:"message,omitempty"` // the user message behind it
	Path    Path       `json:"path"`              // the name it had then
	State   State      `json:"state"`
}

// History lists the versions of the document at p, newest first. It follows the
// document through its names.
func (l *Ledger) History(ctx context.Context, p Path) ([]Version, error) {
	commits, err := l.commits(ctx, Query{Newest: true}, (*Commit).onDisk)
	if err != nil {
		return nil, err
	}
	var out []Version
	messages := map[string]string{}
	for _, c := range commits {
		for _, e := range c.Effects {
			if e.Path != p {
				continue
			}
			if _, ok := messages[c.Turn]; !ok && c.Turn != "" {
				if t, err := l.Turn(ctx, c.Turn); err == nil {
					messages[c.Turn] = t.Message
				}
			}
			out = append(out, Version{Commit: c.ID, Turn: c.Turn, Kind: c.Kind, Time: c.Time, Message: messages[c.Turn], Path: p, State: e.After})
			p = e.origin()
			break
		}
	}
	return out, nil
}

// RestoreVersion makes the document at p what a commit had made of it. That is
// a change of its own, which can be undone.
func (l *Ledger) RestoreVersion(ctx context.Context, session string, p Path, commit string) (*TurnRecord, error) {
	versions, err := l.History(ctx, p)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(versions, func(v Version) bool { return v.Commit == commit })
	if i < 0 {
		return nil, errorf(NotFound, "%s has no version %s", p, commit)
	}
	if versions[i].State.Kind != File {
		return nil, errorf(Invalid, "in that version %s is not a file", p)
	}
	data, err := l.store.Blob(ctx, versions[i].State.Hash)
	if err != nil {
		return nil, err
	}
	t, err := l.Begin(ctx, TurnRequest{Session: session, Message: "restore " + p.String(), Review: Auto})
	if err != nil {
		return nil, err
	}
	now, _, err := l.look(p)
	if err != nil {
		return nil, err
	}
	after := State{Kind: File, Hash: text.Sum(data), Mode: versions[i].State.Mode}
	if err := t.do(ctx, "restore", []Effect{{Path: p, Before: now, After: after}}, data); err != nil {
		return nil, err
	}
	return t.End(ctx)
}

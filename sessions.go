package redline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"redline/agent"
	"redline/internal/ledger"
	"redline/internal/session"
	"redline/internal/store/jsonl"
)

// SessionInfo is what a list shows of a session.
type SessionInfo struct {
	ID       string    `json:"id"`
	Started  time.Time `json:"started_at"`
	Written  time.Time `json:"written_at"` // the last time
	Messages int       `json:"messages"`
	Title    string    `json:"title"` // the beginning of what the user said first
	Model    string    `json:"model,omitempty"`
	State    string    `json:"state"`              // where it stands, as in a Status
	Question string    `json:"question,omitempty"` // that waits for an answer
	Parent   string    `json:"parent,omitempty"`   // the session that it was forked from
	Problem  string    `json:"problem,omitempty"`  // what is wrong with its file
}

// Sessions lists the conversations on the folder, the one written to last first.
func (f *Folder) Sessions(ctx context.Context) ([]SessionInfo, error) {
	found, err := f.sessions().List(f.dir)
	if err != nil {
		return nil, err
	}
	return f.describe(ctx, found...)
}

// describe tells what a list shows of sessions.
func (f *Folder) describe(ctx context.Context, found ...jsonl.Info) ([]SessionInfo, error) {
	pending, err := f.ledger.Turns(ctx, "", 0, ledger.Pending)
	if err != nil {
		return nil, err
	}
	undecided := map[string]bool{}
	for _, t := range pending {
		undecided[t.Session] = undecided[t.Session] || t.Review.Staged()
	}
	list := []SessionInfo{}
	for _, i := range found {
		list = append(list, f.describeOne(i, undecided[i.ID]))
	}
	return list, nil
}

func (f *Folder) describeOne(i jsonl.Info, undecided bool) SessionInfo {
	info := SessionInfo{ID: i.ID, Started: i.Started, Written: i.Written, Messages: i.Messages, Title: i.Title, Model: i.Model, Parent: i.Parent, State: string(session.Idle)}
	if i.Err != nil {
		info.Problem = i.Err.Error()
	}
	said, err := f.sessions().Tail(i.Path)
	if err != nil {
		return info // what is wrong is told already
	}
	s := session.Recall(said)
	_, asks := session.OpenQuestion(said)
	switch _, writes := f.sessions().Writer(i.Path); {
	case s.State == session.Cancelled && s.Reason == session.CutOff && writes:
		s.State = session.Running
	case undecided && !asks:
		s.State = session.AwaitingReview
	}
	if info.State = string(s.State); s.Waiting != nil {
		info.Question = s.Waiting.Question
	}
	return info
}

// findSession finds a session of the folder by its id or the beginning of it; "" and
// Last are the one written to last.
func (f *Folder) findSession(id string) (jsonl.Info, error) {
	var info jsonl.Info
	var err error
	if id == "" || id == Last {
		info, err = f.sessions().Latest(f.dir)
	} else {
		info, err = f.sessions().Find(id)
	}
	switch {
	case errors.Is(err, jsonl.ErrNone) && (id == "" || id == Last):
		return info, refuse(ledger.NotFound, "there is no session on this folder yet")
	case errors.Is(err, jsonl.ErrNone):
		return info, refuse(ledger.NotFound, "there is no session %s on this folder: redline sessions lists them", id)
	case err == nil && info.CWD != "" && info.CWD != f.dir:
		return info, refuse(ledger.NotFound, "session %s is about another folder, %s: use -C to work there", info.ID, info.CWD)
	}
	return info, err
}

// Transcript is a session with all that was said.
type Transcript struct {
	SessionInfo
	Said   []agent.Message `json:"transcript"`
	record *jsonl.Record
}

// Session is one session.
func (f *Folder) Session(ctx context.Context, id string) (*Transcript, error) {
	info, err := f.findSession(id)
	if err != nil {
		return nil, err
	}
	record, err := f.sessions().Read(info.Path)
	if err != nil {
		return nil, err
	}
	about, err := f.describe(ctx, info)
	if err != nil {
		return nil, err
	}
	return &Transcript{SessionInfo: about[0], Said: record.Messages, record: record}, nil
}

// Markdown writes the transcript as a document.
func (t *Transcript) Markdown(w io.Writer) error { return jsonl.Markdown(w, t.record) }

// HTML writes the transcript as a page that needs nothing else.
func (t *Transcript) HTML(w io.Writer) error { return jsonl.HTML(w, t.record) }

// Fork begins a new session with the messages of another one, from the first up to
// and with number at.
func (f *Folder) Fork(ctx context.Context, id string, at int) (SessionInfo, error) {
	info, err := f.findSession(id)
	if err != nil {
		return SessionInfo{}, err
	}
	s, _, err := f.sessions().Fork(info.Path, at)
	if errors.Is(err, jsonl.ErrRange) {
		return SessionInfo{}, fmt.Errorf("session %s has no message %d: they are numbered from 0 to %d", info.ID, at, info.Messages-1)
	}
	if err != nil {
		return SessionInfo{}, err
	}
	if err := s.Close(); err != nil {
		return SessionInfo{}, err
	}
	if info, err = f.findSession(s.ID()); err != nil {
		return SessionInfo{}, err
	}
	about, err := f.describe(ctx, info)
	if err != nil {
		return SessionInfo{}, err
	}
	return about[0], nil
}

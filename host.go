package redline

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"

	"redline/internal/ledger"
	"redline/internal/session"
	"redline/internal/store/jsonl"
	"redline/internal/wire"
	"redline/llm"
)

// HostLimits bound what a host keeps of sessions and jobs.
type HostLimits = session.HostLimits

// HostOptions say how a host works.
type HostOptions struct {
	// Name is what sessions and jobs call the folder; "": the folder's own name.
	Name string
	// Defaults is how sessions work that say nothing else. Which one they go on with,
	// and whether somebody can be asked, they say themselves.
	Defaults ConversationOptions
	// Choose makes the model of a name ready, with "" the one that is configured. It is
	// asked for every session, so that no two share what a router remembers. Nil: there
	// is Defaults.Model alone.
	Choose func(model string) (Chosen, error)
	Limits HostLimits
	// RerunOnConflict starts a job anew, on the fresh files, when its changes cannot be
	// written because of what is on the disk.
	RerunOnConflict bool
	// Confirm has the agent state its plan and wait before its first change.
	Confirm bool
	// Observe is told every event that is kept, with the job as it is then. Neither is
	// to be changed, and it must not call the host.
	Observe func(j *session.JobRecord, e wire.JobEvent)
}

// Host is a folder as servers work on it: its sessions and their jobs, what waits for a
// decision, and its documents. It may be used by several goroutines. Errors are
// wire.Errors, or have the codes of the ledger and of operations.
type Host struct {
	folder  *Folder
	options HostOptions
	jobs    *session.Host
	bundles bundles
	saving  sync.Mutex // a document is looked at and written by one at a time
	ruling  sync.Mutex // hunks are decided about by one at a time; inside of saving and deciding
	// deciding is held for reading while something is decided here and told, and for
	// writing to take notice of what was decided elsewhere.
	deciding sync.RWMutex

	mu   sync.Mutex
	live map[string]*Conversation // that are open here, by id
}

// Host makes a host of the folder. There is one at most in a process; it is closed
// before the folder.
func (f *Folder) Host(o HostOptions) *Host {
	o.Name = cmp.Or(o.Name, f.name)
	h := &Host{folder: f, options: o, live: map[string]*Conversation{}}
	h.bundles.host = h
	h.jobs = session.NewHost(session.HostSetup{
		Conversations: (*opener)(h), Jobs: f.store, Sessions: f.store, Ledger: f.ledger,
		Limits: o.Limits, RerunOnConflict: o.RerunOnConflict, Confirm: o.Confirm, Changes: f.Changes, Observe: o.Observe,
	})
	return h
}

// Recover takes over what an earlier program has left: what was running can be
// resumed, what was queued goes on. A program that serves the folder calls it first.
func (h *Host) Recover(ctx context.Context) error { return h.jobs.Recover(ctx) }

// Close interrupts the jobs that run, and closes all sessions.
func (h *Host) Close(ctx context.Context) error { return h.jobs.Close(ctx) }

// opener opens the sessions of a host for their jobs.
type opener Host

// Open makes a session, or goes on with one.
func (o *opener) Open(ctx context.Context, w wire.SessionOptions) (*session.Session, func() error, error) {
	h := (*Host)(o)
	c, err := h.open(ctx, w)
	if err != nil {
		return nil, nil, taken(err)
	}
	c.warm()
	c.forget = append(c.forget, h.jobs.Collect)
	h.mu.Lock()
	h.live[c.ID()] = c
	h.mu.Unlock()
	return c.session, func() error {
		h.mu.Lock()
		if h.live[c.ID()] == c {
			delete(h.live, c.ID())
		}
		h.mu.Unlock()
		return c.release()
	}, nil
}

// Find is the whole id of a session that is named by its beginning, or by [Last].
func (o *opener) Find(ctx context.Context, name string) (string, error) {
	if name != Last && odd(name) {
		return "", refuse(ledger.NotFound, "there is no such session")
	}
	info, err := o.folder.findSession(name)
	switch {
	case !errors.Is(err, ledger.NotFound):
		return info.ID, taken(err)
	case name == Last:
		return "", refuse(ledger.NotFound, "there is no session on this folder to go on with: leave out --continue to begin one")
	}
	err = refuse(ledger.NotFound, "there is no session %q: redline sessions lists them", name)
	records, listErr := o.folder.store.Sessions(ctx, "") // nothing was said in it yet
	if listErr != nil {
		return "", listErr
	}
	var ids []string
	for _, r := range records {
		ids = append(ids, r.ID)
	}
	if len(ids) == 0 {
		return "", err
	}
	id, none := complete(kind{"session", "", "redline sessions"}, name, ids)
	if errors.Is(none, ledger.NotFound) {
		none = err
	}
	return id, none
}

// Taken tells whether a program has the session open.
func (o *opener) Taken(id string) bool {
	info, err := o.folder.sessions().Find(id)
	if err != nil {
		return false
	}
	_, taken := o.folder.sessions().Writer(info.Path)
	return taken
}

// taken gives an error of a session file its code.
func taken(err error) error {
	switch {
	case errors.Is(err, jsonl.ErrLocked):
		return wire.Errorf(wire.CodeBusy, "%s", err.Error())
	case errors.Is(err, jsonl.ErrSeveral):
		return wire.Errorf(wire.CodeInvalid, "%s", err.Error())
	}
	return err
}

func (h *Host) open(ctx context.Context, w wire.SessionOptions) (*Conversation, error) {
	record, err := h.record(ctx, w.Session)
	if err != nil {
		return nil, err
	}
	o, err := h.explicit(w)
	if err != nil {
		return nil, err
	}
	if o.Model, err = h.model(w.Model); err != nil {
		return nil, err
	}
	before, err := h.folder.resume(&o)
	if errors.Is(err, ledger.NotFound) && record != nil {
		before, err = past{id: record.ID}, nil // nothing was said in it yet
	}
	if err != nil {
		return nil, err
	}
	h.complete(&o)
	return h.folder.converse(ctx, o, before)
}

// record is what is kept of a session, or nil.
func (h *Host) record(ctx context.Context, id string) (*session.SessionRecord, error) {
	if id == "" || id == Last {
		return nil, nil
	}
	found, err := h.folder.store.Sessions(ctx, id)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// explicit is what a request says of a session, without what holds if it is silent.
func (h *Host) explicit(w wire.SessionOptions) (ConversationOptions, error) {
	d := h.options.Defaults
	o := ConversationOptions{
		Toolset: w.Toolset, Review: w.Review, Mode: w.Mode, Rules: w.Rules,
		Thinking: d.Thinking, SystemPrompt: cmp.Or(w.SystemPrompt, d.SystemPrompt), Budget: cmp.Or(w.Budget, d.Budget), Limits: d.Limits, SendMessage: d.SendMessage,
		Session: w.Session, File: cmp.Or(w.File, d.File), Ask: !w.Unattended, Yes: w.Yes || d.Yes,
	}
	if w.Session == Last {
		o.Session, o.Continue = "", true
	}
	if w.MaxIterations > 0 {
		o.Limits.MaxIterations = &w.MaxIterations
	}
	if w.Thinking != "" {
		level, err := llm.ParseLevel(w.Thinking)
		if err != nil {
			return o, &OptionError{err}
		}
		o.Thinking = level
	}
	return o, nil
}

// complete fills in what holds if neither a request nor the session says anything.
func (h *Host) complete(o *ConversationOptions) {
	d := h.options.Defaults
	o.Toolset, o.Review = cmp.Or(o.Toolset, d.Toolset, Toolsets[0]), cmp.Or(o.Review, d.Review)
	if o.Mode == "" {
		o.Mode = d.Mode
		if len(o.Rules) == 0 {
			o.Rules = d.Rules
		}
	}
}

// model is the model of a name, or the one that is used if nobody names one.
func (h *Host) model(name string) (Chosen, error) {
	d := h.options.Defaults.Model
	switch {
	case name == "" && d.Provider != nil, name != "" && name == d.Name:
		return d, nil
	case h.options.Choose != nil:
		return h.options.Choose(name)
	case name != "":
		return Chosen{}, &OptionError{errors.New("no other model can be chosen here: leave it out")}
	}
	return Chosen{}, &OptionError{errors.New("a conversation needs a model")}
}

// conversation is a session that is open here, or nil.
func (h *Host) conversation(id string) *Conversation {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.live[id]
}

// odd tells whether an id is one that nothing can have: such as leads elsewhere as the
// name of a file.
func odd(id string) bool {
	return id == "" || strings.ContainsAny(id, "/\\\x00") || strings.HasPrefix(id, ".")
}

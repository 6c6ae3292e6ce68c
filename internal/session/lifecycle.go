package session

import (
	"context"
	"errors"
	"slices"
	"time"

	"redline/internal/wire"
)

// Create makes a session, or goes on with one.
func (h *Host) Create(ctx context.Context, o wire.SessionOptions) (*SessionRecord, error) {
	if o.Session != "" {
		return h.goOn(ctx, o)
	}
	h.creating.Lock()
	defer h.creating.Unlock()
	if h.isClosed() {
		return nil, errStopping
	}
	if err := h.makeRoom(ctx); err != nil {
		return nil, err
	}
	s, end, err := h.setup.Conversations.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	now := *moment(time.Now())
	record := &SessionRecord{ID: s.ID(), Status: wire.SessionActive, Created: now, Updated: now, Options: o}
	if err := h.setup.Sessions.SaveSession(ctx, record); err != nil {
		return nil, errors.Join(err, s.Close(), end())
	}
	r, err := h.enter(ctx, s.ID())
	if err != nil {
		return nil, errors.Join(err, s.Close(), end())
	}
	defer r.leave()
	if err := r.inhabit(s, end); err != nil {
		return nil, errors.Join(err, r.shut())
	}
	return r.record.clone(), nil
}

func (s *SessionRecord) clone() *SessionRecord {
	c := *s
	c.Context = slices.Clone(s.Context)
	return &c
}

// goOn opens a session that there is. What the options say beside its name holds from
// now on, unless a job of it is at work.
func (h *Host) goOn(ctx context.Context, o wire.SessionOptions) (*SessionRecord, error) {
	id, err := h.setup.Conversations.Find(ctx, o.Session)
	if err != nil {
		return nil, err
	}
	if err := h.activate(ctx, id); err != nil {
		return nil, err
	}
	r, err := h.enter(ctx, id)
	if err != nil {
		return nil, err
	}
	defer r.leave()
	if o = r.goingOn(o); r.run.job == nil && !sameOptions(o, r.record.Options) {
		if err := r.change(ctx, o); err != nil {
			return nil, err
		}
	}
	if err := r.open(ctx); err != nil {
		return nil, err
	}
	if err := r.save(ctx); err != nil {
		return nil, err
	}
	r.advance(ctx)
	return r.record.clone(), nil
}

// change has the session work with other options. If it cannot, it works as before.
func (r *room) change(ctx context.Context, o wire.SessionOptions) error {
	if err := errors.Join(r.pay(), r.shut()); err != nil {
		return err
	}
	before := r.record.Options
	r.record.Options = o
	if err := r.save(ctx); err != nil {
		return err
	}
	err := r.open(ctx)
	if err == nil {
		return nil
	}
	r.record.Options = before
	return errors.Join(err, r.save(context.WithoutCancel(ctx)))
}

// goingOn are the options with which the session goes on: those that it had, if nothing
// else is said. Who is there to be asked, and has agreed to everything, is not a matter
// of the session but of whoever goes on with it. What the session may not do is not
// loosened by speaking of something else.
func (r *room) goingOn(o wire.SessionOptions) wire.SessionOptions {
	o.Session, o.Folder = "", ""
	before := r.record.Options
	if sameOptions(o, wire.SessionOptions{Yes: o.Yes, Unattended: o.Unattended}) {
		before.Yes, before.Unattended = o.Yes, o.Unattended
		return before
	}
	if o.Mode == "" && (before.Mode == string(Custom) || before.Mode == string(Restricted)) {
		o.Mode = before.Mode
		if len(o.Rules) == 0 {
			o.Rules = before.Rules
		}
	}
	return o
}

func sameOptions(a, b wire.SessionOptions) bool {
	a.Session, a.Folder, b.Session, b.Folder = "", "", "", ""
	return string(data(a)) == string(data(b))
}

// Session is what is kept of a session, and where it stands; live is nil if it is not
// open here.
func (h *Host) Session(ctx context.Context, id string) (record *SessionRecord, live *Session, err error) {
	r, err := h.enter(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	defer r.leave()
	return r.record.clone(), r.session, nil
}

// SessionRecords lists what is kept of all sessions, oldest first.
func (h *Host) SessionRecords(ctx context.Context) ([]*SessionRecord, error) {
	return h.setup.Sessions.Sessions(ctx, "")
}

// Archive puts a session away, or takes it out again. One with an open job is refused.
func (h *Host) Archive(ctx context.Context, id string, away bool) error {
	if !away {
		return h.activate(ctx, id)
	}
	r, err := h.enter(ctx, id)
	if err != nil {
		return err
	}
	defer r.leave()
	if len(r.jobs) > 0 {
		return wire.Errorf(wire.CodeBusy, "the session has jobs that are not over: wait for them, decide about their changes, or cancel them").With("jobs", len(r.jobs))
	}
	if err := r.free(); err != nil {
		return err
	}
	if err := r.shut(); err != nil {
		return err
	}
	r.record.Status = wire.SessionArchived
	return r.save(ctx)
}

// activate takes a session out of the archive, if it is there.
func (h *Host) activate(ctx context.Context, id string) error {
	records, err := h.setup.Sessions.Sessions(ctx, id)
	if err != nil || id == "" || len(records) == 0 || records[0].Status == wire.SessionActive {
		return err
	}
	h.creating.Lock()
	defer h.creating.Unlock()
	if err := h.makeRoom(ctx); err != nil {
		return err
	}
	r, err := h.enter(ctx, id)
	if err != nil {
		return err
	}
	defer r.leave()
	r.record.Status = wire.SessionActive
	return r.save(ctx)
}

// makeRoom puts the session away that was not used for longest, if there are as many as
// there may be and it has done its work.
func (h *Host) makeRoom(ctx context.Context) error {
	most := h.setup.Limits.MaxSessions
	if most < 0 {
		return nil
	}
	records, err := h.setup.Sessions.Sessions(ctx, "")
	if err != nil {
		return err
	}
	records = slices.DeleteFunc(records, func(s *SessionRecord) bool { return s.Status != wire.SessionActive })
	slices.SortStableFunc(records, func(a, b *SessionRecord) int { return a.Updated.Compare(b.Updated) })
	excess := len(records) + 1 - most
	for _, s := range records {
		if excess <= 0 {
			return nil
		}
		done, err := h.hasDone(ctx, s)
		if err != nil {
			return err
		}
		if done && h.Archive(ctx, s.ID, true) == nil {
			excess--
		}
	}
	if excess > 0 {
		return wire.Errorf(wire.CodeSessionLimit, "there are %d sessions, which is max_sessions, and each has something to do: archive some", len(records))
	}
	return nil
}

// unused is how long a session waits for its first job before it may be put away.
const unused = time.Hour

// hasDone tells whether all jobs of a session are over. One that never had a job is about
// to be used, for a while.
func (h *Host) hasDone(ctx context.Context, s *SessionRecord) (bool, error) {
	if s.LastJob == "" && time.Since(s.Updated) < unused {
		return false, nil
	}
	open, err := h.setup.Jobs.Jobs(ctx, JobQuery{Session: s.ID, Statuses: unfinished, Brief: true})
	return len(open) == 0, err
}

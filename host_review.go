package redline

import (
	"context"
	"errors"
	"slices"
	"time"

	"redline/internal/ledger"
	"redline/internal/session"
	"redline/internal/wire"
)

// Open are the turns of a session that wait for a decision, oldest first.
func (h *Host) Open(ctx context.Context, session string) ([]wire.Turn, error) {
	if err := h.known(ctx, session); err != nil {
		return nil, err
	}
	return h.folder.Review(session).Open(ctx)
}

// heed takes notice of what another program has decided about a job that waits for a
// review here: the command line works on the folder beside a server.
func (h *Host) heed(ctx context.Context, j *session.JobRecord) (*session.JobRecord, error) {
	if j.Status != wire.JobAwaitingReview || !h.deciding.TryLock() {
		return j, nil
	}
	defer h.deciding.Unlock()
	if waits, err := h.bundles.wait(ctx, &j.Job); err != nil || waits {
		return j, err
	}
	now, err := h.jobs.Job(ctx, j.ID)
	if err != nil || now.Status != wire.JobAwaitingReview { // it was decided here, meanwhile
		return now, err
	}
	if h.jobs.Reviewed(ctx, j.Session, j.ID, wire.Decided{}) != nil {
		return now, nil // as when another program has its session: who looks next tries again
	}
	return h.jobs.Job(ctx, j.ID)
}

// known refuses a session that is not of this folder.
func (h *Host) known(ctx context.Context, id string) error {
	if h.conversation(id) != nil {
		return nil
	}
	r, err := h.record(ctx, id)
	if err != nil || r != nil {
		return err
	}
	if !odd(id) {
		if info, err := h.folder.findSession(id); err == nil && info.ID == id {
			return nil
		}
	}
	return refuse(ledger.NotFound, "there is no session %q here: GET /api/agent/sessions lists them", id)
}

// Decide accepts and rejects changes of a session.
func (h *Host) Decide(ctx context.Context, session string, d wire.Decision) (wire.Decided, error) {
	h.deciding.RLock()
	defer h.deciding.RUnlock()
	if err := h.known(ctx, session); err != nil {
		return wire.Decided{}, err
	}
	h.ruling.Lock()
	defer h.ruling.Unlock()
	review := h.folder.Review(session)
	about, err := review.meant(ctx, d)
	if err != nil {
		return wire.Decided{}, err
	}
	if err := oversized(about, d); err != nil {
		return wire.Decided{}, err
	}
	decided, err := review.Decide(ctx, d)
	return h.decided(ctx, session, jobOf(about), ids(about), decided, err)
}

// decided tells the session and the job what came of a decision, and what was in its
// way.
func (h *Host) decided(ctx context.Context, session, job string, hunks []string, d wire.Decided, err error) (wire.Decided, error) {
	ctx = context.WithoutCancel(ctx) // it has happened
	d.Hunks = h.states(ctx, session, append(hunks, d.Also...))
	if err != nil {
		return d, h.conflicted(ctx, session, job, err)
	}
	return d, h.jobs.Reviewed(ctx, session, job, d)
}

// conflicted makes an answer of the error of a decision: of a conflict with the disk
// the job hears, which may start anew.
func (h *Host) conflicted(ctx context.Context, session, job string, err error) error {
	var refused *ledger.Error
	if !errors.As(err, &refused) || refused.Code != ledger.Conflict {
		return err
	}
	e := wire.Errorf(wire.CodeConflict, "%s", err.Error()).With("conflicts", refused.Conflicts)
	var files []string
	for _, c := range refused.Conflicts {
		if path := c.Path.String(); len(c.Hunks) < 2 && !slices.Contains(files, path) {
			files = append(files, path)
		}
	}
	if len(files) == 0 || job == "" {
		return e // decisions that contradict each other
	}
	e.With("files", files).With("job_id", job)
	again, noteErr := h.jobs.Conflicted(ctx, job, files)
	switch {
	case noteErr != nil:
		return errors.Join(e, noteErr)
	case again != nil:
		return e.With("rerun", again.ID)
	}
	return e.With("rerun", "/api/agent/jobs/"+job+"/rerun")
}

// meant are the hunks that a decision is about and that are not decided yet.
func (r *Review) meant(ctx context.Context, d wire.Decision) ([]place, error) {
	if len(d.Accept)+len(d.Reject) > 0 {
		return r.find(ctx, slices.Concat(d.Accept, d.Reject)...)
	}
	var path ledger.Path
	if d.Path != "" {
		var err error
		if path, err = r.folder.files.Path(d.Path); err != nil {
			return nil, err
		}
	}
	records, err := r.pending(ctx)
	if err != nil {
		return nil, err
	}
	var found []place
	for _, t := range records {
		if d.Turn != "" && t.ID != d.Turn {
			continue
		}
		for i := range t.Changes {
			c := &t.Changes[i]
			for k := range c.Hunks {
				h := &c.Hunks[k]
				wanted := h.State == ledger.HunkPending || d.All != "accept" && h.State == ledger.HunkAccepted && !h.Applied
				if wanted && about(c, path) {
					found = append(found, place{t, c, h})
				}
			}
		}
	}
	return found, nil
}

// oversized refuses to accept hunks that nobody can judge as one, unless they are
// named.
func oversized(meant []place, d wire.Decision) error {
	var large []string
	for _, p := range meant {
		accepts := d.All == "accept" || slices.Contains(d.Accept, p.hunk.ID)
		if accepts && p.hunk.Oversized && p.turn.Review == ledger.Hunks && p.hunk.State != ledger.HunkAccepted && !slices.Contains(d.AsOne, p.hunk.ID) {
			large = append(large, p.hunk.ID)
		}
	}
	if len(large) == 0 {
		return nil
	}
	return wire.Errorf(wire.CodeOversized, "the hunk %s is too large to be judged as one: split it (POST /api/agent/sessions/SESSION/hunks/%s/split), or name it in accept_as_one", large[0], large[0]).With("hunks", large)
}

// jobOf is the newest job among those of some hunks.
func jobOf(places []place) string {
	job, began := "", time.Time{}
	for _, p := range places {
		if p.turn.Job != "" && !p.turn.Began.Before(began) {
			job, began = p.turn.Job, p.turn.Began
		}
	}
	return job
}

func ids(places []place) []string {
	var list []string
	for _, p := range places {
		list = append(list, p.hunk.ID)
	}
	return list
}

// states are where hunks stand now. What cannot be found is left out.
func (h *Host) states(ctx context.Context, session string, hunks []string) []wire.HunkState {
	records, err := h.folder.ledger.Turns(ctx, session, 0)
	if err != nil || len(hunks) == 0 {
		return nil
	}
	known := places(records)
	var list []wire.HunkState
	for _, id := range hunks {
		if p, ok := known[id]; ok {
			list = append(list, wire.HunkState{ID: id, State: string(p.hunk.State), Applied: p.hunk.Applied})
		}
	}
	return list
}

// Split cuts a hunk in two.
func (h *Host) Split(ctx context.Context, session, hunk string, r wire.SplitRequest) (wire.SplitReply, error) {
	if err := h.known(ctx, session); err != nil {
		return wire.SplitReply{}, err
	}
	first, second, err := h.folder.Review(session).Split(ctx, hunk, r.Old, r.Added)
	if err != nil {
		return wire.SplitReply{}, err
	}
	return wire.SplitReply{First: first, Second: second}, h.tell(ctx, session, first, second)
}

// Edit accepts a hunk with the user's own text, which is not written yet.
func (h *Host) Edit(ctx context.Context, session, hunk string, r wire.HunkText) error {
	h.deciding.RLock()
	defer h.deciding.RUnlock()
	if err := h.known(ctx, session); err != nil {
		return err
	}
	if err := h.folder.Review(session).Edit(ctx, hunk, r.Text); err != nil {
		return err
	}
	return h.tell(ctx, session, hunk)
}

// tell has a session and its job hear that hunks have changed.
func (h *Host) tell(ctx context.Context, session string, hunks ...string) error {
	review := h.folder.Review(session)
	found, err := review.find(ctx, hunks...)
	if err != nil {
		return err
	}
	open, err := review.undecided(ctx)
	if err != nil {
		return err
	}
	return h.jobs.Reviewed(ctx, session, jobOf(found), wire.Decided{Open: open, Hunks: h.states(ctx, session, hunks)})
}

// Rebase takes over what is on the disk now below the pending changes of a session.
func (h *Host) Rebase(ctx context.Context, session string, r wire.RebaseRequest) error {
	h.deciding.RLock()
	defer h.deciding.RUnlock()
	if err := h.known(ctx, session); err != nil {
		return err
	}
	review := h.folder.Review(session)
	records, err := review.pending(ctx)
	if err != nil {
		return err
	}
	paths := []string{r.Path}
	if r.Path == "" {
		paths = nil
		for _, t := range records {
			for _, c := range t.Changes {
				if path := c.Path.String(); t.Review == ledger.Hunks && !slices.Contains(paths, path) {
					paths = append(paths, path)
				}
			}
		}
		if len(paths) == 0 {
			return refuse(ledger.NotFound, "nothing waits for a decision in session %s", session)
		}
	}
	for _, path := range paths {
		if err := review.Rebase(ctx, path); err != nil {
			return err
		}
	}
	open, err := review.undecided(ctx)
	if err != nil {
		return err
	}
	return h.jobs.Reviewed(ctx, session, "", wire.Decided{Open: open})
}

// Undo takes back what a turn brought to the disk; with "" the last one of the session,
// or without a session of the folder.
func (h *Host) Undo(ctx context.Context, session, turn string) (wire.Report, error) {
	return h.back(ctx, session, turn, (*Review).Undo)
}

// Redo takes back the newest undo or rollback.
func (h *Host) Redo(ctx context.Context, session, turn string) (wire.Report, error) {
	return h.back(ctx, session, turn, (*Review).Redo)
}

func (h *Host) back(ctx context.Context, session, turn string, do func(*Review, context.Context, string) (wire.Report, error)) (wire.Report, error) {
	h.deciding.RLock()
	defer h.deciding.RUnlock()
	if session != "" {
		if err := h.known(ctx, session); err != nil {
			return wire.Report{}, err
		}
	}
	report, err := do(h.folder.Review(session), ctx, turn)
	if err != nil {
		return report, err
	}
	return report, h.returned(context.WithoutCancel(ctx), report)
}

// returned tells the session of a turn that files were changed by an undo, a redo or a
// rollback of it.
func (h *Host) returned(ctx context.Context, report wire.Report) error {
	t, err := h.folder.ledger.Turn(ctx, report.Turn)
	if errors.Is(err, ledger.NotFound) {
		return nil // it was a change without a turn
	}
	if err != nil || t.Session == byHand || t.Session == ToolSession {
		return err
	}
	d := wire.Decided{Files: report.Files}
	for _, c := range t.Changes {
		for _, k := range c.Hunks {
			d.Hunks = append(d.Hunks, wire.HunkState{ID: k.ID, State: string(k.State), Applied: k.Applied})
		}
	}
	if d.Open, err = h.folder.Review(t.Session).undecided(ctx); err != nil {
		return err
	}
	return h.jobs.Reviewed(ctx, t.Session, t.Job, d)
}

// Turns lists the turns of a session, or with "" of the folder, newest first; without a
// limit those that are usually shown.
func (h *Host) Turns(ctx context.Context, session string, limit int) ([]wire.Turn, error) {
	if limit <= 0 {
		limit = ledger.VisibleRecords
	}
	if session != "" {
		if err := h.known(ctx, session); err != nil {
			return nil, err
		}
	}
	return h.folder.Turns(ctx, session, limit)
}

// Turn is one turn.
func (h *Host) Turn(ctx context.Context, id string) (wire.Turn, error) {
	return h.folder.Turn(ctx, id)
}

// Lines are the lines of a turn's hunks, word by word.
func (h *Host) Lines(ctx context.Context, id string) (wire.TurnLines, error) {
	t, err := h.folder.Turn(ctx, id)
	if err != nil {
		return wire.TurnLines{}, err
	}
	out := wire.TurnLines{Turn: t.ID, Lines: map[string][]wire.Line{}}
	for _, f := range t.Files {
		for _, k := range f.Hunks {
			out.Lines[k.ID] = append([]wire.Line{}, k.Lines...)
		}
	}
	return out, nil
}

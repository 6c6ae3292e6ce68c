package redline

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"redline/internal/ledger"
	"redline/internal/wire"
)

// Apply writes the accepted hunks of a job, and rejects what else of it waits. What an
// accepted hunk needs is accepted with it.
func (h *Host) Apply(ctx context.Context, r wire.ApplyRequest) (wire.ApplyReply, error) {
	h.deciding.RLock()
	defer h.deciding.RUnlock()
	h.ruling.Lock()
	defer h.ruling.Unlock()
	j, err := h.jobs.Job(ctx, r.Job)
	switch {
	case err != nil:
		return wire.ApplyReply{}, err
	case j.Session != r.Session:
		return wire.ApplyReply{}, wire.Errorf(wire.CodeNotFound, "session %q has no job %q", r.Session, r.Job)
	}
	d, err := h.division(ctx, &j.Job, r)
	if err != nil {
		return wire.ApplyReply{}, err
	}
	if err := h.jobs.Trace(ctx, j.ID, event(wire.JobEventApplying, map[string]any{"accepted_hunk_ids": append([]string{}, d.Accept...)})); err != nil {
		return wire.ApplyReply{}, err
	}
	decided, err := h.folder.Review(r.Session).Decide(ctx, d)
	ctx = context.WithoutCancel(ctx) // it has happened
	reply := wire.ApplyReply{Applied: append([]wire.Applied{}, decided.Applied...)}
	if err == nil { // before the job hears of it, and is over
		err = h.jobs.Trace(ctx, j.ID, event(wire.JobEventApplied, map[string]any{"applied_files": reply.Applied}))
	} else {
		err = errors.Join(err, h.jobs.Trace(ctx, j.ID, event(wire.JobEventNotApplied, map[string]string{"error": err.Error()})))
	}
	decided, err = h.decided(ctx, r.Session, j.ID, slices.Concat(d.Accept, d.Reject), decided, err)
	if err != nil {
		return wire.ApplyReply{}, err
	}
	for _, id := range slices.Concat(d.Accept, decided.Also) {
		if !slices.Contains(r.Accepted, id) {
			reply.Also = append(reply.Also, id)
		}
	}
	now, err := h.jobs.Job(ctx, j.ID)
	if err != nil {
		return reply, err
	}
	reply.Status = now.Status
	return reply, nil
}

// event is an event of a job.
func event(kind string, data any) wire.JobEvent {
	body, err := json.Marshal(data)
	if err != nil {
		body = []byte("{}") // what is told here can always be written
	}
	return wire.JobEvent{Type: kind, Time: time.Now().UTC(), Data: body}
}

// division is what becomes of all hunks of a job that wait, if some are accepted.
func (h *Host) division(ctx context.Context, j *wire.Job, r wire.ApplyRequest) (wire.Decision, error) {
	var d wire.Decision
	turns, err := h.bundles.turnsOf(ctx, j)
	if err != nil {
		return d, err
	}
	hunks := map[string]place{}
	var order []place
	for _, id := range turns {
		t, err := h.folder.ledger.Turn(ctx, id)
		if err != nil {
			return d, err
		}
		for i := range t.Changes {
			for k := range t.Changes[i].Hunks {
				p := place{t, &t.Changes[i], &t.Changes[i].Hunks[k]}
				hunks[p.hunk.ID] = p
				order = append(order, p)
			}
		}
	}
	d.Accept = append(d.Accept, r.Accepted...)
	for _, id := range r.Accepted {
		if _, ok := hunks[id]; !ok {
			return d, wire.Errorf(wire.CodeNotFound, "job %s has no hunk %q: its diff_bundle lists them", j.ID, id)
		}
	}
	if err := oversized(order, wire.Decision{Accept: r.Accepted, AsOne: r.AsOne}); err != nil {
		return d, err
	}
	if !slices.ContainsFunc(order, func(p place) bool { return undecided(p) }) {
		return d, wire.Errorf(wire.CodeState, "nothing of job %s waits to be applied; it is %s", j.ID, j.Status).With("status", j.Status)
	}
	for i := 0; i < len(d.Accept); i++ { // what is needed is needed by something
		for _, id := range hunks[d.Accept[i]].needs() {
			if _, ours := hunks[id]; ours && !slices.Contains(d.Accept, id) {
				d.Accept = append(d.Accept, id)
			}
		}
	}
	return d, h.divide(&d, order)
}

// divide takes out of a decision what is done already, and rejects the rest. A turn that
// is decided as a whole is taken or given up.
func (h *Host) divide(d *wire.Decision, order []place) error {
	accepted := d.Accept
	d.Accept = nil
	whole := map[string]bool{}
	for _, p := range order {
		takes := slices.Contains(accepted, p.hunk.ID)
		if p.turn.Review == ledger.WholeTurn && undecided(p) {
			if before, seen := whole[p.turn.ID]; seen && before != takes {
				return refuse(ledger.Invalid, "turn %s is decided as a whole: accept all of its hunks, or none", p.turn.ID)
			}
			whole[p.turn.ID] = takes
			d.Turn, d.All = p.turn.ID, "reject"
			if takes {
				d.All = "accept"
			}
			continue
		}
		switch {
		case !undecided(p):
		case takes:
			d.Accept = append(d.Accept, p.hunk.ID)
		default:
			d.Reject = append(d.Reject, p.hunk.ID)
		}
	}
	if d.All != "" {
		d.Accept, d.Reject = nil, nil
	}
	return nil
}

// undecided tells whether a hunk waits to be decided, or to be written.
func undecided(p place) bool {
	if p.turn.Status != ledger.Pending {
		return false
	}
	switch p.turn.Review {
	case ledger.Optimistic:
		return p.hunk.State == ledger.HunkPending
	case ledger.Hunks, ledger.WholeTurn:
		return !p.hunk.Applied
	}
	return false
}

// needs are the hunks that a hunk depends on.
func (p place) needs() []string {
	if p.hunk == nil {
		return nil
	}
	return p.hunk.DependsOn
}

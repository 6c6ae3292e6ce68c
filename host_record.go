package redline

import (
	"context"
	"encoding/json"
	"slices"

	"redline/internal/ledger"
	"redline/internal/session"
	"redline/internal/wire"
)

// Audit lists calls and decisions, newest first; a limit of 0 is none.
func (h *Host) Audit(ctx context.Context, limit int) ([]wire.AuditEntry, error) {
	entries, err := h.folder.Audit(ctx, limit)
	if err != nil {
		return nil, err
	}
	list := []wire.AuditEntry{}
	for _, e := range slices.Backward(entries) {
		w := wire.AuditEntry{Time: e.Time, Session: e.Session, Turn: e.Turn, Action: e.Action, Params: map[string]any{}, Result: string(e.Result), Message: e.Error}
		_ = json.Unmarshal(e.Parameters, &w.Params) // what is no object has no names to show
		list = append(list, w)
	}
	return list, nil
}

// Stats is what happened on the folder: the measures of success, and what is kept. Jobs
// that are no longer kept are not counted; calls and turns are, as long as the ledger
// has them.
func (h *Host) Stats(ctx context.Context) (wire.Stats, error) {
	s := wire.Stats{Jobs: map[string]int{}, Calls: map[string]int{}}
	jobs, err := h.jobs.Jobs(ctx, session.JobQuery{Brief: true})
	if err != nil {
		return s, err
	}
	countJobs(&s, jobs)
	if err := h.countCalls(ctx, &s); err != nil {
		return s, err
	}
	if err := h.countTurns(ctx, &s); err != nil {
		return s, err
	}
	sessions, err := h.Sessions(ctx)
	if err != nil {
		return s, err
	}
	s.Sessions = len(sessions)
	usage, err := h.folder.ledger.Usage(ctx)
	s.StateBytes = usage.DiskBytes
	return s, err
}

// countJobs counts jobs, what they used, and how long the completed ones took.
func countJobs(s *wire.Stats, jobs []*session.JobRecord) {
	var took []float64
	for _, j := range jobs {
		s.Jobs[string(j.Status)]++
		if j.Usage != nil {
			s.Input, s.Output = s.Input+j.Usage.Input, s.Output+j.Usage.Output
			if j.Usage.CostUSD != nil {
				s.CostUSD += *j.Usage.CostUSD
			}
		}
		if j.Status == wire.JobCompleted && j.Started != nil && j.Finished != nil {
			took = append(took, j.Finished.Sub(*j.Started).Seconds())
		}
	}
	if len(took) > 0 {
		slices.Sort(took)
		median := (took[(len(took)-1)/2] + took[len(took)/2]) / 2
		s.SecondsToComplete = &median
	}
}

// countCalls counts the calls of tools in sessions by their results.
func (h *Host) countCalls(ctx context.Context, s *wire.Stats) error {
	talks := map[string]bool{}
	for e, err := range h.folder.ledger.AuditLog(ctx) {
		if err != nil {
			return err
		}
		s.Calls[string(e.Result)]++
		if e.Session != "" {
			talks[e.Session] = true
		}
	}
	worked, failed, denied := s.Calls[string(ledger.AuditSuccess)], s.Calls[string(ledger.AuditError)], s.Calls[string(ledger.AuditRejected)]
	s.ActionSuccessRate = rate(worked, worked+failed)
	s.ActionsPerSession = rate(worked+failed+denied, len(talks))
	return nil
}

// countTurns counts how much of what was changed was accepted, and how often it was
// taken back.
func (h *Host) countTurns(ctx context.Context, s *wire.Stats) error {
	turns, err := h.folder.ledger.Turns(ctx, "", 0)
	if err != nil {
		return err
	}
	var accepted, rejected, undone, written int
	for _, t := range turns {
		if t.Origin != ledger.Agent || t.Session == byHand {
			continue
		}
		onDisk := t.Status == ledger.Undone
		for _, c := range t.Changes {
			for _, k := range c.Hunks {
				onDisk = onDisk || k.Applied
				switch k.State {
				case ledger.HunkAccepted:
					accepted++
				case ledger.HunkRejected:
					rejected++
				}
			}
		}
		if onDisk {
			written++
		}
		if t.Status == ledger.Undone {
			undone++
		}
	}
	s.ApprovalRate, s.UndoRate = rate(accepted, accepted+rejected), rate(undone, written)
	return nil
}

// rate is a part of a whole; nil if there is none yet.
func rate(part, whole int) *float64 {
	if whole == 0 {
		return nil
	}
	r := float64(part) / float64(whole)
	return &r
}

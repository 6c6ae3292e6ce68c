package redline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"redline/internal/ledger"
	"redline/internal/wire"
)

// Decide accepts and rejects changes, each as its turn's review has it:
//
//	            accept                         reject
//	hunks       written, unless held           dropped; taken back if it was written
//	turn        the whole turn is written      the whole turn is dropped
//	optimistic  it stays; the record closes    taken back
//	auto        nothing to accept              taken back
//
// What makes no sense is refused before anything is done. A Conflict has written
// nothing of its session, but what was decided stays decided: with an empty decision
// it is applied when the conflict is gone. What is taken back is reported file by
// file, conflicts among them.
func (r *Review) Decide(ctx context.Context, d wire.Decision) (wire.Decided, error) {
	k := &docket{ledger: r.folder.ledger, accept: map[string][]string{}, reject: map[string][]string{}}
	if err := r.enter(ctx, k, d); err != nil {
		return wire.Decided{}, err
	}
	err := k.carryOut(ctx, d.Hold)
	open, countErr := r.undecided(ctx)
	k.decided.Open = open
	return k.decided, errors.Join(err, countErr)
}

// docket is what a decision comes to.
type docket struct {
	ledger         *ledger.Ledger
	sessions       []string            // with hunks to decide
	accept, reject map[string][]string // hunks that wait, by session
	undo           []ledger.UndoRequest
	dropped        []place // hunks that are to be rejected once they are taken back
	keep           []kept
	take, give     []*ledger.TurnRecord // whole turns to accept, to reject
	apply          []string             // sessions whose accepted hunks are to be written
	decided        wire.Decided
}

// kept are hunks on the disk that stay.
type kept struct {
	turn  string
	hunks []string
}

func refuse(code ledger.Code, format string, args ...any) error {
	return &ledger.Error{Code: code, Reason: fmt.Sprintf(format, args...)}
}

// enter puts a decision on the docket.
func (r *Review) enter(ctx context.Context, k *docket, d wire.Decision) error {
	named := len(d.Accept) + len(d.Reject)
	switch {
	case d.All != "" && d.All != "accept" && d.All != "reject":
		return refuse(ledger.Invalid, "all is accept or reject, not %q", d.All)
	case d.All != "" && named > 0:
		return refuse(ledger.Invalid, "decide about all, or about hunks by their ids, not both at once")
	case d.All == "" && d.Path != "":
		return refuse(ledger.Invalid, "a file alone decides nothing: accept or reject all of it")
	case d.All != "":
		return r.enterAll(ctx, k, d)
	case named > 0:
		return r.enterHunks(ctx, k, d)
	}
	return r.enterHeld(ctx, k)
}

// enterHeld is for a decision that only writes what was accepted before.
func (r *Review) enterHeld(ctx context.Context, k *docket) error {
	records, err := r.pending(ctx)
	for _, t := range records {
		if t.Review == ledger.Hunks {
			k.applies(t.Session)
		}
	}
	return err
}

func (r *Review) enterAll(ctx context.Context, k *docket, d wire.Decision) error {
	var path ledger.Path // the root: everything
	if d.Path != "" {
		var err error
		if path, err = r.folder.files.Path(d.Path); err != nil {
			return err
		}
	}
	turns, err := r.pending(ctx)
	if d.Turn != "" {
		var t *ledger.TurnRecord
		if t, err = r.turn(ctx, d.Turn); err == nil {
			turns = []*ledger.TurnRecord{t}
		}
	}
	if err != nil {
		return err
	}
	found := false
	for _, t := range turns {
		if d.Path != "" && !slices.ContainsFunc(t.Changes, func(c ledger.Change) bool { return about(&c, path) }) {
			continue
		}
		found = true
		if err := k.addTurn(t, path, d.All == "accept"); err != nil {
			return err
		}
	}
	if !found && d.Path != "" {
		return refuse(ledger.NotFound, "no change of %s waits for a decision", d.Path)
	}
	return nil
}

// turn is a turn of the review's session.
func (r *Review) turn(ctx context.Context, id string) (*ledger.TurnRecord, error) {
	t, err := r.folder.ledger.Turn(ctx, id)
	if err == nil && r.session != "" && t.Session != r.session {
		return nil, refuse(ledger.NotFound, "turn %s is of another session", id)
	}
	return t, err
}

func (r *Review) enterHunks(ctx context.Context, k *docket, d wire.Decision) error {
	places, err := r.find(ctx, slices.Concat(d.Accept, d.Reject)...)
	if err != nil {
		return err
	}
	for i, p := range places {
		accept := i < len(d.Accept)
		switch {
		case accept && slices.Contains(d.Reject, p.hunk.ID):
			err = refuse(ledger.Invalid, "hunk %s cannot be accepted and rejected at once", p.hunk.ID)
		case accept:
			err = k.acceptHunk(p)
		default:
			err = k.rejectHunk(p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// decidable refuses what is decided already, or not decided by hunks.
func decidable(p place) error {
	switch {
	case p.turn.Review == ledger.WholeTurn && p.turn.Status == ledger.Pending:
		return refuse(ledger.Invalid, "turn %s is decided as a whole: accept or reject the turn, not its hunks", p.turn.ID)
	case p.turn.Status != ledger.Pending:
		return closed(p.turn)
	}
	return nil
}

// closed says what can be done about a turn that is decided.
func closed(t *ledger.TurnRecord) error {
	is, next := string(t.Status), "undo it to take it back"
	switch t.Status {
	case ledger.Partial:
		is = "partly accepted"
	case ledger.Undone:
		next = "redo it to bring it back"
	case ledger.Rejected, ledger.Discarded, ledger.Empty:
		next = "there is nothing of it to decide"
	case ledger.Running:
		next = "wait until it has ended"
	}
	return refuse(ledger.Invalid, "turn %s is %s already; %s", t.ID, is, next)
}

func (k *docket) acceptHunk(p place) error {
	if err := decidable(p); err != nil {
		return err
	}
	switch {
	case p.turn.Review == ledger.Optimistic && p.hunk.State == ledger.HunkRejected:
		return refuse(ledger.Invalid, "hunk %s was taken back; redo turn %s to bring it back", p.hunk.ID, p.turn.ID)
	case p.turn.Review == ledger.Optimistic:
		k.keeps(p.turn.ID, p.hunk.ID)
	case !p.hunk.Applied:
		k.waiting(p.turn.Session, k.accept, p.hunk.ID)
	}
	if p.turn.Review == ledger.Hunks {
		k.applies(p.turn.Session)
	}
	return nil
}

func (k *docket) rejectHunk(p place) error {
	if p.turn.Review == ledger.Auto && p.hunk.Applied {
		k.undoes(p)
		return nil
	}
	if err := decidable(p); err != nil {
		return err
	}
	switch {
	case p.turn.Review == ledger.Optimistic && !p.hunk.Applied: // taken back already
	case p.turn.Review == ledger.Optimistic:
		k.undoes(p)
	case p.hunk.Applied:
		k.undoes(p)
		k.dropped = append(k.dropped, p)
	default:
		k.waiting(p.turn.Session, k.reject, p.hunk.ID)
	}
	return nil
}

// addTurn decides about all that is open of a turn, in a file or in all.
func (k *docket) addTurn(t *ledger.TurnRecord, path ledger.Path, accept bool) error {
	switch {
	case t.Review == ledger.Auto && !accept && t.Status != ledger.Undone:
		k.takeBack(t, path)
		return nil
	case t.Status != ledger.Pending:
		return closed(t)
	case t.Review == ledger.WholeTurn && !path.IsRoot():
		return refuse(ledger.Invalid, "turn %s is decided as a whole: accept or reject the turn, not its files", t.ID)
	case t.Review == ledger.WholeTurn && accept:
		k.take = append(k.take, t)
		return nil
	case t.Review == ledger.WholeTurn:
		k.give = append(k.give, t)
		return nil
	case t.Review == ledger.Optimistic && !accept:
		k.takeBack(t, path)
		return nil
	}
	for i := range t.Changes {
		c := &t.Changes[i]
		if !about(c, path) {
			continue
		}
		for _, h := range c.Hunks {
			switch {
			case t.Review == ledger.Optimistic && h.State == ledger.HunkPending:
				k.keeps(t.ID, h.ID)
			case t.Review == ledger.Hunks && accept && h.State == ledger.HunkPending && !h.Applied:
				k.waiting(t.Session, k.accept, h.ID)
			case t.Review == ledger.Hunks && !accept && h.State != ledger.HunkRejected && !h.Applied:
				k.waiting(t.Session, k.reject, h.ID)
			}
		}
	}
	if t.Review == ledger.Hunks && accept {
		k.applies(t.Session)
	}
	return nil
}

// takeBack undoes what is on the disk of a turn and was not accepted.
func (k *docket) takeBack(t *ledger.TurnRecord, path ledger.Path) {
	q := ledger.UndoRequest{Turn: t.ID}
	decided := false
	for i := range t.Changes {
		for _, h := range t.Changes[i].Hunks {
			if t.Review == ledger.Optimistic && h.State != ledger.HunkPending {
				decided = true
			} else if h.Applied && about(&t.Changes[i], path) {
				q.Hunks = append(q.Hunks, h.ID)
			}
		}
	}
	switch {
	case len(q.Hunks) == 0:
		return
	case !decided:
		q.Hunks = nil
		if !path.IsRoot() {
			q.Paths = []ledger.Path{path}
		}
	}
	k.undo = append(k.undo, q)
}

// waiting notes a decision about a hunk that waits.
func (k *docket) waiting(session string, side map[string][]string, hunk string) {
	if !slices.Contains(k.sessions, session) {
		k.sessions = append(k.sessions, session)
	}
	side[session] = append(side[session], hunk)
}

func (k *docket) applies(session string) {
	if !slices.Contains(k.apply, session) {
		k.apply = append(k.apply, session)
	}
}

func (k *docket) keeps(turn, hunk string) {
	if n := len(k.keep); n == 0 || k.keep[n-1].turn != turn {
		k.keep = append(k.keep, kept{turn: turn})
	}
	last := &k.keep[len(k.keep)-1]
	last.hunks = append(last.hunks, hunk)
}

// undoes notes a hunk that is to be taken back, with what cannot be without it.
func (k *docket) undoes(p place) {
	i := slices.IndexFunc(k.undo, func(q ledger.UndoRequest) bool { return q.Turn == p.turn.ID })
	if i < 0 {
		i = len(k.undo)
		k.undo = append(k.undo, ledger.UndoRequest{Turn: p.turn.ID})
	}
	q := &k.undo[i]
	if !slices.Contains(q.Hunks, p.hunk.ID) {
		q.Hunks = append(q.Hunks, p.hunk.ID)
	}
	for again := true; again; {
		again = false
		for _, c := range p.turn.Changes {
			for _, h := range c.Hunks {
				if h.Applied && !slices.Contains(q.Hunks, h.ID) && slices.ContainsFunc(h.DependsOn, func(id string) bool { return slices.Contains(q.Hunks, id) }) {
					q.Hunks, again = append(q.Hunks, h.ID), true
					k.decided.Also = append(k.decided.Also, h.ID)
				}
			}
		}
	}
}

// carryOut does what is on the docket: first what may be refused.
func (k *docket) carryOut(ctx context.Context, hold bool) error {
	for _, session := range k.sessions {
		also, err := k.ledger.Decide(ctx, session, k.accept[session], k.reject[session])
		if err != nil {
			return err
		}
		k.decided.Also = append(k.decided.Also, also...)
	}
	for _, q := range k.undo {
		report, err := k.ledger.Undo(ctx, q)
		if err != nil {
			return err
		}
		k.decided.Files = append(k.decided.Files, reported(report).Files...)
	}
	if err := k.drop(ctx); err != nil {
		return err
	}
	for _, kept := range k.keep {
		if err := k.ledger.Keep(ctx, kept.turn, kept.hunks); err != nil {
			return err
		}
	}
	err := k.wholeTurns(ctx, hold)
	return errors.Join(err, k.write(ctx, hold, k.apply))
}

// drop rejects hunks that were taken back and are open again.
func (k *docket) drop(ctx context.Context) error {
	for _, p := range k.dropped {
		also, err := k.ledger.Decide(ctx, p.turn.Session, nil, []string{p.hunk.ID})
		if err != nil {
			return err
		}
		k.decided.Also = append(k.decided.Also, also...)
	}
	return nil
}

// wholeTurns accepts and rejects turns. One is made on top of what its session has
// pending: accepted hunks of that are written first.
func (k *docket) wholeTurns(ctx context.Context, hold bool) error {
	for _, t := range k.take {
		if i := slices.Index(k.apply, t.Session); i >= 0 {
			k.apply = slices.Delete(k.apply, i, i+1)
			if err := k.write(ctx, hold, []string{t.Session}); err != nil {
				return err
			}
		}
		if err := k.ledger.Accept(ctx, t.ID); err != nil {
			return err
		}
		for _, c := range t.Changes {
			k.decided.Applied = append(k.decided.Applied, wire.Applied{Path: c.Path.String(), Applied: len(c.Hunks)})
		}
	}
	for _, t := range k.give {
		if _, err := k.ledger.Reject(ctx, t.ID); err != nil {
			return err
		}
	}
	return nil
}

// write brings accepted hunks of sessions to the disk. A conflict of one does not hold
// up the others.
func (k *docket) write(ctx context.Context, hold bool, sessions []string) error {
	if hold {
		return nil
	}
	var errs []error
	for _, session := range sessions {
		files, err := k.ledger.Apply(ctx, session)
		errs = append(errs, err)
		for _, f := range files {
			if f.Applied > 0 || f.Rejected > 0 {
				k.decided.Applied = append(k.decided.Applied, wire.Applied{Path: f.Path.String(), Applied: f.Applied, Rejected: f.Rejected})
			}
		}
	}
	return errors.Join(errs...)
}

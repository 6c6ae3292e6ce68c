package session

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"redline/agent"
	"redline/internal/ledger"
	"redline/internal/wire"
	"redline/llm"
)

// recordedKept is how many events of a session are kept in memory that were recorded.
const recordedKept = 64

// listen records what the session tells, until it is closed: each of its events becomes
// one frame of the job whose run is on.
func (r *room) listen(s *Session) {
	s.feed.retain(recordedKept)
	inside := false
	leave := func() { // nobody sees a job as it was not saved
		r.flush()
		r.wake()
		r.mu.Unlock()
		inside = false
	}
	for e, err := range s.Events(context.Background(), 0) {
		if err != nil {
			break // cannot be: the session waits for this reader
		}
		if !inside {
			r.mu.Lock()
			inside = true
		}
		if r.session == s {
			r.gather(e)
		}
		if n := len(r.batch.frames); n == 0 || n >= mostAtOnce || s.feed.newest() == e.Cursor {
			leave()
		}
	}
	if inside {
		leave()
	}
}

// mostAtOnce is how many frames are saved at one time.
const mostAtOnce = 64

// batch is what was recorded of a job and is not saved and told yet: what happens at
// one time is saved as one. Frames that are not kept have the cursor hinted.
type batch struct {
	job       *JobRecord // nil: there is nothing
	frames    []wire.JobEvent
	gathering bool // what is recorded now may wait for more
}

// gather records an event, which is saved with the next flush at the latest.
func (r *room) gather(e Event) {
	r.batch.gathering = true
	defer func() { r.batch.gathering = false }()
	r.hear(e)
	r.recorded = e.Cursor
}

// flush saves and tells what was gathered.
func (r *room) flush() {
	b := r.batch
	if b.job == nil {
		return
	}
	r.batch = batch{gathering: b.gathering}
	r.kept(b.job, r.write(b.job, b.frames...))
}

// hear records one event.
func (r *room) hear(e Event) {
	r.count(e)
	w := r.session.View(e, r.run.number, r.changes(e))
	f := wire.JobEvent{Type: e.Type, Time: e.Time, Line: r.line(w)}
	j := r.run.job
	if e.Cursor <= r.run.after {
		j = nil
	}
	if e.Type == wire.EventState || e.Type == wire.EventReview {
		r.flush() // before the job is over
	}
	if e.Type == wire.EventReview {
		r.decided(e.Job, w, f)
		return
	}
	if j == nil {
		f.Data = plain(w)
		r.hint("", f)
		return
	}
	if r.closing && j.Midway && (e.Type == wire.EventToolEnd || e.Type == wire.EventAgentEnd) {
		f.Data = plain(w) // the question is left for the next program: neither is true
		r.hint(j.ID, f)
		return
	}
	switch e.Type {
	case wire.EventState:
		w.Status.Reason = ledger.RedactText(w.Status.Reason)
		r.moved(j, *e.Status, *w.Status, f)
	case wire.EventMessageUpdate:
		r.update(j, e, w, f)
	case wire.EventChanges:
		r.changed(j, e.Turn, f)
	default:
		switch r.note(j, e, w, &f); {
		case f.Data != nil:
			r.keep(j, f)
		case f.Line != nil || !repeats(w):
			f.Data = plain(w)
			r.hint(j.ID, f)
		}
	}
}

// repeats tells whether an event says nothing but what others have said: that of the
// end of a call has its result.
func repeats(w wire.Event) bool {
	return w.Type == wire.EventTurnEnd || w.Message != nil && w.Message.Role == string(llm.RoleTool)
}

// count numbers the answers of the model.
func (r *room) count(e Event) {
	switch e.Type {
	case wire.EventAgentStart:
		r.run.number = 0
	case wire.EventTurnStart:
		r.run.number++
	}
}

// changes is what a turn changed, for the line of its event.
func (r *room) changes(e Event) *wire.Turn {
	if e.Turn == nil || r.host.setup.Changes == nil || !r.wantsLines() {
		return nil
	}
	turn, err := r.host.setup.Changes(context.Background(), e.Turn)
	if err != nil {
		return nil // who asks for the turn is told what is wrong with it
	}
	return &turn
}

func (r *room) wantsLines() bool {
	r.host.mu.Lock()
	defer r.host.mu.Unlock()
	return r.host.lines[r.id] > 0
}

// line is the event as programs read it, if somebody does.
func (r *room) line(w wire.Event) json.RawMessage {
	if !r.wantsLines() {
		return nil
	}
	line, err := json.Marshal(w)
	if err != nil {
		return nil
	}
	return line
}

// keep saves and tells durable events, or gathers them.
func (r *room) keep(j *JobRecord, events ...wire.JobEvent) {
	if r.batch.gathering && (r.batch.job == nil || r.batch.job == j) {
		r.batch.job, r.batch.frames = j, append(r.batch.frames, events...)
		return
	}
	r.kept(j, r.tell(j, events...))
}

// kept is what comes of keeping: what cannot be kept does not go on.
func (r *room) kept(j *JobRecord, err error) {
	if err == nil || r.run.broken != nil {
		return
	}
	if j == r.run.job {
		r.run.broken = err
		r.session.Interrupt()
	}
	r.complain(j, err)
}

// tell saves a job with events, and tells them, behind those that were gathered.
func (r *room) tell(j *JobRecord, events ...wire.JobEvent) error {
	r.flush()
	return r.write(j, events...)
}

func (r *room) write(j *JobRecord, events ...wire.JobEvent) error {
	for i := range events {
		events[i].Time = stamp(events[i].Time) // the same for all who hear it
	}
	if err := r.host.log.Tell(context.Background(), j, events...); err != nil {
		return err
	}
	if observe := r.host.setup.Observe; observe != nil {
		cursor := j.Cursor
		for _, e := range events {
			if e.Cursor != hinted {
				cursor--
			}
		}
		for _, e := range events {
			if e.Cursor == hinted {
				continue
			}
			cursor++
			e.Cursor, e.Line = cursor, nil
			observe(j, e)
		}
	}
	if j.Status.Over() {
		r.remove(j)
	}
	return nil
}

// hint tells a transient frame.
func (r *room) hint(job string, f wire.JobEvent, noted ...func()) {
	if b := &r.batch; b.job != nil && b.gathering && b.job.ID == job && len(noted) == 0 {
		f.Cursor = hinted
		b.frames = append(b.frames, f)
		return
	}
	r.flush()
	r.host.log.Hint(job, r.id, f, noted...)
}

// note brings the job up to date with an event, and gives a frame that is kept its type
// and its data.
func (r *room) note(j *JobRecord, e Event, w wire.Event, f *wire.JobEvent) {
	switch e.Type {
	case wire.EventTurnStart:
		p := wire.Progress{Step: w.Step, Total: w.Steps, Description: doing(j), Done: done(j)}
		j.Progress = &p
		f.Type, f.Data = wire.JobEventProgress, data(p)
	case wire.EventMessageEnd:
		r.said(j, w, f)
	case wire.EventToolStart:
		j.Calls = append(j.Calls, wire.JobCall{ID: w.Tool.ID, Tool: w.Tool.Name, Label: w.Tool.Label, About: clip(ledger.RedactText(strings.Join(w.Tool.Paths, ", ")), maxAbout)})
		f.Type, f.Data = wire.JobEventRequested, requestedCall(w.Tool)
	case wire.EventToolEnd:
		r.ran(j, w.Tool)
		f.Type, f.Data = wire.JobEventCalled, completedCall(w.Tool, e.Agent)
	case wire.EventQuestion:
		j.Question, j.Midway = w.Question, true
		r.number(j)
		f.Data = data(w.Question)
	case wire.EventAnswered:
		q := *w.Question
		if j.Question != nil {
			q.ID = j.Question.ID // an earlier program gave it its id
		}
		j.Question, j.Midway = nil, false
		closeCalls(j, true) // the one that asked, of an earlier program
		f.Data = data(answer{q, e.Text})
	case wire.EventApproval:
		j.Approval = w.Approval
		r.number(j)
		f.Data = data(redactedApproval(w.Approval))
	case wire.EventApproved:
		j.Approval = nil
		f.Data = data(ruling{redactedApproval(w.Approval), e.Approve})
	case wire.EventMessage:
		f.Data = data(map[string]string{"text": e.Text, "priority": e.Priority})
	case wire.EventNotice:
		f.Data = data(map[string]string{"text": e.Text})
	case wire.JobEventPlan:
		f.Data = data(map[string]string{"plan": ledger.RedactText(e.Text)})
	case wire.EventInterrupted:
		f.Data = data(struct{}{})
	case wire.EventAgentEnd:
		r.spent(j, w.Outcome, e.Agent.Outcome)
		w.Outcome.Reason = ledger.RedactText(w.Outcome.Reason)
		f.Data = data(map[string]any{"outcome": w.Outcome})
	}
}

// number notes how many questions have had a number.
func (r *room) number(j *JobRecord) {
	r.session.mu.Lock()
	defer r.session.mu.Unlock()
	j.Asked = max(j.Asked, r.session.asked)
}

// ask gives a question a number with which a run has ended.
func (r *room) ask(j *JobRecord, question string) {
	r.session.mu.Lock()
	r.session.asked++
	j.Asked = max(j.Asked, r.session.asked)
	r.session.mu.Unlock()
	j.Question, j.Midway = &wire.Question{ID: fmt.Sprintf("q_%d", j.Asked), Text: question}, false
}

// said records what the user and the agent have said. Results of tools are no part of it.
func (r *room) said(j *JobRecord, w wire.Event, f *wire.JobEvent) {
	m := *w.Message
	switch m.Role {
	case string(llm.RoleAssistant):
		if m.Text != "" {
			j.Answer = m.Text
		}
		r.draft.clear()
	case string(llm.RoleUser):
		m.Text = Requested(m.Text)
	default:
		return
	}
	m.Error = ledger.RedactText(m.Error)
	f.Data = data(map[string]any{"message": m})
}

func (r *room) ran(j *JobRecord, t *wire.Tool) {
	ok := !t.IsError
	for i := range slices.Backward(j.Calls) {
		if c := &j.Calls[i]; c.ID == t.ID && c.OK == nil {
			c.OK = &ok
			break
		}
	}
	if j.Progress != nil {
		p := *j.Progress
		p.Description, p.Done = doing(j), done(j)
		j.Progress = &p
	}
}

// spent adds what a run has used.
func (r *room) spent(j *JobRecord, o *wire.Outcome, whole *agent.Outcome) {
	r.run.limit = whole.Limit
	u := wire.Usage{Input: o.Input, Output: o.Output, CostUSD: o.CostUSD}
	if before := j.Usage; before != nil {
		u.Input, u.Output = u.Input+before.Input, u.Output+before.Output
		if u.CostUSD != nil && before.CostUSD != nil {
			sum := *u.CostUSD + *before.CostUSD
			u.CostUSD = &sum
		} else {
			u.CostUSD = nil
		}
	}
	j.Usage = &u
}

// update records a piece of a message.
func (r *room) update(j *JobRecord, e Event, w wire.Event, f wire.JobEvent) {
	if choice := e.Agent.Update.Route; e.Agent.Update.Type == llm.EventRoute && choice != nil {
		f.Type, f.Data = wire.JobEventRoute, data(choice)
		r.keep(j, f)
		return
	}
	if w.Delta == (wire.Delta{}) {
		if f.Type = ""; f.Line != nil {
			r.hint(j.ID, f)
		}
		return
	}
	if w.Delta.Restart {
		j.Answer = ""
	}
	f.Data = data(w.Delta)
	r.hint(j.ID, f, func() { r.draft.add(j.ID, w.Delta) })
	j.Answer = r.draft.text(j.Answer)
}

// changed records what a run has changed: what it proposes, and how it is to be decided.
func (r *room) changed(j *JobRecord, t *ledger.TurnRecord, f wire.JobEvent) {
	r.run.proposed = t.Status == ledger.Pending && t.Review.Staged()
	j.Turn, j.Checkpoint = t.ID, t.Checkpoint
	edits, diff := proposal(t)
	f.Data = diff
	r.keep(j, wire.JobEvent{Type: wire.JobEventEdits, Time: f.Time, Data: edits}, f)
}

// plain is the data of a frame that is not kept.
func plain(w wire.Event) json.RawMessage {
	switch {
	case w.Status != nil:
		return data(w.Status)
	case w.Message != nil:
		return data(map[string]any{"message": map[string]any{"role": w.Message.Role}})
	case w.Tool != nil:
		return data(map[string]any{"tool_call_id": w.Tool.ID, "output": clip(ledger.RedactText(w.Tool.Output), maxOutput)})
	case w.Text != "":
		return data(map[string]string{"text": w.Text})
	}
	return data(struct{}{})
}

// event is an event of the host's own.
func event(kind string, v any) wire.JobEvent {
	return wire.JobEvent{Type: kind, Time: time.Now(), Data: data(v)}
}

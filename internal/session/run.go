package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"redline/agent"
	"redline/internal/ledger"
	"redline/internal/wire"
	"redline/llm"
	"redline/tool"
)

// run is one request from its message to its end.
type run struct {
	*Session
	ctx         context.Context
	cancel      context.CancelFunc
	turn        *ledger.Turn
	message     agent.Message
	late        *Question       // that the message answers, if an earlier program has asked it
	left        bool            // a question is left open for the next program: nothing more is written down
	asking      chan struct{}   // holds one: a person is asked one thing at a time
	interrupted bool            // by the user
	grave       error           // the machine failed: what was done is taken back
	lost        error           // the session file could not be written
	step        []llm.ToolCall  // of the answer whose calls run now
	given       map[string]bool // results that the calls of the step have
	consent     consent
}

// prepare makes a run: its turn, its tools, its prompt. The caller holds the lock.
func (s *Session) prepare(ctx context.Context, m Message) (*run, error) {
	guard := s.setup.Guard
	turn, err := s.setup.Ledger.Begin(ctx, ledger.TurnRequest{Session: s.setup.ID, Job: m.Job, Message: m.Text, Review: guard.Review, Amend: m.Amend})
	if err != nil {
		return nil, err
	}
	r := &run{Session: s, turn: turn, asking: make(chan struct{}, 1), given: map[string]bool{}}
	r.ctx, r.cancel = context.WithCancel(s.life)
	if err := r.equip(ctx, guard, m); err != nil {
		r.cancel()
		_, discardErr := turn.Discard(context.WithoutCancel(ctx))
		return nil, errors.Join(err, discardErr)
	}
	return r, nil
}

func (r *run) equip(ctx context.Context, guard Config, m Message) error {
	guard.Session, guard.Turn, guard.Rate = r.setup.ID, r.turn.ID(), &r.rate
	guard.Asker, guard.Step, guard.Grave = r.asker(), r.rest, r.gave
	if m.Confirm {
		guard.Plan = r.plan
	}
	tools, err := r.setup.Kit.Tools(r.turn, m.Open, r)
	if err != nil {
		return err
	}
	if tools, err = Guard(tools, guard); err != nil {
		return err
	}
	if r.message, err = r.tell(ctx, m); err != nil {
		return err
	}
	notes, err := r.setup.Ledger.TakeNotes(ctx, r.setup.ID) // last: they are told once
	if err != nil {
		return err
	}
	told := append(sentences(notes), m.Told...)
	if r.open != nil && !m.Afresh {
		told = append(told, restarted(guard.Review))
		if err := r.answerLate(m.Text); err != nil {
			return err
		}
	}
	r.agent.SetTools(tools)
	r.agent.SetLimits(narrowed(r.setup.Agent.Limits, m.MaxCalls))
	r.agent.SetSystemPrompt(r.setup.Kit.Prompt(m.Open, told))
	return nil
}

// tell makes the message that the model is told, with all that comes with it.
func (r *run) tell(ctx context.Context, m Message) (agent.Message, error) {
	files, err := attach(m.Attachments, r.agent.State().Model)
	if err != nil {
		return agent.Message{}, err
	}
	if len(files) > 0 && r.open != nil && !m.Afresh {
		return agent.Message{}, wire.Errorf(wire.CodeInvalid, "the message answers a question, to which nothing can be attached: answer first")
	}
	document := ""
	if m.Open != "" {
		if document, err = r.setup.Kit.Document(ctx, r.turn, m.Open); err != nil {
			return agent.Message{}, err
		}
	}
	rows, shown, err := r.refresh(ctx, m.Context)
	if err != nil {
		return agent.Message{}, err
	}
	if m.Refreshed != nil {
		m.Refreshed(rows)
	}
	return agent.UserMessage(compose(m.Text, m.Open, document, shown), files...), nil
}

// narrowed is the limits of a run that may make fewer calls.
func narrowed(l agent.Limits, calls int) agent.Limits {
	if calls > 0 && (l.ToolCalls == 0 || calls < l.ToolCalls) {
		l.ToolCalls = calls
	}
	return l
}

// answerLate makes what the user says the result of the question that was open when
// the program ended.
func (r *run) answerLate(text string) error {
	answer := strings.TrimSpace(text)
	r.late = &Question{ID: r.open.ID, Text: questionOf(*r.open)}
	details, err := json.Marshal(map[string]string{"question": r.late.Text, "answer": answer})
	if err != nil {
		return err
	}
	r.message = agent.Message{Message: llm.Answer(llm.ToolResult{CallID: r.open.ID, Name: r.open.Name, Output: answer, Details: details})}
	r.message.Time = time.Now()
	return nil
}

// restarted tells the model what a restart in the middle of its work means.
func restarted(review ledger.Review) string {
	words := "The program was started anew while your question waited for its answer."
	if review.Staged() {
		return words + " Changes that you had made in this request before it may be gone: look before you go on."
	}
	return words + " What you had changed before it is in place."
}

// do runs the request to its end.
func (r *run) do() {
	defer r.cancel()
	if router, ok := r.setup.Agent.Provider.(interface{ NewJob() }); ok {
		router.NewJob() // a router begins with the local model again
	}
	outcome, err := r.agent.Send(r.ctx, r.message)
	if err != nil {
		outcome = agent.Outcome{End: agent.EndFailed, Reason: err.Error()}
	}
	record, err := r.close(outcome)
	if err != nil && outcome.End == agent.EndDone {
		outcome.End, outcome.Reason = agent.EndFailed, err.Error()
	}
	if record != nil && len(record.Changes) > 0 {
		r.feed.tell(Event{Type: wire.EventChanges, Turn: record})
	}
	messages := r.agent.State().Messages
	if outcome.End == agent.EndDone && !spoke(messages) {
		r.Notice("The model gave no answer.")
	}
	waiting, err := r.waiting(context.WithoutCancel(r.ctx)) // changes of earlier requests wait, too
	if err != nil && outcome.End == agent.EndDone {
		outcome.End, outcome.Reason = agent.EndFailed, err.Error()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.interrupted {
		r.feed.tell(Event{Type: wire.EventInterrupted})
	}
	r.current = nil
	r.status.Question, r.status.Approval = nil, nil
	if r.left {
		return // it waits as before
	}
	r.status.Waiting = nil
	if outcome.End == agent.EndDone && r.grave == nil && r.lost == nil {
		r.status.Waiting = Recall(messages).Waiting
	}
	r.move(r.verdict(outcome, waiting || record != nil && record.Status == ledger.Pending && record.Review.Staged()))
}

// close ends the turn. A turn that is decided as a whole is given up if it did not
// come to its end, and so is any turn if the machine failed.
func (r *run) close(o agent.Outcome) (*ledger.TurnRecord, error) {
	ctx := context.WithoutCancel(r.ctx)
	if r.grave != nil || o.End != agent.EndDone && r.setup.Guard.Review == ledger.WholeTurn {
		report, err := r.turn.Discard(ctx)
		switch left := conflicted(report); {
		case err == nil && len(left) > 0:
			r.Notice("What this request had changed was taken back, but for what somebody else has changed since: " + strings.Join(left, ", ") + ".")
		case err == nil && len(report.Files) > 0:
			r.Notice("What this request had changed was taken back.")
		}
		return nil, err
	}
	return r.turn.End(ctx)
}

// conflicted are the files that an undo left as they are.
func conflicted(r ledger.Report) []string {
	var left []string
	for _, f := range r.Files {
		if f.Outcome == ledger.FileConflicted {
			left = append(left, f.Path.String())
		}
	}
	return left
}

// verdict is what the end of a run is, and notes the reason. The caller holds the
// lock.
func (r *run) verdict(o agent.Outcome, waiting bool) happening {
	s := &r.status
	s.Reason = o.Reason
	switch {
	case r.grave != nil:
		s.Reason = r.grave.Error()
		return broke
	case r.lost != nil:
		s.Reason = "the session file cannot be written: " + r.lost.Error()
		return broke
	case o.End == agent.EndStopped && (o.Reason == tool.Cancelled || o.Reason == Unattended):
		s.Denied = true
		return stopped
	case o.End == agent.EndAborted:
		s.Aborted = true
		return stopped
	case o.End != agent.EndDone:
		return broke
	case waiting:
		return proposed
	case s.Waiting != nil:
		return inquired
	}
	return finished
}

// keep writes a message down, and notes the calls of an answer and their results.
func (r *run) keep(m agent.Message) {
	if m.Custom == nil {
		switch m.Role {
		case llm.RoleAssistant:
			r.mu.Lock()
			r.step, r.given = m.ToolCalls(), map[string]bool{}
			r.mu.Unlock()
		case llm.RoleTool:
			if result, ok := m.Content[0].(llm.ToolResult); ok {
				r.mu.Lock()
				r.given[result.CallID] = true
				r.mu.Unlock()
			}
		}
	}
	if r.setup.Log == nil || r.lost != nil || r.isLeft() {
		return
	}
	if _, err := r.setup.Log.Append(m); err != nil {
		r.lost = err // nothing goes on that nobody could read later
		r.cancel()
	}
}

// rest is the calls of the step that have no result yet.
func (r *run) rest() []tool.Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	var rest []tool.Call
	for _, c := range r.step {
		if !r.given[c.ID] {
			rest = append(rest, tool.Call{ID: c.ID, Name: c.Name, Arguments: c.Arguments})
		}
	}
	return rest
}

// leaveOpen has the file end with the question that the model is asking, if it is:
// the results that the end of the program brings are not written down. An answer
// that has come but not yet become a result is asked for again. The caller holds
// the lock.
func (r *run) leaveOpen() {
	for _, c := range r.step {
		if !r.given[c.ID] {
			r.left = c.Name == llm.ClarifyTool
			return
		}
	}
}

func (r *run) isLeft() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.left
}

// gave is told that the machine failed in a call.
func (r *run) gave(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.grave == nil {
		r.grave = err
	}
	r.cancel()
}

// sentences are what the user did with earlier changes, for the model.
func sentences(notes []ledger.Note) []string {
	verbs := map[ledger.NoteKind]string{
		ledger.NoteRejected: "rejected your change of",
		ledger.NoteUndone:   "undid your change of",
		ledger.NoteRedone:   "brought back your change of",
		ledger.NoteUserEdit: "edited",
		ledger.NoteRollback: "rolled back your change of",
	}
	var told []string
	seen := map[string]int{}
	for _, n := range notes {
		words := fmt.Sprintf("The user %s %q.", verbs[n.Kind], n.Path.String())
		if i, again := seen[words]; again {
			told[i] = words // once is enough
			continue
		}
		seen[words] = len(told)
		told = append(told, words)
	}
	return told
}

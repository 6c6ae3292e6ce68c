package session

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"redline/agent"
	"redline/internal/ledger"
	"redline/internal/wire"
	"redline/llm"
	"redline/tool"
)

// Kit is a toolset as a session uses it.
type Kit interface {
	// Tools makes the tools of a turn. What a tool wants to know of the user, or to
	// tell, goes through user.
	Tools(turn *ledger.Turn, open string, user User) (tool.Set, error)
	// Prompt is the system prompt. Open is the document that the user has open, or
	// ""; decisions are what the user did with earlier changes.
	Prompt(open string, decisions []string) string
	// Document is what the model is shown of the document that the user has open.
	Document(ctx context.Context, turn *ledger.Turn, open string) (string, error)
	// Excerpt reads the lines of a context row, or all of its file if it has none. If
	// the row has a content that is elsewhere in the file by now, it is read there.
	Excerpt(ctx context.Context, turn *ledger.Turn, row wire.ContextRow) (Excerpt, error)
}

// Log keeps the messages of a session.
type Log interface {
	Append(m agent.Message) (index int, err error)
}

// Setup is what a session is made of.
type Setup struct {
	ID     string
	Ledger *ledger.Ledger
	Kit    Kit
	Log    Log          // nil: nothing is kept
	Agent  agent.Config // provider, model and the like; tools, prompt and limits are the session's
	Guard  Config       // what calls are held to; its Asker, Session, Turn and Rate are the session's
	Budget float64      // USD of one request; 0: no limit
	// History is what was said before.
	History []agent.Message
	// Attended says that there is somebody to be asked. Agree says that every
	// approval is given without asking.
	Attended, Agree bool
}

// Session is a conversation on a folder: it runs one request after the other,
// asks the user what has to be asked, and knows where it stands. Its methods may
// be called from several goroutines.
type Session struct {
	setup Setup
	agent *agent.Agent
	feed  *feed
	rate  Rate

	life context.Context // ends with Close
	end  context.CancelFunc
	runs sync.WaitGroup

	mu      sync.Mutex
	status  Status
	current *run
	asked   int           // questions and requests, for their ids
	open    *llm.ToolCall // the question that an earlier program left without its answer
}

// Status is a session at one moment.
type Status struct {
	State    State
	Turn     string    // of the run that is on, or was last
	Before   string    // the checkpoint of that turn
	Reason   string    // why it failed or was cancelled
	Denied   bool      // cancelled because a call was not approved
	Aborted  bool      // cancelled by Interrupt
	Question *Question // in the middle of a run
	Approval *Approval
	Waiting  *Waiting // what was asked, in the middle of a run or with its last words
}

// Message is what the user says, and what comes with it.
type Message struct {
	Text        string
	Open        string // the document that the user has open; "": none
	Amend       bool   // extends the turn that waits for a decision, under review turn
	Job         string // whose turn it becomes; "": none
	Attachments []wire.Attachment
	MaxCalls    int  // of tools; narrows the limit of the session, and never widens it; 0: that
	Confirm     bool // the agent states its plan and waits before its first change
	// Context is shown to the model. Those rows that are pieces of files are read
	// anew; Refreshed, if set, is given all of them as they are now, before Send
	// returns, and must not call the session.
	Context   []wire.ContextRow
	Refreshed func([]wire.ContextRow)
	// Told are sentences that the model is told before it begins.
	Told []string
	// Afresh: it is no answer to the question that an earlier program left open, which
	// stays without one.
	Afresh bool
	// Asked is how many questions and requests have had a number before: those of the
	// run are numbered behind it.
	Asked int
}

// ErrBusy: a run is on.
var ErrBusy = errors.New("a request is being worked on: answer what it asks, wait for its end, or interrupt it")

// ErrIdle: no run is on.
var ErrIdle = errors.New("no request is being worked on: send it as a new one")

// ErrClosed: the session has ended.
var ErrClosed = errors.New("the session is closed")

// New makes a session. It begins where what was said before has left it (see
// [Recall]); changes that wait for a decision make it begin in AwaitingReview,
// unless a question is open that came up in the middle of a run. The next message
// is the answer to that. Where it begins, if not in Idle, is its first event.
func New(ctx context.Context, setup Setup) (*Session, error) {
	if err := setup.Guard.check(); err != nil {
		return nil, err
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	setup.Agent.Limits = setup.Guard.Limits.Agent()
	setup.Agent.Limits.BudgetUSD = setup.Budget
	setup.Agent.CacheKey = setup.ID
	s := &Session{setup: setup, agent: agent.New(setup.Agent), feed: newFeed(), life: life, end: end, status: Recall(setup.History)}
	if err := s.agent.Replace(setup.History); err != nil {
		end()
		return nil, err
	}
	waiting, err := s.waiting(ctx)
	if err != nil {
		end()
		return nil, err
	}
	if call, ok := OpenQuestion(setup.History); ok {
		s.open = &call
	} else if waiting {
		s.status = Status{State: AwaitingReview, Waiting: s.status.Waiting}
	}
	s.agent.Subscribe(s.hear)
	if s.status.State != Idle {
		s.tellStatus()
	}
	return s, nil
}

// ID names the session.
func (s *Session) ID() string { return s.setup.ID }

// Status is where the session stands now.
func (s *Session) Status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status
}

// Events yields the events behind a cursor, 0 for all that are kept, and waits
// for more until ctx ends or the session is closed.
func (s *Session) Events(ctx context.Context, after int) iter.Seq2[Event, error] {
	return s.feed.follow(ctx, after)
}

// Last is the cursor of the newest event; 0 if there is none.
func (s *Session) Last() int { return s.feed.newest() }

// Messages is what was said so far.
func (s *Session) Messages() []agent.Message { return s.agent.State().Messages }

// Label is the name of a tool for people.
func (s *Session) Label(name string) string {
	if t, err := s.agent.State().Tools.Find(name); err == nil {
		return tool.Label(t)
	}
	return name
}

// Notice tells the user something that is not part of the conversation.
func (s *Session) Notice(text string) {
	s.feed.tell(Event{Type: wire.EventNotice, Text: text})
}

// Check refuses a message that makes no sense, whatever the session.
func (m Message) Check() error {
	if strings.TrimSpace(m.Text) == "" {
		return wire.Errorf(wire.CodeInvalid, "the message is empty: say what you want done")
	}
	if err := CheckContext(m.Context); err != nil {
		return err
	}
	return CheckAttachments(m.Attachments)
}

// Send says something and starts a run, which goes on when Send has returned.
func (s *Session) Send(ctx context.Context, m Message) error {
	if err := m.Check(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life.Err() != nil {
		return ErrClosed
	}
	if s.current != nil {
		return ErrBusy
	}
	if _, err := s.status.State.next(sent); err != nil {
		return err
	}
	r, err := s.prepare(ctx, m)
	if err != nil {
		return err
	}
	s.current, s.open = r, nil
	s.status = Status{State: Running, Turn: r.turn.ID(), Before: r.turn.Checkpoint()}
	s.asked = max(s.asked, m.Asked)
	s.tellStatus()
	if r.late != nil {
		s.feed.tell(Event{Type: wire.EventAnswered, Question: r.late, Text: strings.TrimSpace(m.Text)})
	}
	s.runs.Go(r.do)
	return nil
}

// Interrupt ends the run that is on. It returns at once; Status tells when the
// run has ended.
func (s *Session) Interrupt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != nil {
		s.current.interrupted = true
		s.current.cancel()
	}
}

// Say tells the run that is on something: it is heard after the call that runs.
func (s *Session) Say(text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil {
		return ErrIdle
	}
	s.agent.Steer(agent.UserMessage(text))
	return nil
}

// Reviewed is called when the user has decided about changes: if nothing waits
// any more, a session that awaits a review is done, or waits for an answer if its
// last words were a question. Details are what came of the decision, for those who
// hear of it.
func (s *Session) Reviewed(ctx context.Context, details any) error {
	return s.reviewed(ctx, "", details)
}

// reviewed is Reviewed, of the changes of a job.
func (s *Session) reviewed(ctx context.Context, job string, details any) error {
	s.feed.tell(Event{Type: wire.EventReview, Details: details, Job: job})
	return s.settled(ctx)
}

// settled brings the state up to date with what waits for a decision now.
func (s *Session) settled(ctx context.Context) error {
	waiting, err := s.waiting(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if waiting || s.current != nil {
		return nil
	}
	if s.status.State == AwaitingReview && s.status.Waiting != nil {
		s.move(uncovered)
	} else {
		s.move(decided)
	}
	return nil
}

// Close ends the run that is on, if there is one, and waits for it. A question of
// the model that is open stays so: whoever goes on with the session can answer it.
func (s *Session) Close() error {
	s.mu.Lock()
	if s.current != nil && !s.current.interrupted {
		s.current.leaveOpen()
	}
	s.end()
	s.mu.Unlock()
	s.runs.Wait()
	s.feed.close()
	s.setup.Ledger.Forget(s.setup.ID)
	return nil
}

// move changes the state, as the table says. The caller holds the lock, and has
// made sure that it can happen.
func (s *Session) move(h happening) {
	to, err := s.status.State.next(h)
	if err != nil {
		panic(fmt.Sprintf("session %s: %v", s.setup.ID, err)) // a fault of this package
	}
	if to == s.status.State {
		return
	}
	s.status.State = to
	s.tellStatus()
}

func (s *Session) tellStatus() {
	status := s.status
	s.feed.tell(Event{Type: wire.EventState, Status: &status})
}

// waiting tells whether changes of the session wait for a decision before they
// reach the disk.
func (s *Session) waiting(ctx context.Context) (bool, error) {
	records, err := s.setup.Ledger.Turns(ctx, s.setup.ID, 0, ledger.Pending)
	return slices.ContainsFunc(records, func(t *ledger.TurnRecord) bool { return t.Review.Staged() }), err
}

// hear takes the events of the agent.
func (s *Session) hear(e agent.Event) {
	if e.Type == agent.StateUpdate {
		return
	}
	r := s.running()
	if r == nil {
		return
	}
	if e.Type == agent.MessageEnd {
		r.keep(*e.Message)
	}
	s.feed.wait(r.ctx)
	s.feed.tell(Event{Type: string(e.Type), Time: e.Time, Agent: &e})
}

func (s *Session) running() *run {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

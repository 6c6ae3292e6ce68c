package redline

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"sync"

	"redline/agent"
	"redline/internal/ledger"
	"redline/internal/session"
	"redline/internal/store/jsonl"
	"redline/internal/wire"
	"redline/llm"
)

// What front ends say to a conversation and hear of it.
type (
	Command = wire.Command
	Event   = wire.Event
	Status  = wire.Status
)

// ConversationOptions say how a conversation works. What is left out is as the
// toolset has it; toolset, review and restricted mode as the session that is
// continued has them.
type ConversationOptions struct {
	Toolset string   // "": documents
	Review  string   // optimistic, hunks, turn, auto
	Mode    string   // autonomous, supervised, restricted, custom
	Rules   []string // of mode custom: "verdict:tool:path", where tool and path may be empty

	Model        Chosen
	Thinking     llm.Level
	SystemPrompt string  // instead of that of the toolset
	Budget       float64 // USD of one request; 0: no limit
	Limits       Limits
	SendMessage  *bool // the model may send messages while it works; nil: as the toolset has it

	Session  string // to go on with: its id or the beginning of it; "": a new one
	Continue bool   // go on with the newest session on the folder
	File     string // the document that the user has open
	Ask      bool   // there is somebody to be asked
	Yes      bool   // agree to every call that would be asked about
}

// Conversation is a session on a folder, as front ends see it.
type Conversation struct {
	folder  *Folder
	session *session.Session
	file    *jsonl.Session
	open    string
	toolset string
	guard   session.Config // what calls are held to

	background context.Context // of what is prepared for commands
	end        context.CancelFunc
	work       sync.WaitGroup
	warm       func()
	forget     []func(context.Context) error // what is tidied with the folder

	mu        sync.Mutex
	listeners map[*subscriber]bool
}

// sessionConfig is what a session file remembers of how it was made.
type sessionConfig struct {
	Model   string `json:"model"`
	Toolset string `json:"toolset"`
	Review  string `json:"review"`
	Mode    string `json:"mode"`
}

// sessions is the store of the conversations.
func (f *Folder) sessions() *jsonl.Store {
	return jsonl.Open(filepath.Join(f.state, "sessions"), nil)
}

// Converse begins a conversation, or goes on with one.
func (f *Folder) Converse(ctx context.Context, o ConversationOptions) (*Conversation, error) {
	if o.Model.Provider == nil {
		return nil, &OptionError{errors.New("a conversation needs a model")}
	}
	before, err := f.resume(&o)
	if err != nil {
		return nil, err
	}
	return f.converse(ctx, o, before)
}

// past is what a conversation goes on with.
type past struct {
	id      string         // of a session in which nothing was said yet; "": a new one
	file    *jsonl.Session // nil: there is none yet
	history []agent.Message
}

// resume opens the session that the options name, and completes the options by
// what it says. The past is empty if they name none.
func (f *Folder) resume(o *ConversationOptions) (past, error) {
	var info jsonl.Info
	var err error
	store := f.sessions()
	switch {
	case o.Session != "":
		info, err = store.Find(o.Session)
	case o.Continue:
		info, err = store.Latest(f.dir)
	default:
		return past{}, nil
	}
	switch {
	case errors.Is(err, jsonl.ErrNone) && o.Continue && o.Session == "":
		return past{}, refuse(ledger.NotFound, "there is no session on this folder to go on with: leave out --continue to begin one")
	case errors.Is(err, jsonl.ErrNone):
		return past{}, refuse(ledger.NotFound, "there is no session %q: redline sessions lists them", o.Session)
	case err != nil:
		return past{}, err
	case info.CWD != "" && info.CWD != f.dir:
		return past{}, refuse(ledger.NotFound, "session %s is about another folder, %s: use -C to work there", info.ID, info.CWD)
	}
	file, record, err := store.Resume(info.Path)
	if err != nil {
		return past{}, err
	}
	var before sessionConfig
	if json.Unmarshal(record.Config, &before) == nil && o.Toolset == "" {
		o.Toolset = before.Toolset
		if o.Review == "" {
			o.Review = before.Review
		}
		if o.Mode == "" && before.Mode == string(session.Restricted) {
			o.Mode = before.Mode // nothing is loosened by going on
		}
	}
	return past{file: file, history: record.Messages}, nil
}

// converse makes the conversation. If it fails, the file of its past is closed.
func (f *Folder) converse(ctx context.Context, o ConversationOptions, before past) (*Conversation, error) {
	c, err := f.assemble(ctx, o, &before)
	if err != nil && before.file != nil {
		return nil, errors.Join(err, before.file.Close())
	}
	return c, err
}

func (f *Folder) assemble(ctx context.Context, o ConversationOptions, before *past) (*Conversation, error) {
	o.Toolset = cmp.Or(o.Toolset, Toolsets[0])
	tools, guard, err := f.settings(TurnOptions{Toolset: o.Toolset, Review: o.Review, Mode: o.Mode, Rules: o.Rules})
	if err != nil {
		return nil, err
	}
	guard.Limits = o.Limits.session(guard.Limits)
	if before.file == nil {
		config := sessionConfig{Model: o.Model.Model.Name(), Toolset: o.Toolset, Review: string(guard.Review), Mode: string(guard.Mode)}
		if before.file, err = f.begin(before.id, config); err != nil {
			return nil, err
		}
	}
	s, err := session.New(ctx, session.Setup{
		ID: before.file.ID(), Ledger: f.ledger, Log: before.file, History: before.history, Guard: guard, Budget: o.Budget, Attended: o.Ask, Agree: o.Yes,
		Kit:   &kit{toolset: tools, folder: f, policy: tools.policy().Closing(guard.Rules.Closes), limits: o.Limits, messages: o.SendMessage, system: o.SystemPrompt},
		Agent: agent.Config{Provider: o.Model.Provider, Model: o.Model.Model, Thinking: o.Thinking},
	})
	if err != nil {
		return nil, err
	}
	c := &Conversation{folder: f, session: s, file: before.file, open: o.File, guard: guard, toolset: o.Toolset}
	c.background, c.end = context.WithCancel(context.WithoutCancel(ctx))
	c.warm = sync.OnceFunc(func() {
		if tools.shell {
			c.work.Go(c.prepare)
		}
	})
	return c, nil
}

// begin makes the file of a session that has an id, or of a new one.
func (f *Folder) begin(id string, config sessionConfig) (*jsonl.Session, error) {
	if id == "" {
		return f.sessions().Create(f.dir, config)
	}
	return f.sessions().CreateAs(id, f.dir, config)
}

// prepare makes the baseline that the first command needs. It begins when the
// model begins to answer: earlier it would hold up the request. The command that
// needs it tells what is wrong.
func (c *Conversation) prepare() {
	for e, err := range c.session.Events(c.background, 0) {
		if err != nil {
			return
		}
		if agent.EventType(e.Type) == agent.MessageUpdate {
			break
		}
	}
	_ = c.folder.ledger.Baseline(c.background)
}

// ID names the session.
func (c *Conversation) ID() string { return c.session.ID() }

// Do carries out a command. A message starts a run, which goes on when Do has
// returned: its events tell the rest.
func (c *Conversation) Do(ctx context.Context, cmd Command) error {
	switch cmd.Type {
	case wire.CommandMessage:
		open := cmd.File
		if open == "" {
			open = c.open
		}
		if err := c.session.Send(ctx, session.Message{Text: cmd.Content, Open: open, Amend: cmd.Amend}); err != nil {
			return err
		}
		c.warm()
		return nil
	case wire.CommandInterrupt:
		c.session.Interrupt()
		return nil
	case wire.CommandClarify:
		return c.session.Clarify(cmd.QuestionID, cmd.Answer)
	case wire.CommandApprove:
		return c.session.Approve(cmd.RequestID, session.Answer{Approve: cmd.Approve, Arguments: cmd.Arguments, Others: cmd.Calls})
	case wire.CommandDecide:
		return c.decide(ctx, cmd.Decision)
	}
	return fmt.Errorf("there is no command %q; the commands are message, interrupt, clarify, approve and decide", cmd.Type)
}

func (c *Conversation) decide(ctx context.Context, d wire.Decision) error {
	_, err := c.Review().Decide(ctx, d)
	return err
}

// Review is the changes of the conversation that wait for a decision.
func (c *Conversation) Review() *ConversationReview {
	return &ConversationReview{c.folder.Review(c.ID()), c.session}
}

// ConversationReview is a review that the conversation hears of.
type ConversationReview struct {
	*Review
	session *session.Session
}

// Decide accepts and rejects changes.
func (r *ConversationReview) Decide(ctx context.Context, d wire.Decision) (wire.Decided, error) {
	decided, err := r.Review.Decide(ctx, d)
	if err != nil {
		return decided, err
	}
	return decided, r.session.Reviewed(ctx, decided)
}

// Undo takes back what a turn brought to the disk.
func (r *ConversationReview) Undo(ctx context.Context, turn string) (wire.Report, error) {
	report, err := r.Review.Undo(ctx, turn)
	if err != nil {
		return report, err
	}
	return report, r.session.Reviewed(ctx, wire.Decided{Files: report.Files})
}

// Status is where the conversation stands.
func (c *Conversation) Status() Status {
	return c.session.Now()
}

// Events yields what happens, from behind a cursor on: 0 for everything that is
// still kept. It waits for more until ctx ends or the conversation is closed.
func (c *Conversation) Events(ctx context.Context, after int) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		step := 0
		for e, err := range c.session.Events(ctx, after) {
			if err != nil {
				yield(Event{}, err)
				return
			}
			switch agent.EventType(e.Type) {
			case agent.AgentStart:
				step = 0
			case agent.TurnStart:
				step++
			}
			var changes *wire.Turn
			if e.Turn != nil {
				turn, err := c.folder.Changes(ctx, e.Turn)
				if err != nil {
					yield(Event{}, err)
					return
				}
				changes = &turn
			}
			if !yield(c.session.View(e, step, changes), nil) {
				return
			}
		}
	}
}

// Close ends the run that is on, if there is one, and the conversation.
func (c *Conversation) Close() error {
	return errors.Join(c.session.Close(), c.release())
}

// release closes what belongs to the session, after it.
func (c *Conversation) release() error {
	c.end()
	c.work.Wait()
	c.folder.tidy(context.WithoutCancel(c.background), ledger.Retention{}, c.forget...)
	return c.file.Close()
}

package console_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"

	"redline/internal/wire"
)

// conversation plays a script. Each message that it knows has lines of it:
//
//	on <message>             what follows happens when the user says this; "on *" for any other
//	step 2 of 10             the model is asked
//	think <text>             a piece of thinking
//	say <text>               a piece of text; \n is a line end
//	restart                  what was said is void
//	end [calls]              the message ends, with calls of tools to come
//	message <text>           an answer that comes at once
//	modelerror <text>        … that is a failure of the model
//	call <label>: <paths>    a tool begins; several paths with commas
//	args <label>: <json>     … that names no paths
//	start <id> <label>: <paths>   one of several that run side by side begins
//	finish <id> <text>       … and ends
//	output <text>            what it says meanwhile
//	result <text>            it ends
//	error <text>             it ends with an error
//	ask <text> | <option>…   a question; answered <text> is what the model then says
//	approve <text>           calls that need approval
//	send <text>, send! <text>   a message of the agent; the second is of high priority
//	asks <question> | <message> | <calls>   the run is over, and waits for an answer
//	notice <text>
//	changes                  the turn has changed something
//	outcome <json>           what the run came to
//	wait                     nothing happens until the user interrupts
//	pause                    nothing happens until the test says go on
//	state <state> [reason]   the run is over
//	refuse <text>            Do fails
type conversation struct {
	script map[string][]string
	turn   *wire.Turn // for changes

	mu       sync.Mutex
	wake     chan struct{} // closed and renewed with each event
	events   []wire.Event
	status   wire.Status
	commands []wire.Command
	replies  chan wire.Command
	stop     chan struct{} // closed to interrupt the run that is on
	goOn     chan struct{} // ends a pause
}

func newConversation(script string, turn *wire.Turn) *conversation {
	c := &conversation{script: map[string][]string{}, turn: turn, wake: make(chan struct{}), replies: make(chan wire.Command, 1), goOn: make(chan struct{})}
	c.status = wire.Status{Session: "s1", State: wire.Idle}
	on := "*"
	for line := range strings.Lines(script) {
		line = strings.TrimSuffix(line, "\n")
		if m, ok := strings.CutPrefix(line, "on "); ok {
			on = m
			c.script[on] = []string{}
		} else if line != "" {
			c.script[on] = append(c.script[on], line)
		}
	}
	c.state(wire.Idle, "")
	return c
}

func (c *conversation) Status() wire.Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.status
}

func (c *conversation) Events(ctx context.Context, after int) iter.Seq2[wire.Event, error] {
	return func(yield func(wire.Event, error) bool) {
		for {
			c.mu.Lock()
			events, wake := c.events[after:], c.wake
			c.mu.Unlock()
			for _, e := range events {
				after = e.Cursor
				if !yield(e, nil) {
					return
				}
			}
			if len(events) > 0 {
				continue
			}
			select {
			case <-wake:
			case <-ctx.Done():
				return
			}
		}
	}
}

// emit adds an event; line are the fields of its JSON besides the type.
func (c *conversation) emit(e wire.Event, line ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.emitLocked(e, line...)
}

func (c *conversation) emitLocked(e wire.Event, line ...any) {
	e.Cursor = len(c.events) + 1
	object := `{"type":` + quote(e.Type)
	for i := 0; i < len(line); i += 2 {
		object += "," + quote(line[i]) + ":" + quote(line[i+1])
	}
	e.Line = json.RawMessage(object + "}")
	c.events = append(c.events, e)
	close(c.wake)
	c.wake = make(chan struct{})
}

func quote(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// state changes the state, which is told.
func (c *conversation) state(s wire.State, reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stateLocked(s, reason)
}

func (c *conversation) stateLocked(s wire.State, reason string) {
	c.status.State, c.status.Reason = s, reason
	if s != wire.WaitingForUser {
		c.status.Question = nil
	}
	if s == wire.Running {
		c.status.Waiting = nil
	}
	if s != wire.AwaitingApproval {
		c.status.Approval = nil
	}
	now := c.status
	c.emitLocked(wire.Event{Type: wire.EventState, Status: &now}, "state", s)
}

func (c *conversation) Do(_ context.Context, cmd wire.Command) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.commands = append(c.commands, cmd)
	switch cmd.Type {
	case wire.CommandMessage:
		if c.status.Open() {
			return errors.New("a run is on")
		}
		script, ok := c.script[cmd.Content]
		if !ok {
			script = c.script["*"]
		}
		if len(script) > 0 && strings.HasPrefix(script[0], "refuse ") {
			return refused(script[0][len("refuse "):])
		}
		c.status.Denied, c.status.Aborted = false, false
		c.stop = make(chan struct{})
		c.stateLocked(wire.Running, "")
		go c.play(script, c.stop)
	case wire.CommandInterrupt:
		if !c.status.Open() {
			return errors.New("nothing runs")
		}
		select {
		case <-c.stop:
		default:
			close(c.stop)
		}
	case wire.CommandClarify:
		if c.status.Question == nil || cmd.QuestionID != "" && cmd.QuestionID != c.status.Question.ID {
			return errors.New("no such question is open")
		}
		c.emitLocked(wire.Event{Type: wire.EventAnswered, Question: c.status.Question}, "answer", cmd.Answer)
		c.stateLocked(wire.Running, "")
		c.replies <- cmd
	case wire.CommandApprove:
		if c.status.Approval == nil || cmd.RequestID != "" && cmd.RequestID != c.status.Approval.ID {
			return errors.New("no such approval is open")
		}
		if strings.Contains(string(cmd.Arguments), "bad") {
			return errors.New("path: no such file")
		}
		c.emitLocked(wire.Event{Type: wire.EventApproved, Approval: c.status.Approval, Approve: cmd.Approve}, "approve", cmd.Approve)
		c.stateLocked(wire.Running, "")
		c.replies <- cmd
	case wire.CommandDecide:
		if cmd.All == "" {
			return errors.New("what is decided?")
		}
		c.emitLocked(wire.Event{Type: wire.EventReview, Decided: &wire.Decided{}}, "all", cmd.All)
		if c.status.State == wire.AwaitingReview {
			c.stateLocked(wire.Done, "")
		}
	}
	return nil
}

// play is a run.
func (c *conversation) play(script []string, stop chan struct{}) {
	p := &player{conversation: c, stop: stop, beside: map[string]wire.Tool{}}
	for _, line := range script {
		select {
		case <-stop:
		default:
			p.line(line)
		}
	}
	if p.over {
		return
	}
	select {
	case <-stop:
		c.emit(wire.Event{Type: wire.EventInterrupted})
		c.mu.Lock()
		c.status.Aborted = true
		c.stateLocked(wire.Cancelled, "")
		c.mu.Unlock()
	default:
		c.state(wire.Done, "")
	}
}

type player struct {
	*conversation
	stop chan struct{}
	said string
	open bool // a message was begun
	tool wire.Tool
	// calls that run side by side, by id
	beside map[string]wire.Tool
	over   bool // the run has ended
}

func (p *player) begin() {
	if !p.open {
		p.open, p.said = true, ""
		p.emit(wire.Event{Type: wire.EventMessageStart, Message: &wire.Message{Role: "assistant"}})
	}
}

func (p *player) end(m wire.Message) {
	p.begin()
	p.open = false
	m.Role = "assistant"
	p.emit(wire.Event{Type: wire.EventMessageEnd, Message: &m}, "text", m.Text)
}

func (p *player) line(line string) {
	if p.over {
		return
	}
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.NewReplacer(`\n`, "\n", `\e`, "\x1b", `\u`, "\u202e").Replace(rest)
	switch word {
	case "step":
		var n, of int
		_, _ = fmt.Sscanf(rest, "%d of %d", &n, &of)
		p.emit(wire.Event{Type: wire.EventTurnStart, Step: n, Steps: of})
	case "think":
		p.begin()
		p.emit(wire.Event{Type: wire.EventMessageUpdate, Delta: wire.Delta{Thinking: rest}}, "thinking", rest)
	case "say":
		p.begin()
		p.said += rest
		p.emit(wire.Event{Type: wire.EventMessageUpdate, Delta: wire.Delta{Text: rest}}, "text", rest)
	case "restart":
		p.said = ""
		p.emit(wire.Event{Type: wire.EventMessageUpdate, Delta: wire.Delta{Restart: true}}, "restart", true)
	case "end":
		calls := 0
		if rest == "calls" {
			calls = 1
		}
		p.end(wire.Message{Text: p.said, Calls: calls})
	case "message":
		p.end(wire.Message{Text: rest})
	case "modelerror":
		p.end(wire.Message{Error: rest})
	case "call", "args":
		label, about, _ := strings.Cut(rest, ": ")
		p.tool = wire.Tool{ID: "c1", Name: strings.ReplaceAll(strings.ToLower(label), " ", "_"), Label: label}
		if word == "args" {
			p.tool.Args = json.RawMessage(about)
		} else {
			p.tool.Paths = strings.Split(about, ", ")
		}
		p.emitTool(wire.EventToolStart)
	case "start":
		id, rest, _ := strings.Cut(rest, " ")
		label, about, _ := strings.Cut(rest, ": ")
		p.beside[id] = wire.Tool{ID: id, Label: label, Paths: strings.Split(about, ", ")}
		p.tool = p.beside[id]
		p.emitTool(wire.EventToolStart)
	case "finish":
		id, text, _ := strings.Cut(rest, " ")
		p.tool = p.beside[id]
		p.tool.Output = text
		p.emitTool(wire.EventToolEnd)
	case "output":
		p.tool.Output = rest
		p.emitTool(wire.EventToolUpdate)
	case "result", "error":
		p.tool.Output, p.tool.IsError = rest, word == "error"
		p.emitTool(wire.EventToolEnd)
	case "ask":
		p.ask(rest)
	case "approve":
		p.approve(rest)
	case "send", "send!":
		priority := map[string]string{"send": "normal", "send!": "high"}[word]
		p.tool = wire.Tool{ID: "c1", Name: "send_message", Label: "Message", Args: json.RawMessage(`{"message":` + quote(rest) + `}`)}
		p.emitTool(wire.EventToolStart)
		p.emit(wire.Event{Type: wire.EventMessage, Text: rest, Priority: priority}, "text", rest, "priority", priority)
		p.tool.Output = "Sent."
		p.emitTool(wire.EventToolEnd)
	case "asks":
		p.over = true
		p.asks(rest)
	case "notice":
		p.emit(wire.Event{Type: wire.EventNotice, Text: rest}, "text", rest)
	case "changes":
		p.emit(wire.Event{Type: wire.EventChanges, Turn: p.turn}, "turn_id", p.turn.ID)
	case "outcome":
		var o wire.Outcome
		if err := json.Unmarshal([]byte(rest), &o); err != nil {
			panic(err)
		}
		p.emit(wire.Event{Type: wire.EventAgentEnd, Outcome: &o})
	case "wait":
		<-p.stop
	case "pause":
		<-p.goOn
	case "state":
		p.over = true
		state, reason, _ := strings.Cut(rest, " ")
		p.state(wire.State(state), reason)
	default:
		panic("no such line in a script: " + line)
	}
}

// asks has the conversation wait for the answer to a question.
func (c *conversation) asks(text string) {
	parts := strings.Split(text, " | ")
	w := &wire.Waiting{Question: parts[0], Message: parts[1]}
	_, _ = fmt.Sscan(parts[2], &w.Calls)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.status.Waiting = w
	c.stateLocked(wire.WaitingForUser, "")
}

func (p *player) emitTool(kind string) {
	t := p.tool
	p.emit(wire.Event{Type: kind, Tool: &t}, "toolName", t.Name)
}

func (p *player) ask(text string) {
	parts := strings.Split(text, " | ")
	q := &wire.Question{ID: "q1", Text: parts[0], Options: parts[1:]}
	p.mu.Lock()
	p.status.Question = q
	p.emitLocked(wire.Event{Type: wire.EventQuestion, Question: q}, "question", q.Text)
	p.stateLocked(wire.WaitingForUser, "")
	p.mu.Unlock()
	select {
	case c := <-p.replies:
		p.end(wire.Message{Text: "You said: " + c.Answer})
	case <-p.stop:
	}
}

func (p *player) approve(text string) {
	a := &wire.Approval{ID: "a1", Why: "destructive", Text: text, Files: []string{"x.md", "y.md", "z\x1b[2J.md"}}
	a.Calls = []wire.ApprovalCall{{ID: "c1", Name: "delete_document", Label: "Delete document", Arguments: json.RawMessage(`{"path":"x.md"}`), Files: a.Files}}
	p.mu.Lock()
	p.status.Approval = a
	p.emitLocked(wire.Event{Type: wire.EventApproval, Approval: a}, "text", text)
	p.stateLocked(wire.AwaitingApproval, "")
	p.mu.Unlock()
	select {
	case c := <-p.replies:
		if !c.Approve {
			p.over = true
			p.end(wire.Message{Text: "Action cancelled by user."})
			p.mu.Lock()
			p.status.Denied = true
			p.stateLocked(wire.Cancelled, "Action cancelled by user.")
			p.mu.Unlock()
		} else if c.Arguments != nil {
			p.emit(wire.Event{Type: wire.EventNotice, Text: "runs with " + string(c.Arguments)}, "text", "runs with "+string(c.Arguments))
		}
	case <-p.stop:
	}
}

// sent are the commands that were sent, for people.
func (c *conversation) sent() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []string
	for _, cmd := range c.commands {
		data, err := json.Marshal(cmd)
		if err != nil {
			panic(err)
		}
		list = append(list, string(data))
	}
	return list
}

// refused is an error with a code, which is its first word.
type refused string

func (r refused) Error() string     { return string(r) }
func (r refused) ErrorCode() string { code, _, _ := strings.Cut(string(r), ":"); return code }

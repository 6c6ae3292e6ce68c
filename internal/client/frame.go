package client

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"redline/internal/wire"
)

// take takes a frame into account.
func (v *Conversation) take(f *frame) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if f.Type == wire.FrameReply {
		v.replied(f)
		return
	}
	if f.Cursor > 0 && f.Cursor <= v.heard[f.Job] {
		return // it was told before the connection was made anew
	}
	if f.Job != "" {
		v.heard[f.Job] = max(v.heard[f.Job], f.Cursor)
	}
	e, ok := v.event(f)
	if e.Status != nil {
		if f.Cursor == 0 && e.Status.State == v.told {
			return // of a session that was opened: hello has told it
		}
		v.status = *e.Status
		if v.status.Open() {
			v.job = f.Job
		}
	}
	if ok && (f.Job == "" || f.Job != v.others) {
		v.tell(e)
	}
}

// replied hands a reply to whoever waits for it. What a decision has led to is known
// before its events are heard.
func (v *Conversation) replied(f *frame) {
	if f.Status != nil && !f.Status.Open() && !v.status.Open() {
		v.status = *f.Status
	}
	if answer, ok := v.replies[f.ID]; ok {
		delete(v.replies, f.ID)
		answer <- wire.Reply{Type: f.Type, ID: f.ID, Error: f.Error, Status: f.Status}
	}
}

// tell adds an event for the reader. The caller holds the lock.
func (v *Conversation) tell(e wire.Event) {
	if e.Status != nil {
		v.told = e.Status.State
	}
	v.log.add(e)
}

// event is what a frame says to front ends; false if nothing.
func (v *Conversation) event(f *frame) (wire.Event, bool) {
	e := wire.Event{Type: f.Type, Time: f.Time}
	if v.o.Lines && f.Type == wire.EventMessageUpdate && len(f.Line) > 0 {
		e.Line = f.Line
		return e, true // there are many, and programs read nothing but the line
	}
	known := v.fill(&e, f.Data)
	switch {
	case !v.o.Lines:
		return e, known
	case len(f.Line) > 0:
		e.Line = f.Line
		return e, true
	case e.Status != nil:
		e.Line = stateEvent(*e.Status).Line
		return e, true
	}
	e.Line = plainLine{f.Type, f.Time, f.Data}
	return e, f.late
}

// payload is what the data of frames can hold.
type payload struct {
	Session  *wire.Status  `json:"session"`
	Message  *wire.Message `json:"message"`
	Outcome  *wire.Outcome `json:"outcome"`
	Approve  bool          `json:"approve"`
	Turn     string        `json:"turn_id"`
	Text     string        `json:"text"`
	Priority string        `json:"priority"`
	SoFar    string        `json:"so_far"`
	call
}

// call is the data of what happens to a call.
type call struct {
	ID     string          `json:"tool_call_id"`
	Tool   string          `json:"tool"`
	Label  string          `json:"label"`
	Args   json.RawMessage `json:"arguments"`
	Paths  []string        `json:"paths"`
	OK     *bool           `json:"ok"`
	Output string          `json:"output"`
	Lines  int             `json:"output_lines"`
}

// fill takes over what screens show of a frame. It returns false for one that is no
// event of a conversation.
func (v *Conversation) fill(e *wire.Event, data json.RawMessage) bool {
	var p payload
	if len(data) > 0 && json.Unmarshal(data, &p) != nil {
		return false
	}
	switch e.Type {
	case wire.JobEventStarted, wire.JobEventStatus, wire.JobEventCompleted, wire.JobEventFailed, wire.JobEventCancelled:
		e.Type, e.Status = wire.EventState, p.Session
		return e.Status != nil
	case wire.EventState: // of no job
		e.Status = whole[wire.Status](data)
	case wire.JobEventProgress:
		progress := whole[wire.Progress](data)
		e.Type, e.Step, e.Steps = wire.EventTurnStart, progress.Step, progress.Total
	case wire.EventMessageUpdate:
		e.Delta = v.delta(*whole[wire.Delta](data), p.SoFar)
	case wire.EventMessageStart, wire.EventMessageEnd:
		v.said.Reset()
		e.Message = p.Message
	case wire.JobEventRequested, wire.JobEventCalled, wire.EventToolUpdate:
		v.fillCall(e, p.call)
	case wire.JobEventEnd:
		e.Outcome = p.Outcome
		clear(v.calls)
	case wire.EventQuestion, wire.EventAnswered:
		e.Question = whole[wire.Question](data)
	case wire.EventApproval, wire.EventApproved:
		e.Approval, e.Approve = whole[wire.Approval](data), p.Approve
	case wire.EventChanges:
		e.Turn = &wire.Turn{ID: p.Turn}
	case wire.EventReview:
		e.Decided = whole[wire.Decided](data)
	case wire.EventMessage, wire.EventNotice:
		e.Text, e.Priority = p.Text, p.Priority
	case wire.EventInterrupted, wire.EventAgentStart, wire.EventTurnEnd:
	default:
		return false
	}
	return true
}

// whole is data that are one thing. What is not understood is left out: servers of
// later versions may say more.
func whole[T any](data json.RawMessage) *T {
	v := new(T)
	_ = json.Unmarshal(data, v)
	return v
}

// delta is a piece of a message. To a reader that was away the server tells all that is
// said so far: what was heard before is not told again.
func (v *Conversation) delta(d wire.Delta, soFar string) wire.Delta {
	if soFar != "" {
		rest, ok := strings.CutPrefix(soFar, v.said.String())
		d = wire.Delta{Text: rest, Restart: !ok}
		if !ok {
			d.Text = soFar
		}
	}
	if d.Restart {
		v.said.Reset()
	}
	v.said.WriteString(d.Text)
	return d
}

// fillCall completes what is told of a call by what was told when it began.
func (v *Conversation) fillCall(e *wire.Event, c call) {
	kinds := map[string]string{wire.JobEventRequested: wire.EventToolStart, wire.JobEventCalled: wire.EventToolEnd, wire.EventToolUpdate: wire.EventToolUpdate}
	e.Type = kinds[e.Type]
	t := &wire.Tool{ID: c.ID, Name: c.Tool, Label: c.Label, Args: c.Args, Paths: c.Paths}
	if e.Type == wire.EventToolStart {
		v.calls[c.ID] = t
	} else if begun := v.calls[c.ID]; begun != nil {
		told := *begun
		t = &told
	}
	t.Output, t.Lines, t.IsError = c.Output, c.Lines, c.OK != nil && !*c.OK
	if e.Type == wire.EventToolEnd {
		delete(v.calls, c.ID)
	}
	e.Tool = t
}

// stateEvent is the event that tells where a conversation stands.
func stateEvent(s wire.Status) wire.Event {
	now := time.Now().UTC()
	return wire.Event{Type: wire.EventState, Time: now, Status: &s, Line: stateLine{wire.EventState, now, s}}
}

// stateLine is a state as programs read it.
type stateLine struct {
	Type   string      `json:"type"`
	Time   time.Time   `json:"timestamp"`
	Status wire.Status `json:"status"`
}

// MarshalJSON writes the line.
func (l stateLine) MarshalJSON() ([]byte, error) {
	type fields stateLine
	return json.Marshal(fields(l))
}

// plainLine is an event that was read behind a lost connection, where the lines of
// events are not kept: its data, as the API has it.
type plainLine struct {
	kind string
	time time.Time
	data json.RawMessage
}

// MarshalJSON writes the line.
func (l plainLine) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Type string          `json:"type"`
		Time time.Time       `json:"timestamp"`
		Data json.RawMessage `json:"data"`
	}{l.kind, l.time, l.data})
}

// complete adds what an event only names.
func (v *Conversation) complete(ctx context.Context, e wire.Event) (wire.Event, error) {
	if e.Type != wire.EventChanges || v.o.Lines || e.Turn == nil || e.Turn.ID == "" {
		return e, nil
	}
	t, err := v.client.Turn(ctx, e.Turn.ID)
	if err == nil && v.o.Screens {
		err = v.client.lines(ctx, &t)
	}
	e.Turn = &t
	return e, err
}

// lines adds to a turn what it changed, word by word.
func (c *Client) lines(ctx context.Context, t *wire.Turn) error {
	if !slices.ContainsFunc(t.Files, func(f wire.File) bool { return len(f.Hunks) > 0 }) {
		return nil
	}
	all, err := get[wire.TurnLines](ctx, c, "/api/turns/"+part(t.ID)+"/lines")
	if err != nil {
		return err
	}
	for f := range t.Files {
		for h := range t.Files[f].Hunks {
			hunk := &t.Files[f].Hunks[h]
			hunk.Lines = all.Lines[hunk.ID]
		}
	}
	return nil
}

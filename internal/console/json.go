package console

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"redline/internal/wire"
)

// JSON talks to a program: each line of in is a command, each line of out an
// event (docs/json-mode.md). The requests come first, as if they were lines.
//
// It returns when all that was asked for is done and no more is to come: with
// requests at once, without any when the input has ended. It also returns when ctx
// ends, or when out is closed; a run that is on is then interrupted. A read of in
// that nothing answers is left behind. That the last request was refused is an error.
func JSON(ctx context.Context, conv Conversation, requests []string, in io.Reader, out io.Writer) (wire.Status, error) {
	quiet := context.WithoutCancel(ctx)
	reading, stopReading := context.WithCancel(ctx)
	defer stopReading()
	events := listen(quiet, conv, 0)
	defer events.stop()
	j := &dialogue{ctx: quiet, conv: conv, out: out, state: wire.Idle, given: len(requests) > 0}
	for _, r := range requests {
		j.queue = append(j.queue, wire.Command{Type: wire.CommandMessage, Content: r})
	}
	j.err = j.run(ctx.Done(), events, readCommands(reading, in))
	if j.err == nil && j.refused {
		j.err = errRefused
	}
	last := conv.Status()
	if j.err == nil && last.Question != nil {
		j.err = errAsked
	}
	if !j.said && (last.State == wire.Failed || last.State == wire.Cancelled) {
		last = wire.Status{Session: last.Session, State: wire.Idle} // that was not now
	}
	return last, j.err
}

// errRefused: nothing was begun for the last request.
var errRefused = errors.New("the last request was refused; the line of type error says why")

// dialogue is a conversation over lines. All of it happens in one goroutine, so
// lines are never mixed.
//
//	           ┌── interrupt, and replies to what is asked: at once
//	line of in ┤
//	           └── queue ── message, decide: when nothing else is on
//	                     └─ reply: when the run of the message before it asks
type dialogue struct {
	ctx   context.Context // outlives the caller's, so that a run can be followed to its end
	conv  Conversation
	out   io.Writer
	err   error          // of out
	queue []wire.Command // what is still to be done

	running  bool       // a message is being worked on
	progress progress   // of it
	said     bool       // there was a message
	refused  bool       // the last one was
	deciding bool       // a decision was taken and not yet reported
	state    wire.State // that was told last; one that goes on with a session is told at the beginning
	asked    string     // the command that the run waits for; "": it does not wait
	eof      bool       // no more lines come
	given    bool       // the requests were given: when they are done nothing more is waited for
	stopping bool       // the run was called off, and nothing new begins
}

func (j *dialogue) run(done <-chan struct{}, events *stream, lines <-chan line) error {
	var giveUp <-chan time.Time
	for {
		j.advance()
		if j.err != nil && !j.stopping {
			giveUp = j.stop()
		}
		if j.over() {
			select {
			case l, ok := <-lines: // said before the end
				if !ok {
					lines = nil
				}
				j.heard(l, ok)
				continue
			default:
				return j.err
			}
		}
		select {
		case e, ok := <-events.events:
			if !ok {
				return errors.New("the conversation was closed before the run was over")
			}
			if e.err != nil {
				return e.err
			}
			j.event(&e.Event)
		case l, ok := <-lines:
			if !ok {
				lines = nil
			}
			j.heard(l, ok)
		case <-done:
			done = nil
			if !j.stopping {
				giveUp = j.stop()
			}
		case <-giveUp:
			return errors.Join(j.err, errLeft)
		}
	}
}

// heard takes a line, or that there are no more.
func (j *dialogue) heard(l line, ok bool) {
	if !ok {
		j.eof = true
		return
	}
	j.line(l)
}

// over tells whether there is nothing left to do, and all that was done is told.
func (j *dialogue) over() bool {
	if j.running || j.deciding && !j.stopping {
		return false
	}
	return j.stopping || (j.eof || j.given) && len(j.queue) == 0 && j.state == j.conv.Status().State
}

// stop calls off what is on.
func (j *dialogue) stop() <-chan time.Time {
	j.stopping = true
	j.queue = nil
	switch {
	case j.running && j.conv.Status().Question != nil:
		j.running = false // the question stays open for whoever goes on with the session
	case j.running:
		_ = j.conv.Do(j.ctx, wire.Command{Type: wire.CommandInterrupt}) // if it fails, giveUp ends the wait
	}
	return time.After(grace)
}

// advance begins what can begin, and answers what only the queue can answer.
func (j *dialogue) advance() {
	for !j.running && !j.deciding && !j.stopping && len(j.queue) > 0 {
		c := j.queue[0]
		j.queue = j.queue[1:]
		if reply(c) {
			j.complain("nothing_asked", fmt.Sprintf("the %s line was not used: the run was over before it asked", c.Type))
			continue
		}
		err := j.conv.Do(j.ctx, c)
		if c.Type == wire.CommandMessage {
			j.said, j.refused = true, err != nil
		}
		if err != nil {
			j.refuse(c, err)
			continue
		}
		j.running = c.Type == wire.CommandMessage
		j.deciding = c.Type == wire.CommandDecide
		j.progress = progress{}
	}
	j.answer()
}

// answer answers what the run waits for, if an answer is there or none can come. A
// reply that is refused makes room for the next.
func (j *dialogue) answer() {
	for j.running && j.asked != "" && !j.stopping {
		c := wire.Command{Type: j.asked} // denies a call
		if j.asked == wire.CommandClarify {
			c.Answer = wire.NoAnswer
		}
		waits := len(j.queue) > 0 && j.queue[0].Type == j.asked
		switch {
		case waits:
			c = j.queue[0]
			j.queue = j.queue[1:]
		case !j.eof:
			return
		}
		j.asked = ""
		if err := j.conv.Do(j.ctx, c); err != nil {
			j.refuse(c, err)
			j.asked = waitsFor(j.conv.Status())
			if !waits {
				return
			}
		}
	}
}

func reply(c wire.Command) bool {
	return c.Type == wire.CommandClarify || c.Type == wire.CommandApprove
}

func waitsFor(s wire.Status) string {
	switch {
	case s.State == wire.AwaitingApproval:
		return wire.CommandApprove
	case s.State == wire.WaitingForUser && s.Question != nil:
		return wire.CommandClarify
	}
	return ""
}

// line takes a line of the input.
func (j *dialogue) line(l line) {
	c := l.command
	switch {
	case j.stopping:
	case l.wrong != "":
		j.complain("invalid_command", l.wrong)
	case c.Type == wire.CommandInterrupt, reply(c) && (c.Type == j.asked || c.RequestID+c.QuestionID != ""):
		if err := j.conv.Do(j.ctx, c); err != nil {
			j.refuse(c, err)
		} else if c.Type == j.asked {
			j.asked = ""
		}
	default:
		j.queue = append(j.queue, c)
	}
}

// event writes an event and takes it into account.
func (j *dialogue) event(e *wire.Event) {
	data, err := e.MarshalJSON()
	if err == nil {
		err = j.write(data)
	}
	if err != nil && j.err == nil {
		j.err = err
	}
	switch e.Type {
	case wire.EventReview:
		j.deciding = false
	case wire.EventState: // behind what is asked
		j.state, j.asked = e.Status.State, waitsFor(*e.Status)
	}
	if settles(e) {
		j.asked = ""
	}
	if j.running {
		j.progress.note(e)
		j.running = !j.progress.ended
	}
}

// refuse tells that a command could not be carried out, with the code of the
// error if it has one.
func (j *dialogue) refuse(c wire.Command, err error) {
	code := "refused"
	if coded := (interface{ ErrorCode() string })(nil); errors.As(err, &coded) {
		code = coded.ErrorCode()
	}
	j.complain(code, c.Type+": "+err.Error())
}

func (j *dialogue) complain(code, text string) {
	data, err := json.Marshal(struct {
		Type string    `json:"type"`
		Time time.Time `json:"timestamp"`
		Code string    `json:"code"`
		Text string    `json:"message"`
	}{wire.EventError, time.Now().UTC(), code, text})
	if err == nil {
		err = j.write(data)
	}
	if err != nil && j.err == nil {
		j.err = err
	}
}

// write writes one line, in one piece.
func (j *dialogue) write(data []byte) error {
	if j.err != nil {
		return nil // nobody reads any more
	}
	if bytes.IndexByte(data, '\n') >= 0 {
		var b bytes.Buffer
		if err := json.Compact(&b, data); err != nil {
			return err
		}
		data = b.Bytes()
	}
	if _, err := j.out.Write(append(data, '\n')); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}

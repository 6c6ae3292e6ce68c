package client

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"redline/internal/wire"
)

// ConversationOptions say what a front end needs of a conversation.
type ConversationOptions struct {
	Lines   bool // events with the line that programs read, and nothing of what changed for screens
	Screens bool // what changed word by word
}

// Conversation is a session as the terminal and the JSONL talk to it. Its events are
// numbered from when it was opened.
type Conversation struct {
	client  *Client
	id      string
	o       ConversationOptions
	life    context.Context // ends with Close
	end     context.CancelFunc
	reading chan struct{} // closed when nothing is read any more

	mu      sync.Mutex
	link    *link // the connection; nil: it is lost
	asked   int   // numbers the commands
	replies map[string]chan wire.Reply
	status  wire.Status
	told    wire.State // that the reader of the events knows; a reply may be ahead of it
	log     eventLog
	heard   map[string]int // the newest cursor of each job
	job     string         // that was heard of last
	others  string         // a job that was on when a message was sent: it is not about that message
	calls   map[string]*wire.Tool
	said    strings.Builder // of the message that is being written
	model   string
	err     error // why nothing more is to come
}

// Converse opens the conversation of a session.
func (c *Client) Converse(ctx context.Context, session string, o ConversationOptions) (*Conversation, error) {
	v := &Conversation{
		client: c, id: session, o: o, reading: make(chan struct{}), log: newEventLog(o.Lines),
		replies: map[string]chan wire.Reply{}, heard: map[string]int{}, calls: map[string]*wire.Tool{},
	}
	v.life, v.end = context.WithCancel(context.Background())
	l, hello, err := c.connect(ctx, session, o.Lines)
	if err != nil {
		v.end()
		return nil, err
	}
	v.link, v.status, v.id, v.model = l, hello.Session.Now, hello.Session.ID, hello.Session.Model
	v.told = v.status.State
	for _, j := range hello.Session.Jobs {
		v.heard[j.ID] = 0 // none of their events is to be made up for
		v.job = j.ID
	}
	if v.status.State != wire.Idle {
		v.tell(stateEvent(v.status))
	}
	go v.read(l)
	return v, nil
}

// ID names the session.
func (v *Conversation) ID() string { return v.id }

// Model is who answers, if the server tells it.
func (v *Conversation) Model() string { return v.model }

// Status is where the conversation stands, as far as it was heard.
func (v *Conversation) Status() wire.Status {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.status
}

// Close leaves the conversation. What is on goes on.
func (v *Conversation) Close() error {
	v.end()
	<-v.reading
	return nil
}

// Do has a command carried out. It returns when a message is taken, not when it is
// answered.
func (v *Conversation) Do(ctx context.Context, c wire.Command) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	answer := make(chan wire.Reply, 1)
	v.mu.Lock()
	l := v.link
	if l == nil {
		err := v.err
		v.mu.Unlock()
		if err == nil {
			err = wire.Errorf(wire.CodeClosed, "the connection to the server at %s is lost; it is being made anew: say it again", v.client.address)
		}
		return err
	}
	v.asked++
	id := strconv.Itoa(v.asked)
	v.replies[id] = answer
	if c.Type == wire.CommandMessage {
		v.others = ""
		if v.status.Open() {
			v.others = v.job
		}
	}
	v.mu.Unlock()
	defer func() {
		v.mu.Lock()
		delete(v.replies, id)
		v.mu.Unlock()
	}()
	if err := l.send(wire.Request{ID: id, Command: c}); err != nil {
		return v.client.unreachable(err)
	}
	select {
	case reply, ok := <-answer:
		switch {
		case !ok:
			return wire.Errorf(wire.CodeClosed, "the connection to the server at %s broke before it answered: whether it has taken the %s is not known", v.client.address, c.Type)
		case reply.Error != nil:
			return reply.Error
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Events yields what happens behind a cursor, and waits for more until ctx ends or the
// conversation is closed. What was yielded is soon forgotten: one reader at a time.
func (v *Conversation) Events(ctx context.Context, after int) iter.Seq2[wire.Event, error] {
	return func(yield func(wire.Event, error) bool) {
		for {
			v.mu.Lock()
			e, ok := v.log.behind(after)
			news, err := v.log.news, v.err
			v.mu.Unlock()
			if ok {
				e, err := v.complete(ctx, e)
				if !yield(e, err) || err != nil {
					return
				}
				after = e.Cursor
				v.mu.Lock()
				v.log.taken(after)
				v.mu.Unlock()
				continue
			}
			if err != nil {
				if !errors.Is(err, errClosed) {
					yield(wire.Event{}, err)
				}
				return
			}
			select {
			case <-news:
			case <-ctx.Done():
				yield(wire.Event{}, ctx.Err())
				return
			}
		}
	}
}

// errClosed: the conversation was left.
var errClosed = errors.New("the conversation was left")

// read hears the server until the conversation is closed. A connection that breaks is
// made anew.
func (v *Conversation) read(l *link) {
	defer close(v.reading)
	stop := context.AfterFunc(v.life, func() { l.close() })
	for {
		err := v.listen(l)
		stop()
		l.close()
		v.lose()
		if v.life.Err() != nil {
			v.over(errClosed)
			return
		}
		if l, err = v.again(err); err != nil {
			v.over(err)
			return
		}
		stop = context.AfterFunc(v.life, func() { l.close() })
	}
}

// listen takes frames until the connection ends.
func (v *Conversation) listen(l *link) error {
	for {
		f, err := l.frame()
		if err != nil {
			return err
		}
		if f.Type == wire.FrameReload {
			return errReload
		}
		v.take(f)
	}
}

// errReload: the server has given up a reader that was too slow.
var errReload = errors.New("frames were lost")

// lose has all who wait for a reply know that none comes.
func (v *Conversation) lose() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.link = nil
	for id, answer := range v.replies {
		close(answer)
		delete(v.replies, id)
	}
}

func (v *Conversation) over(err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.err = err
	v.log.wake()
}

// again connects to the server again, and makes up for what was missed.
func (v *Conversation) again(cause error) (*link, error) {
	for _, wait := range patience {
		if err := pause(v.life, wait); err != nil {
			return nil, errClosed
		}
		l, hello, err := v.client.connect(v.life, v.id, v.o.Lines)
		if err == nil {
			err = v.makeUp(hello.Session)
			if err == nil {
				v.mu.Lock()
				v.link = l
				v.mu.Unlock()
				return l, nil
			}
			l.close()
		}
		cause = err
		var refused *wire.Error
		if errors.As(err, &refused) && refused.Code != wire.CodeClosed {
			break
		}
	}
	if v.life.Err() != nil {
		return nil, errClosed
	}
	return nil, &Lost{Address: v.client.address, Session: v.id, Err: cause}
}

// Lost is that a server went away in the middle of a conversation.
type Lost struct {
	Address, Session string
	Err              error
}

func (e *Lost) Error() string {
	return "the server at " + e.Address + " has gone; what was done until then is kept, and redline --session " + e.Session + " \"…\" goes on"
}

func (e *Lost) Unwrap() error { return e.Err }

// makeUp takes the events with a cursor that were told while there was no connection.
func (v *Conversation) makeUp(s wire.Session) error {
	v.mu.Lock()
	known := maps.Clone(v.heard)
	current := v.job
	v.mu.Unlock()
	missed := slices.DeleteFunc(s.Jobs, func(j wire.JobLine) bool {
		_, before := known[j.ID]
		return before && j.ID != current
	})
	for _, j := range missed {
		for {
			events, err := v.client.Events(v.life, j.ID, known[j.ID], 0)
			if err != nil {
				return err
			}
			for _, f := range events.Events {
				f.Job = j.ID
				known[j.ID] = max(known[j.ID], f.Cursor)
				v.take(&frame{JobEvent: f, late: true})
			}
			if len(events.Events) == 0 {
				break
			}
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.told != s.Now.State {
		v.status = s.Now
		v.tell(stateEvent(v.status))
	}
	return nil
}

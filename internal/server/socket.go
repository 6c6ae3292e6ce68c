package server

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"redline/internal/wire"
)

const (
	maxCommand  = 1 << 20          // bytes of one command
	maxCommands = 16               // that wait for the one before them
	pingEvery   = 30 * time.Second // a reader that is gone without a word is found
)

// sessionSocket is a two-way stream of a session (WebSocket): commands in, the events
// of all its jobs out. The first frame says where the session stands; nothing that
// happens afterwards is missing behind it. Every command gets a reply, and they are
// carried out in their order, also if the socket closes before the last of them. A
// reader that is too slow gets a reload frame and the status 1013; one that hears 1001
// may connect again when the server is back.
func (s *Server) sessionSocket(w http.ResponseWriter, r *http.Request) {
	if !upgrades(r) {
		w.Header().Set("Upgrade", "websocket")
		fail(http.StatusUpgradeRequired, "upgrade_required", "the route speaks WebSocket; %s has the same events for one job", "/api/agent/jobs/{id}/stream").write(w)
		return
	}
	lines, err := strconv.ParseBool(r.URL.Query().Get("lines"))
	if err != nil && r.URL.Query().Has("lines") {
		fail(http.StatusBadRequest, wire.CodeInvalid, "lines is true or false").write(w)
		return
	}
	ctx, end, full := s.streams.begin(r.Context(), s.life)
	if full != nil {
		full.write(w)
		return
	}
	defer end()
	heard, err := s.listen(ctx, r.PathValue("id"), lines)
	if err != nil {
		s.refuse(err).write(w)
		return
	}
	defer heard.cancel()
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return // it has answered
	}
	conn.SetReadLimit(maxCommand)
	if s.Private {
		conn.SetReadLimit(-1)
	}
	k := &socket{heardSession: heard, server: s, conn: conn, queue: make(chan wire.Request, maxCommands)}
	k.run()
}

func upgrades(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
}

// heardSession is a session that a reader listens to.
type heardSession struct {
	*Folder
	session string
	ctx     context.Context // ends with the socket, or with the server
	cancel  context.CancelFunc
	events  iter.Seq2[wire.JobEvent, error]
	now     wire.Session // a moment after the events began
}

// listen finds a session, and begins to listen to it before it is looked at.
func (s *Server) listen(ctx context.Context, id string, lines bool) (heardSession, error) {
	return of(s, func(f *Folder) (h heardSession, err error) {
		h.Folder, h.session = f, id
		h.ctx, h.cancel = context.WithCancel(ctx)
		h.events = f.Streams.FollowSession(h.ctx, id, lines)
		if h.now, err = f.Sessions.Session(h.ctx, id); err != nil {
			h.cancel()
		}
		return h, err
	})
}

// socket is a two-way stream.
type socket struct {
	heardSession
	server *Server
	conn   *websocket.Conn
	queue  chan wire.Request // closed when no more commands come
	writes context.Context   // ends a moment after the socket does
}

// run returns when all that belongs to the socket has ended.
func (k *socket) run() {
	defer k.cancel()
	var cut context.CancelFunc
	k.writes, cut = context.WithCancel(context.Background())
	defer cut()
	defer context.AfterFunc(k.ctx, func() { time.AfterFunc(lastWords, cut) })()

	var all sync.WaitGroup
	all.Go(k.read)
	all.Go(k.work)
	all.Go(k.ping)
	status, reason := k.tell()
	k.cancel()
	_ = k.conn.Close(status, reason) // the peer may be gone
	all.Wait()
}

// tell writes where the session stands, and then what happens. It returns with the
// status that ends the socket.
func (k *socket) tell() (status websocket.StatusCode, reason string) {
	hello, err := json.Marshal(wire.Hello{Session: k.now})
	if err != nil {
		k.server.fault(err)
		return websocket.StatusInternalError, wire.CodeInternal
	}
	k.now = wire.Session{} // it may be large
	if !k.write(encode(wire.JobEvent{Type: wire.FrameHello, Time: time.Now().UTC(), Data: hello}).json) {
		return websocket.StatusPolicyViolation, "too slow"
	}
	last := ""
	for e, err := range k.events {
		if err != nil {
			if k.ctx.Err() != nil {
				break
			}
			k.server.Log.Warn("the stream of a session failed", slog.Any("error", err))
			return websocket.StatusInternalError, wire.CodeInternal
		}
		if !k.write(k.server.frames.encode(e).json) {
			return websocket.StatusPolicyViolation, "too slow"
		}
		last = e.Type
	}
	if last == wire.FrameReload && k.ctx.Err() == nil {
		return websocket.StatusTryAgainLater, wire.CodeReload
	}
	return websocket.StatusGoingAway, wire.CodeClosed
}

// write sends a text. It tells whether the reader has taken it.
func (k *socket) write(text []byte) bool {
	ctx, cancel := context.WithTimeout(k.writes, writeWait)
	defer cancel()
	return k.conn.Write(ctx, websocket.MessageText, text) == nil
}

// read queues the commands that come, until the socket closes.
func (k *socket) read() {
	defer k.cancel()
	defer close(k.queue)
	for {
		kind, text, err := k.conn.Read(context.Background()) // Close ends it
		if err != nil {
			return
		}
		var q wire.Request
		switch err := json.Unmarshal(text, &q); {
		case kind != websocket.MessageText:
			k.reply(wire.Reply{Error: wire.Errorf(wire.CodeInvalid, "a command is a text, not bytes")})
		case err != nil:
			k.reply(wire.Reply{ID: q.ID, Error: notCommand(err)})
		default:
			select {
			case k.queue <- q:
			default:
				k.reply(wire.Reply{ID: q.ID, Error: wire.Errorf(wire.CodeBusy, "%d commands wait to be carried out: send the next after a reply", maxCommands)})
			}
		}
	}
}

// notCommand says why a text is no command.
func notCommand(err error) *wire.Error {
	var kind *json.UnmarshalTypeError
	switch {
	case !errors.As(err, &kind):
		return wire.Errorf(wire.CodeInvalid, "the command is no JSON: %v", err)
	case kind.Field == "":
		return wire.Errorf(wire.CodeInvalid, "a command is an object with a type, not a JSON value of the kind %s", kind.Value)
	}
	return wire.Errorf(wire.CodeInvalid, "%s of a command cannot be a JSON value of the kind %s", kind.Field[strings.LastIndex(kind.Field, ".")+1:], kind.Value)
}

// work carries out the commands. What a user has said counts, also if the socket is
// closed by then.
func (k *socket) work() {
	for q := range k.queue {
		answer := wire.Reply{ID: q.ID}
		if err := k.Streams.Do(k.server.life, k.session, q.Command); err != nil {
			answer.Error = k.server.refuse(err).Error
		} else if q.Type == wire.CommandDecide {
			if now, err := k.Sessions.Session(k.server.life, k.session); err == nil {
				answer.Status = &now.Now
			}
		}
		k.reply(answer)
	}
}

func (k *socket) reply(r wire.Reply) {
	r.Type = wire.FrameReply
	text, err := json.Marshal(r)
	if err != nil { // details that are no JSON
		r.Error.Details = map[string]any{}
		text, _ = json.Marshal(r)
	}
	k.write(text)
}

// ping finds readers that are gone.
func (k *socket) ping() {
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	for {
		select {
		case <-k.ctx.Done():
			return
		case <-tick.C:
		}
		ctx, cancel := context.WithTimeout(k.writes, writeWait)
		err := k.conn.Ping(ctx)
		cancel()
		if err != nil {
			k.cancel()
			return
		}
	}
}

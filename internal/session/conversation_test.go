package session_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"redline/agent"
	"redline/internal/ledger"
	"redline/internal/ops"
	"redline/internal/session"
	"redline/internal/store/sqlite"
	"redline/internal/toolset"
	"redline/internal/toolset/documents"
	"redline/internal/wire"
	"redline/internal/workspace"
	"redline/tool"
)

// TestConversations plays the conversations in testdata. A file has the folder at
// the start, the model as a script, what the user does, a line each, and the
// transcript of all that was heard. The first line of its comment may have
// settings: review=, mode=, denies=, unattended, agree, confirm, offline, blind, and limits.
//
//	say TEXT             a message; the play goes on when the session rests or asks
//	start TEXT           a message; the play goes on when the tool that hangs runs
//	amend TEXT           a message that extends the open turn
//	answer TEXT          to the question
//	approve [JSON]       the calls, with other arguments if given
//	deny
//	interrupt
//	accept, reject       all that waits for a decision
//	undo                 the newest turn
//	show PATH            a file of the folder
//	restart              the session is closed and made anew, with what was said
//	kill                 the same, but nothing that the end brings is written down
//
// Lines about what comes with the messages are in request_test.go.
func TestConversations(t *testing.T) {
	files, err := filepath.Glob("testdata/conversations/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			p := newPlay(t, archive)
			for _, line := range strings.Split(strings.TrimSpace(string(p.part("user"))), "\n") {
				p.do(line)
			}
			p.close()
			got := p.transcript.String()
			if *update {
				for i := range archive.Files {
					if archive.Files[i].Name == "transcript" {
						archive.Files[i].Data = []byte(got)
					}
				}
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if d := cmp.Diff(string(p.part("transcript")), got); d != "" && !*update {
				t.Errorf("transcript (-want +got):\n%s", d)
			}
		})
	}
}

// play is one conversation.
type play struct {
	t          *testing.T
	archive    *txtar.Archive
	settings   map[string]string
	dir        string
	folder     *workspace.Folder
	store      *sqlite.Store
	ledger     *ledger.Ledger
	provider   recording
	session    *session.Session
	cursor     int
	hangs      chan struct{} // the tool that hangs runs
	log        keeping
	brings     session.Message // what comes with the messages
	transcript strings.Builder
	quiet      bool // what the model is told is not written down
}

// keeping is a log in memory.
type keeping struct {
	mu       sync.Mutex
	messages []agent.Message
	broken   bool
}

// said is what is written down now.
func (k *keeping) said() []agent.Message {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.messages)
}

func (k *keeping) Append(m agent.Message) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.broken && len(k.messages) > 1 {
		return 0, syscall.ENOSPC
	}
	k.messages = append(k.messages, m)
	return len(k.messages) - 1, nil
}

func newPlay(t *testing.T, archive *txtar.Archive) *play {
	t.Helper()
	p := newStage(t, archive)
	p.open()
	return p
}

// newStage is a play without its session.
func newStage(t *testing.T, archive *txtar.Archive) *play {
	t.Helper()
	p := &play{t: t, archive: archive, dir: filepath.Join(t.TempDir(), "folder"), settings: map[string]string{}, hangs: make(chan struct{}, 1)}
	first, _, _ := strings.Cut(string(archive.Comment), "\n")
	for _, word := range strings.Fields(first) {
		if key, value, ok := strings.Cut(word, "="); ok || slices.Contains([]string{"unattended", "agree", "forgetful", "confirm", "offline", "blind"}, word) {
			p.settings[key] = value
		}
	}
	p.must(os.Mkdir(p.dir, 0o755))
	for _, f := range archive.Files {
		if name, ok := strings.CutPrefix(f.Name, "folder/"); ok {
			p.must(os.MkdirAll(filepath.Dir(filepath.Join(p.dir, name)), 0o755))
			p.must(os.WriteFile(filepath.Join(p.dir, name), f.Data, 0o644))
		}
	}
	var err error
	p.folder, err = workspace.Open(p.dir)
	p.must(err)
	p.store, err = sqlite.Open(context.Background(), filepath.Join(filepath.Dir(p.dir), "state", "redline.db"))
	p.must(err)
	p.ledger, _, err = ledger.Open(context.Background(), p.folder, p.store, ledger.Options{})
	p.must(err)
	t.Cleanup(func() {
		p.must(errors.Join(p.ledger.Close(), p.store.Close(), p.folder.Close()))
	})
	p.provider.model(p)
	_, p.log.broken = p.settings["forgetful"]
	return p
}

func (p *play) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *play) part(name string) []byte {
	for _, f := range p.archive.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

func (p *play) open() {
	p.t.Helper()
	guard := session.Config{Mode: session.Supervised, Review: ledger.Optimistic, Limits: session.DefaultsFor("documents").Limits, Audit: p.ledger}
	if m := p.settings["mode"]; m != "" {
		guard.Mode = session.Mode(m)
	}
	if r := p.settings["review"]; r != "" {
		guard.Review = ledger.Review(r)
	}
	if tool := p.settings["denies"]; tool != "" {
		guard.Rules = session.Rules{{Verdict: session.Deny, Tool: tool}}
	}
	if n := p.settings["max_tool_calls_per_job"]; n != "" {
		p.must(json.Unmarshal([]byte(n), &guard.Limits.ToolCalls))
	}
	if n := p.settings["maxActionsPerRequest"]; n != "" {
		p.must(json.Unmarshal([]byte(n), &guard.Limits.Actions))
	}
	_, unattended := p.settings["unattended"]
	_, agree := p.settings["agree"]
	s, err := session.New(context.Background(), session.Setup{
		ID: "s1", Ledger: p.ledger, Kit: &desks{p: p}, Log: &p.log, Guard: guard, History: append([]agent.Message(nil), p.log.messages...),
		Attended: !unattended, Agree: agree,
		Agent: agent.Config{Provider: &p.provider, Model: p.provider.able},
	})
	p.must(err)
	p.session, p.cursor = s, 0
	if s.Status().State == session.Idle {
		p.state(s.Status())
		return
	}
	for e, err := range s.Events(p.t.Context(), 0) {
		p.must(err)
		p.cursor = e.Cursor
		p.hear(e)
		return
	}
}

// state writes down where the session stands.
func (p *play) state(s session.Status) {
	fmt.Fprintf(&p.transcript, "(%s%s)\n", s.State, reason(s))
	if w := s.Waiting; w != nil {
		flat := strings.NewReplacer("\n", " / ")
		fmt.Fprintf(&p.transcript, "  waits for: %s\n    message %d: %s\n    calls: %d, said: %s\n", flat.Replace(w.Question), w.Index, w.Message, w.Calls, flat.Replace(w.Said))
	}
}

func (p *play) close() { p.must(p.session.Close()) }

// desks is the toolset documents, and a tool that fails like a full disk.
type desks struct {
	p    *play
	told ops.Told
}

func (d *desks) desk(turn *ledger.Turn) *ops.Desk {
	return ops.New(d.p.folder, turn, ops.Options{Told: &d.told})
}

func (d *desks) Tools(turn *ledger.Turn, open string, user session.User) (tool.Set, error) {
	at := func(context.Context) *ops.Desk { return d.desk(turn) }
	tools, err := documents.New(at, documents.Options{Open: func() string { return open }})
	if err != nil {
		return tool.Set{}, err
	}
	clarify, err := toolset.ClarifyUser(at, func(ctx context.Context, question string) (string, error) { return user.Ask(ctx, question) }, nil)
	if err != nil {
		return tool.Set{}, err
	}
	send, err := toolset.SendMessage(at, user.Tell, nil)
	if err != nil {
		return tool.Set{}, err
	}
	full := tool.Must(tool.New(tool.Info{Name: "fill_disk", Description: "for tests"}, func(context.Context, struct{}, tool.Update) (tool.Result, error) {
		return tool.Result{}, &ops.Error{Code: ops.NoSpace, Message: "the disk is full"}
	}))
	hang := tool.Must(tool.New(tool.Info{Name: "hang", Description: "for tests"}, func(ctx context.Context, _ struct{}, _ tool.Update) (tool.Result, error) {
		d.p.hangs <- struct{}{}
		<-ctx.Done()
		return tool.Result{}, ctx.Err()
	}))
	return tool.NewSet(append(tools, clarify, send, full, hang)...)
}

func (d *desks) Prompt(open string, decisions []string) string {
	for _, s := range decisions {
		if d.p.quiet {
			break
		}
		fmt.Fprintf(&d.p.transcript, "  the model is told: %s\n", s)
	}
	return documents.Prompt(toolset.Facts{Folder: "folder", Open: open, Decisions: decisions})
}

func (d *desks) Document(ctx context.Context, turn *ledger.Turn, open string) (string, error) {
	r, err := d.desk(turn).Read(ctx, ops.ReadRequest{Path: open})
	return r.Text, err
}

func (d *desks) Excerpt(ctx context.Context, turn *ledger.Turn, row wire.ContextRow) (session.Excerpt, error) {
	r, err := d.desk(turn).Again(ctx, ops.ReadRequest{Path: row.Path, From: row.From, To: row.To, MaxBytes: 64 << 10}, row.Content)
	return session.Excerpt{Text: r.Text, From: r.From, To: r.To, Lines: r.Lines, Hash: r.Hash.String(), Cut: r.Truncated}, err
}

// do carries out a line of the user and writes down what is heard.
func (p *play) do(line string) {
	p.t.Helper()
	ctx := context.Background()
	fmt.Fprintf(&p.transcript, "> %s\n", line)
	verb, rest, _ := strings.Cut(line, " ")
	before := p.session.Status()
	var err error
	switch verb {
	case "say", "start", "amend":
		open, text := "", rest
		if o, after, ok := strings.Cut(rest, " | "); ok {
			open, text = o, after
		}
		m := p.brings
		_, m.Confirm = p.settings["confirm"]
		m.Text, m.Open, m.Amend = text, open, verb == "amend"
		p.brings.Attachments = nil
		err = p.session.Send(ctx, m)
	case "answer":
		err = p.session.Clarify("", rest)
	case "approve":
		a := session.Answer{Approve: true}
		if rest != "" && before.Approval != nil && len(before.Approval.With) > 0 {
			p.must(json.Unmarshal([]byte(rest), &a.Others))
		} else if rest != "" {
			a.Arguments = json.RawMessage(rest)
		}
		err = p.session.Approve("", a)
	case "deny":
		err = p.session.Approve("", session.Answer{})
	case "interrupt":
		p.session.Interrupt()
		if before.State == session.Idle || before.State == session.Done {
			return // there is nothing to interrupt
		}
	case "accept", "reject":
		err = p.ledger.DecideAll(ctx, "s1", workspace.Path{}, verb == "accept")
		if p.settings["review"] == "turn" {
			err = p.settle(ctx, verb == "accept")
		}
		if err == nil && verb == "accept" && p.settings["review"] == "hunks" {
			_, err = p.ledger.Apply(ctx, "s1")
		}
		if err == nil {
			err = p.session.Reviewed(ctx, verb)
		}
	case "undo":
		_, err = p.ledger.Undo(ctx, ledger.UndoRequest{Session: "s1"})
	case "show":
		data, readErr := os.ReadFile(filepath.Join(p.dir, rest))
		if readErr != nil {
			data = []byte("(no such file)\n")
		}
		p.transcript.Write(data)
		return
	case "restart":
		p.close()
		p.open()
		return
	case "kill":
		said := slices.Clone(p.log.messages)
		p.close()
		p.log.messages = said
		p.open()
		return
	default:
		p.bring(verb, rest)
		return
	}
	if err != nil {
		fmt.Fprintf(&p.transcript, "! %s\n", identifier.ReplaceAllString(err.Error(), "turn_…"))
		return
	}
	if verb != "undo" {
		p.listen(verb == "start")
	}
}

func (p *play) settle(ctx context.Context, accept bool) error {
	records, err := p.ledger.Records(ctx, "s1")
	if err != nil {
		return err
	}
	if accept {
		return p.ledger.Accept(ctx, records[0].ID)
	}
	_, err = p.ledger.Reject(ctx, records[0].ID)
	return err
}

var identifier = regexp.MustCompile(`\bturn_[0-9a-z]+\b`)

// listen writes down what is heard until the session rests or asks, or with one
// only until the tool that hangs runs.
func (p *play) listen(one bool) {
	for e, err := range p.session.Events(p.t.Context(), p.cursor) {
		p.must(err)
		p.cursor = e.Cursor
		p.hear(e)
		if one && e.Type == string(agent.ToolStart) && e.Agent.Call.Name == "hang" {
			<-p.hangs
			return
		}
		if e.Type != wire.EventState || e.Status.State == session.Running {
			continue
		}
		if s := p.session.Status().State; s == e.Status.State {
			return
		}
	}
}

func (p *play) hear(e session.Event) {
	w := &p.transcript
	switch e.Type {
	case wire.EventState:
		p.state(*e.Status)
	case wire.EventQuestion:
		fmt.Fprintf(w, "  question %s: %s\n", e.Question.ID, strings.ReplaceAll(e.Question.Text, "\n", "\n    "))
		if len(e.Question.Options) > 0 {
			fmt.Fprintf(w, "    answers: %s\n", strings.Join(e.Question.Options, ", "))
		}
	case wire.JobEventPlan:
		fmt.Fprintf(w, "  plan: %s\n", strings.ReplaceAll(e.Text, "\n", "\n    "))
	case wire.EventAnswered:
		fmt.Fprintf(w, "  answered: %s\n", e.Text)
	case wire.EventApproval:
		s := bufio.NewScanner(strings.NewReader(e.Approval.Text()))
		fmt.Fprintf(w, "  approval %s:\n", e.Approval.ID)
		for s.Scan() {
			fmt.Fprintf(w, "    %s\n", s.Text())
		}
	case wire.EventApproved:
		fmt.Fprintf(w, "  approved: %v\n", e.Approve)
	case wire.EventChanges:
		fmt.Fprintf(w, "  changes (%s):", e.Turn.Status)
		for _, c := range e.Turn.Changes {
			fmt.Fprintf(w, " %s %s", c.Verb(), c.Path)
		}
		fmt.Fprintln(w)
	case wire.EventInterrupted, wire.EventReview:
		fmt.Fprintf(w, "  %s\n", e.Type)
	case wire.EventMessage:
		fmt.Fprintf(w, "  message (%s): %s\n", e.Priority, e.Text)
	case wire.EventNotice:
		fmt.Fprintf(w, "  notice: %s\n", e.Text)
	case string(agent.MessageEnd):
		if m := e.Agent.Message; m.Text() != "" {
			fmt.Fprintf(w, "  %s: %s\n", m.Role, strings.ReplaceAll(m.Text(), "\n", "\n    "))
		}
	case string(agent.ToolEnd):
		verdict := "ok"
		if e.Agent.Result.IsError {
			first, _, _ := strings.Cut(e.Agent.Result.Output, "\n")
			verdict = "failed: " + first
		}
		fmt.Fprintf(w, "  %s %s: %s\n", e.Agent.Call.Name, e.Agent.Call.Arguments, verdict)
	}
}

func reason(s session.Status) string {
	words := ""
	if s.Denied {
		words += ", denied"
	}
	if s.Aborted {
		words += ", aborted"
	}
	if s.Reason != "" {
		words += ": " + s.Reason
	}
	return words
}

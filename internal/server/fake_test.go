package server_test

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"sync"
	"time"

	"redline/internal/server"
	"redline/internal/wire"
)

// fake is a folder of a server: it knows one thing of each kind, by the ids of the
// examples, answers with what it was given, and remembers what it was asked.
type fake struct {
	mu    sync.Mutex
	calls []string
	err   error // what everything is refused with; nil: nothing is

	job    wire.Job
	events wire.JobEvents
}

var day = time.Date(2026, 2, 5, 12, 0, 0, 0, time.UTC)

func newFake() *fake {
	return &fake{
		job: wire.Job{ID: "job_456", JobID: "job_456", Session: "sess_123", Status: wire.JobAwaitingReview, Instruction: "Refactor these notes into sections",
			Intent: "action", Created: day, Cursor: 24, Calls: []wire.JobCall{},
			Edits: []wire.Edit{{ID: "e_1", Path: "notes/team/onboarding.md", Operation: "replace", From: 14, To: 22, Text: "...", Hash: "sha256:...", Rationale: "Split long paragraph into checklist bullets"}},
			Bundle: &wire.DiffBundle{Job: "job_456", Files: []wire.DiffFile{{Path: "notes/team/onboarding.md", Base: "sha256:...",
				Hunks: []wire.DiffHunk{{ID: "h_1", Patch: "@@ -14,9 +14,11 @@ ...", Edits: []string{"e_1"}}}}}}},
		events: wire.JobEvents{Job: "job_456", Status: wire.JobRunning, Next: 24, Events: []wire.JobEvent{
			{Cursor: 23, Type: "tool.call.completed", Time: day.Add(10 * time.Second), Data: json.RawMessage(`{"tool": "search_project", "result_count": 12}`)}}},
	}
}

// folder is the fake as a server sees it.
func (f *fake) folder(name string) server.Folder {
	return server.Folder{Name: name, Dir: "/" + name,
		Sessions: f, Archive: f, Jobs: f, Control: f, Answers: f, Streams: f, Reviews: f, Hunks: f, Changes: f, Undo: f,
		Turns: turns{f}, Checkpoints: f, Documents: f, Tabs: f, Library: f, Trash: f, Records: f, Settings: f}
}

// ask notes a call with what it was given, and refuses it if a name is not one that the
// fake knows.
func (f *fake) ask(call string, given ...any) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var unknown error
	for _, g := range given {
		said, err := json.Marshal(g)
		if err != nil {
			return err
		}
		call += " " + string(said)
		if name, ok := g.(string); ok && !slices.Contains(names, name) {
			unknown = wire.Errorf(wire.CodeNotFound, "there is no %q", name)
		}
	}
	f.calls = append(f.calls, call)
	if f.err != nil {
		return f.err
	}
	return unknown
}

// names are what the fake knows.
var names = []string{"sess_123", "job_456", "turn_1", "h_1", "cp_1", "20260205_old.md", "notes/meeting.md", "notes/team/onboarding.md", ""}

// refuse is what everything is answered with from now on; nil: as always.
func (f *fake) refuse(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
}

func (f *fake) asked() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.calls)
}

func (f *fake) Create(_ context.Context, o wire.SessionOptions) (wire.NewSession, error) {
	return wire.NewSession{ID: "sess_123", Status: wire.SessionActive, Created: day}, f.ask("create", o)
}

func (f *fake) Session(_ context.Context, id string) (wire.Session, error) {
	return wire.Session{SessionInfo: wire.SessionInfo{ID: "sess_123", Status: wire.SessionActive, State: wire.Idle, Created: day, Updated: day, LastJob: "job_456"},
		Same: "sess_123", Toolset: "project", Review: "hunks", Mode: "supervised", Chat: []wire.ChatEntry{}, Context: []wire.ContextRow{}, Jobs: []wire.JobLine{},
		Now: wire.Status{Session: "sess_123", State: wire.Idle}}, f.ask("session", id)
}

func (f *fake) Sessions(context.Context) ([]wire.SessionInfo, error) { return nil, f.ask("sessions") }

func (f *fake) Archive(_ context.Context, id string, away bool) error {
	return f.ask("archive", id, away)
}

func (f *fake) Run(_ context.Context, r wire.RunRequest) (wire.NewJob, error) {
	return wire.NewJob{ID: "job_456", Status: wire.JobQueued}, f.ask("run", r.Session, r)
}

func (f *fake) Job(_ context.Context, id string) (wire.Job, error) { return f.job, f.ask("job", id) }

func (f *fake) Events(_ context.Context, job string, after, limit int) (wire.JobEvents, error) {
	page := f.events
	if after >= page.Next {
		page.Events = nil
	}
	return page, f.ask("events", job, after, limit)
}

func (f *fake) Cancel(_ context.Context, job string) error { return f.ask("cancel", job) }

func (f *fake) Resume(_ context.Context, job string) (wire.NewJob, error) {
	return wire.NewJob{ID: job, Status: wire.JobRunning}, f.ask("resume", job)
}

func (f *fake) Rerun(_ context.Context, job string) (wire.NewJob, error) {
	return wire.NewJob{ID: "job_457", Status: wire.JobQueued}, f.ask("rerun", job)
}

func (f *fake) Clarify(_ context.Context, job string, r wire.ClarifyRequest) error {
	return f.ask("clarify", job, r)
}

func (f *fake) Approve(_ context.Context, job string, r wire.ApproveRequest) error {
	return f.ask("approve", job, r)
}

func (f *fake) Say(_ context.Context, job string, r wire.SayRequest) error {
	return f.ask("say", job, r)
}

func (f *fake) FollowJob(_ context.Context, job string, after int) iter.Seq2[wire.JobEvent, error] {
	return func(yield func(wire.JobEvent, error) bool) {
		if err := f.ask("follow", job); err != nil {
			yield(wire.JobEvent{}, err)
			return
		}
		for _, e := range f.events.Events {
			if e.Cursor > after && !yield(e, nil) {
				return
			}
		}
	}
}

func (f *fake) FollowSession(ctx context.Context, session string, lines bool) iter.Seq2[wire.JobEvent, error] {
	return func(yield func(wire.JobEvent, error) bool) {
		if err := f.ask("follow", session); err != nil {
			yield(wire.JobEvent{}, err)
			return
		}
		<-ctx.Done()
	}
}

func (f *fake) Do(_ context.Context, session string, c wire.Command) error {
	return f.ask("do", session, c)
}

func (f *fake) Apply(_ context.Context, r wire.ApplyRequest) (wire.ApplyReply, error) {
	return wire.ApplyReply{Status: wire.JobCompleted, Applied: []wire.Applied{{Path: "notes/meeting.md", Applied: 2, Rejected: 1}}}, f.ask("apply", r.Session, r.Job, r)
}

func (f *fake) Decide(_ context.Context, session string, d wire.Decision) (wire.Decided, error) {
	return wire.Decided{Applied: []wire.Applied{{Path: "notes/meeting.md", Applied: 1}}, Open: 1}, f.ask("decide", session, d)
}

func (f *fake) Open(_ context.Context, session string) ([]wire.Turn, error) {
	return nil, f.ask("review", session)
}

func (f *fake) ChangeLog(_ context.Context, session, path string) ([]wire.LogEntry, error) {
	return []wire.LogEntry{{ID: "h_1", Path: "notes/team/onboarding.md", Turn: "turn_1", Origin: "agent", Kind: "text", Status: "pending"}}, f.ask("change log", session, wire.DocumentQuery{Path: path})
}

func (f *fake) Split(_ context.Context, session, hunk string, r wire.SplitRequest) (wire.SplitReply, error) {
	return wire.SplitReply{First: "h_1a", Second: "h_1b"}, f.ask("split", session, hunk, r)
}

func (f *fake) Edit(_ context.Context, session, hunk string, r wire.HunkText) error {
	return f.ask("edit", session, hunk, r)
}

func (f *fake) Rebase(_ context.Context, session string, r wire.RebaseRequest) error {
	return f.ask("rebase", session, r)
}

func (f *fake) Undo(_ context.Context, session, turn string) (wire.Report, error) {
	return wire.Report{Turn: "turn_1"}, f.ask("undo", session, turn)
}

func (f *fake) Redo(_ context.Context, session, turn string) (wire.Report, error) {
	return wire.Report{Turn: "turn_1"}, f.ask("redo", session, turn)
}

// turns is the fake as the keeper of turns, whose list has the name of the interface.
type turns struct{ f *fake }

func (t turns) Turns(_ context.Context, session string, limit int) ([]wire.Turn, error) {
	return []wire.Turn{{ID: "turn_1", Session: "sess_123", Files: []wire.File{}}}, t.f.ask("turns", session, limit)
}

func (t turns) Turn(_ context.Context, id string) (wire.Turn, error) {
	return wire.Turn{ID: "turn_1", Session: "sess_123", Files: []wire.File{}}, t.f.ask("turn", id)
}

func (t turns) Lines(_ context.Context, id string) (wire.TurnLines, error) {
	return wire.TurnLines{Turn: "turn_1", Lines: map[string][]wire.Line{}}, t.f.ask("lines", id)
}

func (f *fake) Checkpoint(_ context.Context, id string) (wire.Checkpoint, error) {
	return wire.Checkpoint{ID: "cp_1", Session: "sess_123", Job: "job_456", Turn: "turn_1", Created: day,
		Files: []wire.CheckpointFile{{Path: "notes/team/onboarding.md", Base: "sha256:...", Hunks: []wire.CheckpointHunk{{ID: "h_1", Reverse: "@@ -14,11 +14,9 @@ ..."}}}}}, f.ask("checkpoint", id)
}

func (f *fake) Diff3(_ context.Context, id, path string) (wire.Diff3, error) {
	now, before, after := "now", "before", "after"
	return wire.Diff3{Path: path, Current: &now, Base: &before, Proposed: &after}, f.ask("diff3", id, path)
}

func (f *fake) Rollback(_ context.Context, id string, r wire.RollbackRequest) (wire.Report, error) {
	return wire.Report{Files: []wire.FileReport{{Path: "notes/team/onboarding.md", Outcome: "restored"}}}, f.ask("rollback", id, r)
}

func (f *fake) Tree(_ context.Context, q wire.TreeQuery) (wire.Tree, error) {
	return wire.Tree{}, f.ask("tree", q.Under, q)
}

func (f *fake) Read(_ context.Context, q wire.DocumentQuery) (wire.Document, error) {
	return wire.Document{Path: q.Path, Content: "text\n", Token: "sha256:...", Lines: 1, EOL: "lf"}, f.ask("read", q.Path, q)
}

func (f *fake) Save(_ context.Context, r wire.SaveRequest) (wire.Document, error) {
	return wire.Document{Path: r.Path, Content: r.Content, Token: "sha256:..."}, f.ask("save", r.Path, r)
}

func (f *fake) Tabs(context.Context) ([]wire.Tab, error) { return nil, f.ask("tabs") }

func (f *fake) OpenTab(_ context.Context, path string) ([]wire.Tab, error) {
	return []wire.Tab{{Path: path, Opened: day}}, f.ask("open tab", path)
}

func (f *fake) CloseTab(_ context.Context, path string) ([]wire.Tab, error) {
	return nil, f.ask("close tab", path)
}

func (f *fake) Search(_ context.Context, q wire.SearchQuery) (wire.SearchReply, error) {
	return wire.SearchReply{}, f.ask("search", q)
}

func (f *fake) Outline(_ context.Context, path string) (wire.Outline, error) {
	return wire.Outline{Path: path}, f.ask("outline", path)
}

func (f *fake) History(_ context.Context, path string) ([]wire.Version, error) {
	return nil, f.ask("history", path)
}

func (f *fake) Trash(context.Context) ([]wire.Trashed, error) { return nil, f.ask("trash") }

func (f *fake) Restore(_ context.Context, id string) (wire.Turn, error) {
	return wire.Turn{ID: "turn_1", Session: "sess_123", Files: []wire.File{}}, f.ask("restore", id)
}

func (f *fake) Empty(context.Context) (wire.Emptied, error) {
	return wire.Emptied{Items: 1, Bytes: 5}, f.ask("empty")
}

func (f *fake) Audit(_ context.Context, limit int) ([]wire.AuditEntry, error) {
	return nil, f.ask("audit", limit)
}

func (f *fake) Stats(context.Context) (wire.Stats, error) {
	return wire.Stats{Jobs: map[string]int{}, Calls: map[string]int{}}, f.ask("stats")
}

func (f *fake) Models(context.Context) ([]wire.Model, error) { return nil, f.ask("models") }

func (f *fake) Config(context.Context) ([]wire.Setting, error) { return nil, f.ask("config") }

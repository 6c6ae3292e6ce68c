package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"redline/internal/ledger"
	"redline/internal/session"
	"redline/internal/wire"
	"redline/internal/workspace"
)

// TestJobs plays the jobs in testdata. A file has the folder at the start, the model as
// a script, what is asked of the host, a line each, and what came of it. Sessions are
// called s1, s2 and so on as they are made, jobs j1, j2 and so on.
//
//	session [KEY=VALUE…]     makes a session: review, toolset, rerun, confirm
//	run S TEXT               a request
//	amend S TEXT             a request that extends the open turn
//	open S FILE TEXT         a request with a document that is open
//	request S JSON           a request as the API takes it
//	rows S                   the context rows that are kept
//	seen                     the newest message of the user, as the model saw it
//	await J STATUS           the durable events of a job, until it has come to a status
//	hanging J                …until the tool that hangs is called
//	clarify J [ID:] TEXT     answers a question
//	approve J, deny J        …or a request
//	cancel, resume, rerun J
//	say J TEXT
//	decide S accept|reject   all that waits in the session
//	rollback J, redo J       back to the job's checkpoint, and forth
//	conflict J FILE…
//	note J TYPE
//	archive S, unarchive S
//	write PATH TEXT          somebody changes a file
//	show PATH
//	job J, jobs S, sessions
//	restart                  the host is closed, and another one is made
//	kill                     another host is made; the first never gets to its end
//	second                   another host, while the first one works on
func TestJobs(t *testing.T) {
	files, err := filepath.Glob("testdata/jobs/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no jobs: %v", err)
	}
	played, ran := map[string]bool{}, 0
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			in := newInn(t, archive)
			in.played, ran = played, ran+1
			for _, line := range strings.Split(strings.TrimSpace(string(in.part("user"))), "\n") {
				in.do(line)
			}
			got := in.transcript.String()
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
			if d := cmp.Diff(string(in.part("transcript")), got); d != "" && !*update {
				t.Errorf("transcript (-want +got):\n%s", d)
			}
		})
	}
	_, moves := session.JobMoves()
	for move := range moves {
		if ran == len(files) && !played[move] && !unplayed[move] && !t.Failed() {
			t.Errorf("no file plays %s", move)
		}
	}
}

// unplayed are moves that need the machine to fail in one call while another one asks.
var unplayed = map[string]bool{"waiting_for_user → failed": true, "awaiting_approval → failed": true}

// inn is a host with its guests.
type inn struct {
	*play
	host    *session.Host
	books   *books
	mortal  *mortal
	limits  session.HostLimits
	names   map[string]string // of jobs, and j1, j2… to their ids
	cursors map[string]int
	played  map[string]bool // moves of jobs
	moved   func(job, move string)
	mu      sync.Mutex
	stood   map[string]wire.JobStatus // where jobs stood last
}

func newInn(t *testing.T, archive *txtar.Archive) *inn {
	t.Helper()
	in := &inn{play: newStage(t, archive), names: map[string]string{}, cursors: map[string]int{}, stood: map[string]wire.JobStatus{}}
	in.books = &books{play: in.play, logs: map[string]*keeping{}, taken: map[string]bool{}, ended: make(chan string, 100)}
	in.play.quiet = true
	for key, limit := range map[string]*int{"max_sessions": &in.limits.MaxSessions, "max_jobs_per_session": &in.limits.MaxJobsPerSession, "max_events_per_job": &in.limits.MaxEventsPerJob} {
		if n := in.settings[key]; n != "" {
			in.must(json.Unmarshal([]byte(n), limit))
		}
	}
	in.open()
	return in
}

// open makes a host.
func (in *inn) open() {
	in.mortal = &mortal{Store: in.store}
	in.host = session.NewHost(session.HostSetup{
		Conversations: in.books, Jobs: in.mortal, Sessions: in.mortal, Ledger: in.ledger, Limits: in.limits, Observe: in.observe,
	})
	host := in.host
	in.t.Cleanup(func() { _ = host.Close(context.Background()) }) // of one that was killed nothing is written
}

// observe notes the moves of jobs.
func (in *inn) observe(j *session.JobRecord, e wire.JobEvent) {
	if e.Time.IsZero() {
		in.t.Errorf("%s was observed without a time", e.Type)
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	before, known := in.stood[j.ID]
	if !known {
		before = wire.JobQueued
	}
	if in.stood[j.ID] = j.Status; before == j.Status {
		return
	}
	move := fmt.Sprintf("%s → %s", before, j.Status)
	if in.played != nil {
		in.played[move] = true
	}
	if in.moved != nil {
		in.moved(j.ID, move)
	}
}

// do carries out a line.
func (in *inn) do(line string) {
	in.t.Helper()
	ctx := in.t.Context()
	fmt.Fprintf(&in.transcript, "> %s\n", line)
	verb, rest, _ := strings.Cut(line, " ")
	name, text, _ := strings.Cut(rest, " ")
	job := in.names[name]
	var err error
	switch verb {
	case "session":
		err = in.makeSession(rest)
	case "run", "amend":
		var j *session.JobRecord
		j, err = in.host.Run(ctx, wire.RunRequest{Session: name, Instruction: text, Amend: verb == "amend"})
		in.introduce(j)
	case "open":
		file, text, _ := strings.Cut(text, " ")
		var j *session.JobRecord
		j, err = in.host.Run(ctx, wire.RunRequest{Session: name, Instruction: text, File: file})
		in.introduce(j)
	case "request":
		request := wire.RunRequest{Session: name}
		in.must(json.Unmarshal([]byte(text), &request))
		var j *session.JobRecord
		j, err = in.host.Run(ctx, request)
		in.introduce(j)
	case "rollback", "redo":
		err = in.back(ctx, job, verb == "redo")
	case "await":
		in.await(name, wire.JobStatus(text))
	case "hanging":
		in.until(name, func(e wire.JobEvent) bool {
			return e.Type == wire.JobEventRequested && strings.Contains(string(e.Data), `"tool":"hang"`)
		})
		<-in.hangs
	case "clarify":
		request := wire.ClarifyRequest{Answer: text}
		if id, answer, ok := strings.Cut(text, ": "); ok {
			request = wire.ClarifyRequest{Question: id, Answer: answer}
		}
		err = in.host.Clarify(ctx, job, request)
	case "approve", "deny":
		request := wire.ApproveRequest{Approve: verb == "approve"}
		if text != "" {
			request.Arguments = json.RawMessage(text)
		}
		err = in.host.Approve(ctx, job, request)
	case "cancel":
		err = in.host.Cancel(ctx, job)
	case "resume":
		err = in.host.Resume(ctx, job)
	case "rerun":
		var j *session.JobRecord
		j, err = in.host.Rerun(ctx, job)
		in.introduce(j)
	case "conflict":
		var j *session.JobRecord
		j, err = in.host.Conflicted(ctx, job, strings.Fields(text))
		in.introduce(j)
	case "note":
		_, err = in.host.Note(ctx, job, wire.JobEvent{Type: text, Data: json.RawMessage(`{}`)})
	case "say":
		err = in.host.Say(ctx, job, wire.SayRequest{Text: text})
	case "decide":
		err = in.decide(ctx, name, text == "accept")
	case "archive", "unarchive":
		err = in.host.Archive(ctx, name, verb == "archive")
	case "restart":
		in.must(in.host.Close(ctx))
		in.open()
		err = in.host.Recover(ctx)
	case "kill":
		in.mortal.dead.Store(true)
		in.books = in.books.copy()
		in.open()
		err = in.host.Recover(ctx)
	case "second":
		in.open()
		err = in.host.Recover(ctx)
	default:
		in.look(ctx, verb, name, text)
	}
	if err != nil {
		code := ""
		if coder, ok := errors.AsType[interface {
			error
			ErrorCode() string
		}](err); ok {
			code = coder.ErrorCode() + ": "
		}
		fmt.Fprintf(&in.transcript, "! %s%s\n", code, in.plain(err.Error()))
	}
}

// look shows how something is now, or has somebody else change it.
func (in *inn) look(ctx context.Context, verb, name, text string) {
	in.t.Helper()
	switch verb {
	case "write":
		in.must(os.WriteFile(filepath.Join(in.dir, name), []byte(text+"\n"), 0o644))
	case "show":
		data, readErr := os.ReadFile(filepath.Join(in.dir, name))
		if readErr != nil {
			data = []byte("(no such file)\n")
		}
		fmt.Fprintf(&in.transcript, "%s\n", strings.TrimSuffix(string(data), "\n"))
	case "job":
		in.show(ctx, in.names[name])
	case "jobs":
		jobs, err := in.host.Jobs(ctx, session.JobQuery{Session: name})
		in.must(err)
		for _, j := range jobs {
			fmt.Fprintf(&in.transcript, "  %s %s: %s\n", in.names[j.ID], j.Status, j.Instruction)
		}
	case "sessions":
		records, err := in.host.SessionRecords(ctx)
		in.must(err)
		for _, s := range records {
			fmt.Fprintf(&in.transcript, "  %s %s, last job %s\n", s.ID, s.Status, in.names[s.LastJob])
		}
	case "rows":
		s, _, err := in.host.Session(ctx, name)
		in.must(err)
		for _, row := range s.Context {
			in.print(row)
		}
	case "seen":
		in.seen()
	case "locked":
		fmt.Fprintf(&in.transcript, "  %v\n", in.host.Locked())
	default:
		in.t.Fatalf("unknown line %q", verb)
	}
}

func (in *inn) makeSession(rest string) error {
	o := wire.SessionOptions{}
	for _, word := range strings.Fields(rest) {
		key, value, _ := strings.Cut(word, "=")
		yes := value == "true"
		switch key {
		case "review":
			o.Review = value
		case "rerun":
			o.RerunOnConflict = &yes
		case "confirm":
			o.ConfirmBeforeEdits = &yes
		case "id":
			o.Session = value
		}
	}
	s, err := in.host.Create(in.t.Context(), o)
	if err == nil {
		fmt.Fprintf(&in.transcript, "  %s %s\n", s.ID, s.Status)
	}
	return err
}

// introduce gives a job its name.
func (in *inn) introduce(j *session.JobRecord) {
	if j == nil {
		return
	}
	name := fmt.Sprintf("j%d", len(in.names)/2+1)
	in.names[j.ID], in.names[name] = name, j.ID
	words := ""
	if j.Ahead > 0 {
		words = fmt.Sprintf(", %d ahead", j.Ahead)
	}
	fmt.Fprintf(&in.transcript, "  %s %s%s\n", name, j.Status, words)
}

// await writes down the durable events of a job until it comes to a status.
func (in *inn) await(name string, status wire.JobStatus) {
	in.t.Helper()
	in.until(name, func(e wire.JobEvent) bool {
		var data struct{ Status wire.JobStatus }
		_ = json.Unmarshal(e.Data, &data)
		return data.Status == status && strings.HasPrefix(e.Type, "job.")
	})
}

// until writes down the durable events of a job up to one.
func (in *inn) until(name string, last func(wire.JobEvent) bool) {
	in.t.Helper()
	job := in.names[name]
	ctx, cancel := context.WithTimeout(in.t.Context(), time.Minute) // a job that hangs is shown as far as it came
	defer cancel()
	for e, err := range in.host.Follow(ctx, session.Stream{Job: job, After: in.cursors[job]}) {
		in.must(err)
		if e.Cursor == 0 {
			continue
		}
		if e.Cursor != in.cursors[job]+1 {
			in.t.Fatalf("event %d follows on %d", e.Cursor, in.cursors[job])
		}
		in.cursors[job] = e.Cursor
		fmt.Fprintf(&in.transcript, "  %s %d %s %s\n", name, e.Cursor, e.Type, in.short(e.Data))
		if last(e) {
			return
		}
	}
	in.t.Fatalf("%s never came so far:\n%s", name, in.transcript.String())
}

// short is the data of an event without what differs from run to run.
func (in *inn) short(raw json.RawMessage) string {
	var fields map[string]any
	in.must(json.Unmarshal(raw, &fields))
	if s, ok := fields["session"].(map[string]any); ok {
		fields["session"] = s["state"]
	}
	if o, ok := fields["outcome"].(map[string]any); ok {
		delete(o, "took_ns")
	}
	out, err := json.Marshal(fields)
	in.must(err)
	return in.plain(string(out))
}

var (
	ids   = regexp.MustCompile(`\b(cp_)?(turn_[0-9a-z]{8,}|h_[0-9a-z]{6})`)
	jobID = regexp.MustCompile(`\bjob_[0-9a-z]+\b`)
)

func (in *inn) plain(s string) string {
	s = ids.ReplaceAllStringFunc(s, func(id string) string { return id[:strings.LastIndex(id, "_")+1] + "…" })
	return jobID.ReplaceAllStringFunc(s, func(id string) string {
		if name := in.names[id]; name != "" {
			return name
		}
		return "job_…"
	})
}

// show writes down a job.
func (in *inn) show(ctx context.Context, id string) {
	j, err := in.host.Job(ctx, id)
	in.must(err)
	raw, err := json.Marshal(j.Job)
	in.must(err)
	var fields map[string]any
	in.must(json.Unmarshal(raw, &fields))
	for _, key := range []string{"created_at", "started_at", "finished_at"} {
		if fields[key] != nil {
			fields[key] = "…"
		}
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		value, err := json.Marshal(fields[key])
		in.must(err)
		fmt.Fprintf(&in.transcript, "  %s: %s\n", key, in.plain(string(value)))
	}
}

// decide decides about all that waits in a session, as the rest of the program does.
func (in *inn) decide(ctx context.Context, s string, accept bool) error {
	turns, err := in.ledger.Turns(ctx, s, 0, ledger.Pending)
	in.must(err)
	if len(turns) > 0 && turns[0].Review == ledger.WholeTurn {
		if accept {
			err = in.ledger.Accept(ctx, turns[0].ID)
		} else {
			_, err = in.ledger.Reject(ctx, turns[0].ID)
		}
	} else {
		err = in.ledger.DecideAll(ctx, s, workspace.Path{}, accept)
		if err == nil && accept {
			_, err = in.ledger.Apply(ctx, s)
		}
	}
	if err != nil {
		return err
	}
	return in.host.Reviewed(ctx, s, "", wire.Decided{})
}

// back goes back to the checkpoint of a job, or takes that back.
func (in *inn) back(ctx context.Context, job string, redo bool) error {
	j, err := in.host.Job(ctx, job)
	in.must(err)
	if redo {
		_, err = in.ledger.Redo(ctx, ledger.UndoRequest{Turn: j.Turn})
	} else {
		_, err = in.ledger.Rollback(ctx, j.Checkpoint, ledger.HardAll, nil)
	}
	if err != nil {
		return err
	}
	return in.host.Reviewed(ctx, j.Session, job, wire.Decided{})
}

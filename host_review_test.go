package redline_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline"
	"redline/internal/ledger"
	"redline/internal/wire"
)

// TestApplyConflict: what somebody else wrote meanwhile is not overwritten. The answer
// names the files and the way to a rerun, which works on the fresh text.
func TestApplyConflict(t *testing.T) {
	for _, byItself := range []bool{false, true} {
		d := newBureau(t, twoEdits+`
- calls: [{id: c3, name: read_file, arguments: {file_path: a.md}}]
- calls:
    - id: c4
      name: propose_edits
      arguments: {edits: [{file_path: a.md, operation: replace, start_line: 2, end_line: 2, new_text: "TWO\n"}]}
- text: Again.
`, "a.md", sevenLines)
		d.stop()
		d.start(redline.HostOptions{RerunOnConflict: byItself})
		s := d.session(wire.SessionOptions{})
		job := d.work(s, "Make it louder", wire.JobAwaitingReview)
		put(t, d.path("a.md"), "eins\n"+strings.TrimPrefix(sevenLines, "one\n"))

		_, err := d.Apply(t.Context(), wire.ApplyRequest{Session: s, Job: job, Accepted: hunksOf(d.job(job))})
		var told *wire.Error
		if !errors.As(err, &told) || told.Code != wire.CodeConflict {
			t.Fatalf("apply over a changed file: %v", err)
		}
		if diff := cmp.Diff([]string{"a.md"}, told.Details["files"]); diff != "" {
			t.Errorf("the files in the way: %s", diff)
		}
		rerun := told.Details["rerun"].(string)
		if !byItself {
			if want := "/api/agent/jobs/" + job + "/rerun"; rerun != want {
				t.Errorf("the rerun is offered at %s, want %s", rerun, want)
			}
			again, err := d.Rerun(t.Context(), job)
			if err != nil {
				t.Fatal(err)
			}
			rerun = again.ID
		}
		d.await(rerun, wire.JobAwaitingReview)
		second := d.job(rerun)
		if second.RerunOf != job {
			t.Errorf("the rerun is one of %q, want %q", second.RerunOf, job)
		}
		if first := d.job(job); first.Status != wire.JobCompleted || *first.Bundle.Files[0].Hunks[0].Accepted {
			t.Errorf("the first job is %s, its hunk accepted: %v", first.Status, *first.Bundle.Files[0].Hunks[0].Accepted)
		}
		reply, err := d.Apply(t.Context(), wire.ApplyRequest{Session: s, Job: rerun, Accepted: hunksOf(second)})
		if err != nil || reply.Status != wire.JobCompleted {
			t.Fatalf("apply of the rerun: %v, %v", reply, err)
		}
		if got, want := d.file("a.md"), "eins\nTWO\nthree\nfour\nfive\nsix\nseven\n"; got != want {
			t.Errorf("a.md is %q, want %q", got, want)
		}
		d.stop()
	}
}

// TestRestart: a review that was open is open in the next program, with each decision,
// and a session in which nothing was said is still there.
func TestRestart(t *testing.T) {
	d := newBureau(t, twoEdits+"- text: Hello.\n", "a.md", sevenLines)
	silent := d.session(wire.SessionOptions{Toolset: "documents", Mode: "restricted"})
	s := d.session(wire.SessionOptions{})
	job := d.work(s, "Make it louder", wire.JobAwaitingReview)
	h := hunksOf(d.job(job))
	if _, err := d.Decide(t.Context(), s, wire.Decision{Accept: h[:1], Reject: h[1:2], Hold: true}); err != nil {
		t.Fatal(err)
	}
	before, err := d.Session(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	beforeJob := d.job(job)
	d.stop()
	d.start(redline.HostOptions{})

	after, err := d.Session(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	before.Now.Turn = "" // of the run that was last in the program
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("the session after a restart (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(beforeJob, d.job(job)); diff != "" {
		t.Errorf("the job after a restart (-before +after):\n%s", diff)
	}
	reply, err := d.Apply(t.Context(), wire.ApplyRequest{Session: s, Job: job, Accepted: h[:1]})
	if err != nil || reply.Status != wire.JobCompleted {
		t.Fatalf("apply after a restart: %+v, %v", reply, err)
	}
	if got, want := d.file("a.md"), "ONE\n"+strings.TrimPrefix(sevenLines, "one\n"); got != want {
		t.Errorf("a.md is %q, want %q", got, want)
	}

	d.work(silent, "Hello", wire.JobCompleted)
	said, err := d.Session(t.Context(), silent)
	if err != nil {
		t.Fatal(err)
	}
	if said.Toolset != "documents" || said.Mode != "restricted" || said.Messages != 2 {
		t.Errorf("the session that waited for its first message has toolset %s, mode %s, %d messages", said.Toolset, said.Mode, said.Messages)
	}
	list, err := d.Sessions(t.Context())
	if err != nil || len(list) != 2 || list[0].ID != silent {
		t.Errorf("sessions: %+v, %v", list, err)
	}
}

// TestOversizedHunk: a hunk that is too large to judge is accepted by name alone, or
// after a split.
func TestOversizedHunk(t *testing.T) {
	long := strings.Repeat("word ", 60)
	d := newBureau(t, `
- calls: [{id: c1, name: read_file, arguments: {file_path: a.md}}]
- calls: [{id: c2, name: propose_edits, arguments: {edits: [{file_path: a.md, operation: replace, start_line: 1, end_line: 2, new_text: "`+long+`\n`+long+`\n"}]}}]
- text: Done.
`, "a.md", "one\ntwo\n")
	s := d.session(wire.SessionOptions{})
	job := d.work(s, "Make it longer", wire.JobAwaitingReview)
	h := hunksOf(d.job(job))
	if len(h) != 1 || !d.job(job).Bundle.Files[0].Hunks[0].Oversized {
		t.Fatalf("hunks: %+v", d.job(job).Bundle.Files[0].Hunks)
	}
	for name, err := range map[string]error{
		"apply":      second(d.Apply(t.Context(), wire.ApplyRequest{Session: s, Job: job, Accepted: h})),
		"decide":     second(d.Decide(t.Context(), s, wire.Decision{Accept: h})),
		"decide all": second(d.Decide(t.Context(), s, wire.Decision{All: "accept"})),
	} {
		var told *wire.Error
		if !errors.As(err, &told) || told.Code != wire.CodeOversized {
			t.Errorf("%s: %v", name, err)
		} else if diff := cmp.Diff(h, told.Details["hunks"]); diff != "" {
			t.Errorf("%s names the hunks: %s", name, diff)
		}
	}
	parts, err := d.Split(t.Context(), s, h[0], wire.SplitRequest{Old: 1, Added: 1})
	if err != nil {
		t.Fatal(err)
	}
	reply, err := d.Apply(t.Context(), wire.ApplyRequest{Session: s, Job: job, Accepted: []string{parts.First}, AsOne: []string{parts.First}})
	if err != nil || reply.Status != wire.JobCompleted {
		t.Fatalf("apply of a part: %+v, %v", reply, err)
	}
	if got, want := d.file("a.md"), long+"\ntwo\n"; got != want {
		t.Errorf("a.md is %q", got)
	}
}

// second is the error of a call with two results.
func second[T any](_ T, err error) error { return err }

// TestApplyRefused: what makes no sense changes nothing.
func TestApplyRefused(t *testing.T) {
	d := newBureau(t, twoEdits, "a.md", sevenLines)
	s, other := d.session(wire.SessionOptions{}), d.session(wire.SessionOptions{})
	job := d.work(s, "Make it louder", wire.JobAwaitingReview)
	h := hunksOf(d.job(job))
	for _, c := range []struct {
		name, want string
		request    wire.ApplyRequest
	}{
		{"no such job", wire.CodeNotFound, wire.ApplyRequest{Session: s, Job: "job_none", Accepted: h}},
		{"a job of another session", wire.CodeNotFound, wire.ApplyRequest{Session: other, Job: job, Accepted: h}},
		{"no such hunk", wire.CodeNotFound, wire.ApplyRequest{Session: s, Job: job, Accepted: []string{"h_none"}}},
	} {
		if _, err := d.Apply(t.Context(), c.request); code(err) != c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	if d.job(job).Status != wire.JobAwaitingReview {
		t.Errorf("the job is %s", d.job(job).Status)
	}
	if _, err := d.Apply(t.Context(), wire.ApplyRequest{Session: s, Job: job}); err != nil {
		t.Fatalf("to accept nothing: %v", err)
	}
	if got := d.file("a.md"); got != sevenLines {
		t.Errorf("a.md is %q", got)
	}
	if _, err := d.Apply(t.Context(), wire.ApplyRequest{Session: s, Job: job, Accepted: h}); code(err) != wire.CodeState {
		t.Errorf("to apply what is decided: %v", err)
	}
}

// TestUndoOverHost: a turn that is on the disk is taken back and brought back, and its
// job hears of it.
func TestUndoOverHost(t *testing.T) {
	d := newBureau(t, `
- calls: [{id: c1, name: create_document, arguments: {name: "idea.md", content: "An idea.\n"}}]
- text: Done.
`, "a.md", "a\n")
	s := d.session(wire.SessionOptions{Toolset: "documents"})
	job := d.work(s, "Create idea.md", wire.JobCompleted)
	if _, err := d.Undo(t.Context(), s, ""); err != nil {
		t.Fatal(err)
	}
	list, err := d.Tree(t.Context(), wire.TreeQuery{})
	if err != nil || len(list.Entries) != 1 {
		t.Errorf("after the undo: %+v, %v", list, err)
	}
	if _, err := d.Undo(t.Context(), s, ""); code(err) != string(ledger.NothingToUndo) {
		t.Errorf("a second undo: %v", err)
	}
	if _, err := d.Redo(t.Context(), s, ""); err != nil {
		t.Fatal(err)
	}
	if got := d.file("idea.md"); got != "An idea.\n" {
		t.Errorf("after the redo: %q", got)
	}
	events, err := d.Events(t.Context(), job, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	heard := 0
	for _, e := range events.Events {
		if e.Type == wire.EventReview {
			heard++
		}
	}
	if heard != 2 {
		t.Errorf("the job heard %d times of a change of its turn, want 2", heard)
	}
}

// TestRebase: what somebody else wrote elsewhere in a file is taken over below the
// hunks, which then can be applied; a hunk can be accepted with other words.
func TestRebase(t *testing.T) {
	d := newBureau(t, twoEdits, "a.md", sevenLines)
	s := d.session(wire.SessionOptions{})
	job := d.work(s, "Make it louder", wire.JobAwaitingReview)
	h := hunksOf(d.job(job))
	put(t, d.path("a.md"), strings.Replace(sevenLines, "four", "vier", 1))
	if _, err := d.Decide(t.Context(), s, wire.Decision{Accept: h[:1]}); code(err) != wire.CodeConflict {
		t.Errorf("accepted over a changed file: %v", err)
	}
	for _, path := range []string{"none.md", "../a.md"} {
		if err := d.Rebase(t.Context(), s, wire.RebaseRequest{Path: path}); err == nil {
			t.Errorf("rebased %s", path)
		}
	}
	if err := d.Rebase(t.Context(), s, wire.RebaseRequest{Path: "a.md"}); err != nil {
		t.Fatal(err)
	}
	if err := d.Edit(t.Context(), s, h[1], wire.HunkText{Text: "Seven!\n"}); err != nil {
		t.Fatal(err)
	}
	reply, err := d.Apply(t.Context(), wire.ApplyRequest{Session: s, Job: job, Accepted: h[:2]})
	if err != nil || reply.Status != wire.JobCompleted {
		t.Fatalf("%+v, %v", reply, err)
	}
	if got, want := d.file("a.md"), "ONE\ntwo\nthree\nvier\nfive\nsix\nSeven!\n"; got != want {
		t.Errorf("a.md is %q, want %q", got, want)
	}
}

// TestPast: what a request did is found later: its turns, their lines, the versions of a
// document and the trash.
func TestPast(t *testing.T) {
	d := newBureau(t, `
- calls: [{id: c1, name: read_document, arguments: {path: a.md}}]
- calls: [{id: c2, name: delete_document, arguments: {path: a.md}}]
- text: Deleted.
`, "a.md", "a\n")
	ctx := t.Context()
	s := d.session(wire.SessionOptions{Toolset: "documents", Yes: true})
	d.work(s, "Delete a.md", wire.JobCompleted)
	turns, err := d.Turns(ctx, s, 0)
	if err != nil || len(turns) != 1 || turns[0].Files[0].Verb != "deleted" {
		t.Fatalf("turns: %+v, %v", turns, err)
	}
	lines, err := d.Lines(ctx, turns[0].ID)
	if err != nil || len(lines.Lines[turns[0].Files[0].Hunks[0].ID]) != 1 {
		t.Errorf("lines: %+v, %v", lines, err)
	}
	trash, err := d.Trash(ctx)
	if err != nil || len(trash) != 1 || trash[0].Path != "a.md" || trash[0].Size != 2 {
		t.Fatalf("trash: %+v, %v", trash, err)
	}
	if _, err := d.Restore(ctx, trash[0].ID); err != nil || d.file("a.md") != "a\n" {
		t.Errorf("restored: %v", err)
	}
	if _, err := d.Restore(ctx, "../../x"); code(err) != wire.CodeNotFound {
		t.Errorf("restored what is not there: %v", err)
	}
	versions, err := d.History(ctx, "a.md")
	if err != nil || len(versions) < 2 || versions[0].Path != "a.md" {
		t.Errorf("history: %+v, %v", versions, err)
	}
	if gone, err := d.Empty(ctx); err != nil || gone.Items != 0 {
		t.Errorf("emptied: %+v, %v", gone, err)
	}
}

// TestDecidedElsewhere: a job knows what another program has decided about its changes,
// whichever way it is asked for.
func TestDecidedElsewhere(t *testing.T) {
	for name, look := range map[string]func(d *bureau, session, job string) wire.JobStatus{
		"job": func(d *bureau, _, job string) wire.JobStatus { return d.job(job).Status },
		"events": func(d *bureau, _, job string) wire.JobStatus {
			page, err := d.Events(t.Context(), job, 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			return page.Status
		},
		"session": func(d *bureau, session, _ string) wire.JobStatus {
			s, err := d.Session(t.Context(), session)
			if err != nil {
				t.Fatal(err)
			}
			if s.Pending != nil || s.Now.State != wire.Done || s.State != wire.Done {
				t.Errorf("the session: %+v", s)
			}
			return s.Jobs[0].Status
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newBureau(t, `
- calls: [{id: c0, name: read_file, arguments: {file_path: a.md}}]
- calls: [{id: c1, name: propose_edits, arguments: {edits: [{file_path: a.md, operation: insert, start_line: 1, new_text: "new"}]}}]
- text: Look at it.
`, "a.md", "a\n")
			s := d.session(wire.SessionOptions{})
			job := d.work(s, "Change it", wire.JobAwaitingReview)
			if status := d.job(job).Status; status != wire.JobAwaitingReview {
				t.Errorf("before: %s", status)
			}
			other, err := redline.Open(t.Context(), d.path("."), redline.Options{State: filepath.Join(d.base, "state")})
			if err != nil {
				t.Fatal(err)
			}
			defer other.Close()
			if _, err := other.Review(s).Decide(t.Context(), wire.Decision{All: "accept"}); err != nil {
				t.Fatal(err)
			}
			if status := look(d, s, job); status != wire.JobCompleted {
				t.Errorf("behind: %s", status)
			}
			if got := d.file("a.md"); got != "new\na\n" {
				t.Errorf("the file: %q", got)
			}
		})
	}
}

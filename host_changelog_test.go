package redline_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"redline/internal/wire"
)

// TestChangeLog: what the user writes during a review is in the log beside what the agent
// proposes, and can be rejected like that.
func TestChangeLog(t *testing.T) {
	d := newBureau(t, twoEdits, "a.md", sevenLines)
	s := d.session(wire.SessionOptions{})
	d.work(s, "Make it louder", wire.JobAwaitingReview)
	doc, err := d.Read(t.Context(), wire.DocumentQuery{Path: "a.md", Session: s})
	if err != nil {
		t.Fatal(err)
	}
	mine := strings.Replace(doc.Content, "four\n", "4\n", 1)
	if _, err := d.Save(t.Context(), wire.SaveRequest{Path: "a.md", Content: mine, Token: doc.Token, Session: s}); err != nil {
		t.Fatal(err)
	}
	log, err := d.ChangeLog(t.Context(), s, "a.md")
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, e := range log {
		said = append(said, strings.Join([]string{e.Path, e.Origin, e.Status}, " "))
		if !strings.HasPrefix(e.Forward, "@@") || !strings.HasPrefix(e.Reverse, "@@") || e.Before == "" {
			t.Errorf("an entry is not whole: %+v", e)
		}
	}
	if got, want := strings.Join(said, ", "), "a.md agent pending, a.md agent pending, a.md user accepted"; got != want {
		t.Fatalf("the log is %s, want %s", got, want)
	}
	if _, err := d.Decide(t.Context(), s, wire.Decision{Reject: []string{log[2].ID}}); err != nil {
		t.Fatal(err)
	}
	if now, err := d.Read(t.Context(), wire.DocumentQuery{Path: "a.md", Session: s}); err != nil || now.Content != doc.Content {
		t.Errorf("without the user's hunk: %q, %v, want %q", now.Content, err, doc.Content)
	}
	if whole, err := d.ChangeLog(t.Context(), s, ""); err != nil || len(whole) != 4 || whole[3].Kind != "create" {
		t.Errorf("the log of all files: %+v, %v", whole, err)
	}
	if other, err := d.ChangeLog(t.Context(), s, "b.md"); err != nil || len(other) != 0 {
		t.Errorf("the log of a file without changes: %v, %v", other, err)
	}
	if _, err := d.ChangeLog(t.Context(), "nobody", ""); err == nil {
		t.Error("a session that is not there has a log")
	}
}

// TestApplyOnce: of several who apply a job at once, one does, and the others hear where
// it stands.
func TestApplyOnce(t *testing.T) {
	d := newBureau(t, twoEdits, "a.md", sevenLines)
	s := d.session(wire.SessionOptions{})
	job := d.work(s, "Make it louder", wire.JobAwaitingReview)
	request := wire.ApplyRequest{Session: s, Job: job, Accepted: hunksOf(d.job(job))}
	const users = 6
	results := make([]error, users)
	var all sync.WaitGroup
	for i := range users {
		all.Go(func() { _, results[i] = d.Apply(t.Context(), request) })
	}
	all.Wait()
	done := 0
	for _, err := range results {
		var told *wire.Error
		switch {
		case err == nil:
			done++
		case !errors.As(err, &told) || told.Code != wire.CodeState:
			t.Error(err)
		}
	}
	applied := 0
	list, err := d.Events(t.Context(), job, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list.Events {
		if e.Type == wire.JobEventApplied || e.Type == wire.JobEventNotApplied {
			applied++
		}
	}
	if done != 1 || applied != 1 {
		t.Errorf("%d have applied it, and %d events say so", done, applied)
	}
}

// TestApplyFails: who hears that changes are being applied hears that they were not.
func TestApplyFails(t *testing.T) {
	d := newBureau(t, twoEdits, "a.md", sevenLines)
	s := d.session(wire.SessionOptions{})
	job := d.work(s, "Make it louder", wire.JobAwaitingReview)
	put(t, d.path("a.md"), "something else\n")
	if _, err := d.Apply(t.Context(), wire.ApplyRequest{Session: s, Job: job, Accepted: hunksOf(d.job(job))}); err == nil {
		t.Fatal("applied over a changed file")
	}
	list, err := d.Events(t.Context(), job, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var types []string
	for _, e := range list.Events[len(list.Events)-3:] {
		types = append(types, e.Type)
	}
	if got, want := strings.Join(types, " "), "apply.started apply.failed job.conflict"; got != want {
		t.Errorf("the job heard %s, want %s", got, want)
	}
}

// TestRerunBesideOthers: a rerun works on the files as they are, also if another job of
// the session proposes something in them.
func TestRerunBesideOthers(t *testing.T) {
	step := func(line, text string) string {
		return `
- calls: [{name: read_file, arguments: {file_path: a.md}}]
- calls: [{name: propose_edits, arguments: {edits: [{file_path: a.md, operation: replace, start_line: ` + line + `, end_line: ` + line + `, new_text: "` + text + `\n"}]}}]
- text: Done.
`
	}
	d := newBureau(t, step("1", "ONE")+step("7", "SEVEN")+step("7", "Seven"), "a.md", sevenLines)
	s := d.session(wire.SessionOptions{})
	first := d.work(s, "The first line", wire.JobAwaitingReview)
	second := d.work(s, "The last line", wire.JobAwaitingReview)
	put(t, d.path("a.md"), strings.Replace(sevenLines, "four", "vier", 1))
	if _, err := d.Apply(t.Context(), wire.ApplyRequest{Session: s, Job: second, Accepted: hunksOf(d.job(second))}); err == nil {
		t.Fatal("applied over a changed file")
	}
	again, err := d.Rerun(t.Context(), second)
	if err != nil {
		t.Fatal(err)
	}
	d.await(again.ID, wire.JobAwaitingReview)
	for _, job := range []string{again.ID, first} {
		if _, err := d.Apply(t.Context(), wire.ApplyRequest{Session: s, Job: job, Accepted: hunksOf(d.job(job))}); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := d.file("a.md"), "ONE\ntwo\nthree\nvier\nfive\nsix\nSeven\n"; got != want {
		t.Errorf("a.md is %q, want %q", got, want)
	}
}

// TestRollbackOfProposals: a rollback names the files whose proposals it has taken back.
func TestRollbackOfProposals(t *testing.T) {
	d := newBureau(t, twoEdits, "a.md", sevenLines)
	job := d.work(d.session(wire.SessionOptions{}), "Make it louder", wire.JobAwaitingReview)
	now := d.job(job)
	for _, r := range []struct {
		request wire.RollbackRequest
		want    string
	}{
		{wire.RollbackRequest{Mode: wire.RollbackSelected, Hunks: hunksOf(now)[:1]}, "a.md restored"},
		{wire.RollbackRequest{Mode: wire.RollbackAll}, "a.md restored, new.md restored"},
	} {
		report, err := d.Rollback(t.Context(), now.Checkpoint, r.request)
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, f := range report.Files {
			said = append(said, f.Path+" "+f.Outcome)
		}
		if got := strings.Join(said, ", "); got != r.want {
			t.Errorf("%s: %s, want %s", r.request.Mode, got, r.want)
		}
	}
}

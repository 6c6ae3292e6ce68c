package redline_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"redline"
	"redline/internal/wire"
)

// TestDo: what is said over a two-way stream is what a conversation is told, with the
// same refusals.
func TestDo(t *testing.T) {
	d := newBureau(t, `
- calls: [{id: c1, name: clarify_user, arguments: {question: "Which?"}}]
- calls: [{id: c2, name: delete_document, arguments: {path: a.md}}]
- text: Deleted.
- {text: Slowly, delay: 1h}
`, "a.md", "a\n")
	s := d.session(wire.SessionOptions{Toolset: "documents"})
	ctx := t.Context()
	do := func(c redline.Command) string { return code(d.Do(ctx, s, c)) }
	for name, c := range map[string]struct {
		command redline.Command
		want    string
	}{
		"no such command":    {redline.Command{Type: "dance"}, wire.CodeInvalid},
		"nothing was asked":  {redline.Command{Type: wire.CommandClarify, Answer: "x"}, wire.CodeNotAsked},
		"nothing to approve": {redline.Command{Type: wire.CommandApprove, Approve: true}, wire.CodeNotAsked},
		"nothing runs":       {redline.Command{Type: wire.CommandInterrupt}, ""},
		"says nothing":       {redline.Command{Type: wire.CommandMessage}, wire.CodeInvalid},
	} {
		if got := do(c.command); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if got := do(redline.Command{Type: wire.CommandMessage, Content: "Delete one"}); got != "" {
		t.Fatal(got)
	}
	now, err := d.Session(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	job := now.LastJob
	d.await(job, wire.JobWaitingForUser)
	if got := do(redline.Command{Type: wire.CommandMessage, Content: "Hurry"}); got != wire.CodeBusy {
		t.Errorf("a message in the middle of a run: %q", got)
	}
	if got := do(redline.Command{Type: wire.CommandClarify, Answer: "a.md"}); got != "" {
		t.Fatal(got)
	}
	d.await(job, wire.JobAwaitingApproval)
	if got := do(redline.Command{Type: wire.CommandApprove, Approve: true}); got != "" {
		t.Fatal(got)
	}
	d.await(job, wire.JobCompleted)
	if _, err := os.Stat(d.path("a.md")); !os.IsNotExist(err) {
		t.Errorf("a.md was not deleted: %v", err)
	}
	if got := do(redline.Command{Type: wire.CommandDecide, Decision: wire.Decision{All: "reject"}}); got != "" {
		t.Fatal(got)
	}
	if got := d.file("a.md"); got != "a\n" {
		t.Errorf("after the rejection: %q", got)
	}
	slow, err := d.Run(ctx, wire.RunRequest{Session: s, Instruction: "Wait"})
	if err != nil {
		t.Fatal(err)
	}
	if got := do(redline.Command{Type: wire.CommandInterrupt}); got != "" {
		t.Fatal(got)
	}
	d.await(slow.ID, wire.JobCancelled)
}

// TestQuestionLeftOpen: a message in the next program is the answer to the question that
// was open when the last one ended, and the same job goes on.
func TestQuestionLeftOpen(t *testing.T) {
	d := newBureau(t, `
- calls: [{id: c1, name: clarify_user, arguments: {question: "Which?"}}]
- {text: Thanks., expect: {contains: b.md}}
`, "a.md", "a\n")
	s := d.session(wire.SessionOptions{})
	job := d.work(s, "Take one", wire.JobWaitingForUser)
	d.stop()
	d.start(d.options)
	if j := d.job(job); j.Status != wire.JobWaitingForUser || j.Question == nil || j.Question.Text != "Which?" {
		t.Fatalf("after a restart the job is %s and asks %+v", j.Status, j.Question)
	}
	if err := d.Do(t.Context(), s, redline.Command{Type: wire.CommandMessage, Content: "b.md"}); err != nil {
		t.Fatal(err)
	}
	d.await(job, wire.JobCompleted)
	if got := d.job(job).Answer; got != "Thanks." {
		t.Errorf("the answer is %q", got)
	}
}

// TestSessionStream: the lines of a session are those that a program reads of a
// conversation.
func TestSessionStream(t *testing.T) {
	d := newBureau(t, "- text: Hello.\n", "a.md", "a\n")
	s := d.session(wire.SessionOptions{})
	next := d.FollowSession(t.Context(), s, true)
	if _, err := d.Run(t.Context(), wire.RunRequest{Session: s, Instruction: "Hello"}); err != nil {
		t.Fatal(err)
	}
	var types []string
	for f, err := range next {
		if err != nil {
			t.Fatal(err)
		}
		var line struct {
			Type   string       `json:"type"`
			Status *wire.Status `json:"status"`
		}
		if f.Line == nil {
			continue
		}
		if err := json.Unmarshal(f.Line, &line); err != nil {
			t.Fatal(err)
		}
		types = append(types, line.Type)
		if line.Status != nil && line.Status.State == wire.Done {
			break
		}
	}
	got := strings.Join(types, " ")
	if want := "state agent_start turn_start message_start message_end message_start"; !strings.HasPrefix(got, want) {
		t.Errorf("the lines are %s", got)
	}
}

// TestStats: what happened on a folder, in numbers.
func TestStats(t *testing.T) {
	d := newBureau(t, twoEdits, "a.md", sevenLines)
	s := d.session(wire.SessionOptions{})
	if stats, err := d.Stats(t.Context()); err != nil || stats.ApprovalRate != nil || stats.SecondsToComplete != nil {
		t.Errorf("before anything: %+v, %v", stats, err)
	}
	job := d.work(s, "Make it louder", wire.JobAwaitingReview)
	h := hunksOf(d.job(job))
	if _, err := d.Apply(t.Context(), wire.ApplyRequest{Session: s, Job: job, Accepted: h[:2]}); err != nil {
		t.Fatal(err)
	}
	stats, err := d.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if stats.Sessions != 1 || stats.Jobs["completed"] != 1 || stats.Calls["success"] != 2 || stats.SecondsToComplete == nil ||
		*stats.ActionSuccessRate != 1 || *stats.ApprovalRate != 2.0/3 || *stats.UndoRate != 0 || *stats.ActionsPerSession != 2 {
		t.Errorf("%+v", stats)
	}
	log, err := d.Audit(t.Context(), 1)
	if err != nil || len(log) != 1 || log[0].Action != "propose_edits" || log[0].Session != s {
		t.Errorf("the newest call: %+v, %v", log, err)
	}
}

// TestWholeTurn: under review turn an apply takes all of a job, or nothing.
func TestWholeTurn(t *testing.T) {
	d := newBureau(t, twoEdits, "a.md", sevenLines)
	s := d.session(wire.SessionOptions{Review: "turn"})
	job := d.work(s, "Make it louder", wire.JobAwaitingReview)
	h := hunksOf(d.job(job))
	if _, err := d.Run(t.Context(), wire.RunRequest{Session: s, Instruction: "More"}); code(err) != wire.CodeReview {
		t.Errorf("a request before the decision: %v", err)
	}
	if _, err := d.Apply(t.Context(), wire.ApplyRequest{Session: s, Job: job, Accepted: h[:1]}); code(err) != wire.CodeInvalid {
		t.Errorf("a part of it: %v", err)
	}
	reply, err := d.Apply(t.Context(), wire.ApplyRequest{Session: s, Job: job, Accepted: h})
	if err != nil || reply.Status != wire.JobCompleted || len(reply.Applied) != 2 {
		t.Errorf("all of it: %+v, %v", reply, err)
	}
	if got, want := d.file("a.md"), "ONE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n"; got != want {
		t.Errorf("a.md is %q", got)
	}
	report, err := d.Rollback(t.Context(), d.job(job).Checkpoint, wire.RollbackRequest{Mode: wire.RollbackAll})
	if err != nil || len(report.Files) != 2 || d.file("a.md") != sevenLines {
		t.Errorf("the rollback: %+v, %v; a.md is %q", report, err, d.file("a.md"))
	}
}

// TestOptimistic: what is on the disk already is kept or taken back by an apply.
func TestOptimistic(t *testing.T) {
	d := newBureau(t, twoEdits, "a.md", sevenLines)
	s := d.session(wire.SessionOptions{Review: "optimistic"})
	job := d.work(s, "Make it louder", wire.JobCompleted)
	h := hunksOf(d.job(job))
	if _, err := d.Apply(t.Context(), wire.ApplyRequest{Session: s, Job: job, Accepted: h[1:]}); err != nil {
		t.Fatal(err)
	}
	if got, want := d.file("a.md"), "one\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n"; got != want || d.file("new.md") != "fresh\n" {
		t.Errorf("a.md is %q", got)
	}
}

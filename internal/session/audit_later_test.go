package session_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/internal/ledger"
	"redline/internal/session"
)

// lateLog is an audit log that can write behind.
type lateLog struct {
	auditLog
	later []string // the actions that were written behind
	lost  map[string]error
}

func (l *lateLog) AuditLater(ctx context.Context, e ledger.AuditEntry) {
	l.later = append(l.later, e.Action)
	if err := l.Audit(context.WithoutCancel(ctx), e); err != nil {
		l.lost[e.Turn] = err
	}
}

func (l *lateLog) Audited(turn string) error {
	err := l.lost[turn]
	delete(l.lost, turn)
	return err
}

// TestAuditBehind: only the line of a call that read, and did, is written behind.
func TestAuditBehind(t *testing.T) {
	log := new(lateLog)
	set := guard(t, new(toolbox).set(t), session.Config{Asker: saying(no), Audit: log})
	for _, c := range [][2]string{
		{"read_document", "a.md"}, {"read_document", "fail"}, {"read_document", "panic"}, {"read_document", "soft"}, {"read_document", ""},
		{"edit_document", "a.md"}, {"delete_document", "a.md"}, {"no_such_tool", "a.md"},
	} {
		call(t.Context(), set, c[0], `{"path":"`+c[1]+`"}`)
	}
	if d := cmp.Diff([]string{"read_document"}, log.later); d != "" {
		t.Errorf("written behind (-want +got):\n%s", d)
	}
	if n := len(log.lines()); n != 8 {
		t.Errorf("%d lines of 8 calls", n)
	}
}

// TestAuditBehindThatFails: after a line that could not be written no call runs, and
// the run ends. The call that did not run has its line, as far as there is a log.
func TestAuditBehindThatFails(t *testing.T) {
	box, log := new(toolbox), &lateLog{lost: map[string]error{}}
	set := guard(t, box.set(t), session.Config{Audit: log, Turn: "t1"})
	log.broken = errors.New("disk full")
	if r := call(t.Context(), set, "read_document", `{"path":"a.md"}`); r.Output != "done" || r.EndRun != "" {
		t.Errorf("%q, ends %q", r.Output, r.EndRun)
	}
	log.broken = nil
	box.took()
	r := call(t.Context(), set, "edit_document", `{"path":"a.md"}`)
	if want := "edit_document did not run: the audit log cannot be written."; r.Output != want || !r.IsError || r.EndRun != "The audit log cannot be written: disk full." {
		t.Errorf("%q, ends %q", r.Output, r.EndRun)
	}
	if ran := box.took(); ran != nil {
		t.Errorf("ran: %q", ran)
	}
	want := []string{`rejected edit_document {"path":"a.md"}: edit_document did not run: the audit log cannot be written.`}
	if d := cmp.Diff(want, log.lines()); d != "" {
		t.Error(d)
	}
}

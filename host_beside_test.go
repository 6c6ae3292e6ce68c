package redline_test

import (
	"path/filepath"
	"testing"

	"redline"
	"redline/internal/wire"
	"redline/llm/scripted"
)

// TestBesideAnOpenSession: a job of a session that another program has open can be looked
// at, also if what it proposed was decided and its program does not know yet.
func TestBesideAnOpenSession(t *testing.T) {
	d := newBureau(t, `
- calls: [{id: c0, name: read_file, arguments: {file_path: a.md}}]
- calls: [{id: c1, name: propose_edits, arguments: {edits: [{file_path: a.md, operation: insert, start_line: 1, new_text: "new"}]}}]
- text: Look at it.
`, "a.md", "a\n")
	s := d.session(wire.SessionOptions{})
	job := d.work(s, "Change it", wire.JobAwaitingReview)
	d.stop()
	d.start(redline.HostOptions{})
	other, err := redline.Open(t.Context(), d.path("."), redline.Options{State: filepath.Join(d.base, "state")})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	open, err := other.Converse(t.Context(), redline.ConversationOptions{Session: s, Model: redline.Chosen{Provider: d.model, Model: scripted.Model()}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Review(s).Decide(t.Context(), wire.Decision{All: "accept"}); err != nil {
		t.Fatal(err)
	}
	if now := d.job(job).Status; now != wire.JobAwaitingReview {
		t.Errorf("while the other program has it: %s", now)
	}
	if _, err := d.Events(t.Context(), job, 0, 0); err != nil {
		t.Error(err)
	}
	if _, err := d.Session(t.Context(), s); err != nil {
		t.Error(err)
	}
	if err := open.Close(); err != nil {
		t.Fatal(err)
	}
	if now := d.job(job).Status; now != wire.JobCompleted {
		t.Errorf("afterwards: %s", now)
	}
}

// TestRulesStay: who goes on with a session, and says how else it is to work, has not said
// that its rules no longer hold.
func TestRulesStay(t *testing.T) {
	d := newBureau(t, "- text: Hello.\n", "a.md", "a\n")
	s := d.session(wire.SessionOptions{Mode: "custom", Rules: []string{"deny::private/**"}})
	d.session(wire.SessionOptions{Session: s, Thinking: "low"})
	now, err := d.Session(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if now.Mode != "custom" {
		t.Errorf("the mode is %s", now.Mode)
	}
	d.session(wire.SessionOptions{Session: s, Mode: "supervised"})
	if now, err = d.Session(t.Context(), s); err != nil || now.Mode != "supervised" {
		t.Errorf("the mode is %s, %v", now.Mode, err)
	}
}

package session_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"redline/internal/ledger"
	"redline/internal/session"
	"redline/internal/store/sqlite"
	"redline/internal/workspace"
	"redline/llm"
	"redline/tool"
)

// TestAuditLines: a line for every call, however it ended.
func TestAuditLines(t *testing.T) {
	log := new(auditLog)
	set := guard(t, new(toolbox).set(t), session.Config{Mode: session.Custom, Rules: tableRules, Asker: saying(no), Audit: log})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx             context.Context
		name, arguments string
	}{
		{t.Context(), "edit_document", `{"path":"a.md"}`},
		{t.Context(), "edit_document", `{"path":"fail"}`},
		{t.Context(), "edit_document", `{"path":"panic"}`},
		{t.Context(), "edit_document", `{"path":"closed/a.md"}`},
		{t.Context(), "delete_document", `{"path":"a.md"}`},
		{t.Context(), "edit_document", `{"path":""}`},
		{t.Context(), "edit_documint", `{"path":"a.md"}`},
		{ended, "edit_document", `{"path":"a.md"}`},
	} {
		call(c.ctx, set, c.name, c.arguments)
	}
	tool.Run(t.Context(), set, llm.ToolCall{Name: "edit_document", Arguments: []byte(`{}`), Raw: `{"path":"a.m`}, nil) // cut off
	var got []string
	for _, line := range log.lines() {
		first, _, _ := strings.Cut(line, "\n")
		got = append(got, first)
	}
	want := []string{
		`success edit_document {"path":"a.md"}`,
		`error edit_document {"path":"fail"}: disk full`,
		`error edit_document {"path":"panic"}: the tool edit_document crashed: on purpose; this is a fault of the tool, not of the arguments, so try another way`,
		`rejected edit_document {"path":"closed/a.md"}: permission refused: edit_document did not run: a rule says so (deny path closed/**); do not try it again, choose another way`,
		`rejected delete_document {"path":"a.md"}: Action cancelled by user.`,
		`error edit_document {"path":""}: invalid arguments for edit_document:`,
		`error edit_documint {"path":"a.md"}: unknown tool "edit_documint"; did you mean "edit_document"?`,
		`error edit_document {"path":"a.md"}: not started: the run was interrupted`,
		`error edit_document {"path":"a.m: invalid arguments for edit_document:`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestAuditOfRestricted: a call of a tool that is not offered was rejected.
func TestAuditOfRestricted(t *testing.T) {
	log := new(auditLog)
	set := guard(t, new(toolbox).set(t), session.Config{Mode: session.Restricted, Audit: log})
	r := call(t.Context(), set, "delete_document", `{"path":"a.md"}`)
	want := "permission refused: delete_document did not run: the mode is restricted, in which nothing is changed; tell the user what you would do"
	if r.Output != want || r.Code() != tool.CodeDenied || r.EndRun != "" {
		t.Errorf("%s: %q", r.Code(), r.Output)
	}
	if d := cmp.Diff([]string{`rejected delete_document {"path":"a.md"}: ` + want}, log.lines()); d != "" {
		t.Error(d)
	}
}

// TestAuditTimes: the entry begins with the call, and its duration is the tool's
// alone, without the time that the user took.
func TestAuditTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := tool.Must(tool.New(tool.Info{Name: "slow", Description: "for tests", Destructive: true}, func(context.Context, struct{}, tool.Update) (tool.Result, error) {
			time.Sleep(3 * time.Second)
			return tool.Result{}, nil
		}))
		set, err := tool.NewSet(slow)
		if err != nil {
			t.Fatal(err)
		}
		asker := &person{answer: func(session.Request) (session.Answer, error) {
			time.Sleep(time.Hour)
			return yes, nil
		}}
		log, began := new(auditLog), time.Now()
		call(t.Context(), guard(t, set, session.Config{Asker: asker, Audit: log, Session: "s1", Turn: "t1"}), "slow", `{}`)
		call(t.Context(), guard(t, set, session.Config{Audit: log}), "slow", `{}`)
		if e := log.entries[0]; !e.Time.Equal(began) || e.Duration != 3*time.Second || e.Session != "s1" || e.Turn != "t1" {
			t.Errorf("%+v", e)
		}
		if e := log.entries[1]; e.Duration != 0 || e.Result != ledger.AuditRejected {
			t.Errorf("%+v", e)
		}
	})
}

// TestAuditThatFails: nothing goes on unseen. The result stands, and the run ends.
func TestAuditThatFails(t *testing.T) {
	log := &auditLog{broken: errors.New("disk full")}
	set := guard(t, new(toolbox).set(t), session.Config{Audit: log})
	for arguments, output := range map[string]string{`{"path":"a.md"}`: "done", `{}`: "invalid arguments"} {
		r := call(t.Context(), set, "edit_document", arguments)
		if !strings.HasPrefix(r.Output, output) || r.EndRun != "The audit log cannot be written: disk full." {
			t.Errorf("%q, ends %q", r.Output, r.EndRun)
		}
	}
	if r := call(t.Context(), set, "delete_document", `{"path":"a.md"}`); r.EndRun != session.Unattended {
		t.Errorf("ends %q", r.EndRun) // the first reason stays
	}
}

// TestAuditInLedger: a ledger keeps the lines, also of a call that was aborted.
func TestAuditInLedger(t *testing.T) {
	ctx := t.Context()
	folder, err := workspace.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	store, err := sqlite.Open(ctx, filepath.Join(t.TempDir(), "state.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	l, _, err := ledger.Open(ctx, folder, store, ledger.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	set := guard(t, new(toolbox).set(t), session.Config{Audit: l, Session: "s1"})
	ended, cancel := context.WithCancel(ctx)
	cancel()
	call(ctx, set, "edit_document", `{"path":"a.md"}`)
	call(ended, set, "edit_document", `{"path":"b.md"}`)
	call(ctx, set, "delete_document", `{"path":"c.md"}`)
	tool.Run(ctx, set, llm.ToolCall{Name: "edit\xff", Raw: "{\xfe"}, nil)
	var got []string
	for e, err := range l.AuditLog(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%d %s %s %s %s", e.Seq, e.Session, e.Result, e.Action, e.Parameters))
	}
	want := []string{
		`1 s1 success edit_document {"path":"a.md"}`, `2 s1 error edit_document {"path":"b.md"}`, `3 s1 rejected delete_document {"path":"c.md"}`,
		"4 s1 error edit\ufffd \"{\ufffd\"",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if err := l.VerifyAudit(ctx); err != nil {
		t.Error(err)
	}
}

// TestLaws plays random calls under random configurations, from several
// goroutines at once:
//
//   - what is denied by a rule or by the user never runs
//   - an approved call with changed arguments runs with exactly these
//   - there are as many audit lines as calls, and as many successes and errors of
//     tools as calls that ran
//   - destructive calls run only with approval, in every mode
func TestLaws(t *testing.T) {
	for seed := range uint64(200) {
		law(t, rand.New(rand.NewPCG(seed, 1)), seed)
	}
}

func law(t *testing.T, r *rand.Rand, seed uint64) {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	paths := []string{"a.md", ".hidden", "closed/x.md", "drafts/x.md", "watched/x.md", "eleven", "fail", "panic", ""}
	box, log := &toolbox{files: map[string][]string{"eleven": bulk(11)}}, new(auditLog)
	var answer session.Answer
	switch r.IntN(3) {
	case 0:
		answer = yes
	case 1:
		answer = session.Answer{Approve: true, Arguments: []byte(`{"path":"` + pick("changed.md", "closed/changed.md", "") + `"}`)}
	}
	asker := saying(answer)
	c := session.Config{
		Mode:   session.Mode(pick("autonomous", "supervised", "restricted", "custom")),
		Review: ledger.Review(pick("optimistic", "hunks", "turn", "auto")),
		Rules:  tableRules, Asker: asker, Audit: log,
		Limits: session.Limits{Bulk: 10, Actions: r.IntN(10), DestructivePerMinute: r.IntN(10), ToolCalls: r.IntN(20)}, Alone: r.IntN(2) == 0,
	}
	set := guard(t, box.set(t), c)
	const calls = 24
	var wg sync.WaitGroup
	for range calls {
		name := pick("read_document", "edit_document", "delete_document", "no_such_tool")
		arguments := `{"path":"` + pick(paths...) + `"}`
		wg.Go(func() { call(t.Context(), set, name, arguments) })
	}
	wg.Wait()
	ran := box.took()
	ended := 0
	for _, line := range log.lines() {
		if strings.HasPrefix(line, "success") || strings.HasSuffix(line, "disk full") || strings.Contains(line, "crashed") {
			ended++
		}
	}
	if len(log.entries) != calls || ended != len(ran) {
		t.Errorf("seed %d: %d calls, %d ran, %d lines, %d of them ended:\n%s", seed, calls, len(ran), len(log.entries), ended, strings.Join(log.lines(), "\n"))
	}
	for _, line := range ran {
		name, arguments, _ := strings.Cut(line, " ")
		arguments, approved := strings.CutSuffix(arguments, " approved")
		asked := c.Mode == session.Supervised && (c.Review == ledger.Optimistic || c.Review == ledger.Auto)
		switch {
		case c.Mode == session.Custom && name != "read_document" && strings.Contains(arguments, "closed/"),
			c.Mode == session.Restricted && name != "read_document",
			name == "delete_document" && !approved,
			asked && !answer.Approve && name == "delete_document",
			asked && answer.Arguments != nil && name == "delete_document" && arguments != string(answer.Arguments):
			t.Errorf("seed %d: %s, %s, %+v, yet %s", seed, c.Mode, c.Review, answer, line)
		}
	}
}

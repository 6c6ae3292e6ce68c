package session_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"redline/internal/session"
	"redline/tool"
)

func TestRequestText(t *testing.T) {
	notes := []string{"Meeting Notes - Jan 15, 2023.md", "Meeting Notes - Feb 3, 2023.md", "c.md", "d.md", "e.md", "f.md", "g.md", "h.md"}
	rule := session.Rule{Tool: "edit_*", Path: "watched/**", Verdict: session.Ask}
	tests := []struct {
		name    string
		request session.Request
		want    string
	}{
		{"many", session.Request{Label: "Delete Document", Why: session.Destructive, Files: notes}, `Delete Document: 8 files
• Meeting Notes - Jan 15, 2023.md
• Meeting Notes - Feb 3, 2023.md
• c.md
• d.md
• ... and 4 more
This action cannot be easily undone.`},
		{"not one left out", session.Request{Label: "Move", Why: session.Bulk, Files: notes[2:7]}, `Move: 5 files
• c.md
• d.md
• e.md
• f.md
• g.md
It changes many files at once.`},
		{"two left out", session.Request{Label: "Move", Why: session.Bulk, Files: notes[2:8]}, `Move: 6 files
• c.md
• d.md
• e.md
• f.md
• ... and 2 more
It changes many files at once.`},
		{"one", session.Request{Label: "Edit", Why: session.Policy, Files: []string{".env"}}, "Edit: 1 file\n• .env\nIt changes what is changed only with your approval."},
		{"a rule", session.Request{Label: "Edit", Why: session.ByRule, Rule: rule, Files: []string{"watched/a"}}, "Edit: 1 file\n• watched/a\nA rule asks first: ask tool edit_*, path watched/**."},
		{"no files known", session.Request{Label: "Run Command", Why: session.Destructive, Call: tool.Call{Arguments: []byte(`{"command":"rm -r x"}`)}},
			"Run Command {\"command\":\"rm -r x\"}\nThis action cannot be easily undone."},
		{"a rule that may be meant", session.Request{Label: "Run", Why: session.ByRule, Rule: session.Rule{Path: "private", Verdict: session.Deny}, Call: tool.Call{Arguments: []byte(`{}`)}},
			"Run {}\nIt may change what a rule closes: deny path private."},
		{"names that lie", session.Request{Label: "Delete", Why: session.Destructive, Files: []string{"a\n• b.md", "\x1b[2Jc", "d\u202efdp.exe", "e\xff", "f\u2028日本 é.md"}},
			"Delete: 5 files\n• a\\u000a• b.md\n• \\u001b[2Jc\n• d\\u202efdp.exe\n• e\\ufffd\n• f\\u2028日本 é.md\nThis action cannot be easily undone."},
		{"a name that is long", session.Request{Label: "Delete", Why: session.Destructive, Files: []string{strings.Repeat("é", 1000)}},
			"Delete: 1 file\n• " + strings.Repeat("é", 151) + "…\nThis action cannot be easily undone."},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := test.request.Text(); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
			shown, more := test.request.Shown()
			if len(shown)+more != len(test.request.Files) {
				t.Errorf("%d shown, %d more, of %d", len(shown), more, len(test.request.Files))
			}
		})
	}
}

// TestWhatIsAsked: the question has the call as it would run, and all files, each
// once.
func TestWhatIsAsked(t *testing.T) {
	box := &toolbox{files: map[string][]string{"all": append(bulk(30), "./many/1.md", "many//2.md")}}
	asker := saying(yes)
	call(t.Context(), guard(t, box.set(t), session.Config{Asker: asker}), "delete_document", `{"path":"all"}`)
	q := asker.asked[0]
	if q.Call.ID != "c1" || q.Call.Name != "delete_document" || string(q.Call.Arguments) != `{"path":"all"}` || q.Label != "Delete Document" || len(q.Files) != 30 {
		t.Errorf("%+v", q)
	}
}

// waiting is a person who answers when told to.
type waiting struct {
	answers chan session.Answer
	mu      sync.Mutex
	open    int
	most    int
}

func (w *waiting) Ask(ctx context.Context, _ session.Request) (session.Answer, error) {
	w.mu.Lock()
	w.open++
	w.most = max(w.most, w.open)
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		w.open--
		w.mu.Unlock()
	}()
	select {
	case a := <-w.answers:
		return a, nil
	case <-ctx.Done():
		return session.Answer{}, ctx.Err()
	}
}

// TestOneQuestionAtATime: calls side by side wait for each other's answers.
func TestOneQuestionAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box, asker := new(toolbox), &waiting{answers: make(chan session.Answer)}
		set := guard(t, box.set(t), session.Config{Asker: asker})
		var wg sync.WaitGroup
		for i := range 5 {
			wg.Go(func() { call(t.Context(), set, "delete_document", fmt.Sprintf(`{"path":"%d"}`, i)) })
		}
		for range 5 {
			synctest.Wait()
			asker.answers <- yes
		}
		wg.Wait()
		if ran := box.took(); asker.most != 1 || len(ran) != 5 {
			t.Errorf("%d questions at once, ran %v", asker.most, ran)
		}
	})
}

// TestAbortWhileAsking: a call that waits for an answer, or for its question, ends
// with its context, and has its line in the audit.
func TestAbortWhileAsking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box, log := new(toolbox), new(auditLog)
		set := guard(t, box.set(t), session.Config{Asker: &waiting{}, Audit: log})
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				if r := call(ctx, set, "delete_document", `{"path":"a.md"}`); r.Code() != tool.CodeAborted || r.EndRun != "" {
					t.Errorf("%s: %q, ends %q", r.Code(), r.Output, r.EndRun)
				}
			})
		}
		synctest.Wait()
		cancel()
		wg.Wait()
		lines := strings.Join(log.lines(), "\n")
		if ran := box.took(); len(ran) > 0 || strings.Count(lines, "error delete_document") != 2 {
			t.Errorf("ran %v, audit:\n%s", ran, lines)
		}
	})
}

// TestAskerThatPanics: the call fails, the tool does not run, and the next question
// can be asked.
func TestAskerThatPanics(t *testing.T) {
	box, log := new(toolbox), new(auditLog)
	asker := &person{}
	asker.answer = func(session.Request) (session.Answer, error) {
		if len(asker.asked) == 1 {
			panic(errors.New("no screen"))
		}
		return yes, nil
	}
	set := guard(t, box.set(t), session.Config{Asker: asker, Audit: log})
	first, second := call(t.Context(), set, "delete_document", `{"path":"a"}`), call(t.Context(), set, "delete_document", `{"path":"b"}`)
	if got := strings.Join(box.took(), "; "); first.Code() != tool.CodeCrashed || second.IsError || got != `delete_document {"path":"b"} approved` || len(log.entries) != 2 {
		t.Errorf("%q, %q; ran %q; %d lines", first.Output, second.Output, got, len(log.entries))
	}
}

package project_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"redline/internal/ledger"
	"redline/internal/ops"
	"redline/internal/toolset/project"
	"redline/internal/toolset/toolsettest"
	"redline/tool"
)

// TestApply: a final answer with edits does what a call does.
func TestApply(t *testing.T) {
	ctx := context.Background()
	b := toolsettest.NewBench(t, kit(project.Limits{}), map[string]string{"a.md": "one\ntwo\nthree\n"})
	if _, err := b.Desk(ctx).Read(ctx, ops.ReadRequest{Path: "a.md"}); err != nil {
		t.Fatal(err)
	}
	got, err := project.Apply(ctx, b.Desk(ctx), json.RawMessage(`{"assistant_message":"Two words are numbers now.","proposed_edits":[
		{"file_path":"a.md","operation":"replace","start_line":1,"end_line":1,"new_text":"1"},
		{"edit_id":"last","file_path":"a.md","operation":"replace","start_line":"3","end_line":3,"new_text":"3","rationale":"shorter"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if got.AssistantMessage == "" || got.ProposedEdits[0].EditID != "e_1" || got.ProposedEdits[1].EditID != "last" || !strings.Contains(got.Result.Output, "2 edits") {
		t.Errorf("applied: %+v", got)
	}
	toolsettest.Golden(t, "testdata/golden/output.json", pretty(t, got.Result.Details))
	record := b.EndTurn()
	var ids []string
	for _, h := range record.Changes[0].Hunks {
		ids = append(ids, h.Edits...)
	}
	if strings.Join(ids, " ") != "e_1 last" {
		t.Errorf("hunks of edits %v", ids)
	}
}

// TestApplyNothing: an answer may have no edits.
func TestApplyNothing(t *testing.T) {
	ctx := context.Background()
	b := toolsettest.NewBench(t, kit(project.Limits{}), nil)
	got, err := project.Apply(ctx, b.Desk(ctx), json.RawMessage(`{"assistant_message":"All is well.","proposed_edits":[]}`))
	if err != nil || got.AssistantMessage != "All is well." || got.Result.Details != nil {
		t.Errorf("applied %+v, %v", got, err)
	}
	if r := b.EndTurn(); r.Status != ledger.Empty {
		t.Errorf("the turn is %s", r.Status)
	}
}

// TestApplyRefused: what is wrong is said so that a model can do better, and
// nothing is changed.
func TestApplyRefused(t *testing.T) {
	ctx := context.Background()
	b := toolsettest.NewBench(t, kit(project.Limits{}), map[string]string{"a.md": "one\n"})
	for _, tt := range []struct{ name, answer, want string }{
		{"no JSON", `{`, "not valid JSON"},
		{"another shape", `{"edits":[]}`, "proposed_edits"},
		{"an unknown operation", `{"proposed_edits":[{"file_path":"a.md","operation":"move","start_line":1}]}`, "proposed_edits[0].operation"},
		{"not read", `{"proposed_edits":[{"file_path":"a.md","operation":"delete","start_line":1,"end_line":1}]}`, "has not been read"},
		{"closed", `{"proposed_edits":[{"file_path":".env","operation":"insert","start_line":1,"new_text":"x"}]}`, "closed to tools"},
		{"hidden", `{"proposed_edits":[{"file_path":".config","operation":"insert","start_line":1,"new_text":"x"}]}`, "needs_approval"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := project.Apply(ctx, b.Desk(ctx), json.RawMessage(tt.answer))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
			var d interface{ Details() any }
			if !errors.As(err, &d) {
				t.Errorf("%T has no details", err)
			}
		})
	}
	if _, err := project.Apply(tool.Approve(ctx), b.Desk(ctx), json.RawMessage(`{"proposed_edits":[{"file_path":".config","operation":"insert","start_line":1,"new_text":"x"}]}`)); err != nil {
		t.Errorf("an answer that the user agreed to: %v", err)
	}
	if _, err := os.Stat(filepath.Join(b.Dir, ".config")); err == nil {
		t.Error("an answer under review is on the disk")
	}
}

// TestOneQuestion: while a question waits for its answer, the next one waits too,
// and an abort ends the waiting.
func TestOneQuestion(t *testing.T) {
	b := toolsettest.NewBench(t, kit(project.Limits{}), nil)
	desk := b.Desk(context.Background())
	synctest.Test(t, func(t *testing.T) {
		var open, most atomic.Int32
		answer := make(chan string)
		tools, err := project.New(func(context.Context) *ops.Desk { return desk }, project.Options{Ask: func(ctx context.Context, _ string) (string, error) {
			most.Store(max(most.Load(), open.Add(1)))
			defer open.Add(-1)
			select {
			case a := <-answer:
				return a, nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		clarify := tools[3]
		ctx, abort := context.WithCancel(t.Context())
		done := make(chan error, 3)
		for range 3 {
			go func() {
				_, err := clarify.Execute(ctx, tool.Call{Name: "clarify_user", Arguments: json.RawMessage(`{"question":"Which?"}`)}, nil)
				done <- err
			}()
		}
		synctest.Wait()
		answer <- "this"
		if err := <-done; err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if open.Load() != 1 || most.Load() != 1 {
			t.Errorf("%d questions wait, at most %d did", open.Load(), most.Load())
		}
		abort()
		for range 2 {
			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Errorf("an aborted question: %v", err)
			}
		}
	})
}

package coding_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"redline/internal/ledger"
	"redline/internal/ops"
	"redline/internal/toolset/coding"
	"redline/internal/toolset/toolsettest"
	"redline/tool"
)

// TestBashStreams: while a command runs, what it has written so far is shown.
func TestBashStreams(t *testing.T) {
	set := toolsettest.NewBench(t, kit(coding.Options{}), nil).Set()
	var shown []string
	r, _ := callWith(t.Context(), t, set, "bash", map[string]any{"command": "echo one; echo two >&2"}, func(r tool.Result) { shown = append(shown, r.Output) })
	if r.IsError || len(shown) == 0 {
		t.Fatalf("%d updates, then %s", len(shown), r.Output)
	}
	if last := shown[len(shown)-1]; !strings.Contains(last, "one\n") || !strings.Contains(last, "two\n") {
		t.Errorf("in the end %q is shown", last)
	}
	for i := 1; i < len(shown); i++ {
		if !strings.HasPrefix(shown[i], shown[i-1]) {
			t.Errorf("after %q comes %q", shown[i-1], shown[i])
		}
	}
}

// TestBashStreamsMuch: of a long output the end is shown, in whole characters.
func TestBashStreamsMuch(t *testing.T) {
	set := toolsettest.NewBench(t, kit(coding.Options{}), nil).Set()
	last := ""
	command := `for i in $(seq 1 20000); do echo "ä $i"; done; printf x; for i in $(seq 1 5000); do printf '€€€€'; done`
	callWith(t.Context(), t, set, "bash", map[string]any{"command": command}, func(r tool.Result) {
		last = r.Output
		if len(last) > 16<<10 || !utf8.ValidString(last) || strings.ContainsRune(last, utf8.RuneError) {
			t.Errorf("%d bytes are shown, valid: %v", len(last), utf8.ValidString(last))
		}
	})
	if strings.Trim(last, "€") != "" || len(last) < 16<<10-3 {
		t.Errorf("the end is not shown: %d bytes, %.20q", len(last), last)
	}
}

// TestBashAbort: an abort ends the command, and what it had done is on record.
func TestBashAbort(t *testing.T) {
	b := toolsettest.NewBench(t, kit(coding.Options{}), map[string]string{"a.ts": "one\n"})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	command := "echo two > a.ts; echo ready; sleep 987654"
	r, details := callWith(ctx, t, b.Set(), "bash", map[string]any{"command": command}, func(r tool.Result) {
		if strings.Contains(r.Output, "ready") {
			cancel()
		}
	})
	if !r.IsError || details["code"] != "aborted" || details["command"] != command || !strings.HasPrefix(r.Output, "stdout:\nready\nstderr:\n") {
		t.Errorf("details %v, output:\n%s", details, r.Output)
	}
	if !strings.Contains(r.Output, "\nchanged: a.ts") {
		t.Errorf("the change is not told:\n%s", r.Output)
	}
	record := b.EndTurn()
	if len(record.Changes) != 1 || record.Changes[0].Path.String() != "a.ts" {
		t.Errorf("changes on record: %+v", record.Changes)
	}
	if report, err := b.Ledger.Undo(t.Context(), ledger.UndoRequest{Turn: record.ID}); err != nil || !report.Clean() {
		t.Errorf("undo: %v, %+v", err, report)
	}
}

// TestBashNoteIsNoContent: an output with something left out, written to a file, is
// refused.
func TestBashNoteIsNoContent(t *testing.T) {
	set := toolsettest.NewBench(t, kit(coding.Options{MaxOutput: 64}), nil).Set()
	r, _ := call(t, set, "bash", map[string]any{"command": "seq 1 1000"})
	stdout, _, _ := strings.Cut(strings.TrimPrefix(r.Output, "stdout:\n"), "\nstderr:")
	if !strings.Contains(stdout, "bytes left out]") {
		t.Fatal(r.Output)
	}
	if _, details := call(t, set, "write", map[string]any{"file_path": "numbers.txt", "content": stdout + "\n"}); details["code"] != "tool_message" {
		t.Errorf("the note became a file: %v", details)
	}
	if _, details := call(t, set, "write", map[string]any{"file_path": "numbers.txt", "content": "1\n2\n3\n"}); details["isNew"] != true {
		t.Errorf("what has no note in it: %v", details)
	}
	call(t, set, "bash", map[string]any{"command": "touch a-name-that-is-long-enough.ts"})
	if _, details := call(t, set, "write", map[string]any{"file_path": "new.ts", "content": "created: a-name-that-is-long-enough.ts"}); details["code"] != "tool_message" {
		t.Errorf("the names of files became a file: %v", details)
	}
}

// TestBashShared: what another session wrote meanwhile is told apart.
func TestBashShared(t *testing.T) {
	b := toolsettest.NewBench(t, kit(coding.Options{}), nil)
	var once sync.Once
	command := "echo ready; until [ -e theirs.ts ]; do sleep 0.01; done; touch ours.ts"
	r, details := callWith(t.Context(), t, b.Set(), "bash", map[string]any{"command": command}, func(tool.Result) {
		once.Do(func() {
			other, err := b.Ledger.Begin(t.Context(), ledger.TurnRequest{Session: "other", Review: ledger.Auto})
			if err == nil {
				_, err = ops.New(b.Folder, other, ops.Options{}).Create(t.Context(), "write", "theirs.ts", "")
			}
			if err != nil {
				t.Error(err)
			}
		})
	})
	if !strings.HasSuffix(r.Output, "\ncreated: ours.ts, theirs.ts\nwritten by somebody else meanwhile, so that undo leaves it alone: theirs.ts") {
		t.Errorf("output:\n%s", r.Output)
	}
	if d := cmp.Diff([]any{"theirs.ts"}, details["shared"]); d != "" {
		t.Errorf("shared (-want +got):\n%s", d)
	}
}

// TestBashUnrecorded: a command that has run is told even if what it did cannot be
// put on record.
func TestBashUnrecorded(t *testing.T) {
	b := toolsettest.NewBench(t, kit(coding.Options{}), map[string]string{"a.ts": "one\n"})
	r, details := callWith(t.Context(), t, b.Set(), "bash", map[string]any{"command": "echo two > a.ts; echo done"}, func(tool.Result) {
		b.Folder.Close() // as good as any failure to look at it again
	})
	if !r.IsError || details["code"] != "io_error" || details["exitCode"] != 0.0 {
		t.Errorf("details %v", details)
	}
	if !strings.HasPrefix(r.Output, "stdout:\ndone\n") || !strings.Contains(r.Output, "\nError: the command has run, but what it changed could not be put on record: ") {
		t.Errorf("output:\n%s", r.Output)
	}
}

// TestEndedMeanwhile: a run that ends while a call is under way.
func TestEndedMeanwhile(t *testing.T) {
	for name, args := range map[string]map[string]any{
		"edit":  {"file_path": "a.ts", "old_string": "one", "new_string": "two"},
		"write": {"file_path": "b.ts", "content": "b"},
		"bash":  {"command": "touch b.ts"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		k := kit(coding.Options{})
		k.Tools = func(b *toolsettest.Bench) ([]tool.Tool, error) {
			return coding.New(func(ctx context.Context) *ops.Desk {
				defer cancel()
				return b.Desk(ctx)
			}, coding.Options{})
		}
		b := toolsettest.NewBench(t, k, map[string]string{"a.ts": "one\n"})
		r, details := callWith(ctx, t, b.Set(), name, args, nil)
		if details["code"] != "aborted" || !strings.HasPrefix(r.Output, "interrupted before it finished") {
			t.Errorf("%s: %v\n%s", name, details, r.Output)
		}
		if record := b.EndTurn(); len(record.Changes) > 0 {
			t.Errorf("%s changed %+v", name, record.Changes)
		}
	}
}

// TestAtOnce: calls at the same time do not lose each other's changes.
func TestAtOnce(t *testing.T) {
	b := toolsettest.NewBench(t, kit(coding.Options{}), map[string]string{"a.ts": "1\n2\n3\n4\n5\n6\n7\n8\n"})
	b.Desk(t.Context())
	set := b.Set()
	var wg sync.WaitGroup
	for _, digit := range "12345678" {
		wg.Go(func() {
			if r, _ := call(t, set, "edit", map[string]any{"file_path": "a.ts", "old_string": string(digit), "new_string": "x"}); r.IsError {
				t.Error(r.Output)
			}
		})
	}
	wg.Go(func() {
		if r, _ := call(t, set, "bash", map[string]any{"command": "cat a.ts > copy.ts"}); r.IsError {
			t.Error(r.Output)
		}
	})
	wg.Wait()
	if r, _ := call(t, set, "read", map[string]any{"file_path": "a.ts"}); strings.Count(r.Output, "  x") != 8 {
		t.Errorf("in the end:\n%s", r.Output)
	}
}

// TestBashChangesMuch: the lists of files have a bound, and say so.
func TestBashChangesMuch(t *testing.T) {
	b := toolsettest.NewBench(t, kit(coding.Options{}), nil)
	r, details := call(t, b.Set(), "bash", map[string]any{"command": "mkdir new; cd new; touch $(seq 1001 1250)"})
	created, _ := details["created"].([]any)
	if len(created) != 200 || details["more"] != 50.0 || created[0] != "new/1001" {
		t.Errorf("%d created, %v more", len(created), details["more"])
	}
	if !strings.HasSuffix(r.Output, ", new/1020 and 230 more") {
		t.Errorf("output:\n%s", r.Output)
	}
	if record := b.EndTurn(); len(record.Changes) != 251 {
		t.Errorf("%d changes on record", len(record.Changes))
	}
}

// TestPipe: a thing that is no file is left alone, and nobody waits for it.
func TestPipe(t *testing.T) {
	set := toolsettest.NewBench(t, kit(coding.Options{}), nil).Set()
	if r, _ := call(t, set, "bash", map[string]any{"command": "mkfifo pipe"}); !strings.HasSuffix(r.Output, "exit code: 0") {
		t.Fatal(r.Output)
	}
	for name, args := range map[string]map[string]any{
		"read":  {"file_path": "pipe"},
		"edit":  {"file_path": "pipe", "old_string": "a", "new_string": "b"},
		"write": {"file_path": "pipe", "content": "x"},
	} {
		if r, details := call(t, set, name, args); details["code"] != "not_a_regular_file" {
			t.Errorf("%s: %v\n%s", name, details, r.Output)
		}
	}
}

package coding_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/internal/toolset/coding"
	"redline/internal/toolset/toolsettest"
	"redline/llm"
	"redline/tool"
)

// call runs a tool as an agent would.
func call(t *testing.T, set tool.Set, name string, args map[string]any) (tool.Result, map[string]any) {
	t.Helper()
	return callWith(t.Context(), t, set, name, args, nil)
}

func callWith(ctx context.Context, t *testing.T, set tool.Set, name string, args map[string]any, update tool.Update) (tool.Result, map[string]any) {
	t.Helper()
	arguments, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	r := tool.Run(ctx, set, llm.ToolCall{ID: "call_1", Name: name, Arguments: arguments}, update)
	data, err := json.Marshal(r.Details)
	if err != nil {
		t.Fatal(err)
	}
	var details map[string]any
	if err := json.Unmarshal(data, &details); err != nil {
		t.Fatal(err)
	}
	return r, details
}

func lines(n int, line string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, line+"\n", i+1)
	}
	return b.String()
}

// TestReadLimits: what the limits leave out, and that the model is told.
func TestReadLimits(t *testing.T) {
	set := toolsettest.NewBench(t, kit(coding.Options{}), map[string]string{
		"large.ts": lines(10000, "line %d"),
		"fits.ts":  lines(5000, "line %d"),
		"over.ts":  lines(5001, "line %d"),
		"wide.ts":  lines(3000, "%01000d"),
		"one.ts":   strings.Repeat("x", 3<<20),
	}).Set()
	const more = " Use offset and limit parameters to read more.\n\n"
	for _, c := range []struct {
		name         string
		args         map[string]any
		begins, ends string
		total, shown int
		offset       int
		truncated    bool
	}{
		{name: "large", args: map[string]any{"file_path": "large.ts"},
			begins: "WARNING: File has 10000 lines, showing first 5000." + more + "     1  line 1\n     2  line 2\n", ends: "\n  5000  line 5000",
			total: 10000, shown: 5000, truncated: true},
		{name: "its second chunk", args: map[string]any{"file_path": "large.ts", "offset": 5001, "limit": 5000},
			begins: "  5001  line 5001\n", ends: "\n 10000  line 10000", total: 10000, shown: 5000, offset: 5001},
		{name: "from the second line", args: map[string]any{"file_path": "large.ts", "offset": 2},
			begins: "WARNING: File has 10000 lines, showing lines 2 to 5001." + more + "     2  line 2\n", ends: "\n  5001  line 5001",
			total: 10000, shown: 5000, offset: 2, truncated: true},
		{name: "a part that was asked for", args: map[string]any{"file_path": "large.ts", "offset": 1000, "limit": 6},
			begins: "  1000  line 1000\n", ends: "\n  1005  line 1005", total: 10000, shown: 6, offset: 1000},
		{name: "as many as are shown", args: map[string]any{"file_path": "fits.ts"},
			begins: "     1  line 1\n", ends: "\n  5000  line 5000", total: 5000, shown: 5000},
		{name: "one more", args: map[string]any{"file_path": "over.ts"},
			begins: "WARNING: File has 5001 lines, showing first 5000." + more, ends: "\n  5000  line 5000", total: 5001, shown: 5000, truncated: true},
		{name: "too many bytes", args: map[string]any{"file_path": "wide.ts"},
			begins: "WARNING: File has 3000 lines, showing first 1047." + more + "     1  0000", ends: "01047", total: 3000, shown: 1047, truncated: true},
		{name: "too many bytes for what was asked for", args: map[string]any{"file_path": "wide.ts", "offset": 2, "limit": 2000},
			begins: "WARNING: File has 3000 lines, showing lines 2 to 1048." + more, ends: "01048", total: 3000, shown: 1047, offset: 2, truncated: true},
		{name: "one line that is too long", args: map[string]any{"file_path": "one.ts"},
			begins: "     1  xxxx", ends: "x… [only the first 2000 characters of this line are shown]", total: 1, shown: 1, truncated: true},
	} {
		r, details := call(t, set, "read", c.args)
		if r.IsError || !strings.HasPrefix(r.Output, c.begins) || !strings.HasSuffix(r.Output, c.ends) {
			t.Errorf("%s: %.120q … %q", c.name, r.Output, r.Output[max(0, len(r.Output)-80):])
		}
		want := map[string]any{
			"filePath": c.args["file_path"], "totalLines": float64(c.total), "linesRead": float64(c.shown),
			"offset": float64(c.offset), "truncated": c.truncated,
		}
		if d := cmp.Diff(want, details); d != "" {
			t.Errorf("%s: details (-want +got):\n%s", c.name, d)
		}
	}
}

// TestTruncatedIsUnseen: what was not shown cannot be replaced until the rest was
// shown too, and the words of the tool are not taken for content.
func TestTruncatedIsUnseen(t *testing.T) {
	set := toolsettest.NewBench(t, kit(coding.Options{}), map[string]string{
		"large.ts": lines(5001, "line %d"),
		"long.ts":  "short\n" + strings.Repeat("ä", 2001) + "\n",
		"fits.ts":  "short\n" + strings.Repeat("ä", 2000) + "\n",
	}).Set()
	for _, name := range []string{"large.ts", "long.ts"} {
		r, _ := call(t, set, "read", map[string]any{"file_path": name})
		if r.IsError {
			t.Fatal(r.Output)
		}
		_, details := call(t, set, "write", map[string]any{"file_path": name, "content": "all new\n"})
		if details["code"] != "unseen" {
			t.Errorf("%s was replaced: %v", name, details)
		}
		note := "WARNING: File has 5001 lines, showing first 5000. Use offset and limit parameters to read more."
		if name == "long.ts" {
			note = "… [only the first 2000 characters of this line are shown]"
		}
		if !strings.Contains(r.Output, note) {
			t.Errorf("%s: no %q", name, note)
		}
		_, details = call(t, set, "write", map[string]any{"file_path": "new.ts", "content": "x\n" + note + "\n"})
		if details["code"] != "tool_message" {
			t.Errorf("the note about %s became a file: %v", name, details)
		}
	}
	r, _ := call(t, set, "read", map[string]any{"file_path": "fits.ts"})
	if !strings.HasSuffix(r.Output, "ä") {
		t.Errorf("a line of 2000 characters was cut: %q", r.Output[len(r.Output)-60:])
	}
	if _, details := call(t, set, "write", map[string]any{"file_path": "fits.ts", "content": "all new\n"}); details["isNew"] != false {
		t.Errorf("a file that was shown whole: %v", details)
	}
	// Chunks of one text add up to the whole.
	call(t, set, "read", map[string]any{"file_path": "large.ts", "offset": 5001})
	if _, details := call(t, set, "write", map[string]any{"file_path": "large.ts", "content": "all new\n"}); details["isNew"] != false {
		t.Errorf("large.ts was shown whole, in two chunks: %v", details)
	}
}

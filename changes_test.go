package redline_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"redline"
	"redline/internal/wire"
	"redline/llm"
)

var update = flag.Bool("update", false, "renew the golden files")

// TestChanges shows what turns changed. A file in testdata has the folder before,
// the steps (as desk.turn reads them, \n and \r for line ends; one that begins with $
// is a command of the shell), and the changes: changed words are in brackets.
func TestChanges(t *testing.T) {
	files, err := filepath.Glob("testdata/changes/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			must(t, err)
			d := newDesk(t)
			var steps []string
			golden := -1
			for i, f := range archive.Files {
				switch name, inside := strings.CutPrefix(f.Name, "folder/"); {
				case inside:
					d.put(name, unescape(string(f.Data)))
				case f.Name == "steps":
					for line := range strings.Lines(string(f.Data)) {
						line = strings.TrimSuffix(line, "\n")
						if !strings.HasPrefix(line, "$") {
							line = unescape(line)
						}
						steps = append(steps, line)
					}
				case f.Name == "changes":
					golden = i
				}
			}
			got := showTurn(d.make(steps))
			if *update {
				archive.Files[golden].Data = []byte(got)
				must(t, os.WriteFile(file, txtar.Format(archive), 0o644))
			} else if diff := cmp.Diff(string(archive.Files[golden].Data), got); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
}

func unescape(s string) string {
	return strings.NewReplacer(`\n`, "\n", `\r`, "\r", `\ufeff`, "\ufeff").Replace(strings.ReplaceAll(s, "\\\n", ""))
}

// make makes a turn, with the shell if the first step says so.
func (d *desk) make(steps []string) wire.Turn {
	d.t.Helper()
	if !strings.HasPrefix(steps[0], "$ ") {
		return d.turn("optimistic", steps...)
	}
	if _, err := exec.LookPath("bash"); err != nil {
		d.t.Skip("no shell")
	}
	turn, err := d.Begin(ctx, redline.TurnOptions{Toolset: "coding", Session: "s", Review: "auto"})
	must(d.t, err)
	for _, step := range steps {
		args, err := json.Marshal(map[string]string{"command": strings.TrimPrefix(step, "$ ")})
		must(d.t, err)
		if r := turn.Run(ctx, llm.ToolCall{ID: "c", Name: "bash", Arguments: args}); r.IsError {
			d.t.Fatalf("%s: %s", step, r.Output)
		}
	}
	must(d.t, turn.End(ctx, false))
	turns, err := d.Turns(ctx, "s", 1)
	must(d.t, err)
	return turns[0]
}

func showTurn(t wire.Turn) string {
	var b strings.Builder
	for _, f := range t.Files {
		fmt.Fprintf(&b, "%s %s", f.Verb, f.Path)
		if f.From != "" {
			fmt.Fprintf(&b, " from %s", f.From)
		}
		fmt.Fprintf(&b, " +%d -%d", f.Added, f.Gone)
		if f.Binary {
			b.WriteString(" binary")
		}
		b.WriteString("\n")
		for _, h := range f.Hunks {
			fmt.Fprintf(&b, "  %s %s", h.Kind, h.State)
			if h.Note != "" {
				fmt.Fprintf(&b, ": %s", h.Note)
			}
			b.WriteString("\n")
			for _, l := range h.Lines {
				b.WriteString("    " + showLine(l) + "\n")
			}
		}
	}
	return b.String()
}

func showLine(l wire.Line) string {
	number := func(n int) string {
		if n == 0 {
			return "."
		}
		return fmt.Sprint(n)
	}
	text := ""
	for _, s := range l.Spans {
		word := strings.NewReplacer("\r", `\r`, "\ufeff", `\ufeff`).Replace(s.Text)
		if s.Changed {
			word = "[" + word + "]"
		}
		text += word
	}
	if l.NoEnd {
		text += "  (no line end)"
	}
	sign := map[string]string{"unchanged": " ", "added": "+", "removed": "-"}[l.Type]
	return strings.TrimRight(fmt.Sprintf("%2s %2s %s %s", number(l.Before), number(l.After), sign, text), " ")
}

// TestHugeChanges: a long text is a note and a patch, not a million lines.
func TestHugeChanges(t *testing.T) {
	d := newDesk(t)
	turn := d.turn("hunks", "long.md="+strings.Repeat("a line of many\n", 100_000))
	h := turn.Files[0].Hunks[0]
	if turn.Files[0].Added != 100_000 || len(h.Lines) != 0 || h.Note == "" || len(h.Patch) < 1_500_000 {
		t.Errorf("+%d, %d lines, note %q, a patch of %d bytes", turn.Files[0].Added, len(h.Lines), h.Note, len(h.Patch))
	}
}

// patchCases are turns whose patches git and patch must understand.
var patchCases = map[string]struct {
	files []string
	steps []string
}{
	"edits":       {[]string{"a.md", strings.Repeat("a\nb\nc\nd\ne\n", 5), "b.md", "b\n"}, []string{"a.md=A\n" + strings.Repeat("a\nb\nX\nd\ne\n", 5) + "end\n", "b.md=B\n"}},
	"near hunks":  {[]string{"a.md", "1\n2\n3\n4\n5\n6\n7\n8\n9\n"}, []string{"a.md=one\n2\n3\nfour\n5\n6\nseven\n8\n9\n"}},
	"no line end": {[]string{"a.md", "a\nb"}, []string{"a.md=a\nb\nc"}},
	"line ends":   {[]string{"a.md", "a\r\nb\r\nc\n"}, []string{"a.md=a\r\nB\r\nc\n"}},
	"creation":    {nil, []string{"new.md=new\n", "deep/er/new.md=deep\n"}},
	"deletion":    {[]string{"a.md", "a\n", "b.md", "b\n"}, []string{"-a.md"}},
	"move":        {[]string{"a.md", "a\nb\nc\nd\ne\n"}, []string{"a.md>z.md"}},
	"move, edit":  {[]string{"a.md", "a\nb\nc\nd\ne\n"}, []string{"a.md>sub/z.md", "sub/z.md=a\nb\nc\nd\nE\n"}},
	"odd names":   {[]string{"with space.md", "a\n", "q'uote.md", "q\n", "grün ✓.md", "g\n"}, []string{"with space.md=A\n", "q'uote.md>q'u ote2.md", "grün ✓.md=G\n"}},
}

// TestPatch: what waits, printed as a patch and applied by git and by patch, is what
// accepting it gives; and git takes the patch of what is on the disk back.
func TestPatch(t *testing.T) {
	tools := map[string][]string{"git": {"apply", "--whitespace=nowarn", "-p1", "-"}, "patch": {"-p1", "-s", "-E", "--binary"}}
	for name, c := range patchCases {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, c.files...)
			start := d.files()
			turn := d.turn("hunks", c.steps...)
			patch, err := d.Patch(ctx, turn.ID)
			must(t, err)
			results := map[string]string{}
			for tool, args := range tools {
				results[tool] = applyWith(t, d.dir, tool, patch, args...)
			}
			_, err = d.Review("").Decide(ctx, wire.Decision{All: "accept"})
			must(t, err)
			for tool, got := range results {
				if want := d.files(); got != want && got != "" {
					t.Errorf("%s made\n %s\nof it, want\n %s\npatch:\n%s", tool, got, want, patch)
				}
			}
			again, err := d.Patch(ctx, turn.ID) // of an accepted turn: what it did
			must(t, err)
			if got := applyWith(t, d.dir, "git", again, "apply", "--whitespace=nowarn", "-R", "-"); got != start && got != "" {
				t.Errorf("git apply -R made\n %s\nof it, want\n %s", got, start)
			}
		})
	}
}

// applyWith applies a patch to a copy of a folder; "" without the program.
func applyWith(t *testing.T, dir, program string, patch []byte, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		return ""
	}
	there := &desk{t: t, dir: filepath.Join(t.TempDir(), "copy")}
	must(t, os.CopyFS(there.dir, os.DirFS(dir)))
	c := exec.Command(program, args...)
	c.Dir, c.Stdin = there.dir, bytes.NewReader(patch)
	c.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(there.dir))
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s\npatch:\n%s", program, err, out, patch)
	}
	return there.files()
}

// TestPatchOfTheRest: of a turn that is decided in part the patch has what is open,
// on top of what is on the disk.
func TestPatchOfTheRest(t *testing.T) {
	d := newDesk(t, "a.md", "1\n2\n3\n4\n5\n6\n7\n", "b.md", "b\n")
	turn := d.turn("hunks", "a.md=one\n2\nthree\n4\n5\n6\nseven\n", "b.md=B\n")
	ids := hunks(turn)
	_, err := d.Review("").Decide(ctx, wire.Decision{Accept: ids[:1], Reject: ids[1:2]})
	must(t, err)
	patch, err := d.Patch(ctx, turn.ID, "a.md")
	must(t, err)
	if got := applyWith(t, d.dir, "git", patch, "apply", "-"); got != "a.md=one|2|3|4|5|6|seven| b.md=b|" && got != "" {
		t.Errorf("made %s\n%s", got, patch)
	}
}

// TestPatchRemarks: what no patch can say is a remark, and git applies the rest.
func TestPatchRemarks(t *testing.T) {
	d := newDesk(t, "a.md", "a\n", "run.sh", "echo\n")
	turn := d.make([]string{"$ printf 'A\\n' > a.md; printf '\\0\\1' > data.bin; ln -s a.md link; mkdir empty; chmod +x run.sh; : > nothing.md"})
	patch, err := d.Patch(ctx, turn.ID)
	must(t, err)
	var remarks []string
	for line := range strings.Lines(string(patch)) {
		if strings.HasPrefix(line, "#") {
			remarks = append(remarks, strings.TrimSpace(line))
		}
	}
	slices.Sort(remarks)
	want := []string{
		"# not in this patch: created data.bin (binary file of 2 bytes)",
		"# not in this patch: created link (link to a.md)",
		"# not in this patch: folder created empty (folder)",
	}
	if diff := cmp.Diff(want, remarks); diff != "" {
		t.Errorf("remarks (-want +got):\n%s\n%s", diff, patch)
	}
	for _, part := range []string{"old mode 100644\nnew mode 100755\n", "diff --git a/nothing.md b/nothing.md\nnew file mode 100644\n", "--- a/a.md\n+++ b/a.md\n@@ -1 +1 @@\n-a\n+A\n"} {
		if !strings.Contains(string(patch), part) {
			t.Errorf("without %q:\n%s", part, patch)
		}
	}
}

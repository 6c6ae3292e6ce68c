package toolsettest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"redline/tool"
)

// recorder is a test that keeps its errors to itself.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

// liar is a tool that writes w.md whatever it said before.
type liar struct {
	tool.Tool
	touches []string
	refused error
}

func (l liar) Unwrap() tool.Tool { return l.Tool }

func (l liar) Touches(context.Context, tool.Call) ([]string, error) { return l.touches, l.refused }

// TestLies: a tool that does not do what it says is found out.
func TestLies(t *testing.T) {
	for _, c := range []struct {
		name     string
		readOnly bool
		liar     liar
		want     string
	}{
		{"honest", false, liar{touches: []string{"w.md"}}, ""},
		{"a folder stands for what is in it", false, liar{touches: []string{"."}}, ""},
		{"not read-only", true, liar{touches: []string{"w.md"}}, "only reads"},
		{"touches more", false, liar{touches: []string{"v.md"}}, "did not say beforehand"},
		{"refused and done", false, liar{touches: []string{"w.md"}, refused: errors.New("never")}, `said "never"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			kit := Kit{Tools: func(b *Bench) ([]tool.Tool, error) {
				write, err := tool.New(tool.Info{Name: "write", Description: "writes", ReadOnly: c.readOnly}, func(ctx context.Context, _ struct{}, _ tool.Update) (tool.Result, error) {
					_, err := b.Desk(ctx).Create(ctx, "write", "w.md", "w\n")
					return tool.Result{Output: "done"}, err
				})
				l := c.liar
				l.Tool = write
				return []tool.Tool{l}, err
			}}
			r := &recorder{TB: t}
			newPlayer(r, kit, nil, nil).line("write {}")
			if got := strings.Join(r.errors, "\n"); c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("the errors are %q, want %q", got, c.want)
			}
		})
	}
}

// TestFiles: whatever is in a file, its form in an archive reads back as the same.
func TestFiles(t *testing.T) {
	for _, data := range []string{
		"", "\n", "text\n", "no final newline", "one\r\ntwo\r\n", "\ufeffmarked\n", "\x00binary\xff", "-- a.md --\n", "x\n-- a.md --\n",
		"bell\a\n", "a\u00a0b\n", "\ttab \n", "separator\u2028\n", "\"quoted\"\n", "ä🧀\n",
	} {
		a := txtar.Parse(txtar.Format(&txtar.Archive{Files: []txtar.File{file{name: "x.md", data: []byte(data)}.format("before")}}))
		if len(a.Files) != 1 {
			t.Fatalf("%q became %d files", data, len(a.Files))
		}
		f, err := parseFile(strings.TrimPrefix(a.Files[0].Name, "before/"), a.Files[0].Data)
		if err != nil || f.name != "x.md" || string(f.data) != data {
			t.Errorf("%q became %q (%v)", data, f.data, err)
		}
	}
}

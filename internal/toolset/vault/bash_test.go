package vault_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"redline/internal/ledger"
	"redline/internal/session"
	"redline/internal/toolset/toolsettest"
	"redline/internal/toolset/vault"
	"redline/llm"
	"redline/tool"
)

// rig is a vault with its tools.
type rig struct {
	*toolsettest.Bench
	t   *testing.T
	set tool.Set
}

func newRig(t *testing.T, o vault.Options, files map[string]string) *rig {
	t.Helper()
	b := toolsettest.NewBench(t, kit(o), files)
	b.Desk(t.Context())
	return &rig{b, t, b.Set()}
}

func bashCall(id, command string) llm.ToolCall {
	arguments, _ := json.Marshal(map[string]string{"command": command})
	return llm.ToolCall{ID: id, Name: "bash", Arguments: arguments}
}

// bash is the tool, with what it says beforehand.
func (r *rig) bash() interface {
	tool.Tool
	session.Toucher
	Destructive(tool.Call) bool
} {
	r.t.Helper()
	t, err := r.set.Find("bash")
	if err != nil {
		r.t.Fatal(err)
	}
	b, ok := tool.As[interface {
		tool.Tool
		session.Toucher
		Destructive(tool.Call) bool
	}](t)
	if !ok {
		r.t.Fatal("bash cannot tell what it touches")
	}
	return b
}

func (r *rig) touches(call llm.ToolCall) []string {
	r.t.Helper()
	paths, err := r.bash().Touches(r.t.Context(), tool.Call{ID: call.ID, Name: call.Name, Arguments: call.Arguments})
	if err != nil {
		r.t.Fatal(err)
	}
	return paths
}

func (r *rig) run(call llm.ToolCall) tool.Result {
	return tool.Run(r.t.Context(), r.set, call, nil)
}

func (r *rig) disk(name string) string {
	data, err := os.ReadFile(filepath.Join(r.Dir, name))
	if err != nil {
		return "(gone)"
	}
	return string(data)
}

func (r *rig) write(name, content string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.Dir, name), []byte(content), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// TestBashTriedOnce: what was found out before a call is what the call does. A command
// whose output is another each time shows it.
func TestBashTriedOnce(t *testing.T) {
	r := newRig(t, vault.Options{}, map[string]string{"a.md": "A\n"})
	call := bashCall("1", "date +%N > now.md; cat now.md")
	if d := cmp.Diff([]string{"now.md"}, r.touches(call)); d != "" {
		t.Fatal(d)
	}
	if got := r.disk("now.md"); got != "(gone)" {
		t.Fatalf("it is there before the call: %q", got)
	}
	first := r.touches(call)
	out := r.run(call)
	if len(first) != 1 || !strings.Contains(out.Output, r.disk("now.md")) {
		t.Errorf("the file %q is not the output:\n%s", r.disk("now.md"), out.Output)
	}
	// The same call again is another one: nothing is left of the first.
	before := r.disk("now.md")
	if r.run(call); r.disk("now.md") == before {
		t.Error("the second run has the outcome of the first")
	}
}

// TestBashOtherCall: an outcome is for the call that it was found out for, and for the
// turn as it was.
func TestBashOtherCall(t *testing.T) {
	r := newRig(t, vault.Options{Allow: allow(t, "+rm")}, map[string]string{"a.md": "A\n", "b.md": "B\n"})
	remove := bashCall("1", "rm *.md")
	if d := cmp.Diff([]string{"a.md", "b.md"}, r.touches(remove)); d != "" {
		t.Error(d)
	}
	destroys := func(c llm.ToolCall) bool {
		return r.bash().Destructive(tool.Call{ID: c.ID, Name: c.Name, Arguments: c.Arguments})
	}
	if !destroys(remove) || destroys(bashCall("2", "rm *.md")) || destroys(bashCall("1", "rm a.md")) {
		t.Error("it is not the call that is destructive")
	}
	if out := r.run(bashCall("3", "echo C > c.md")); out.IsError {
		t.Fatal(out.Output)
	}
	if destroys(remove) {
		t.Error("the turn has changed, so the outcome is not known any more")
	}
	if d := cmp.Diff([]string{"a.md", "b.md", "c.md"}, r.touches(remove)); d != "" {
		t.Error(d)
	}
	if out := r.run(remove); out.IsError || r.disk("c.md") != "(gone)" {
		t.Error(out.Output)
	}
}

// TestBashStale: what another program wrote in the meantime is not overwritten, and
// nothing of the command is done.
func TestBashStale(t *testing.T) {
	for name, meddle := range map[string]func(r *rig){
		"a file that is changed":  func(r *rig) { r.write("a.md", "theirs\n") },
		"a file that is made":     func(r *rig) { r.write("new.md", "theirs\n") },
		"a file that is moved to": func(r *rig) { r.write("c.md", "theirs\n") },
		"a file that is gone":     func(r *rig) { os.RemoveAll(filepath.Join(r.Dir, "a.md")) },
		"a file that is removed":  func(r *rig) { r.write("e.md", "theirs\n") },
		"a file that is replaced": func(r *rig) { r.write("g.md", "theirs\n") },
	} {
		r := newRig(t, vault.Options{Allow: allow(t, "+rm")}, map[string]string{"a.md": "A\n", "b.md": "B\n", "d.md": "D\n", "e.md": "E\n", "f.md": "F\n", "g.md": "G\n"})
		call := bashCall("1", "echo x >> a.md; echo y > new.md; mv b.md c.md; echo z > d.md; rm e.md; mv f.md g.md")
		r.touches(call)
		meddle(r)
		out := r.run(call)
		if !out.IsError || out.Output != "Error: the vault has changed while the command ran, so nothing of what it did was kept. Run it again." {
			t.Errorf("%s: %s", name, out.Output)
		}
		if r.disk("d.md") != "D\n" || r.disk("b.md") != "B\n" {
			t.Errorf("%s: a part was done", name)
		}
		if out := r.run(call); out.IsError {
			t.Errorf("%s: the second time: %s", name, out.Output)
		}
	}
}

// TestBashAbort: an aborted command has changed nothing.
func TestBashAbort(t *testing.T) {
	r := newRig(t, vault.Options{}, map[string]string{"a.md": "A\n"})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := tool.Run(ctx, r.set, bashCall("1", "echo x > a.md; echo ready; while true; do :; done"), func(u tool.Result) {
		if strings.Contains(u.Output, "ready") {
			cancel()
		}
	})
	if !out.IsError || !strings.Contains(out.Output, "nothing was changed: the command was aborted") {
		t.Error(out.Output)
	}
	if _, err := r.bash().Touches(ctx, tool.Call{ID: "2", Name: "bash", Arguments: bashCall("2", "echo x").Arguments}); err == nil {
		t.Error("what an aborted call touches can be told")
	}
	if record := r.EndTurn(); r.disk("a.md") != "A\n" || record.Status != ledger.Empty {
		t.Errorf("%q is there, and the turn is %s", r.disk("a.md"), record.Status)
	}
}

// TestBashStreams: while a command runs, the end of what it has written is shown, in
// whole characters.
func TestBashStreams(t *testing.T) {
	r := newRig(t, vault.Options{}, nil)
	last := ""
	tool.Run(t.Context(), r.set, bashCall("1", "echo begin >&2; for i in $(seq 1 2000); do echo \"ä $i €€€\"; done"), func(u tool.Result) {
		last = u.Output
		if len(last) > 16<<10 || !utf8.ValidString(last) {
			t.Errorf("%d bytes are shown, valid: %v", len(last), utf8.ValidString(last))
		}
	})
	if !strings.HasSuffix(last, "ä 2000 €€€\n") || strings.Contains(last, "begin") {
		t.Errorf("in the end %.40q … %.40q is shown", last, last[max(len(last)-40, 0):])
	}
}

// TestBashNoteIsNoContent: what the tool says of a command is not written to a file.
func TestBashNoteIsNoContent(t *testing.T) {
	r := newRig(t, vault.Options{MaxOutput: 64}, nil)
	out := r.run(bashCall("1", "seq 1 1000"))
	stdout, _, _ := strings.Cut(strings.TrimPrefix(out.Output, "stdout:\n"), "\nstderr:")
	if !strings.Contains(stdout, "bytes left out]") {
		t.Fatal(out.Output)
	}
	write := func(content string) tool.Result {
		arguments, _ := json.Marshal(map[string]string{"path": "numbers.txt", "content": content})
		return r.run(llm.ToolCall{ID: "2", Name: "write_file", Arguments: arguments})
	}
	if out := write(stdout + "\n"); !out.IsError {
		t.Errorf("the note became a file: %s", out.Output)
	}
	r.run(bashCall("3", "touch a-name-that-is-long-enough.md"))
	if out := write("created: a-name-that-is-long-enough.md"); !out.IsError {
		t.Errorf("the names of files became a file: %s", out.Output)
	}
	if out := write("1\n2\n3\n"); out.IsError {
		t.Error(out.Output)
	}
}

// TestBashChangesMuch: the lists of files have a bound, and say so; the ledger has them
// all.
func TestBashChangesMuch(t *testing.T) {
	r := newRig(t, vault.Options{}, nil)
	out := r.run(bashCall("1", "mkdir new; cd new; touch $(seq 1001 1250)"))
	details, _ := json.Marshal(out.Details)
	var d struct {
		Created []string
		More    int
	}
	if err := json.Unmarshal(details, &d); err != nil || len(d.Created) != 200 || d.More != 50 {
		t.Errorf("%d created, %d more: %v", len(d.Created), d.More, err)
	}
	if !strings.HasSuffix(out.Output, ", new/1020 and 230 more") {
		t.Error(out.Output)
	}
	if record := r.EndTurn(); len(record.Changes) != 251 {
		t.Errorf("%d changes on record", len(record.Changes))
	}
}

// TestBashManyAsked: more calls than outcomes are kept for are found out again, and all
// of them do what they said.
func TestBashManyAsked(t *testing.T) {
	r := newRig(t, vault.Options{}, nil)
	var calls []llm.ToolCall
	for _, name := range strings.Fields("a b c d e f g h") {
		call := bashCall(name, "echo "+name+" > "+name+".md")
		calls = append(calls, call)
		r.touches(call)
	}
	for _, call := range calls {
		if out := r.run(call); out.IsError || r.disk(call.ID+".md") != call.ID+"\n" {
			t.Errorf("%s: %s", call.ID, out.Output)
		}
	}
}

// TestBashUnattended: a command that nobody can be asked about does not run, and one
// that needs no question does.
func TestBashUnattended(t *testing.T) {
	r := newRig(t, vault.Options{Allow: allow(t, "+rm"), Timeout: 5 * time.Second}, map[string]string{"a.md": "A\n"})
	guarded, err := session.Guard(r.set, session.Config{Mode: session.Supervised, Review: ledger.Auto, Limits: session.DefaultsFor("vault").Limits, Audit: r.Ledger})
	if err != nil {
		t.Fatal(err)
	}
	if out := tool.Run(t.Context(), guarded, bashCall("1", "rm a.md"), nil); !out.IsError || out.EndRun == "" || r.disk("a.md") != "A\n" {
		t.Errorf("%s %s", out.EndRun, out.Output)
	}
	if out := tool.Run(t.Context(), guarded, bashCall("2", "echo B > a.md"), nil); out.IsError || r.disk("a.md") != "B\n" {
		t.Error(out.Output)
	}
}

package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/internal/ledger"
	"redline/internal/session"
	"redline/llm"
	"redline/tool"
)

func TestParseMode(t *testing.T) {
	for _, m := range []session.Mode{session.Autonomous, session.Supervised, session.Restricted, session.Custom} {
		if got, err := session.ParseMode(string(m)); got != m || err != nil {
			t.Errorf("%s: %s, %v", m, got, err)
		}
	}
	for _, name := range []string{"", "Supervised", "yolo"} {
		_, err := session.ParseMode(name)
		if want := fmt.Sprintf("there is no mode %q; choose autonomous, supervised, restricted or custom", name); err == nil || err.Error() != want {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestOffer(t *testing.T) {
	set := new(toolbox).set(t)
	for mode, want := range map[session.Mode]string{
		session.Autonomous: "read_document edit_document delete_document bash script",
		session.Supervised: "read_document edit_document delete_document bash script",
		session.Custom:     "read_document edit_document delete_document bash script",
		session.Restricted: "read_document",
	} {
		for what, offered := range map[string]tool.Set{"Offer": session.Offer(mode, set), "Guard": guard(t, set, session.Config{Mode: mode})} {
			var names []string
			for _, s := range offered.Specs() {
				names = append(names, s.Name)
			}
			if got := strings.Join(names, " "); got != want {
				t.Errorf("%s, %s: %s, want %s", mode, what, got, want)
			}
		}
	}
}

// Rules of custom mode for the tables below.
var tableRules = session.Rules{
	{Path: "closed/**", Verdict: session.Deny},
	{Path: "drafts/**", Verdict: session.Allow},
	{Path: "watched/**", Verdict: session.Ask},
	{Tool: "bash", Path: "**", Verdict: session.Ask},
	{Tool: "read_document", Verdict: session.Allow},
}

func bulk(n int) []string {
	var files []string
	for i := range n {
		files = append(files, fmt.Sprintf("many/%d.md", i+1))
	}
	return files
}

// TestDecisions writes down what becomes of calls under every mode and review.
func TestDecisions(t *testing.T) {
	calls := [][2]string{
		{"read_document", "closed/a.md"}, {"edit_document", "a.md"}, {"edit_document", ".hidden"}, {"edit_document", "ten"}, {"edit_document", "eleven"},
		{"delete_document", "a.md"}, {"delete_document", "drafts/a.md"}, {"edit_document", "watched/a.md"}, {"edit_document", "closed/a.md"},
		{"edit_document", "mixed"}, {"delete_document", "worse"}, {"bash", "ls"}, {"bash", "rm -r x"}, {"script", "ls"},
	}
	box := &toolbox{files: map[string][]string{
		"ten": bulk(10), "eleven": bulk(11), "mixed": {"drafts/a.md", ".hidden"}, "worse": {"drafts/a.md", "watched/a.md", "closed/a.md"},
	}}
	var out strings.Builder
	out.WriteString(`What becomes of a call. The folders ten and eleven have as many files, mixed has
drafts/a.md and .hidden, worse has drafts/a.md, watched/a.md and closed/a.md.
"asks" means: yes runs it, approved; no, or nobody to ask, ends the run.
The rules of custom mode are:
`)
	for _, r := range tableRules {
		fmt.Fprintf(&out, "  %s\n", r)
	}
	for _, mode := range []session.Mode{session.Autonomous, session.Supervised, session.Restricted, session.Custom} {
		for _, reviews := range [][]ledger.Review{{ledger.Optimistic, ledger.Auto}, {ledger.Hunks, ledger.WholeTurn}} {
			fmt.Fprintf(&out, "\n%s, review %s or %s\n", mode, reviews[0], reviews[1])
			for _, c := range calls {
				config := session.Config{Mode: mode, Rules: tableRules, Limits: session.Limits{Bulk: 10}, Review: reviews[0]}
				what := decision(t, box, config, c)
				config.Review = reviews[1]
				if same := decision(t, box, config, c); same != what {
					t.Errorf("%s, %v: review %s %q, %s %q", mode, c, reviews[0], what, reviews[1], same)
				}
				fmt.Fprintf(&out, "  %-16s %-12s %s\n", c[0], c[1], what)
			}
		}
	}
	golden(t, "decisions.txt", out.String())
}

// decision is what becomes of a call.
func decision(t *testing.T, box *toolbox, c session.Config, of [2]string) string {
	t.Helper()
	key := "path"
	if of[0] == "bash" || of[0] == "script" {
		key = "command"
	}
	arguments, _ := json.Marshal(map[string]string{key: of[1]})
	play := func(asker session.Asker) (string, tool.Result) {
		c.Asker = asker
		r := call(t.Context(), guard(t, box.set(t), c), of[0], string(arguments))
		return strings.Join(box.took(), "; "), r
	}
	ran, r := play(nil)
	agreeing, refusing := saying(yes), saying(no)
	agreed, _ := play(agreeing)
	refused, cancelled := play(refusing)
	switch {
	case len(agreeing.asked) != len(refusing.asked):
		t.Errorf("%v is asked about %d or %d times", of, len(agreeing.asked), len(refusing.asked))
	case len(agreeing.asked) == 0:
		if agreed != ran || refused != ran {
			t.Errorf("%v is not asked about, and does %q, %q or %q", of, ran, agreed, refused)
		}
	case ran != "" || r.EndRun != session.Unattended || !strings.HasSuffix(agreed, " approved") || refused != "" || cancelled.EndRun != tool.Cancelled:
		t.Errorf("%v asks; nobody: %q, %q; yes: %q; no: %q, %q", of, ran, r.EndRun, agreed, refused, cancelled.EndRun)
	}
	switch {
	case len(agreeing.asked) > 0:
		return "asks: " + string(agreeing.asked[0].Why)
	case strings.HasSuffix(ran, " approved"):
		return "runs, approved"
	case ran != "":
		return "runs"
	}
	if r.EndRun != "" {
		t.Errorf("%v ends the run: %q", of, r.EndRun)
	}
	_, why, _ := strings.Cut(r.Output, " did not run: ")
	why, _, _ = strings.Cut(why, ";")
	return string(r.Code()) + ": " + why
}

func TestGuardRefusesConfigurations(t *testing.T) {
	good := session.Config{Mode: session.Custom, Review: ledger.Auto, Audit: new(auditLog)}
	for want, change := range map[string]func(*session.Config){
		"": func(*session.Config) {},
		`there is no mode "x"; choose autonomous, supervised, restricted or custom`: func(c *session.Config) { c.Mode = "x" },
		`there is no review ""; choose optimistic, hunks, turn or auto`:             func(c *session.Config) { c.Review = "" },
		"tools need an audit log; give one":                                         func(c *session.Config) { c.Audit = nil },
		`rule 1: there is no verdict ""; choose allow, ask or deny`:                 func(c *session.Config) { c.Rules = session.Rules{{Tool: "x"}} },
	} {
		c := good
		change(&c)
		got := ""
		if _, err := session.Guard(new(toolbox).set(t), c); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestAbilities: what a tool can is found through the guard.
func TestAbilities(t *testing.T) {
	set := guard(t, new(toolbox).set(t), session.Config{})
	deleter, err := set.Find("delete_document")
	if err != nil {
		t.Fatal(err)
	}
	reader, err := set.Find("read_document")
	if err != nil {
		t.Fatal(err)
	}
	_, touches := tool.As[session.Toucher](deleter)
	_, asks := tool.As[session.Cautious](deleter)
	if tool.Label(deleter) != "Delete Document" || !tool.IsDestructive(deleter, tool.Call{}) || tool.IsReadOnly(deleter) || !tool.IsReadOnly(reader) || !touches || !asks {
		t.Error("an ability is lost")
	}
}

// TestWords: what the model and the user are told.
func TestWords(t *testing.T) {
	rules := session.Rules{{Tool: "edit_*", Path: "closed/**", Verdict: session.Deny}}
	gone := &person{answer: func(session.Request) (session.Answer, error) { return session.Answer{}, session.ErrNobody }}
	broken := &person{answer: func(session.Request) (session.Answer, error) { return yes, errors.New("the terminal is gone") }}
	wrong := saying(session.Answer{Approve: true, Arguments: json.RawMessage(`{"pth":"b.md"}`)})
	tests := []struct {
		name      string
		config    session.Config
		tool      string
		path      string
		output    string
		endRun    string
		code      tool.Code
		audit     ledger.AuditResult
		auditSays string
	}{
		{"a rule denies", session.Config{Mode: session.Custom, Rules: rules}, "edit_document", "closed/a.md",
			"permission refused: edit_document did not run: a rule says so (deny tool edit_*, path closed/**); do not try it again, choose another way", "",
			tool.CodeDenied, ledger.AuditRejected, "=output"},
		{"the user denies", session.Config{Asker: saying(no)}, "delete_document", "a.md",
			"Action cancelled by user.", "Action cancelled by user.", tool.CodeDenied, ledger.AuditRejected, "=output"},
		{"the user denies in custom mode", session.Config{Mode: session.Custom, Asker: saying(no)}, "delete_document", "a.md",
			"Action cancelled by user.", "Action cancelled by user.", tool.CodeDenied, ledger.AuditRejected, "=output"},
		{"nobody is there", session.Config{}, "delete_document", "a.md",
			"permission refused: delete_document did not run: it needs the approval of the user, and nobody can be asked; leave it to them, with a terminal or in another mode",
			"Action refused: it needs approval, and nobody can be asked.", tool.CodeDenied, ledger.AuditRejected, "=output"},
		{"somebody was there", session.Config{Asker: gone}, "delete_document", "a.md",
			"permission refused: delete_document did not run: it needs the approval of the user, and nobody can be asked; leave it to them, with a terminal or in another mode",
			"Action refused: it needs approval, and nobody can be asked.", tool.CodeDenied, ledger.AuditRejected, "=output"},
		{"asking fails", session.Config{Asker: broken}, "delete_document", "a.md",
			"delete_document did not run, because the user could not be asked: the terminal is gone", "", tool.CodeFailed, ledger.AuditError, "=output"},
		{"changed to something wrong", session.Config{Asker: wrong}, "delete_document", "a.md",
			"delete_document did not run, because its arguments were changed and are wrong now: invalid arguments for delete_document:\n- path: missing, but required (string of ≥ 1 characters)\n- pth: unknown parameter \"pth\"; did you mean \"path\"?\nexpected: {path: string of ≥ 1 characters}",
			"", tool.CodeFailed, ledger.AuditError, "=output"},
		{"the tool fails", session.Config{}, "edit_document", "fail", "disk full", "", tool.CodeFailed, ledger.AuditError, "disk full"},
		{"the tool reports a failure", session.Config{}, "edit_document", "soft", "it did not work", "", "", ledger.AuditError, "=output"},
		{"it runs", session.Config{}, "edit_document", "a.md", "done", "", "", ledger.AuditSuccess, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			log := new(auditLog)
			test.config.Audit = log
			r := call(t.Context(), guard(t, new(toolbox).set(t), test.config), test.tool, `{"path":"`+test.path+`"}`)
			if r.Output != test.output || r.EndRun != test.endRun || r.Code() != test.code || r.IsError != (test.audit != ledger.AuditSuccess) {
				t.Errorf("%s, ends %q:\n%s\nwant %s, %q:\n%s", r.Code(), r.EndRun, r.Output, test.code, test.endRun, test.output)
			}
			if test.auditSays == "=output" {
				test.auditSays = test.output
			}
			if len(log.entries) != 1 || log.entries[0].Result != test.audit || log.entries[0].Error != test.auditSays {
				t.Errorf("audit %+v", log.entries)
			}
		})
	}
}

// TestChangedArguments: the call runs with exactly what the user made of it, the
// model is told, and the audit has what ran. A rule that denies still holds.
func TestChangedArguments(t *testing.T) {
	tests := []struct{ path, want string }{
		{"b.md", `delete_document {"path":"b.md"} approved`},
		{".hidden", `delete_document {"path":".hidden"} approved`},
		{"closed/b.md", ""},
	}
	for _, test := range tests {
		t.Run(test.path, func(t *testing.T) {
			box, log := new(toolbox), new(auditLog)
			asker := saying(session.Answer{Approve: true, Arguments: json.RawMessage(`{"path":"` + test.path + `"}`)})
			set := guard(t, box.set(t), session.Config{Mode: session.Custom, Rules: tableRules, Asker: asker, Audit: log})
			r := call(t.Context(), set, "delete_document", `{"path":"a.md"}`)
			if got := strings.Join(box.took(), "; "); got != test.want {
				t.Errorf("ran %q, want %q", got, test.want)
			}
			told := "[before it ran, the arguments were changed: path = \"" + test.path + "\"]"
			if strings.Contains(r.Output, told) != (test.want != "") || r.IsError != (test.want == "") || len(asker.asked) != 1 {
				t.Errorf("asked %d times, told %q", len(asker.asked), r.Output)
			}
			want := []string{`success delete_document {"path":"` + test.path + `"}`}
			if test.want == "" {
				want = []string{`rejected delete_document {"path":"a.md"}: ` + r.Output}
			}
			if d := cmp.Diff(want, log.lines()); d != "" {
				t.Errorf("audit (-want +got):\n%s", d)
			}
		})
	}
}

// TestMoreFilesThanShown: the user agrees to the files that were shown. If there
// are others by then, the question is put again; if there are fewer, not.
func TestMoreFilesThanShown(t *testing.T) {
	box := &toolbox{files: map[string][]string{"old": {"old/1", "old/2"}}}
	later := [][]string{{"old/1", "old/2", "old/3"}, {"old/2", "old/3", "old/4"}, {"old/3", "old/4"}}
	asker := &person{}
	asker.answer = func(session.Request) (session.Answer, error) {
		box.mu.Lock()
		defer box.mu.Unlock()
		if len(later) > 0 {
			box.files["old"], later = later[0], later[1:]
		}
		return yes, nil
	}
	r := call(t.Context(), guard(t, box.set(t), session.Config{Asker: asker}), "delete_document", `{"path":"old"}`)
	var shown [][]string
	for _, q := range asker.asked {
		shown = append(shown, q.Files)
	}
	if d := cmp.Diff([][]string{{"old/1", "old/2"}, {"old/1", "old/2", "old/3"}, {"old/2", "old/3", "old/4"}}, shown); d != "" || r.IsError {
		t.Errorf("%s; shown (-want +got):\n%s", r.Output, d)
	}
	if got := strings.Join(box.took(), "; "); got != `delete_document {"path":"old"} approved` {
		t.Error(got)
	}
}

// TestAgreementIsForTheCallShown: of calls that were asked about together one that
// did not run leaves nothing to a later call with its id.
func TestAgreementIsForTheCallShown(t *testing.T) {
	box, asker := new(toolbox), saying(yes)
	step := []tool.Call{{ID: "c1", Name: "bash", Arguments: json.RawMessage(`{"command":"rm a"}`)}, {ID: "c2", Name: "bash", Arguments: json.RawMessage(`{"command":"rm b"}`)}}
	set := guard(t, box.set(t), session.Config{Asker: asker, Step: func() []tool.Call { return step }})
	run := func(id, arguments string) {
		tool.Run(t.Context(), set, llm.ToolCall{ID: id, Name: "bash", Arguments: json.RawMessage(arguments)}, nil)
	}
	run("c1", `{"command":"rm a"}`)
	if len(asker.asked) != 1 || len(asker.asked[0].With) != 1 {
		t.Fatalf("asked %+v", asker.asked)
	}
	step = nil
	run("c2", `{"command":"rm everything"}`)
	if len(asker.asked) != 2 {
		t.Errorf("another call ran because of its id: %v", box.took())
	}
}

// TestDeniedMeanwhile: what a rule denies by the time the user agrees does not run.
func TestDeniedMeanwhile(t *testing.T) {
	box := &toolbox{files: map[string][]string{"old": {"old/1"}}}
	asker := &person{}
	asker.answer = func(session.Request) (session.Answer, error) {
		box.mu.Lock()
		defer box.mu.Unlock()
		box.files["old"] = []string{"old/1", "closed/2"}
		return yes, nil
	}
	r := call(t.Context(), guard(t, box.set(t), session.Config{Mode: session.Custom, Rules: tableRules, Asker: asker}), "delete_document", `{"path":"old"}`)
	if ran := box.took(); r.Code() != tool.CodeDenied || len(ran) > 0 || len(asker.asked) != 1 {
		t.Errorf("%q; ran %v; asked %d times", r.Output, ran, len(asker.asked))
	}
}

// TestTouchesFails: a call whose files cannot be told does not run, and fails with
// that error, details and all.
func TestTouchesFails(t *testing.T) {
	box, log := &toolbox{broken: &detailed{"no such document"}}, new(auditLog)
	asker := saying(yes)
	r := call(t.Context(), guard(t, box.set(t), session.Config{Asker: asker, Audit: log}), "delete_document", `{"path":"a.md"}`)
	if _, ok := r.Details.(*detailed); !ok || r.Output != "no such document" || !r.IsError {
		t.Errorf("%#v", r)
	}
	if ran := box.took(); len(ran) > 0 || len(asker.asked) > 0 {
		t.Errorf("ran %v, asked %d times", ran, len(asker.asked))
	}
	if d := cmp.Diff([]string{`error delete_document {"path":"a.md"}: no such document`}, log.lines()); d != "" {
		t.Error(d)
	}
	// In autonomous mode nobody has to know them.
	if r := call(t.Context(), guard(t, box.set(t), session.Config{Mode: session.Autonomous}), "delete_document", `{"path":"a.md"}`); r.IsError {
		t.Error(r.Output)
	}
}

type detailed struct{ words string }

func (e *detailed) Error() string { return e.words }
func (e *detailed) Details() any  { return e }

// TestApprovalIsForOneCall: a call that runs inside of an approved one is not
// approved by that.
func TestApprovalIsForOneCall(t *testing.T) {
	box := new(toolbox)
	inner := guard(t, box.set(t), session.Config{Mode: session.Supervised})
	outer := tool.Must(tool.New(tool.Info{Name: "transform", Description: "for tests", Destructive: true}, func(ctx context.Context, _ struct{}, _ tool.Update) (tool.Result, error) {
		if !tool.Approved(ctx) {
			t.Error("the outer call is not approved")
		}
		return tool.Run(ctx, inner, llm.ToolCall{Name: "edit_document", Arguments: []byte(`{"path":"a.md"}`)}, nil), nil
	}))
	set, err := tool.NewSet(outer)
	if err != nil {
		t.Fatal(err)
	}
	r := call(t.Context(), guard(t, set, session.Config{Asker: saying(yes)}), "transform", `{}`)
	if got := strings.Join(box.took(), "; "); got != `edit_document {"path":"a.md"}` || r.IsError {
		t.Errorf("%q, %s", got, r.Output)
	}
}

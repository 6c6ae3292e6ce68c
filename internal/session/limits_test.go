package session_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"redline/agent"
	"redline/internal/session"
	"redline/llm/scripted"
	"redline/tool"
)

// TestDefaults writes down the defaults of every toolset, as the doc of the
// package draws them.
func TestDefaults(t *testing.T) {
	var out strings.Builder
	for _, toolset := range []string{"documents", "project", "tabs", "vault", "coding", "another"} {
		d := session.DefaultsFor(toolset)
		l, temperature := session.DefaultsFor(toolset).Limits, "–"
		if l.Temperature != nil {
			temperature = fmt.Sprint(*l.Temperature)
		}
		fmt.Fprintf(&out, "%s: review %s, mode %s\n", toolset, d.Review, d.Mode)
		fmt.Fprintf(&out, "  maxActionsPerRequest %d, maxIterations %d, max_tool_calls_per_job %d, max_schema_retries %d\n", l.Actions, l.Iterations, l.ToolCalls, l.SchemaRetries)
		fmt.Fprintf(&out, "  maxTokensPerIteration %d, temperature %s, bulk %d, maxDestructivePerMinute %d, wallTime %s\n", l.TokensPerIteration, temperature, l.Bulk, l.DestructivePerMinute, l.Wall)
		a := l.Agent()
		if a.Iterations != l.Iterations || a.ToolCalls != l.ToolCalls || a.TokensPerIteration != l.TokensPerIteration || a.Temperature != l.Temperature || a.Wall != l.Wall || a.SchemaRetries != l.SchemaRetries {
			t.Errorf("%s: the agent gets %+v of %+v", toolset, a, l)
		}
	}
	golden(t, "defaults.txt", out.String())
}

// TestDefaultsAreCopies: nobody changes the defaults of others.
func TestDefaultsAreCopies(t *testing.T) {
	*session.DefaultsFor("documents").Limits.Temperature = 2
	if got := *session.DefaultsFor("documents").Limits.Temperature; got != 0.7 {
		t.Error(got)
	}
}

// TestActions: reading is free; the action after the last allowed one is refused
// and ends the run, and says by which limit.
func TestActions(t *testing.T) {
	box, log := new(toolbox), new(auditLog)
	set := guard(t, box.set(t), session.Config{Mode: session.Autonomous, Limits: session.DefaultsFor("documents").Limits, Audit: log})
	for i := range 20 {
		for _, name := range []string{"edit_document", "read_document"} {
			if r := call(t.Context(), set, name, fmt.Sprintf(`{"path":"%d.md"}`, i)); r.IsError || r.EndRun != "" {
				t.Fatalf("%s %d: %s", name, i, r.Output)
			}
		}
	}
	box.took()
	r := call(t.Context(), set, "edit_document", `{"path":"one too many.md"}`)
	want := "edit_document did not run. The limit of 20 actions a request (maxActionsPerRequest) is reached. Sum up what was done and what is left."
	if r.Output != want || r.EndRun != "The limit of 20 actions a request (maxActionsPerRequest) is reached." || r.Code() != session.CodeLimit || !r.IsError {
		t.Errorf("%s %q, ends %q", r.Code(), r.Output, r.EndRun)
	}
	if ran := box.took(); len(ran) > 0 {
		t.Errorf("ran %v", ran)
	}
	if r := call(t.Context(), set, "read_document", `{"path":"a.md"}`); r.IsError {
		t.Errorf("reading: %s", r.Output)
	}
	lines := log.lines()
	if got := lines[len(lines)-2]; got != `rejected edit_document {"path":"one too many.md"}: `+want {
		t.Errorf("audit %q", got)
	}
}

// TestRunEndsByName: under an agent, the limit that ended the run is told to the
// user and stays in the conversation for the model.
func TestRunEndsByName(t *testing.T) {
	edit := scripted.Call{Name: "edit_document", Arguments: `{"path":"a.md"}`}
	box := new(toolbox)
	limits := session.Limits{Actions: 2}
	a := agent.New(agent.Config{
		Provider: scripted.New(scripted.Step{Calls: []scripted.Call{edit, edit}}, scripted.Step{Calls: []scripted.Call{edit, edit}}),
		Model:    scripted.Model(), Limits: limits.Agent(),
		Tools: guard(t, box.set(t), session.Config{Mode: session.Autonomous, Limits: limits}),
	})
	out, err := a.Prompt(t.Context(), "go")
	if err != nil {
		t.Fatal(err)
	}
	messages := a.State().Messages
	last := messages[len(messages)-1].Text()
	if want := "The limit of 2 actions a request (maxActionsPerRequest) is reached."; out.End != agent.EndStopped || out.Reason != want || last != want {
		t.Errorf("%s %q, last words %q", out.End, out.Reason, last)
	}
	if got := out.Summary(); got != "Stopped: The limit of 2 actions a request (maxActionsPerRequest) is reached. Done so far: edit_document ×2. Failed: 1. Not run: 1." {
		t.Errorf("%q", got)
	}
	if ran := box.took(); len(ran) != 2 {
		t.Errorf("ran %v", ran)
	}
}

// TestAlone: without an agent the limits of calls and time are kept here; with one
// they are its own.
func TestAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limits := session.Limits{ToolCalls: 3, Wall: time.Minute}
		for _, alone := range []bool{false, true} {
			c := session.Config{Mode: session.Autonomous, Limits: limits, Alone: alone}
			set := guard(t, new(toolbox).set(t), c)
			call(t.Context(), set, "read_document", `{}`) // invalid, and counts
			call(t.Context(), set, "read_document", `{"path":"a"}`)
			if r := call(t.Context(), set, "read_document", `{"path":"a"}`); r.IsError {
				t.Error(r.Output)
			}
			r := call(t.Context(), set, "read_document", `{"path":"a"}`)
			if r.IsError != alone || alone && r.EndRun != "The limit of 3 tool calls a job (max_tool_calls_per_job) is reached." {
				t.Errorf("alone %v: %s, ends %q", alone, r.Output, r.EndRun)
			}
			set = guard(t, new(toolbox).set(t), c)
			time.Sleep(time.Minute - time.Nanosecond)
			if r := call(t.Context(), set, "read_document", `{"path":"a"}`); r.IsError {
				t.Error(r.Output)
			}
			time.Sleep(time.Nanosecond)
			r = call(t.Context(), set, "read_document", `{"path":"a"}`)
			if r.IsError != alone || alone && (r.EndRun != "The time limit of 1m0s (wallTime) is reached." || r.Code() != session.CodeLimit) {
				t.Errorf("alone %v: %s, ends %q", alone, r.Output, r.EndRun)
			}
		}
	})
}

// TestDestructiveRate plays destructive calls in time. Requests of a session share
// the rate.
func TestDestructiveRate(t *testing.T) {
	steps := []struct {
		after time.Duration // since the step before
		tool  string
		path  string
		wait  string // "": it runs
	}{
		{0, "delete_document", "ten", ""},
		{20 * time.Second, "delete_document", "nine", ""},
		{0, "delete_document", "a", ""}, // twenty
		{0, "delete_document", "b", "40s"},
		{0, "edit_document", "b", ""}, // not destructive
		{0, "delete_document", "denied", "40s"},
		{39500 * time.Millisecond, "delete_document", "b", "1s"},
		{500 * time.Millisecond, "delete_document", "eleven", ""}, // the ten are a minute old
		{0, "delete_document", "c", "20s"},
		{20 * time.Second, "delete_document", "thirty", ""}, // more than a whole minute's, in one call
		{0, "delete_document", "c", "1m0s"},
		{40 * time.Second, "delete_document", "c", "20s"},
		{20 * time.Second, "delete_document", "c", ""},
	}
	synctest.Test(t, func(t *testing.T) {
		box := &toolbox{files: map[string][]string{"nine": bulk(9), "ten": bulk(10), "eleven": bulk(11), "thirty": bulk(30)}}
		rate, asker := new(session.Rate), saying(yes)
		for i, s := range steps {
			time.Sleep(s.after)
			set := guard(t, box.set(t), session.Config{Limits: session.DefaultsFor("documents").Limits, Rate: rate, Asker: asker})
			asker.asked = nil
			r := call(t.Context(), set, s.tool, `{"path":"`+s.path+`"}`)
			ran := len(box.took()) == 1
			if s.wait == "" {
				if !ran || r.IsError {
					t.Errorf("step %d, %s %s: %s", i, s.tool, s.path, r.Output)
				}
				continue
			}
			want := "delete_document did not run. The limit of 20 files a minute for destructive calls (maxDestructivePerMinute) is reached; such a call may run again in " + s.wait + ". Go on with something else, or sum up what was done and what is left."
			if ran || r.Output != want || r.EndRun != "" || r.Code() != session.CodeRateLimited || len(asker.asked) > 0 {
				t.Errorf("step %d, %s %s: ran %v, asked %d times, ends %q, %s: %s", i, s.tool, s.path, ran, len(asker.asked), r.EndRun, r.Code(), r.Output)
			}
		}
	})
}

// TestRateCountsWhatRan: what was denied or failed validation takes nothing; what
// the user changed takes its own files.
func TestRateCountsWhatRan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := &toolbox{files: map[string][]string{"two": bulk(2)}}
		rate := new(session.Rate)
		play := func(a session.Answer, arguments string) tool.Result {
			return call(t.Context(), guard(t, box.set(t), session.Config{Limits: session.Limits{DestructivePerMinute: 2}, Rate: rate, Asker: saying(a)}), "delete_document", arguments)
		}
		for range 5 {
			play(no, `{"path":"two"}`)
			play(yes, `{}`)
		}
		if r := play(session.Answer{Approve: true, Arguments: []byte(`{"path":"a"}`)}, `{"path":"two"}`); r.IsError {
			t.Error(r.Output)
		}
		if r := play(session.Answer{Approve: true, Arguments: []byte(`{"path":"two"}`)}, `{"path":"a"}`); r.IsError {
			t.Error(r.Output)
		}
		if r := play(yes, `{"path":"a"}`); r.Code() != session.CodeRateLimited {
			t.Error(r.Output)
		}
	})
}

// TestRateOfUnknownFiles: a destructive call that cannot tell its files takes one.
func TestRateOfUnknownFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set := guard(t, new(toolbox).set(t), session.Config{Mode: session.Autonomous, Limits: session.Limits{DestructivePerMinute: 2}})
		for i, want := range []bool{false, false, true} {
			if r := call(t.Context(), set, "bash", `{"command":"rm a"}`); r.IsError != want {
				t.Errorf("call %d: %s", i, r.Output)
			}
			if r := call(t.Context(), set, "bash", `{"command":"ls"}`); r.IsError {
				t.Errorf("call %d: %s", i, r.Output)
			}
		}
	})
}

// TestRateWhileAsking: calls that were asked about at the same time do not pass
// the limit together.
func TestRateWhileAsking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box, rate, log := new(toolbox), new(session.Rate), new(auditLog)
		asker := &waiting{answers: make(chan session.Answer)}
		tools := box.set(t)
		var wg sync.WaitGroup
		for i := range 10 { // each with a guard of its own, so that all are asked at once
			wg.Go(func() {
				set := guard(t, tools, session.Config{Limits: session.Limits{DestructivePerMinute: 3}, Rate: rate, Asker: asker, Audit: log})
				call(t.Context(), set, "delete_document", fmt.Sprintf(`{"path":"%d"}`, i))
			})
		}
		synctest.Wait()
		if asker.open != 10 {
			t.Errorf("%d are asked about", asker.open)
		}
		for range 10 {
			asker.answers <- yes
		}
		wg.Wait()
		if ran, rejected := box.took(), strings.Count(strings.Join(log.lines(), "\n"), "rejected"); len(ran) != 3 || rejected != 7 {
			t.Errorf("ran %v, %d rejected", ran, rejected)
		}
	})
}

// TestNoLimits: zero is none.
func TestNoLimits(t *testing.T) {
	box := &toolbox{files: map[string][]string{"many": bulk(100)}}
	set := guard(t, box.set(t), session.Config{Alone: true})
	for range 100 {
		if r := call(t.Context(), set, "edit_document", `{"path":"many"}`); r.IsError {
			t.Fatal(r.Output)
		}
	}
	set = guard(t, box.set(t), session.Config{Mode: session.Autonomous})
	for range 100 {
		if r := call(t.Context(), set, "delete_document", `{"path":"many"}`); r.IsError {
			t.Fatal(r.Output)
		}
	}
}

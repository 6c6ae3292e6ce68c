package scripted_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"redline/llm"
	"redline/llm/llmtest"
	"redline/llm/scripted"
)

// TestScripts replays each archive in testdata: a script, what is asked (a
// message on each line; "> " before it makes it the output of a tool), and the
// events that come, with the time at which they do.
func TestScripts(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			script, asked, want := a.Files[0], string(a.Files[1].Data), &a.Files[2]
			var got string
			synctest.Test(t, func(t *testing.T) { got = replay(t, script, asked) })
			if *llmtest.Update {
				want.Data = []byte(got)
				if err := os.WriteFile(path, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
			} else if d := cmp.Diff(string(want.Data), got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func replay(t *testing.T, script txtar.File, asked string) string {
	p, err := scripted.Parse(script.Name, script.Data)
	if err != nil {
		return fmt.Sprintln(err)
	}
	var out strings.Builder
	for line := range strings.Lines(asked) {
		m := llm.User(strings.TrimSuffix(line, "\n"))
		if output, ok := strings.CutPrefix(m.Text(), "> "); ok {
			m = llm.Answer(llm.ToolResult{CallID: "x", Name: "read_file", Output: output})
		}
		fmt.Fprintf(&out, "# %s", line)
		llmtest.Check(t, shown(&out, p.Stream(t.Context(), request(m))))
	}
	return out.String()
}

func request(m llm.Message) llm.Request {
	return llm.Request{Model: scripted.Model(), Messages: []llm.Message{m}, Tools: []llm.ToolSpec{{Name: "read_file"}, {Name: "search"}}}
}

// shown writes down the events of a stream as they pass.
func shown(out *strings.Builder, stream iter.Seq2[llm.Event, error]) iter.Seq2[llm.Event, error] {
	began := time.Now()
	return func(yield func(llm.Event, error) bool) {
		for ev, err := range stream {
			fmt.Fprintf(out, "%-5s %s\n", time.Since(began), line(ev))
			if !yield(ev, err) {
				return
			}
		}
	}
}

func line(ev llm.Event) string {
	s := fmt.Sprintf("%s %d", ev.Type, ev.Index)
	switch {
	case ev.Delta != "":
		s += fmt.Sprintf(" %q", ev.Delta)
	case ev.Name != "":
		s += fmt.Sprintf(" %s %s", ev.Name, ev.ID)
	case ev.Signature != "":
		s += " signed " + ev.Signature
	case ev.Type == llm.EventStart:
		s = fmt.Sprintf("start %s", ev.Reply.ResponseID)
	case ev.Type == llm.EventDone:
		s = fmt.Sprintf("done %s %+v", ev.Reply.Stop, ev.Reply.Usage)
		if f := ev.Reply.Failure; f != nil {
			s += fmt.Sprintf("\n      %s retry=%t after=%s: %s", f.Class, f.Retry, f.RetryAfter, f.Message)
		}
	}
	return s
}

// TestErrors: what is wrong with a script is told with its file, line and field.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ name, script, want string }{
		{"a.txt", "- text: x\n", "a.txt: a script's name ends in .yaml, .yml or .jsonl"},
		{"a.yaml", "", "a.yaml: the script has no steps"},
		{"a.yaml", "# nothing\n", "a.yaml: the script has no steps"},
		{"a.yaml", "steps: []\n", "a.yaml: the script has no steps"},
		{"a.jsonl", "\n", "a.jsonl: the script has no steps"},
		{"a.yaml", "hello\n", "a.yaml:1: the script: want an object, not a text"},
		{"a.yaml", "steps:\n- text: x\nspeed: 3\n", "a.yaml:3: speed: unknown field; known are repeat, steps"},
		{"a.yaml", "- text: x\n- txt: y\n", "a.yaml:2: steps[1].txt: unknown field; known are calls, chunk, cut, delay, error, expect, pause, signature, stop, text, thinking, usage"},
		{"a.yaml", "- text: x\n\n- text: y\n  calls:\n  - name: f\n    args: {}\n", "a.yaml:6: steps[1].calls[0].args: unknown field; known are arguments, id, name"},
		{"a.yaml", "- text: 42\n", "a.yaml:1: steps[0].text: want a text (put it in quotes), not a number"},
		{"a.yaml", "- text:\n", "a.yaml:1: steps[0].text: want a text (put it in quotes), not nothing"},
		{"a.yaml", "- text: x\n  delay: 5\n", "a.yaml:2: steps[0].delay: want a time such as 150ms or 2s, not 5"},
		{"a.yaml", "- text: x\n  delay: soon\n", `a.yaml:2: steps[0].delay: want a time such as 150ms or 2s, not "soon"`},
		{"a.yaml", "- text: x\n  delay: -1s\n", `a.yaml:2: steps[0].delay: want a time such as 150ms or 2s, not "-1s"`},
		{"a.yaml", "- text: x\n  chunk: 1.5\n", "a.yaml:2: steps[0].chunk: want a whole number from 0 up, not 1.5"},
		{"a.yaml", "- text: x\n  chunk: -1\n", "a.yaml:2: steps[0].chunk: want a whole number from 0 up, not -1"},
		{"a.yaml", "- text: x\n  chunk: two\n", "a.yaml:2: steps[0].chunk: want a whole number, not a text"},
		{"a.yaml", "repeat: often\nsteps:\n- text: x\n", "a.yaml:1: repeat: want true or false, not a text"},
		{"a.yaml", "- calls: f\n", "a.yaml:1: steps[0].calls: want a list, not a text"},
		{"a.yaml", "- calls:\n  - arguments: {}\n", "a.yaml:1: steps[0]: calls[0] has no name"},
		{"a.yaml", "- calls:\n  - name: f\n    arguments: [1]\n", "a.yaml:3: steps[0].calls[0].arguments: want an object, or a text that is sent as it stands, not a list"},
		{"a.yaml", "- expect:\n    tools: [1]\n", "a.yaml:2: steps[0].expect.tools[0]: want a text (put it in quotes), not a number"},
		{"a.yaml", "- text: x\n  stop: end_turn\n", `a.yaml:1: steps[0]: stop is "end_turn"; use one of stop, length, tool_use, content_filter, or error`},
		{"a.yaml", "- text: x\n  stop: tool_use\n", "a.yaml:1: steps[0]: stop is tool_use without calls"},
		{"a.yaml", "- calls: [{name: f}]\n  stop: stop\n", "a.yaml:1: steps[0]: stop is stop after calls; leave it out, or use tool_use"},
		{"a.yaml", "- error: {class: odd, message: x}\n", `a.yaml:1: steps[0]: error.class is "odd"; use one of auth, rate_limit, overloaded, context_too_large, invalid_request, network, timeout`},
		{"a.yaml", "- error: {class: auth}\n", "a.yaml:1: steps[0]: error has no message"},
		{"a.yaml", "- error: {class: auth, message: x}\n  stop: stop\n", "a.yaml:1: steps[0]: error and stop exclude each other"},
		{"a.yaml", "- error: {class: auth, message: x}\n  cut: 1\n", "a.yaml:1: steps[0]: error and cut exclude each other"},
		{"a.yaml", "- text: x\n  cut: 1\n  stop: stop\n", "a.yaml:1: steps[0]: cut and stop exclude each other"},
		{"a.yaml", "- signature: x\n", "a.yaml:1: steps[0]: there is a signature without thinking"},
		{"a.yaml", "- &a\n  text: x\n- *a\n", "a.yaml:1: anchor is not for scripts: write the value out"},
		{"a.yaml", "- text: x\n---\n- text: y\n", "a.yaml:3: a second document begins; a script is one"},
		{"a.yaml", "- text: [x\n", "a.yaml:1: "},
		{"a.yaml", "- text: x\n  text: y\n", "a.yaml:2: "},
		{"a.jsonl", "{\"text\":\"x\"}\n\n{\"txt\":\"y\"}\n", "a.jsonl:3: steps[1].txt: unknown field"},
		{"a.jsonl", "{\"text\":\"x\",\"text\":\"y\"}\n", "a.jsonl:1: steps[0].text: stands there twice"},
		{"a.jsonl", "{\"text\":\"x\"}\n{\"text\":\n", "a.jsonl:2: not a line of JSON: the value does not end on its line"},
		{"a.jsonl", "{\"text\":\"x\"} {}\n", "a.jsonl:1: not a line of JSON: there is more on the line after the value"},
		{"a.jsonl", "{\"text\":\"x\",}\n", "a.jsonl:1: not a line of JSON: "},
		{"a.jsonl", "[]\n", "a.jsonl:1: steps[0]: want an object, not a list"},
		{"a.jsonl", "{\"text\":\"x\"}\n{\"repeat\":true}\n", "a.jsonl:2: steps[1].repeat: unknown field"},
	} {
		_, err := scripted.Parse(c.name, []byte(c.script))
		if err == nil {
			t.Errorf("accepted: %q", c.script)
		} else if !strings.HasPrefix(err.Error(), c.want) || strings.HasSuffix(c.want, ": ") && strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%q: error\n%s\nwant\n%s", c.script, err, c.want)
		}
	}
}

// TestDocs: the script in the docs can be read, and every field is described.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/scripted.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```yaml\n")
	script, _, _ := strings.Cut(rest, "```")
	if _, err := scripted.Parse("docs.yaml", []byte(script)); err != nil {
		t.Error(err)
	}
	for _, at := range []string{"{x: 1}", "[{x: 1}]", "[{expect: {x: 1}}]", "[{usage: {x: 1}}]", "[{error: {x: 1}}]", "[{calls: [{x: 1}]}]"} {
		_, err := scripted.Parse("docs.yaml", []byte(at))
		_, known, found := strings.Cut(fmt.Sprint(err), "known are ")
		if !found {
			t.Fatalf("%s: %v", at, err)
		}
		for name := range strings.SplitSeq(known, ", ") {
			if !strings.Contains(string(page), "`"+name+"`") && !strings.Contains(string(page), "`"+name+":") {
				t.Errorf("the docs do not describe %s of %s", name, at)
			}
		}
	}
}

// FuzzParse: whatever is accepted as a script makes well-formed streams.
func FuzzParse(f *testing.F) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		a, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		script := a.Files[0]
		f.Add(strings.HasSuffix(script.Name, ".yaml"), script.Data)
	}
	f.Fuzz(func(t *testing.T, yaml bool, script []byte) {
		name := "a.jsonl"
		if yaml {
			name = "a.yaml"
		}
		p, err := scripted.Parse(name, script)
		if err != nil {
			if !strings.HasPrefix(err.Error(), name+":") {
				t.Errorf("the error does not name the file: %v", err)
			}
			return
		}
		synctest.Test(t, func(t *testing.T) {
			for range 3 {
				llmtest.Check(t, p.Stream(t.Context(), request(llm.User("Hello?"))))
			}
		})
	})
}

// TestSame: the two formats and Go say the same.
func TestSame(t *testing.T) {
	yaml := "steps:\n- thinking: Hm.\n  signature: s\n  text: 'é <b>'\n  calls:\n  - {name: f, arguments: {b: 1, a: [true, null, 1.5, \"x\"], c: {}}}\n  usage: {input: 1, output: 2, cache_read: 3, cache_write: 4, reasoning: 5}\n"
	jsonl := `{"thinking":"Hm.","signature":"s","text":"é \u003cb>","calls":[{"name":"f","arguments":{"b":1,"a":[true,null,1.5,"x"],"c":{}}}],"usage":{"input":1,"output":2,"cache_read":3,"cache_write":4,"reasoning":5}}`
	step := scripted.Step{
		Thinking: "Hm.", Signature: "s", Text: "é <b>", Calls: []scripted.Call{{Name: "f", Arguments: `{"b":1,"a":[true,null,1.5,"x"],"c":{}}`}},
		Usage: llm.Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, Reasoning: 5},
	}
	want := said(t, scripted.New(step))
	for name, script := range map[string]string{"a.yml": yaml, "a.jsonl": jsonl} {
		p, err := scripted.Parse(name, []byte(script))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, said(t, p)); d != "" {
			t.Errorf("%s (-Go +%s):\n%s", name, name, d)
		}
	}
}

// said is the next message of a script as JSON, without its times.
func said(t *testing.T, p llm.Provider) string {
	t.Helper()
	m := llmtest.Check(t, p.Stream(t.Context(), request(llm.User("Hello?"))))
	m.Reply.Latency, m.Reply.FirstToken = 0, 0
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestConcurrent: every step is taken once, whoever asks first.
func TestConcurrent(t *testing.T) {
	var steps []scripted.Step
	var want []string
	for i := range 50 {
		text := fmt.Sprintf("step %02d", i)
		steps, want = append(steps, scripted.Step{Text: text, Chunk: 1}), append(want, text)
	}
	p := scripted.New(steps...)
	var mu sync.Mutex
	var got []string
	var group sync.WaitGroup
	for range steps {
		group.Go(func() {
			m := llmtest.Check(t, p.Stream(t.Context(), request(llm.User("Next."))))
			mu.Lock()
			defer mu.Unlock()
			got = append(got, m.Text())
		})
	}
	group.Wait()
	sort.Strings(got)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestCancel: a delay or a pause ends with its context, and a request that was
// cancelled before takes no step.
func TestCancel(t *testing.T) {
	for name, c := range map[string]struct {
		step  scripted.Step
		after time.Duration
		want  string
	}{
		"delay": {scripted.Step{Text: "late", Delay: time.Hour}, time.Minute, ""},
		"pause": {scripted.Step{Text: "abc", Chunk: 1, Pause: time.Hour}, 90 * time.Minute, "ab"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(c.after, cancel)
				began := time.Now()
				m := llmtest.Check(t, scripted.New(c.step).Stream(ctx, request(llm.User("Hello?"))))
				if m.Stop() != llm.StopAborted || m.Text() != c.want || time.Since(began) != c.after {
					t.Errorf("stop reason %q, text %q after %s; want %q and %q after %s", m.Stop(), m.Text(), time.Since(began), llm.StopAborted, c.want, c.after)
				}
			})
		})
	}
	t.Run("before", func(t *testing.T) {
		p := scripted.New(scripted.Step{Text: "first"})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		llmtest.Check(t, p.Stream(ctx, request(llm.User("Hello?"))))
		if m := llmtest.Check(t, p.Stream(t.Context(), request(llm.User("Hello?")))); m.Text() != "first" {
			t.Errorf("text %q: the cancelled request has taken the step", m.Text())
		}
	})
}

// TestLeave: leaving the loop ends the step, and the next request gets the next.
func TestLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := scripted.New(scripted.Step{Text: "abc", Chunk: 1, Pause: time.Hour}, scripted.Step{Text: "second"})
		began := time.Now()
		for ev := range p.Stream(t.Context(), request(llm.User("Hello?"))) {
			if ev.Type == llm.EventTextDelta {
				break
			}
		}
		if time.Since(began) != 0 {
			t.Errorf("left after %s", time.Since(began))
		}
		if m := llmtest.Check(t, p.Stream(t.Context(), request(llm.User("Hello?")))); m.Text() != "second" {
			t.Errorf("text %q", m.Text())
		}
	})
}

// TestContradiction: a step written in Go that contradicts itself says so.
func TestContradiction(t *testing.T) {
	p := scripted.New(scripted.Step{Text: "fine"}, scripted.Step{Text: "x", Stop: llm.StopToolUse})
	said(t, p)
	m := llmtest.Check(t, p.Stream(t.Context(), request(llm.User("Hello?"))))
	want := &llm.Failure{Class: llm.ClassInvalidRequest, Message: "step 2: stop is tool_use without calls"}
	if d := cmp.Diff(want, m.Reply.Failure); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestRepeat: ids of calls stay different when a script begins anew.
func TestRepeat(t *testing.T) {
	p := scripted.New(scripted.Step{Calls: []scripted.Call{{Name: "f"}}})
	p.Repeat = true
	ids := map[string]bool{}
	for range 3 {
		m := llmtest.Check(t, p.Stream(t.Context(), request(llm.User("Again."))))
		ids[m.ToolCalls()[0].ID] = true
	}
	if len(ids) != 3 {
		t.Errorf("ids %v", ids)
	}
}

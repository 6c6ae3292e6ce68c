package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"redline/llm"
	"redline/tool"
)

var denyAll = tool.Permit(func(context.Context, tool.Tool, tool.Call) (tool.Decision, error) { return tool.Cancel(), nil })

// noted is a wrapper that writes down when it is entered and left.
func noted(name string, log *[]string) tool.Wrapper {
	return func(t tool.Tool) tool.Tool {
		return tool.Around(t, func(ctx context.Context, call tool.Call, update tool.Update) (tool.Result, error) {
			*log = append(*log, name+" in")
			r, err := t.Execute(ctx, call, update)
			*log = append(*log, name+" out")
			return r, err
		})
	}
}

func TestWrapOrder(t *testing.T) {
	var log []string
	wrapped := tool.Wrap(made(t, "x", func(context.Context, tool.Update) (tool.Result, error) {
		log = append(log, "tool")
		return tool.Result{}, nil
	}), noted("a", &log), noted("b", &log))
	if _, err := wrapped.Execute(t.Context(), tool.Call{Arguments: []byte(`{}`)}, nil); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(log, ", "); got != "a in, b in, tool, b out, a out" {
		t.Error(got)
	}
}

// TestAbilities: every wrapper leaves the abilities of the tool visible.
func TestAbilities(t *testing.T) {
	all := []tool.Wrapper{
		tool.Audit(func(tool.Record) {}), denyAll, tool.Limit(tool.Limits{Output: 1, Timeout: time.Second}),
	}
	reader := tool.Wrap(tool.Must(tool.New(tool.Info{Name: "r", Label: "Read File", Description: "d", ReadOnly: true}, echo[struct{}])), all...)
	eraser := tool.Wrap(tool.Must(tool.New(tool.Info{Name: "e", Description: "d", Destructive: true}, echo[struct{}])), all...)
	ranged := tool.Wrap(newEcho[rangeArgs](t, "range"), all...)
	if tool.Label(reader) != "Read File" || !tool.IsReadOnly(reader) || tool.IsDestructive(reader, tool.Call{}) {
		t.Error("the abilities of the reader are lost")
	}
	if tool.Label(eraser) != "e" || tool.IsReadOnly(eraser) || !tool.IsDestructive(eraser, tool.Call{}) {
		t.Error("the abilities of the eraser are lost")
	}
	for args, want := range map[string]bool{`{"start":1,"end":5}`: false, `{"start":1,"end":"50"}`: true, `{`: true} {
		if got := tool.IsDestructive(ranged, tool.Call{Arguments: []byte(args)}); got != want {
			t.Errorf("%s: destructive %v, want %v", args, got, want)
		}
	}
	plain := tool.Wrap(specTool{"p", `{"type":"object"}`}, all...)
	if tool.Label(plain) != "p" || tool.IsReadOnly(plain) || tool.IsDestructive(plain, tool.Call{}) {
		t.Error("a tool has abilities that nobody gave it")
	}
	if _, ok := tool.As[specTool](plain); !ok {
		t.Error("the tool inside is not found")
	}
	if tool.IsDestructive(tool.Wrap(alwaysDestructive{specTool{"d", `{"type":"object"}`}}, all...), tool.Call{}) != true {
		t.Error("Destructive() is not found")
	}
}

type alwaysDestructive struct{ specTool }

func (alwaysDestructive) Destructive() bool { return true }

func text(t *testing.T, output string, err error) tool.Tool {
	return made(t, "text", func(context.Context, tool.Update) (tool.Result, error) { return tool.Result{Output: output}, err })
}

func TestLimitOutput(t *testing.T) {
	var lines strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&lines, "line %d\n", i)
	}
	tests := []struct {
		name, output string
		limit        int
		more         string
		want         string
	}{
		{"short", "abc", 3, "", "abc"},
		{"no limit", lines.String(), 0, "", lines.String()},
		{"lines", lines.String(), 150, "use offset", "line 0\nline 1\nline 2\nline 3\n[cut: 8835 bytes, 993 lines of 8890 bytes in all are left out here; use offset]\nline 997\nline 998\nline 999\n"},
		{"one long line", strings.Repeat("é", 500), 120, "", strings.Repeat("é", 7) + "\n[cut: 972 bytes, 0 lines of 1000 bytes in all are left out here; ask for less at a time]\n" + strings.Repeat("é", 7)},
		{"tiny limit", strings.Repeat("x", 500), 5, "", "[cut: 500 bytes, 0 lines of 500 bytes in all are left out here; ask for less at a time]\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			limited := tool.Wrap(text(t, test.output, nil), tool.Limit(tool.Limits{Output: test.limit, More: test.more}))
			r, err := limited.Execute(t.Context(), tool.Call{Arguments: []byte(`{}`)}, nil)
			if err != nil || r.Output != test.want {
				t.Errorf("%q, %v, want %q", r.Output, err, test.want)
			}
		})
	}
}

// TestLimitLaw: whatever the text and the limit, the output is within it, valid
// UTF-8, and made of the two ends of the text.
func TestLimitLaw(t *testing.T) {
	output := strings.Repeat("añ世😀\nword ", 60)
	for limit := 100; limit < len(output)+5; limit++ {
		r, _ := tool.Wrap(text(t, output, nil), tool.Limit(tool.Limits{Output: limit})).Execute(t.Context(), tool.Call{Arguments: []byte(`{}`)}, nil)
		head, rest, cut := strings.Cut(r.Output, "[cut: ")
		_, tail, _ := strings.Cut(rest, "]\n")
		if len(r.Output) > limit || !utf8.ValidString(r.Output) || cut != (limit < len(output)) {
			t.Fatalf("limit %d: %d bytes, cut %v", limit, len(r.Output), cut)
		}
		if !strings.HasPrefix(output, head) && !strings.HasPrefix(output, strings.TrimSuffix(head, "\n")) || !strings.HasSuffix(output, tail) {
			t.Fatalf("limit %d: %q … %q", limit, head, tail)
		}
	}
}

func TestLimitErrorAndUpdates(t *testing.T) {
	long := errors.New(strings.Repeat("e", 1000))
	_, err := tool.Wrap(text(t, "", long), tool.Limit(tool.Limits{Output: 200})).Execute(t.Context(), tool.Call{Arguments: []byte(`{}`)}, nil)
	if len(err.Error()) > 200 || !errors.Is(err, long) {
		t.Errorf("%d bytes of error", len(err.Error()))
	}
	chatty := made(t, "chatty", func(_ context.Context, update tool.Update) (tool.Result, error) {
		update(tool.Result{Output: strings.Repeat("u", 1000)})
		return tool.Result{}, nil
	})
	var got int
	_, err = tool.Wrap(chatty, tool.Limit(tool.Limits{Output: 200})).Execute(t.Context(), tool.Call{Arguments: []byte(`{}`)}, func(r tool.Result) { got = len(r.Output) })
	if err != nil || got == 0 || got > 200 {
		t.Errorf("%d bytes of update, %v", got, err)
	}
}

func TestLimitTimeout(t *testing.T) {
	slow := func(d time.Duration, answer func(ctx context.Context) (tool.Result, error)) func(context.Context, tool.Update) (tool.Result, error) {
		return func(ctx context.Context, _ tool.Update) (tool.Result, error) {
			select {
			case <-time.After(d):
			case <-ctx.Done():
			}
			return answer(ctx)
		}
	}
	asked := func(ctx context.Context) (tool.Result, error) { return tool.Result{Output: "half"}, ctx.Err() }
	tests := []struct {
		name  string
		run   func(context.Context, tool.Update) (tool.Result, error)
		abort time.Duration
		code  tool.Code
		want  string
	}{
		{"in time", slow(time.Second, asked), time.Hour, "", "half"},
		{"too slow", slow(time.Minute, asked), time.Hour, tool.CodeTimeout, "half\nslow did not finish within 30s and was stopped; it may have taken effect in part"},
		{"own words", slow(time.Minute, func(context.Context) (tool.Result, error) { return tool.Result{}, errors.New("signal: killed") }), time.Hour,
			tool.CodeTimeout, "slow did not finish within 30s and was stopped; it may have taken effect in part: signal: killed"},
		{"done all the same", slow(time.Minute, func(context.Context) (tool.Result, error) { return tool.Result{Output: "done"}, nil }), time.Hour, "", "done"},
		{"aborted before", slow(time.Minute, asked), time.Second, tool.CodeAborted, "half\ninterrupted before it finished; it may or may not have taken effect, so check before you repeat it"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(test.abort, cancel)
				defer cancel()
				set := newSet(t, tool.Wrap(made(t, "slow", test.run), tool.Limit(tool.Limits{Timeout: 30 * time.Second})))
				r := tool.Run(ctx, set, llm.ToolCall{Name: "slow"}, nil)
				if r.Code() != test.code || r.Output != test.want {
					t.Errorf("%q: %q, want %q: %q", r.Code(), r.Output, test.code, test.want)
				}
			})
		})
	}
}

func TestPermit(t *testing.T) {
	tests := []struct {
		name     string
		decision tool.Decision
		err      error
		want     tool.Result
		code     tool.Code
	}{
		{"allow", tool.Allow(), nil, tool.Result{Output: `{"start":1,"end":2}`}, ""},
		{"zero is no", tool.Decision{}, nil, tool.Result{Output: "permission refused: range did not run", IsError: true}, tool.CodeDenied},
		{"refuse", tool.Refuse("drafts/ is closed"), nil, tool.Result{Output: "permission refused: range did not run: drafts/ is closed", IsError: true}, tool.CodeDenied},
		{"cancel", tool.Cancel(), nil, tool.Result{Output: "Action cancelled by user.", IsError: true, EndRun: "Action cancelled by user."}, tool.CodeDenied},
		{"other arguments", tool.AllowWith(json.RawMessage(`{"start":1,"end":"9"}`)), nil,
			tool.Result{Output: "{\"start\":1,\"end\":9}\n[before it ran, the arguments were changed: end = 9]"}, ""},
		{"same arguments", tool.AllowWith(json.RawMessage(`{"end":2, "start":1}`)), nil, tool.Result{Output: `{"start":1,"end":2}`}, ""},
		{"wrong arguments", tool.AllowWith(json.RawMessage(`{"start":5,"end":2}`)), nil,
			tool.Result{Output: "range did not run, because its arguments were changed and are wrong now: invalid arguments for range:\n- end: must not be before start\n- nothing is in between\nexpected: {start: integer ≥ 1, end: integer ≥ 1}", IsError: true}, tool.CodeFailed},
		{"nobody to ask", tool.Allow(), errors.New("no terminal"), tool.Result{Output: "range did not run, because its permission could not be decided: no terminal", IsError: true}, tool.CodeFailed},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			permit := tool.Permit(func(_ context.Context, asked tool.Tool, call tool.Call) (tool.Decision, error) {
				if asked.Spec().Name != "range" || string(call.Arguments) != `{"start":1,"end":2}` {
					t.Errorf("asked about %s %s", asked.Spec().Name, call.Arguments)
				}
				return test.decision, test.err
			})
			set := newSet(t, tool.Wrap(newEcho[rangeArgs](t, "range"), permit))
			r := tool.Run(t.Context(), set, llm.ToolCall{Name: "range", Arguments: []byte(`{"start":1,"end":"2"}`)}, nil)
			if r.Output != test.want.Output || r.IsError != test.want.IsError || r.EndRun != test.want.EndRun || r.Code() != test.code {
				t.Errorf("%+v, want %+v, code %q", r, test.want, test.code)
			}
		})
	}
}

// TestPermitTells: what was added or taken away is told, long values in part.
func TestPermitTells(t *testing.T) {
	permit := tool.Permit(func(context.Context, tool.Tool, tool.Call) (tool.Decision, error) {
		return tool.AllowWith(json.RawMessage(`{"file_path":"` + strings.Repeat("é", 200) + `","limit":3}`)), nil
	})
	wrapped := tool.Wrap(newEcho[readArgs](t, "read"), permit)
	r, err := wrapped.Execute(t.Context(), tool.Call{Name: "read", Arguments: []byte(`{"file_path":"a.md","offset":2}`)}, nil)
	_, told, _ := strings.Cut(r.Output, "\n")
	want := `[before it ran, the arguments were changed: file_path = "` + strings.Repeat("é", 99) + `…, limit = 3, offset removed]`
	if err != nil || told != want {
		t.Errorf("%s, %v, want %s", told, err, want)
	}
}

// TestPermitNotAsked: nobody is asked about a call that cannot run.
func TestPermitNotAsked(t *testing.T) {
	asked := false
	permit := tool.Permit(func(context.Context, tool.Tool, tool.Call) (tool.Decision, error) {
		asked = true
		return tool.Allow(), nil
	})
	set := newSet(t, tool.Wrap(newEcho[rangeArgs](t, "range"), permit))
	for _, args := range []string{`{"start":1}`, `{"start":2,"end":1}`} { // the second fails the tool's own check
		if r := tool.Run(t.Context(), set, llm.ToolCall{Name: "range", Arguments: []byte(args)}, nil); r.Code() != tool.CodeInvalid || asked {
			t.Errorf("%s: %+v, asked: %v", args, r, asked)
		}
	}
}

func TestAudit(t *testing.T) {
	broken := errors.New("broken")
	tests := []struct {
		name string
		run  func(context.Context, tool.Update) (tool.Result, error)
		want func(tool.Record) bool
	}{
		{"done", func(context.Context, tool.Update) (tool.Result, error) { return tool.Result{Output: "ok"}, nil },
			func(r tool.Record) bool { return r.Err == nil && r.Result.Output == "ok" }},
		{"failed", func(context.Context, tool.Update) (tool.Result, error) { return tool.Result{}, broken },
			func(r tool.Record) bool { return r.Err == broken }},
		{"crashed", func(context.Context, tool.Update) (tool.Result, error) { panic(broken) },
			func(r tool.Record) bool {
				crash, ok := errors.AsType[*tool.PanicError](r.Err)
				return ok && errors.Is(crash, broken) && strings.Contains(string(crash.Stack), "TestAudit")
			}},
		{"cancelled", func(ctx context.Context, _ tool.Update) (tool.Result, error) {
			<-ctx.Done()
			return tool.Result{}, ctx.Err()
		},
			func(r tool.Record) bool { return errors.Is(r.Err, context.DeadlineExceeded) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				begin := time.Now()
				var got []tool.Record
				set := newSet(t, tool.Wrap(made(t, "x", func(ctx context.Context, update tool.Update) (tool.Result, error) {
					time.Sleep(time.Second) // of the synctest clock
					return test.run(ctx, update)
				}), tool.Audit(func(r tool.Record) { got = append(got, r) })))
				tool.Run(ctx, set, llm.ToolCall{ID: "tc_1", Name: "x"}, nil)
				if len(got) != 1 || !test.want(got[0]) || got[0].Call.ID != "tc_1" {
					t.Fatalf("%+v", got)
				}
				if !got[0].Start.Equal(begin) || got[0].Duration != time.Since(begin) || got[0].Duration < time.Second {
					t.Errorf("start %v, duration %v", got[0].Start, got[0].Duration)
				}
			})
		})
	}
}

// TestAuditOutside: the audit sees refusals and the limited output too.
func TestAuditOutside(t *testing.T) {
	var got tool.Record
	wrapped := tool.Wrap(text(t, "x", nil), tool.Audit(func(r tool.Record) { got = r }), denyAll)
	if _, err := wrapped.Execute(t.Context(), tool.Call{}, nil); err != nil || got.Result.Code() != tool.CodeDenied {
		t.Errorf("%+v, %v", got, err)
	}
}

package llmtest_test

import (
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/llm"
	"redline/llm/llmtest"
)

// recorder is a test that writes down what it is told.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func stream(events ...llm.Event) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		for _, ev := range events {
			if !yield(ev, nil) {
				return
			}
		}
	}
}

func ev(kind llm.EventType, index int, delta string) llm.Event {
	return llm.Event{Type: kind, Index: index, Delta: delta}
}

var (
	start  = llm.Event{Type: llm.EventStart, Reply: &llm.Reply{}}
	done   = llm.Event{Type: llm.EventDone, Reply: &llm.Reply{Stop: llm.StopEnd}}
	hello0 = ev(llm.EventTextStart, 0, "")
	hello1 = ev(llm.EventTextDelta, 0, "Hello")
	hello2 = ev(llm.EventTextEnd, 0, "")
)

func callStart(index int, id, name string) llm.Event {
	return llm.Event{Type: llm.EventCallStart, Index: index, ID: id, Name: name}
}

func ending(reply llm.Reply) llm.Event { return llm.Event{Type: llm.EventDone, Reply: &reply} }

func TestCheckAccepts(t *testing.T) {
	used := ending(llm.Reply{Stop: llm.StopToolUse})
	failed := ending(llm.Reply{Stop: llm.StopError, Failure: &llm.Failure{Class: llm.ClassAuth, Message: "no"}})
	for name, c := range map[string]struct {
		events []llm.Event
		want   string
	}{
		"text":                {[]llm.Event{start, hello0, hello1, hello2, done}, "Hello"},
		"nothing":             {[]llm.Event{start, done}, ""},
		"failure at once":     {[]llm.Event{failed}, ""},
		"restart":             {[]llm.Event{start, hello0, hello1, {Type: llm.EventRestart}, start, hello0, hello1, hello2, done}, "Hello"},
		"restart at once":     {[]llm.Event{{Type: llm.EventRestart}, start, hello0, hello1, hello2, done}, "Hello"},
		"route":               {[]llm.Event{{Type: llm.EventRoute, Route: &llm.Choice{}}, start, hello0, hello1, hello2, done}, "Hello"},
		"overlapping blocks":  {[]llm.Event{start, callStart(0, "a", "f"), callStart(1, "b", "f"), ev(llm.EventCallDelta, 0, "{"), ev(llm.EventCallEnd, 1, ""), ev(llm.EventCallDelta, 0, "}"), ev(llm.EventCallEnd, 0, ""), used}, ""},
		"same id after start": {[]llm.Event{start, callStart(0, "a", "f"), {Type: llm.EventRestart}, start, callStart(0, "a", "f"), ev(llm.EventCallEnd, 0, ""), used}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var r recorder
			m := llmtest.Check(&r, stream(c.events...))
			if len(r.errors) != 0 {
				t.Errorf("refused: %q", r.errors)
			}
			if m.Text() != c.want {
				t.Errorf("text %q, want %q", m.Text(), c.want)
			}
		})
	}
}

func TestCheckRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		events []llm.Event
		want   string // in what is said about it
	}{
		"no events":            {nil, "without \"done\""},
		"no done":              {[]llm.Event{start, hello0, hello1, hello2}, "without \"done\""},
		"two dones":            {[]llm.Event{start, done, done}, "after \"done\""},
		"event after done":     {[]llm.Event{start, done, hello0, hello2}, "after \"done\""},
		"no start":             {[]llm.Event{hello0, hello1, hello2, done}, "before \"start\""},
		"no start again":       {[]llm.Event{start, {Type: llm.EventRestart}, hello0, hello2, done}, "before \"start\""},
		"two starts":           {[]llm.Event{start, start, done}, "second time"},
		"start without reply":  {[]llm.Event{{Type: llm.EventStart}, done}, "no reply"},
		"block not ended":      {[]llm.Event{start, hello0, hello1, done}, "has not ended"},
		"ended twice":          {[]llm.Event{start, hello0, hello2, hello2, done}, "no such block"},
		"delta before start":   {[]llm.Event{start, hello1, done}, "no such block"},
		"delta after end":      {[]llm.Event{start, hello0, hello2, hello1, done}, "no such block"},
		"delta of other kind":  {[]llm.Event{start, hello0, ev(llm.EventThinkingDelta, 0, "x"), hello2, done}, "opened by \"text_start\""},
		"end of other kind":    {[]llm.Event{start, hello0, ev(llm.EventCallEnd, 0, ""), done}, "opened by \"text_start\""},
		"index too large":      {[]llm.Event{start, ev(llm.EventTextStart, 1, ""), ev(llm.EventTextEnd, 1, ""), done}, "the next block is 0"},
		"index used again":     {[]llm.Event{start, hello0, hello2, hello0, hello2, done}, "the next block is 1"},
		"index after restart":  {[]llm.Event{start, hello0, {Type: llm.EventRestart}, start, ev(llm.EventTextStart, 1, ""), ev(llm.EventTextEnd, 1, ""), done}, "the next block is 0"},
		"block before restart": {[]llm.Event{start, hello0, {Type: llm.EventRestart}, start, hello1, done}, "no such block"},
		"call without name":    {[]llm.Event{start, callStart(0, "a", ""), ev(llm.EventCallEnd, 0, ""), done}, "both are needed"},
		"call without id":      {[]llm.Event{start, callStart(0, "", "f"), ev(llm.EventCallEnd, 0, ""), done}, "both are needed"},
		"calls with one id":    {[]llm.Event{start, callStart(0, "a", "f"), callStart(1, "a", "f"), ev(llm.EventCallEnd, 0, ""), ev(llm.EventCallEnd, 1, ""), done}, "another call"},
		"done without reply":   {[]llm.Event{start, {Type: llm.EventDone}}, "no reply"},
		"no stop reason":       {[]llm.Event{start, ending(llm.Reply{})}, "stop reason"},
		"odd stop reason":      {[]llm.Event{start, ending(llm.Reply{Stop: "end_turn"})}, "must be one of"},
		"error, no failure":    {[]llm.Event{start, ending(llm.Reply{Stop: llm.StopError})}, "a failure belongs to"},
		"failure, no error":    {[]llm.Event{start, ending(llm.Reply{Stop: llm.StopEnd, Failure: &llm.Failure{Class: llm.ClassAuth, Message: "no"}})}, "a failure belongs to"},
		"failure of no class":  {[]llm.Event{start, ending(llm.Reply{Stop: llm.StopError, Failure: &llm.Failure{Message: "no"}})}, "class"},
		"failure, no words":    {[]llm.Event{start, ending(llm.Reply{Stop: llm.StopError, Failure: &llm.Failure{Class: llm.ClassAuth}})}, "message"},
		"tool use, no call":    {[]llm.Event{start, ending(llm.Reply{Stop: llm.StopToolUse})}, "without a call"},
		"route without choice": {[]llm.Event{{Type: llm.EventRoute}, start, done}, "no choice"},
		"unknown event":        {[]llm.Event{start, {Type: "hum"}, done}, "no known type"},
	} {
		t.Run(name, func(t *testing.T) {
			var r recorder
			llmtest.Check(&r, stream(c.events...))
			if all := strings.Join(r.errors, "\n"); !strings.Contains(all, c.want) {
				t.Errorf("said %q, want %q", all, c.want)
			}
		})
	}
}

func TestCheckRefusesErrors(t *testing.T) {
	var r recorder
	llmtest.Check(&r, func(yield func(llm.Event, error) bool) { yield(llm.Event{}, errors.New("no model")) })
	if d := cmp.Diff([]string{"event 0 is an error, which is for misuse alone: no model"}, r.errors); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

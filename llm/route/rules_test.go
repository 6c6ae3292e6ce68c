package route_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"redline/llm"
	"redline/llm/llmtest"
	"redline/llm/route"
)

// TestRules plays the conversations in testdata/*.txtar. Each has a config, a
// script and, renewed with -update, what happened. A line of a script is one of
//
//	local: says TEXT                   what a side will answer, in order; otherwise it says "ok"
//	remote: fails CLASS [for good] WORDS
//	local: waits 3m, then ANSWER       while it waits it can be cut
//	local: says TEXT, then ANSWER
//	step [of N tokens|with an image|with a document|with tools|after a tool's image]
//	cancel after 1s: step              the user aborts
//	deadline after 1s: step            the caller's own time is over
//	observe OUTCOME
//	new job
func TestRules(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil || len(a.Files) != 3 {
				t.Fatalf("want config, script and happened: %v", err)
			}
			var happened string
			synctest.Test(t, func(t *testing.T) {
				happened = play(t, a.Files[0].Data, string(a.Files[1].Data))
			})
			if *llmtest.Update {
				a.Files[2].Data = []byte(happened)
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if d := gocmp.Diff(string(a.Files[2].Data), happened); d != "" {
				t.Errorf("happened (-want +got):\n%s", d)
			}
		})
	}
}

// setting is the config of a script. The controls have their own names.
type setting struct {
	Mode     route.Mode `json:"mode"`
	NoLocal  bool       `json:"no_local"`
	NoRemote bool       `json:"no_remote"`
	Cloud    bool       `json:"local_is_elsewhere"`
	route.Controls
}

func play(t *testing.T, config []byte, script string) string {
	s := setting{Controls: route.DefaultControls()}
	d := json.NewDecoder(bytes.NewReader(config))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		t.Fatal(err)
	}
	small, large := &side{}, &side{}
	c := route.Config{Mode: s.Mode, Controls: s.Controls}
	if !s.NoLocal {
		c.Local = route.Side{Provider: small, Model: llm.Model{ID: "small", Provider: "home", Local: !s.Cloud, Context: 1000}}
	}
	if !s.NoRemote {
		c.Remote = route.Side{Provider: large, Model: llm.Model{ID: "large", Provider: "cloud", Can: llm.Abilities{Images: true, Tools: true, Documents: true}}}
	}
	router, err := route.New(c)
	if err != nil {
		return fmt.Sprintf("error: %v\n", err)
	}
	p := player{t: t, router: router, sides: map[string]*side{"local": small, "remote": large}}
	for line := range strings.Lines(script) {
		p.line(strings.TrimSpace(line))
	}
	return p.out.String()
}

type player struct {
	t      *testing.T
	router *route.Router
	sides  map[string]*side
	out    strings.Builder
}

func (p *player) line(line string) {
	what, rest, _ := strings.Cut(line, " ")
	switch what {
	case "local:", "remote:":
		side := p.sides[strings.TrimSuffix(what, ":")]
		side.answers = append(side.answers, rest)
	case "step":
		fmt.Fprintln(&p.out, line)
		p.step(p.t.Context(), request(p.t, rest))
	case "cancel", "deadline":
		fmt.Fprintln(&p.out, line)
		p.hurried(what, rest)
	case "observe":
		changed := p.router.Observe(llm.Outcome(rest))
		fmt.Fprintf(&p.out, "%s: %s\n", line, map[bool]string{true: "the next step goes elsewhere", false: "no change"}[changed])
	case "new":
		fmt.Fprintln(&p.out, line)
		p.router.NewJob()
	case "":
	default:
		p.t.Fatalf("unknown line %q", line)
	}
}

// hurried is a step that is not given the time it takes.
func (p *player) hurried(what, rest string) {
	after, _, _ := strings.Cut(strings.TrimPrefix(rest, "after "), ":")
	d, err := time.ParseDuration(after)
	if err != nil {
		p.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(p.t.Context())
	if what == "deadline" {
		ctx, cancel = context.WithTimeout(p.t.Context(), d)
	} else {
		time.AfterFunc(d, cancel)
	}
	defer cancel()
	p.step(ctx, request(p.t, ""))
}

func request(t *testing.T, how string) llm.Request {
	req := llm.Request{Model: llm.Model{ID: "disregarded"}, Messages: []llm.Message{llm.User("Do it.")}}
	switch how {
	case "":
	case "with an image":
		req.Messages[0].Content = append(req.Messages[0].Content, llm.Image{MIMEType: "image/png", Data: []byte("x")})
	case "with a document":
		req.Messages[0].Content = append(req.Messages[0].Content, llm.Document{Name: "a.pdf", MIMEType: "application/pdf", Data: []byte("x")})
	case "with tools":
		req.Tools = []llm.ToolSpec{{Name: "look", Schema: json.RawMessage(`{"type":"object"}`)}}
	case "after a tool's image":
		req.Messages = append(req.Messages,
			llm.Assistant(llm.ToolCall{ID: "1", Name: "look", Arguments: json.RawMessage(`{}`)}),
			llm.Answer(llm.ToolResult{CallID: "1", Name: "look", Images: []llm.Image{{MIMEType: "image/png", Data: []byte("x")}}}))
	default:
		var tokens int
		if _, err := fmt.Sscanf(how, "of %d tokens", &tokens); err != nil {
			t.Fatalf("unknown step %q", how)
		}
		req.Messages = []llm.Message{llm.User(strings.Repeat("word", tokens))}
	}
	return req
}

// step asks the router and writes down what it says.
func (p *player) step(ctx context.Context, req llm.Request) {
	began := time.Now()
	heard := func(yield func(llm.Event, error) bool) {
		for ev, err := range p.router.Stream(ctx, req) {
			p.event(ev, time.Since(began))
			if !yield(ev, err) {
				return
			}
		}
	}
	llmtest.Check(p.t, heard)
}

func (p *player) event(ev llm.Event, after time.Duration) {
	switch ev.Type {
	case llm.EventRoute:
		r := ev.Route
		fmt.Fprintf(&p.out, "  route    %s, %s by %s/%s: %s\n", r.Mode, r.Side, r.Provider, r.Model, r.Reason)
	case llm.EventTextDelta:
		fmt.Fprintf(&p.out, "  text     %s\n", ev.Delta)
	case llm.EventRestart:
		fmt.Fprintf(&p.out, "  restart  after %s, from %s/%s: %v\n", after, ev.Reply.Provider, ev.Reply.Model, ev.Failure)
	case llm.EventDone:
		fmt.Fprintf(&p.out, "  done     %s by %s/%s\n", ev.Reply.Stop, ev.Reply.Provider, ev.Reply.Model)
		if f := ev.Reply.Failure; f != nil {
			fmt.Fprintf(&p.out, "           %s, retry %t: %s\n", f.Class, f.Retry, f.Message)
		}
	}
}

// side is a model that answers as the script says.
type side struct{ answers []string }

func (s *side) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	answer := "says ok"
	if len(s.answers) > 0 {
		answer, s.answers = s.answers[0], s.answers[1:]
	}
	return llm.Emit(ctx, req, func(ctx context.Context, e *llm.Emitter) error {
		e.Start("", "")
		for part := range strings.SplitSeq(answer, ", then ") {
			if err := act(ctx, e, part); err != nil {
				return err
			}
		}
		return nil
	})
}

func act(ctx context.Context, e *llm.Emitter, part string) error {
	verb, rest, _ := strings.Cut(part, " ")
	switch verb {
	case "says":
		e.Text(0, rest)
		e.Stop(llm.StopEnd)
	case "waits":
		d, err := time.ParseDuration(rest)
		if err != nil {
			return err
		}
		select {
		case <-time.After(d):
		case <-ctx.Done():
			return ctx.Err()
		}
	case "fails":
		class, words, _ := strings.Cut(rest, " ")
		words, final := strings.CutPrefix(words, "for good ")
		return &llm.Failure{Class: llm.Class(class), Message: words, Retry: !final}
	default:
		return errors.New("unknown answer " + cmp.Or(strconv.Quote(part), "none"))
	}
	return nil
}

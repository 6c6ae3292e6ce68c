//go:build !windows

package console_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/term"

	"redline/internal/console"
	"redline/internal/wire"
)

// person sits at a pseudo terminal.
type person struct {
	t     *testing.T
	keys  *os.File // the person's side
	tty   *os.File // the program's
	mode  *term.State
	mu    sync.Mutex
	shown strings.Builder
	from  int // what was awaited before lies before it
	wake  chan struct{}
}

func sitDown(t *testing.T, columns uint16) *person {
	t.Helper()
	keys, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo terminal: %v", err)
	}
	if err := pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: columns}); err != nil {
		t.Fatal(err)
	}
	mode, err := term.GetState(int(tty.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	p := &person{t: t, keys: keys, tty: tty, mode: mode, wake: make(chan struct{})}
	var reading sync.WaitGroup
	reading.Go(p.read)
	t.Cleanup(func() {
		p.types("\n")   // ends a read that was given up
		_ = tty.Close() // ends ours
		reading.Wait()
		_ = keys.Close()
	})
	return p
}

func (p *person) read() {
	data := make([]byte, 4096)
	for {
		n, err := p.keys.Read(data)
		p.mu.Lock()
		p.shown.Write(data[:n])
		close(p.wake)
		p.wake = make(chan struct{})
		p.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// sees waits until something is on the screen.
func (p *person) sees(text string) {
	for {
		p.mu.Lock()
		i := strings.Index(p.shown.String()[p.from:], text)
		if i >= 0 {
			p.from += i + len(text)
		}
		wake := p.wake
		p.mu.Unlock()
		if i >= 0 {
			return
		}
		<-wake
	}
}

func (p *person) types(keys string) {
	if _, err := p.keys.WriteString(keys); err != nil {
		p.t.Error(err)
	}
}

// left checks that the terminal is as it was.
func (p *person) left() {
	p.t.Helper()
	now, err := term.GetState(int(p.tty.Fd()))
	if err != nil {
		p.t.Fatal(err)
	}
	if *now != *p.mode {
		p.t.Error("the terminal is not in the mode in which it was")
	}
}

func (p *person) options(r console.Reviews) console.Options {
	o := console.Detect(p.tty, p.tty, p.tty, func(string) string { return "" })
	o.Reviews = r
	return o
}

const threeHunks = `review hunks
modified a.md
@@ h1 text
-one
-two
+One
+Two
@@ h2 text
+three
modified b.md
@@ h3 text
+four
`

// TestReviewKeys presses the keys of a review, one by one and without Enter.
func TestReviewKeys(t *testing.T) {
	for name, test := range map[string]struct {
		keys    []string // each when the question is there
		decided []string
		err     string
	}{
		"y and n":           {[]string{"y", "n", "y"}, []string{"decide: accept h1 h3; reject h2"}, ""},
		"a, then d":         {[]string{"a", "d"}, []string{"decide: accept h1 h2; reject h3"}, ""},
		"A":                 {[]string{"A"}, []string{"decide: accept h1 h2 h3"}, ""},
		"u":                 {[]string{"n", "u", "y", "q"}, []string{"decide: accept h1"}, ""},
		"q":                 {[]string{"q"}, nil, ""},
		"help and views":    {[]string{"?", "v", "x", "\r", "q"}, nil, ""},
		"Ctrl-D is q":       {[]string{"y", "\x04"}, []string{"decide: accept h1"}, ""},
		"Ctrl-C leaves all": {[]string{"y", "\x03"}, nil, "interrupted"},
		"arrows are no A":   {[]string{"\x1b[A\x1b[B\x1bOA\x1b[1;5A" + "y", "n", "n"}, []string{"decide: accept h1; reject h2 h3"}, ""},
		"Alt-A is no A":     {[]string{"\x1bA" + "y", "n", "n"}, []string{"decide: accept h1; reject h2 h3"}, ""},
		"typed ahead":       {[]string{"yny"}, []string{"decide: accept h1 h3; reject h2"}, ""},
		"not ASCII":         {[]string{"ü", "q"}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := sitDown(t, 80)
			turn := parseTurn(threeHunks)
			r := &reviews{turns: []wire.Turn{*turn}}
			typing := make(chan struct{})
			go func() {
				defer close(typing)
				for _, k := range test.keys {
					p.sees("q,?] ")
					p.types(k)
				}
			}()
			_, err := console.New(p.options(r)).Review(t.Context(), r, []wire.Turn{*turn})
			<-typing
			if got := message(err); got != test.err {
				t.Errorf("error %q, want %q", got, test.err)
			}
			if d := cmp.Diff(test.decided, r.log); d != "" {
				t.Errorf("decided: -want +got\n%s", d)
			}
			p.left()
		})
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestSplitKeys: s asks for a line with line editing, and the parts are asked
// about.
func TestSplitKeys(t *testing.T) {
	p := sitDown(t, 80)
	turn := parseTurn(threeHunks)
	r := &reviews{turns: []wire.Turn{*turn}}
	typing := make(chan struct{})
	go func() {
		defer close(typing)
		p.sees("q,?] ")
		p.types("s")
		p.sees("do not split)? ")
		p.types("12\x7f\r") // and a backspace
		p.sees("q,?] ")
		p.types("y")
		p.sees("q,?] ")
		p.types("n")
		p.sees("q,?] ")
		p.types("q")
	}()
	if _, err := console.New(p.options(r)).Review(t.Context(), r, []wire.Turn{*turn}); err != nil {
		t.Fatal(err)
	}
	<-typing
	if d := cmp.Diff([]string{"split: h1 1 1", "decide: accept h1a; reject h1b"}, r.log); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	p.left()
}

// TestEditKey: e opens the editor on the terminal.
func TestEditKey(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	p := sitDown(t, 80)
	turn := parseTurn(threeHunks)
	r := editing{&reviews{turns: []wire.Turn{*turn}}}
	o := p.options(r)
	o.Getenv = func(name string) string {
		return map[string]string{"VISUAL": "sed -i s/One/Uno/", "EDITOR": "false"}[name]
	}
	typing := make(chan struct{})
	go func() {
		defer close(typing)
		p.sees("q,?] ")
		p.types("e")
		p.sees("q,?] ")
		p.types("q")
	}()
	if _, err := console.New(o).Review(t.Context(), r, []wire.Turn{*turn}); err != nil {
		t.Fatal(err)
	}
	<-typing
	if d := cmp.Diff([]string{`edit: h1 "Uno\nTwo\n"`, "decide: "}, r.log); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// TestAnswers presses the keys of approvals and questions.
func TestAnswers(t *testing.T) {
	for name, test := range map[string]struct {
		script string
		talk   []string // what is seen, what is typed, and so on
		sent   string
		state  wire.State
	}{
		"y": {"approve Delete", []string{"e,?] ", "y"}, `{"type":"approve","request_id":"a1","approve":true}`, wire.Done},
		"n": {"approve Delete", []string{"e,?] ", "n"}, `{"type":"approve","request_id":"a1"}`, wire.Cancelled},
		"s, ? and y": {"approve Delete", []string{"e,?] ", "s", "z␛[2J.md\r\nRun it? [y,n,s,e,?] ", "?", "e,?] ", "y"},
			`{"type":"approve","request_id":"a1","approve":true}`, wire.Done},
		"Enter is no answer": {"approve Delete", []string{"e,?] ", "\r", "e,?] ", "n"}, `{"type":"approve","request_id":"a1"}`, wire.Cancelled},
		"e": {"approve Delete", []string{"e,?] ", "e", "leave them)> ", `{"path":"y.md"}` + "\r"},
			`{"type":"approve","request_id":"a1","approve":true,"arguments":{"path":"y.md"}}`, wire.Done},
		"Ctrl-C":               {"approve Delete", []string{"e,?] ", "\x03"}, `{"type":"interrupt"}`, wire.Cancelled},
		"Ctrl-D denies":        {"approve Delete", []string{"e,?] ", "\x04"}, `{"type":"approve","request_id":"a1"}`, wire.Cancelled},
		"question":             {"ask Which?", []string{"skip)> ", "thiz\x7fs one\r"}, `{"type":"clarify","question_id":"q1","answer":"this one"}`, wire.Done},
		"question, empty":      {"ask Which?", []string{"skip)> ", "\r"}, `{"type":"clarify","question_id":"q1","answer":"no_user_answer"}`, wire.Done},
		"question, Ctrl-D":     {"ask Which?", []string{"skip)> ", "\x04"}, `{"type":"clarify","question_id":"q1","answer":"no_user_answer"}`, wire.Done},
		"question, Ctrl-C":     {"ask Which?", []string{"skip)> ", "th\x03"}, `{"type":"interrupt"}`, wire.Cancelled},
		"question, two pasted": {"ask Which?", []string{"skip)> ", "\x1b[200~a\rb\x1b[201~\r"}, `{"type":"clarify","question_id":"q1","answer":"a\nb"}`, wire.Done},
	} {
		t.Run(name, func(t *testing.T) {
			p := sitDown(t, 80)
			conv := newConversation(test.script, nil)
			typing := make(chan struct{})
			go func() {
				defer close(typing)
				for pair := range slices.Chunk(test.talk, 2) {
					p.sees(pair[0])
					p.types(pair[1])
				}
			}()
			status, err := console.New(p.options(nil)).Ask(t.Context(), conv, []string{"go"})
			<-typing
			if err != nil || status.State != test.state {
				t.Errorf("state %s, error %v; want %s", status.State, err, test.state)
			}
			if d := cmp.Diff([]string{`{"type":"message","content":"go"}`, test.sent}, conv.sent()); d != "" {
				t.Errorf("sent: -want +got\n%s", d)
			}
			p.left()
		})
	}
}

// TestTypedAhead: what was typed before an approval was asked for does not answer
// it.
func TestTypedAhead(t *testing.T) {
	p := sitDown(t, 80)
	conv := newConversation("ask Which?\npause\napprove Delete\nmessage Deleted.", nil)
	typing := make(chan struct{})
	go func() {
		defer close(typing)
		p.sees("skip)> ")
		p.types("this\ry\ry\r") // the console has read all of it
		p.sees("You said: this")
		p.types("y\r")
		p.sees("y") // the echo: the terminal has this
		close(conv.goOn)
		p.sees("e,?] ")
		p.types("n")
	}()
	status, err := console.New(p.options(nil)).Ask(t.Context(), conv, []string{"go"})
	<-typing
	if err != nil || !status.Denied {
		t.Errorf("status %+v, error %v; want it denied", status, err)
	}
	p.left()
}

// TestSettledElsewhere: somebody else answers, and the question goes away.
func TestSettledElsewhere(t *testing.T) {
	p := sitDown(t, 80)
	conv := newConversation("approve Delete\nmessage Done.", nil)
	go func() {
		p.sees("e,?] ")
		_ = conv.Do(context.Background(), wire.Command{Type: wire.CommandApprove, Approve: true})
	}()
	status, err := console.New(p.options(nil)).Ask(t.Context(), conv, []string{"go"})
	if err != nil || status.State != wire.Done {
		t.Errorf("state %s, error %v; want it done", status.State, err)
	}
	p.left()
}

// TestInterrupted: Ctrl-C while the model works ends the run; a second one does
// not wait for it.
func TestInterrupted(t *testing.T) {
	signals := make(chan os.Signal)
	p := sitDown(t, 80)
	o := p.options(nil)
	o.Interrupts = signals
	conv := newConversation("step 1 of 3\nwait", nil)
	go func() {
		p.sees("step 1 of 3")
		signals <- os.Interrupt
	}()
	status, err := console.New(o).Ask(t.Context(), conv, []string{"go", "never"})
	if err != nil || !status.Aborted {
		t.Errorf("status %+v, error %v; want it aborted", status, err)
	}
	p.sees("Interrupted.")

	stubborn := &stuck{newConversation("step 1 of 3\nwait", nil)}
	go func() {
		p.sees("step 1 of 3")
		signals <- os.Interrupt
		signals <- os.Interrupt
	}()
	_, err = console.New(o).Ask(t.Context(), stubborn, []string{"go"})
	if err == nil || !strings.Contains(err.Error(), "has not ended") {
		t.Errorf("error %v, want that it has not ended", err)
	}
	_ = stubborn.conversation.Do(t.Context(), wire.Command{Type: wire.CommandInterrupt})
}

// TestCancelled: a context that ends interrupts the run. While a question is open
// it leaves that to whoever goes on with the session.
func TestCancelled(t *testing.T) {
	for _, script := range []string{"step 1 of 3\nwait", "step 1 of 3\nask Which?"} {
		asks := strings.Contains(script, "ask")
		p := sitDown(t, 80)
		ctx, cancel := context.WithCancel(t.Context())
		conv := newConversation(script, nil)
		go func() {
			p.sees("step 1 of 3")
			if asks {
				p.sees("skip)> ")
			}
			cancel()
		}()
		status, err := console.New(p.options(nil)).Ask(ctx, conv, []string{"go"})
		if status.Aborted == asks || (err != nil) != asks {
			t.Errorf("%q: status %+v, error %v", script, status, err)
		}
		if interrupted := strings.Contains(strings.Join(conv.sent(), "\n"), `"interrupt"`); interrupted == asks {
			t.Errorf("%q: interrupted is %v", script, interrupted)
		}
		if asks {
			p.sees(`The question stays open. To answer: redline --continue "…"`)
		}
		p.left()
	}
}

// TestPromptKeys: editing, history, Ctrl-C and Ctrl-D at the prompt.
func TestPromptKeys(t *testing.T) {
	signals := make(chan os.Signal)
	p := sitDown(t, 60)
	o := p.options(nil)
	o.Interrupts = signals
	conv := newConversation("on first\nmessage One.\non slow\nstep 1 of 3\nwait\non *\nmessage Heard.", nil)
	talk := [][2]string{
		{"redline> ", "firstt\x7f\r"},
		{"One.", ""},
		{"redline> ", "\x1b[A\r"}, // up: the line before
		{"One.", ""},
		{"redline> ", "half a line\x03"},
		{"Ctrl-C again", ""},
		{"redline> ", "slow\r"},
		{"step 1 of 3", "interrupt"},
		{"Interrupted.", ""},
		{"redline> ", "typed\rahead\r"},
		{"Heard.", ""},
		{"Heard.", ""},
		{"redline> ", "\x03"},
		{"Ctrl-C again", "\x03"},
	}
	typing := make(chan struct{})
	go func() {
		defer close(typing)
		for _, pair := range talk {
			p.sees(pair[0])
			if pair[1] == "interrupt" {
				signals <- os.Interrupt
			} else {
				p.types(pair[1])
			}
		}
	}()
	if _, err := console.New(o).Prompt(t.Context(), conv); err != nil {
		t.Fatal(err)
	}
	<-typing
	want := []string{"first", "first", "slow", "interrupt", "typed", "ahead"}
	var got []string
	for _, c := range conv.commands {
		if got = append(got, c.Content); c.Type == wire.CommandInterrupt {
			got[len(got)-1] = "interrupt"
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("sent: -want +got\n%s", d)
	}
	p.left()
}

// TestDetect: what is a terminal, how wide, with colours or without. A change of
// its size is not noticed.
func TestDetect(t *testing.T) {
	p := sitDown(t, 47)
	file, err := os.Create(t.TempDir() + "/out")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	env := func(pairs ...string) func(string) string {
		return func(name string) string {
			if i := slices.Index(pairs, name); i >= 0 {
				return pairs[i+1]
			}
			return ""
		}
	}
	for name, test := range map[string]struct {
		got             console.Options
		terminal, color bool
		ask             bool
		width           int
	}{
		"terminal":                 {console.Detect(p.tty, p.tty, p.tty, env()), true, true, true, 47},
		"no colours":               {console.Detect(p.tty, p.tty, p.tty, env("NO_COLOR", "1")), true, false, true, 47},
		"dumb":                     {console.Detect(p.tty, p.tty, p.tty, env("TERM", "dumb")), false, false, true, 0},
		"output to a file":         {console.Detect(p.tty, file, p.tty, env()), false, false, true, 0},
		"all to a file":            {console.Detect(p.tty, file, file, env()), false, false, false, 0},
		"input from elsewhere":     {console.Detect(file, p.tty, p.tty, env()), true, true, false, 47},
		"streams that are no file": {console.Detect(strings.NewReader(""), &strings.Builder{}, p.tty, env()), false, false, false, 0},
	} {
		o := test.got
		if o.Terminal != test.terminal || o.Color != test.color || o.Ask != test.ask || o.Width != test.width {
			t.Errorf("%s: terminal %t, color %t, ask %t, width %d", name, o.Terminal, o.Color, o.Ask, o.Width)
		}
	}
}

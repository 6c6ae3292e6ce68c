//go:build !windows

package main

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/tools/txtar"
)

// onTerminal runs a command at a pseudo terminal, with what a person types.
func (s *stage) onTerminal(keys string, args ...string) (shown string, code int) {
	s.t.Helper()
	person, tty, err := pty.Open()
	if err != nil {
		s.t.Skipf("no pseudo terminal: %v", err)
	}
	defer person.Close()
	said := make(chan string)
	go func() {
		data, _ := io.ReadAll(person) // ends with an error when the other side is closed
		said <- string(data)
	}()
	if _, err := io.WriteString(person, keys); err != nil {
		s.t.Fatal(err)
	}
	s.t.Chdir(s.dir)
	code = run(context.Background(), args, streams{in: tty, out: tty, err: tty})
	tty.Close()
	return strings.ReplaceAll(<-said, "\r\n", "\n"), code
}

func terminalStage(t *testing.T) *stage {
	s := newStage(t, txtar.Parse([]byte("-- folder/a.md --\nThe quick brown fox.\n")))
	t.Setenv("TERM", "xterm")
	s.do(`redline tool call edit_document '{"path": "a.md", "operation": "prepend", "content": "first"}'`)
	return s
}

// TestConfirm: what drops the user's work, or cannot be taken back, is asked about
// at a terminal, and only a yes is one.
func TestConfirm(t *testing.T) {
	for _, test := range []struct {
		args []string
		file string // that says whether it was done
	}{
		{[]string{"rollback", "last"}, "a.md"},
		{[]string{"trash", "empty"}, ".redline/trash"},
	} {
		for keys, want := range map[string]int{"y\n": exitDone, "yes\n": exitDone, "n\n": exitDenied, "\n": exitDenied, "\x04": exitDenied} {
			s := terminalStage(t)
			s.do(`redline --yes tool call delete_document '{"path": "a.md"}'`)
			before := s.tree(test.file)
			shown, code := s.onTerminal(keys, test.args...)
			if code != want || !strings.Contains(shown, "[y/N]") {
				t.Errorf("%v, typed %q: exit status %d\n%s", test.args, keys, code, shown)
			}
			if done := s.tree(test.file) != before; done != (want == exitDone) {
				t.Errorf("%v, typed %q: done is %v\n%s", test.args, keys, done, shown)
			}
		}
	}
}

// tree is a file, or the names in a folder.
func (s *stage) tree(name string) string {
	entries, err := os.ReadDir(s.dir + "/" + name)
	if err != nil {
		data, err := os.ReadFile(s.dir + "/" + name)
		if err != nil {
			return "none"
		}
		return string(data)
	}
	names := ""
	for _, e := range entries {
		names += e.Name() + "\n"
	}
	return names
}

// TestTerminalDiff: on a terminal a diff is for people, in colours unless they are
// not wanted; and what is in a file does not get at the terminal.
func TestTerminalDiff(t *testing.T) {
	s := terminalStage(t)
	s.put("a.md", "\x1b]0;title\x07\x1b[31mred\n")
	s.do(`redline tool call edit_document '{"path": "a.md", "operation": "append", "content": "more"}'`)
	for _, test := range []struct {
		args    []string
		colours bool
	}{
		{[]string{"diff"}, true},
		{[]string{"show"}, true},
		{[]string{"--no-color", "diff"}, false},
		{[]string{"--no-color", "show"}, false},
	} {
		shown, code := s.onTerminal("", test.args...)
		if code != exitDone || strings.Contains(shown, "diff --git") || !strings.Contains(shown, "edited   a.md") {
			t.Errorf("%v: exit status %d\n%q", test.args, code, shown)
		}
		if got := strings.Contains(shown, "\x1b[3"); got != test.colours {
			t.Errorf("%v: colours: %v\n%q", test.args, got, shown)
		}
		if strings.Contains(shown, "\x1b]") || strings.Contains(shown, "\x1b[31mred") {
			t.Errorf("%v: the file speaks to the terminal: %q", test.args, shown)
		}
	}
}

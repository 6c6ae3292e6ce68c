package command_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"redline/internal/shell/command"
	"redline/internal/shell/tree"
)

// textBase is a folder with a few small files.
var textBase = fstest.MapFS{
	"a.md":    {Data: []byte("apple 10\nbanana 9\n\ncherry 100\nno end"), Mode: 0o644},
	"b.md":    {Data: []byte("apple x\r\nbanana\ty\n\xff\x00z\ngrüß\n"), Mode: 0o644},
	"d/c.md":  {Data: []byte("1\n2\n3\n"), Mode: 0o644},
	"empty":   {Mode: 0o644},
	"edit.sd": {Data: []byte("s/a/b/\n$d\n"), Mode: 0o644},
}

// errEnough ends a command that writes without end.
var errEnough = errors.New("enough")

// smallWriter takes so many bytes.
type smallWriter struct{ left int }

func (w *smallWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errEnough
	}
	return len(p), nil
}

// FuzzText runs the text tools with any arguments: none of them may panic, leave the
// folder or outlive its context.
func FuzzText(f *testing.F) {
	for _, line := range []string{
		"sed\x00-n\x00$!N;P;D\x00a.md", "sed\x00:a;s/.*/&&/;ta\x00a.md", "sed\x00-E\x00s/(a|b)*x?/[\\1]\\u&/2g;y/ab/\\n-/\x00b.md",
		"sed\x00-i.o\x001~2{G;h;D}\x00a.md\x00d/c.md", "sed\x00-f\x00edit.sd\x00a.md", "sed\x00r ../x\x00a.md", "sed\x001!{l 3;q5}\nw out\x00b.md",
		"sed\x00/[/]/,+2{s,[,],\\x41\\cZ\\d065,;b x};:x\x00a.md", "sed\x00$!{a\\\nx\\\ny\n};i z\x00empty",
		"sort\x00-k2.1,2n\x00-t \x00a.md\x00b.md", "sort\x00-Vhu\x00b.md", "sort\x00-c\x00a.md", "sort\x00-m\x00a.md\x00-",
		"tr\x00-cs\x00[:alnum:]\x00[\\n*]", "tr\x00a-z\x00[x*9]-\\377", "tr\x00-t\x00[=a=]\\400\x00z-a",
		"cut\x00-f\x00-2,5-\x00-d \x00--complement\x00a.md", "uniq\x00-f1\x00-w3\x00--group=both\x00a.md\x00out",
		"head\x00-n\x00-2\x00a.md\x00b.md", "tail\x00-c\x00+3\x00a.md", "tail\x00+2\x00a.md", "wc\x00-lwmcL\x00b.md\x00d",
		"nl\x00-ba\x00-d\x00x\x00-w3\x00a.md", "nl\x00-bp[a\x00a.md", "join\x00-a1\x00-o\x000,2.9\x00-e?\x00a.md\x00b.md", "comm\x00--total\x00a.md\x00b.md",
		"seq\x00-w\x00-f%010.3f\x001", "seq\x00-w\x001e900\x00-.5\x00-1e-9", "seq\x001\x00inf", "fold\x00-sw3\x00b.md", "expand\x00-t2,/5\x00b.md",
		"unexpand\x00-a\x00-t3,+4\x00b.md", "paste\x00-sd\\n,\x00a.md\x00b.md", "paste\x00-\x00-\x00a.md", "tac\x00-bs\x00an\x00a.md", "rev\x00b.md", "tee\x00-a\x00a.md\x00../x",
	} {
		f.Add(line)
	}
	tools := strings.Fields("sed sort tr cut uniq head tail wc nl join comm seq fold expand unexpand paste tac rev tee")
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, "\x00")
		known := false
		for _, tool := range tools {
			known = known || args[0] == tool
		}
		if !known || len(line) > 2000 {
			t.Skip()
		}
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		now := func() time.Time { return time.Unix(0, 0) }
		folder := tree.New(textBase, "/vault", tree.Options{Limit: 1 << 20, Most: 100, Now: now})
		c := &command.Call{
			Context: ctx, Command: command.Find(args[0]), Args: args[1:], Tree: folder, Dir: "/vault",
			Env: func(string) string { return "" }, In: strings.NewReader("some\ninput\n"),
			Out: command.NewOutput(&smallWriter{1 << 16}), Err: io.Discard, Now: now,
			Others: command.Find, Has: func(string) bool { return false },
		}
		c.Run()
		effects, err := folder.Effects()
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range effects {
			if e.Name == ".." || strings.HasPrefix(e.Name, "../") || strings.HasPrefix(e.Name, "/") {
				t.Errorf("%q has an effect on %s", args, e.Name)
			}
		}
	})
}

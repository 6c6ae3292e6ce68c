package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"

	"redline"
	"redline/internal/text"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"redline": main})
}

// patience is how long a script waits for something that should happen soon.
const patience = 30 * time.Second

// TestScripts plays what users complain about. The program is a process of its
// own, which can be killed, interrupted and run twice at once. A script begins in
// the folder folder/; its home, configuration and state are beside it. Besides the
// commands of testscript there are
//
//	status N PROGRAM ARG…      runs it: the exit status must be N
//	start NAME PROGRAM ARG…    begins it; its input stays open and silent, its
//	                           output goes to ../NAME.out and ../NAME.err
//	terminal NAME PROGRAM ARG… the same on a terminal; all it shows is in ../NAME.out
//	send NAME TEXT             types or sends a line to it
//	close NAME                 ends its input
//	signal NAME INT|TERM|KILL  sends a signal to it
//	finish NAME N|killed       waits for its end
//	await FILE [REGEXP]        waits until the file is there, and matches
//	ended FILE                 waits for the end of the process whose id is in it
//	write FILE TEXT            another program writes, in place; TEXT is a Go string
//	holds FILE TEXT            the file has exactly these bytes
//	mode FILE OCTAL            the file has these permission bits
//	retime FILE OTHER          gives a file the time of another, to the nanosecond
//	big FILE KB                makes a text of numbered lines
//	tree FILE [DIR]            lists all there is but .redline: names, modes, hashes
//	lines FILE                 all of it is complete lines of JSON
//	unescaped FILE             [!] nothing in it moves the cursor or hides text
//	most KB DIR                [!] the files in it are not more than that
//	later DAYS                 as if so many days had passed for the state
//	disk DIR KB                makes a folder a disk of its own, if [tmpfs]
//	server, ask, until, pick…  talk to redline serve: see script_http_test.go
//	model REPLIES              starts a server that talks like OpenAI's, in $MODEL_URL;
//	                           the requests go to ../request-N.json
func TestScripts(t *testing.T) {
	commands := map[string]func(*testscript.TestScript, bool, []string){
		"status": runStatus, "start": startProcess, "terminal": startOnTerminal, "send": sendLine, "close": closeInput, "signal": sendSignal, "finish": finish,
		"await": await, "ended": awaitEnd, "write": writeBytes, "holds": holds, "mode": hasMode, "retime": retime, "big": writeBig,
		"tree": listTree, "lines": jsonLines, "unescaped": unescaped, "most": atMost, "later": passDays, "model": serveModel, "disk": mountDisk,
	}
	maps.Copy(commands, serverCommands)
	testscript.Run(t, testscript.Params{
		Dir:   "testdata/scripts",
		Setup: setUp,
		Cmds:  commands,
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "root":
				return os.Geteuid() == 0, nil
			case "tmpfs":
				return canMount(), nil
			case "sandbox":
				_, err := redline.SandboxGaps()
				return err == nil, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
	})
}

type processesKey struct{}

// process is a program in the background.
type process struct {
	cmd   *exec.Cmd
	input io.WriteCloser
	shown chan struct{} // closed when all that it showed is written down; nil: it is at once
	ended chan struct{} // closed at its end, behind err
	err   error
}

func setUp(e *testscript.Env) error {
	for name, dir := range map[string]string{"HOME": "home", "XDG_STATE_HOME": "state", "XDG_CONFIG_HOME": "config"} {
		e.Setenv(name, filepath.Join(e.WorkDir, dir))
	}
	e.Setenv("EDITOR", "")
	e.Setenv("TERM", "xterm")
	folder := filepath.Join(e.WorkDir, "folder")
	e.Cd = folder
	e.Values[processesKey{}] = map[string]*process{}
	return errors.Join(os.MkdirAll(filepath.Join(e.WorkDir, "home"), 0o755), os.MkdirAll(folder, 0o755))
}

// beside is a file next to the folder.
func beside(ts *testscript.TestScript, name string) string {
	return filepath.Join(ts.Getenv("WORK"), name)
}

func need(ts *testscript.TestScript, neg bool, args []string, least, most int) {
	if neg || len(args) < least || len(args) > most {
		ts.Fatalf("wrong use: see the list at TestScripts")
	}
}

const anyNumber = 1 << 20

func runStatus(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, anyNumber)
	err := ts.Exec(args[1], args[2:]...)
	if got := exitStatus(err); got != args[0] {
		ts.Fatalf("exit status %s, want %s (%v)", got, args[0], err)
	}
}

func exitStatus(err error) string {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return "0"
	case !errors.As(err, &exit):
		return err.Error()
	case exit.ExitCode() < 0:
		return "killed"
	}
	return strconv.Itoa(exit.ExitCode())
}

// command is a program in the folder and the environment of the script.
func command(ts *testscript.TestScript, args []string) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "WORK", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "EDITOR", "TERM", "MODEL_URL", "GORACE"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	return cmd
}

func startProcess(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, anyNumber)
	cmd := command(ts, args[1:])
	out, err := os.Create(beside(ts, args[0]+".out"))
	ts.Check(err)
	defer out.Close()
	errs, err := os.Create(beside(ts, args[0]+".err"))
	ts.Check(err)
	defer errs.Close()
	input, err := cmd.StdinPipe()
	ts.Check(err)
	cmd.Stdout, cmd.Stderr = out, errs
	ts.Check(cmd.Start())
	follow(ts, args[0], &process{cmd: cmd, input: input})
}

// follow waits for the process in the background, and ends it with the script.
func follow(ts *testscript.TestScript, name string, p *process) {
	p.ended = make(chan struct{})
	ts.Value(processesKey{}).(map[string]*process)[name] = p
	go func() {
		p.err = p.cmd.Wait()
		if p.shown != nil {
			<-p.shown
		}
		close(p.ended)
	}()
	ts.Defer(func() {
		select {
		case <-p.ended:
		default:
			_ = p.cmd.Process.Kill()
			<-p.ended
		}
		_ = p.input.Close()
	})
}

func processNamed(ts *testscript.TestScript, name string) *process {
	p := ts.Value(processesKey{}).(map[string]*process)[name]
	if p == nil {
		ts.Fatalf("nothing was started as %s", name)
	}
	return p
}

func sendLine(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, 2)
	_, err := io.WriteString(processNamed(ts, args[0]).input, args[1]+"\n")
	ts.Check(err)
}

func closeInput(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, 1)
	_ = processNamed(ts, args[0]).input.Close() // the end of the program closes it, too
}

func finish(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, 2)
	p := processNamed(ts, args[0])
	select {
	case <-p.ended:
	case <-time.After(patience):
		ts.Fatalf("%s does not end\n%s", args[0], said(ts, args[0]))
	}
	if got := exitStatus(p.err); got != args[1] {
		ts.Fatalf("exit status %s, want %s\n%s", got, args[1], said(ts, args[0]))
	}
}

// said is the end of what a process in the background has written.
func said(ts *testscript.TestScript, name string) string {
	out, _ := os.ReadFile(beside(ts, name+".out"))
	errs, _ := os.ReadFile(beside(ts, name+".err"))
	return fmt.Sprintf("[out]\n%s\n[err]\n%s", out[max(0, len(out)-1000):], errs[max(0, len(errs)-1000):])
}

// eventually waits until something holds. It asks again and again, since what
// other processes do cannot be waited for otherwise.
func eventually(ts *testscript.TestScript, what string, holds func() bool) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); !holds(); <-tick.C {
		if time.Now().After(end) {
			ts.Fatalf("waited in vain: %s", what)
		}
	}
}

func await(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, 2)
	want, err := regexp.Compile("(?m)" + strings.Join(args[1:], ""))
	ts.Check(err)
	var last []byte
	defer func() {
		if !want.Match(last) {
			ts.Logf("%s", last[max(0, len(last)-1000):])
		}
	}()
	eventually(ts, strings.Join(args, " "), func() bool {
		last, err = os.ReadFile(ts.MkAbs(args[0]))
		return err == nil && want.Match(last)
	})
}

// quoted is a text with Go's escapes.
func quoted(ts *testscript.TestScript, s string) string {
	s, err := strconv.Unquote(`"` + s + `"`)
	ts.Check(err)
	return s
}

func writeBytes(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, 2)
	name := ts.MkAbs(quoted(ts, args[0]))
	ts.Check(os.MkdirAll(filepath.Dir(name), 0o755))
	ts.Check(os.WriteFile(name, []byte(quoted(ts, args[1])), 0o644))
}

func holds(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, 2)
	got, err := os.ReadFile(ts.MkAbs(quoted(ts, args[0])))
	ts.Check(err)
	if want := quoted(ts, args[1]); string(got) != want {
		ts.Fatalf("%s holds %q, want %q", args[0], got, want)
	}
}

func hasMode(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, 2)
	info, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	if got := fmt.Sprintf("%o", info.Mode().Perm()); got != args[1] {
		ts.Fatalf("%s has mode %s, want %s", args[0], got, args[1])
	}
}

func retime(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, 2)
	info, err := os.Stat(ts.MkAbs(args[1]))
	ts.Check(err)
	ts.Check(os.Chtimes(ts.MkAbs(args[0]), info.ModTime(), info.ModTime()))
}

func writeBig(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, 2)
	kb, err := strconv.Atoi(args[1])
	ts.Check(err)
	var b bytes.Buffer
	for n := 1; b.Len() < kb<<10; n++ {
		fmt.Fprintf(&b, "line %d of a long text about nothing in particular\n", n)
	}
	err = os.WriteFile(ts.MkAbs(args[0]), b.Bytes(), 0o644)
	if !errors.Is(err, syscall.ENOSPC) { // as much as fits
		ts.Check(err)
	}
}

func listTree(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, 2)
	dir := ts.MkAbs(strings.Join(args[1:], ""))
	var b strings.Builder
	ts.Check(filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		if name == ".redline" {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		var what string
		switch {
		case d.Type() == fs.ModeSymlink:
			target, _ := os.Readlink(path)
			what = "-> " + target
		case d.Type().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			what = text.Sum(data).String()
		}
		fmt.Fprintf(&b, "%s %q %s\n", info.Mode(), name, what)
		return nil
	}))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(b.String()), 0o644))
}

func jsonLines(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, 1)
	data := ts.ReadFile(args[0])
	if data == "" || !strings.HasSuffix(data, "\n") {
		ts.Fatalf("there is nothing, or the last line is not complete: %q", data)
	}
	for line := range strings.Lines(data) {
		if !json.Valid([]byte(line)) || !strings.HasPrefix(line, "{") {
			ts.Fatalf("no line of JSON: %s", line)
		}
	}
}

func unescaped(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, false, args, 1, 1)
	data := ts.ReadFile(args[0])
	i := strings.IndexFunc(data, func(r rune) bool {
		return r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
	})
	if bad := i >= 0 || !utf8.ValidString(data); bad != neg {
		ts.Fatalf("at %d: %q", i, data)
	}
}

func atMost(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, false, args, 2, 2)
	most, err := strconv.ParseInt(args[0], 10, 64)
	ts.Check(err)
	var sum int64
	ts.Check(filepath.WalkDir(ts.MkAbs(args[1]), func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			sum += info.Size()
		}
		return err
	}))
	ts.Logf("%d KB", sum>>10)
	if more := sum > most<<10; more != neg {
		ts.Fatalf("%d KB, and the limit is %d", sum>>10, most)
	}
}

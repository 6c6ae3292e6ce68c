// Package staged is a shell that starts no process and cannot leave the folder.
//
//	line ── parse ── check ── interpret ─┬─ builtins of the shell
//	                                     ├─ commands, in Go (package command)
//	                                     └─ files (package tree): what is written is kept
//	                                        there, until somebody asks for its Effects
//
// Nothing has to be filtered, because what is not implemented does not exist: there is
// no way to a process, to the network, to the environment of the host or to a path
// outside of the folder. A command that was aborted, ran out of time or of memory has
// no effects: its tree is to be thrown away.
//
// The grammar is that of bash. Jobs in the background, exec, trap and what is like
// them are refused with a message.
package staged

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"

	"redline/internal/shell"
	"redline/internal/shell/command"
	"redline/internal/shell/tree"
)

// Command is one line for the shell, or several.
type Command struct {
	Line string
	Tree *tree.Tree
	// Allow tells whether a command may be used, by name; nil: all that are not extra.
	// "find -delete" stands for that.
	Allow     func(name string) bool
	Timeout   time.Duration // 0: 30 s
	MaxOutput int           // bytes of both streams together; 0: 1 MB
	Now       func() time.Time

	// Output hears "stdout" and "stderr" as they come, in whole UTF-8; it may be nil.
	// It is never called twice at once, nor after Run has returned.
	Output func(stream string, piece []byte)
}

const (
	defaultTimeout = 30 * time.Second
	defaultOutput  = 1 << 20
	mostLine       = 256 << 10 // bytes of a line
	mostWritten    = 16 << 20  // bytes that both streams may have before the command is ended
	mostMemory     = 128 << 20 // bytes that the program may grow by meanwhile
	mostParts      = 500       // parts of pipelines that run side by side
	mostFrames     = 6000      // Go calls inside of each other; a call of a shell function is about ten
	mostArgs       = 8 << 20   // bytes of the arguments of one call
	mostName       = 1000      // bytes of the name of a variable, with a subscript, for unset
)

// Run runs a command to its end. A command that fails, is aborted through ctx or runs
// into a limit has a Result; the tree has the effects of one that ended by itself.
// Cut tells the others.
func Run(ctx context.Context, c Command) Result {
	c.defaults()
	r := &run{Command: c, began: time.Now(), dashed: map[string]bool{}, parts: parts{at: map[string]int{}}}
	r.stdout = &sink{name: "stdout", run: r, kept: shell.Excerpt{Limit: c.MaxOutput}}
	r.stderr = &sink{name: "stderr", run: r, kept: shell.Excerpt{Limit: c.MaxOutput}}
	ctx, r.cancel = context.WithCancelCause(ctx)
	defer r.cancel(nil)
	ctx, stop := context.WithTimeoutCause(ctx, c.Timeout, errTimeout)
	defer stop()
	r.ctx = ctx
	defer r.watch()()

	status := r.interpret(ctx)
	return r.result(status)
}

func (c *Command) defaults() {
	if c.Timeout <= 0 {
		c.Timeout = defaultTimeout
	}
	if c.MaxOutput <= 0 {
		c.MaxOutput = defaultOutput
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Allow == nil {
		c.Allow = func(name string) bool { k := command.Find(name); return k != nil && !k.Extra }
	}
}

// Result is what became of a command.
type Result struct {
	shell.Result
	// Cut says why a command was ended before its time: none of its effects count.
	// "" : it ended by itself.
	Cut string
}

// The reasons for which a command is ended.
var (
	errTimeout   = errors.New("timed out")
	errMemory    = fmt.Errorf("the command needs more than %d MB of memory", mostMemory>>20)
	errFlood     = fmt.Errorf("the command writes more than %d MB", mostWritten>>20)
	errParts     = fmt.Errorf("more than %d parts of pipelines run side by side", mostParts)
	errDeep      = errors.New("functions call each other too deeply")
	errNested    = errors.New("commands and expressions are inside of each other too deeply")
	errArgs      = fmt.Errorf("the arguments of a call are longer than %d MB", mostArgs>>20)
	errNoclobber = errors.New("set: noclobber is not available here: test for the file with [ -e FILE ] first")
	errInternal  = errors.New("the shell broke down, which is a fault of Redline")
)

// run is a command that is running.
type run struct {
	Command
	began          time.Time
	ctx            context.Context
	cancel         context.CancelCauseFunc
	stdout, stderr *sink
	parts          parts
	talk           sync.Mutex      // one of the streams at a time
	dashed         map[string]bool // names that begin with a dash and came from a pattern; guarded by talk
}

// interpret parses the line and runs it. It returns the exit status.
func (r *run) interpret(ctx context.Context) (status int) {
	defer func() {
		if p := recover(); p != nil {
			r.brokeDown(p)
			status = 125
		}
	}()
	return r.shell(ctx, script{Script: command.Script{Text: r.Line, Name: "bash"}, dir: r.Tree.Root(), out: r.stdout, err: r.stderr})
}

// script is what a shell is to run, and where.
type script struct {
	command.Script
	env      []string // variables that are exported to it
	dir      string
	in       io.Reader // nil: none
	out, err io.Writer
}

// shell runs a script in a shell of its own. It returns the exit status.
func (r *run) shell(ctx context.Context, s script) int {
	file, err := r.parts.parse(s.Text)
	if err != nil {
		fmt.Fprintf(s.err, "%s: %s\n", s.Name, err)
		return 2
	}
	file.Name = s.Name
	in, err := r.interpreter(s)
	if err != nil {
		fmt.Fprintf(s.err, "%s: %s\n", s.Name, err)
		return 2
	}
	err = in.Run(ctx, file)
	if code, ok := errors.AsType[interp.ExitStatus](err); ok {
		return int(code)
	}
	if err != nil && ctx.Err() == nil {
		r.cancel(err)
		fmt.Fprintf(s.err, "%s: %s\n", s.Name, err)
		return 125
	}
	return 0
}

// parse reads a line and refuses what this shell does not do. Nothing of a line that
// is refused runs.
func (p *parts) parse(line string) (*syntax.File, error) {
	switch i := strings.IndexByte(line, 0); {
	case i >= 0:
		return nil, fmt.Errorf("the command holds a NUL byte at position %d: remove it", i)
	case len(line) > mostLine:
		return nil, fmt.Errorf("the command is longer than %d KB: write the text with write_file instead", mostLine>>10)
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(&shallow{strings.NewReader(line)}, "bash")
	if err != nil {
		if pe, ok := errors.AsType[syntax.ParseError](err); ok {
			return nil, fmt.Errorf("line %d: syntax error: %s", pe.Pos.Line(), pe.Text)
		}
		if le, ok := errors.AsType[syntax.LangError](err); ok {
			return nil, fmt.Errorf("line %d: syntax error: %s", le.Pos.Line(), le.Feature)
		}
		return nil, fmt.Errorf("syntax error: %w", err)
	}
	if err := p.check(file); err != nil {
		return nil, err
	}
	return file, nil
}

// shallow is a script that ends with an error if it is nested so deeply that to parse
// it, and then to run it, would exhaust the stack, which ends the whole program: the
// parser reads from the depth that it has reached.
type shallow struct{ io.Reader }

func (s *shallow) Read(p []byte) (int, error) {
	if deep() {
		return 0, errNested
	}
	return s.Reader.Read(p)
}

// interpreter makes the shell. Each has its own variables, functions and options:
// nothing is left of one when the next begins.
func (r *run) interpreter(s script) (*interp.Runner, error) {
	env := append([]string{"HOME=" + r.Tree.Root(), "LANG=C.UTF-8", "PATH=", "USER=user", "TERM=dumb"}, s.env...)
	env = append(env,
		// The interpreter would ask the system for these.
		"UID=1000", "EUID=1000", "GID=1000",
		// It opens files of its own in TMPDIR, past the handlers: below a device no
		// file can be.
		"TMPDIR=/dev/null")
	in, err := interp.New(
		interp.Env(environ{expand.ListEnviron(env...)}),
		interp.StdIO(s.in, s.out, s.err),
		interp.Params(append(append(slices.Clone(s.Set), "--"), s.Args...)...),
		interp.CallHandler(r.call),
		interp.ExecHandlers(func(interp.ExecHandlerFunc) interp.ExecHandlerFunc { return r.exec }),
		interp.OpenHandler(r.open),
		interp.ReadDirHandler2(r.readDir),
		interp.StatHandler(r.stat),
		interp.AccessHandler(r.access),
	)
	if err != nil {
		return nil, err
	}
	in.Dir = s.dir // interp.Dir would look at the disk
	return in, nil
}

// environ is the environment of a shell. The interpreter asks it where the home of
// another user is, before it asks the system: ~ann is no more than that.
type environ struct{ expand.Environ }

// Get implements expand.Environ.
func (e environ) Get(name string) expand.Variable {
	if user, ok := strings.CutPrefix(name, "HOME "); ok {
		return expand.Variable{Set: true, Kind: expand.String, Str: "~" + user}
	}
	return e.Environ.Get(name)
}

// brokeDown ends the command after a panic.
func (r *run) brokeDown(reason any) {
	r.say("bash: %v: %v\n", errInternal, reason) // first: nothing is heard of a command that has ended
	r.cancel(errInternal)
}

// say writes to the standard error of the command.
func (r *run) say(format string, args ...any) { fmt.Fprintf(r.stderr, format, args...) }

// result puts together what became of the command.
func (r *run) result(status int) Result {
	out := Result{Result: shell.Result{ExitCode: status, Duration: time.Since(r.began)}}
	switch cause := context.Cause(r.ctx); {
	case cause == nil:
	case errors.Is(cause, errTimeout):
		out.TimedOut, out.ExitCode = true, 124
		out.Cut = fmt.Sprintf("the command did not end within %v", r.Timeout)
	case errors.Is(cause, context.Canceled), errors.Is(cause, context.DeadlineExceeded):
		out.Aborted, out.ExitCode = true, 130
		out.Cut = "the command was aborted"
	default:
		out.ExitCode = 137
		out.Cut = cause.Error()
	}
	r.stdout.finish()
	r.stderr.finish()
	r.fit()
	var cutOut, cutErr bool
	out.Stdout, cutOut = r.stdout.kept.Text()
	out.Stderr, cutErr = r.stderr.kept.Text()
	out.Truncated = cutOut || cutErr
	return out
}

// fit makes both streams together as short as the limit: messages may have a quarter
// of it, and what the output leaves.
func (r *run) fit() {
	limit := r.MaxOutput
	out, err := &r.stdout.kept, &r.stderr.kept
	if out.Len()+err.Len() <= limit {
		return
	}
	err.Shrink(max(limit/4, limit-out.Len()))
	out.Shrink(limit - min(err.Len(), err.Limit))
}

// sink takes what the command writes to one of its streams.
type sink struct {
	name string
	run  *run
	kept shell.Excerpt
	held []byte // the beginning of a rune
	size int64
}

// Write implements io.Writer.
func (s *sink) Write(p []byte) (int, error) {
	s.run.talk.Lock()
	defer s.run.talk.Unlock()
	if err := s.run.ctx.Err(); err != nil {
		return 0, err
	}
	if s.size += int64(len(p)); s.size > mostWritten {
		s.run.cancel(errFlood)
		return 0, errFlood
	}
	data := p
	if len(s.held) > 0 {
		data = append(s.held, p...)
	}
	whole := data[:shell.WholeRunes(data)]
	s.held = bytes.Clone(data[len(whole):])
	s.take(whole)
	return len(p), nil
}

func (s *sink) take(data []byte) {
	if len(data) == 0 {
		return
	}
	data = shell.Harmless(data)
	s.kept.Add(data)
	if s.run.Output != nil {
		s.run.Output(s.name, data)
	}
}

// finish takes what is left of a rune that was never completed.
func (s *sink) finish() {
	s.run.talk.Lock()
	defer s.run.talk.Unlock()
	s.take(s.held)
	s.held = nil
}

package staged

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"

	"redline/internal/shell/command"
	"redline/internal/shell/tree"
)

// Calls that a script cannot spell: they stand for what this shell does in the place
// of a builtin.
const (
	collectName = "\x01collect" // keeps its input in a file and prints the name of it
	refuseName  = "\x01refuse"  // says why its first argument is not possible
	whichName   = "\x01which"   // tells what its arguments are
	partName    = "\x01part"    // runs the part of a pipeline that has this number
)

// refused are the builtins that are not possible here, and what to do instead.
var refused = map[string]string{
	"exec":     "no process can be replaced here: run the command without exec, and redirect it by itself",
	"trap":     "there are no signals here: leave it out",
	"kill":     "there are no processes here: leave it out",
	"wait":     "nothing runs in the background here: leave it out",
	"bg":       "nothing runs in the background here: leave it out",
	"fg":       "nothing runs in the background here: leave it out",
	"jobs":     "nothing runs in the background here: leave it out",
	"disown":   "nothing runs in the background here: leave it out",
	"suspend":  "there are no processes here: leave it out",
	"ulimit":   "the limits of this shell cannot be changed: leave it out",
	"umask":    "the modes of new files are fixed here: leave it out",
	"newgrp":   "there are no groups here: leave it out",
	"logout":   "this is no login shell: use exit",
	"fc":       "there is no history here: leave it out",
	"history":  "there is no history here: leave it out",
	"bind":     "there is no terminal here: leave it out",
	"complete": "there is no terminal here: leave it out",
	"compgen":  "there is no terminal here: leave it out",
	"compopt":  "there is no terminal here: leave it out",
	"enable":   "the builtins of this shell are fixed: leave it out",
	"caller":   "there is no debugger here: leave it out",
}

// call runs before every simple command, and may replace it.
func (r *run) call(ctx context.Context, args []string) ([]string, error) {
	if tooDeep() {
		return nil, errDeep
	}
	total := 0
	for _, a := range args {
		total += len(a)
	}
	if total > mostArgs {
		return nil, errArgs
	}
	at := 0 // where the command is, behind "command" and "builtin"
	for at < len(args) && (args[at] == "command" || args[at] == "builtin") {
		if at++; at < len(args) && (args[at] == "-v" || args[at] == "-V") {
			return append([]string{whichName}, args[at:]...), nil
		}
		for at < len(args) && (args[at] == "-p" || args[at] == "--") {
			at++
		}
	}
	if at == len(args) {
		return args, nil
	}
	rest := args[at:]
	switch name := rest[0]; {
	case refused[name] != "":
		return []string{refuseName, name, refused[name]}, nil
	case name == "source" || name == ".":
		return r.source(ctx, rest)
	case name == "eval":
		return r.eval(name, strings.Join(rest[1:], " "))
	case name == "type" || name == "which" || name == "hash":
		return append([]string{whichName}, rest[1:]...), nil
	case name == "set" && (slices.Contains(rest, "-C") || slices.Contains(rest, "noclobber")):
		return nil, errNoclobber
	case name == "alias":
		return []string{"true"}, nil // as in every script: aliases are for those who type
	case name == "shopt" && slices.Contains(rest, "expand_aliases"):
		return []string{refuseName, name, "there are no aliases here: use a function"}, nil
	case name == "unset":
		// The interpreter parses a subscript without bounds.
		if i := slices.IndexFunc(rest, func(a string) bool { return len(a) > mostName }); i > 0 {
			return []string{refuseName, name, rest[i][:20] + "...: not a valid identifier"}, nil
		}
	case name == "read":
		return r.read(ctx, args, rest)
	case (name == "test" || name == "[") && (slices.Contains(rest, "-O") || slices.Contains(rest, "-G")):
		return []string{refuseName, name, "files have no owner here: -O and -G are not possible"}, nil
	case name == "cd" && len(rest) == 2:
		if _, err := r.Tree.Stat(absolute(interp.HandlerCtx(ctx), rest[1])); err != nil && rest[1] != "-" {
			return []string{refuseName, name, rest[1] + ": " + command.Reason(err)}, nil
		}
	case name == "printf" && len(rest) > 3 && rest[1] == "-v":
		return r.printfVariable(ctx, rest[2], rest[3:])
	case at == 0 && (name == "printf" || name == "echo" && len(rest) > 1 && strings.HasPrefix(rest[1], "-")):
		return append([]string{own + name}, rest[1:]...), nil
	}
	return args, nil
}

// tooDeep tells whether functions have called each other too often. To look at a deep
// stack takes time, so that only one call of many does: by chance, because a script
// could avoid any rule.
func tooDeep() bool { return rand.Uint32()%64 == 0 && deep() }

// deep tells whether more Go calls than mostFrames are inside of each other.
func deep() bool {
	var frame [1]uintptr
	return runtime.Callers(mostFrames, frame[:]) > 0
}

// own before a name is the command of package command, past the builtin.
const own = "\x01"

// printfVariable makes an assignment of printf -v.
func (r *run) printfVariable(ctx context.Context, name string, args []string) ([]string, error) {
	if !syntax.ValidName(name) {
		return []string{refuseName, "printf", "`" + name + "': not a valid identifier"}, nil
	}
	var out bytes.Buffer
	c := r.newCall(ctx, command.Find("printf"), args)
	c.Out = command.NewOutput(&out)
	if status := c.Run(); status != 0 {
		return []string{"false"}, nil
	}
	value, err := syntax.Quote(out.String(), syntax.LangBash)
	if err != nil {
		return []string{refuseName, "printf", err.Error()}, nil
	}
	return []string{"eval", name + "=" + value}, nil
}

// source makes an eval of a script: the builtin would look for it on the disk.
func (r *run) source(ctx context.Context, args []string) ([]string, error) {
	if len(args) != 2 {
		return []string{refuseName, args[0], "needs the name of one file, without arguments"}, nil
	}
	data, err := r.Tree.ReadFile(absolute(interp.HandlerCtx(ctx), args[1]))
	if err != nil {
		return []string{refuseName, args[0], args[1] + ": " + command.Reason(err)}, nil
	}
	return r.eval(args[0]+": "+args[1], string(data))
}

// eval is the call of the builtin for a script that was checked; who is in its message
// if the script is refused.
func (r *run) eval(who, script string) ([]string, error) {
	file, err := r.parts.parse(script)
	if err == nil {
		script, err = printed(file)
	}
	switch {
	case errors.Is(err, errNested):
		return nil, err // it ends the whole script
	case err != nil:
		return []string{refuseName, who, err.Error()}, nil
	}
	return []string{"eval", script}, nil
}

// exec runs a command of this shell.
func (r *run) exec(ctx context.Context, args []string) (err error) {
	hc := interp.HandlerCtx(ctx)
	defer func() {
		if p := recover(); p != nil {
			r.brokeDown(p)
			err = interp.ExitStatus(125)
		}
	}()
	status := 0
	switch name := args[0]; name {
	case collectName:
		status = r.collect(hc)
	case refuseName:
		fmt.Fprintf(hc.Stderr, "bash: %s: %s\n", args[1], args[2])
		status = 1
	case whichName:
		status = r.which(hc, args[1:])
	case partName:
		return r.part(ctx, args[1])
	default:
		name = strings.TrimPrefix(name, own)
		k := r.find(name)
		if k == nil {
			fmt.Fprintf(hc.Stderr, "bash: %s\n", r.missing(name))
			status = 127
			break
		}
		status = r.newCall(ctx, k, r.undashed(args[1:])).Run()
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if status == 0 {
		return nil
	}
	return interp.ExitStatus(status)
}

// part runs a part of a pipeline, in the shell that the call is made in.
func (r *run) part(ctx context.Context, number string) error {
	line, err := r.parts.line(number)
	if err != nil {
		return err
	}
	return interp.HandlerCtx(ctx).Builtin(ctx, []string{"eval", line})
}

// newCall is a call of a command with the streams and the directory of now.
func (r *run) newCall(ctx context.Context, k *command.Command, args []string) *command.Call {
	hc := interp.HandlerCtx(ctx)
	return &command.Call{
		Context: ctx, Command: k, Args: args, Tree: r.Tree, Dir: hc.Dir,
		Env: func(name string) string { return hc.Env.Get(name).String() },
		In:  stdin(hc), Out: command.NewOutput(hc.Stdout), Err: hc.Stderr, Now: r.Now,
		Others: r.find, Has: r.Allow, Script: r.script,
	}
}

// fixed are variables that a script cannot export to a shell inside of its own.
var fixed = []string{"TMPDIR", "UID", "EUID", "GID"}

// script runs a script in a shell inside of the shell.
func (r *run) script(c *command.Call, s command.Script) int {
	var env []string
	for name, v := range interp.HandlerCtx(c.Context).Env.Each {
		if v.Exported && v.Kind == expand.String && !slices.Contains(fixed, name) {
			env = append(env, name+"="+v.String())
		}
	}
	// The parts of a pipeline write side by side, and the streams of a call are for one
	// goroutine.
	var turn sync.Mutex
	in := c.In
	if empty, ok := in.(*strings.Reader); ok && empty.Len() == 0 {
		in = nil // the interpreter would make a pipe of it, and not close that
	}
	return r.shell(c.Context, script{Script: s, env: env, dir: c.Dir, in: in, out: &inTurn{&turn, c.Out}, err: &inTurn{&turn, c.Err}})
}

// inTurn writes when nobody else does.
type inTurn struct {
	turn *sync.Mutex
	io.Writer
}

// Write implements io.Writer.
func (w *inTurn) Write(p []byte) (int, error) {
	w.turn.Lock()
	defer w.turn.Unlock()
	return w.Writer.Write(p)
}

// find is a command that exists and is allowed, or nil.
func (r *run) find(name string) *command.Command {
	k := command.Find(name)
	if k == nil || !r.Allow(name) {
		return nil
	}
	return k
}

// missing says that there is no such command.
func (r *run) missing(name string) string {
	switch {
	case strings.Contains(name, "/"):
		return fmt.Sprintf("%s: programs and scripts of the folder cannot be run here; use the commands of this shell by name", name)
	case command.Find(name) != nil && command.Find(name).Extra:
		return fmt.Sprintf("%s: command not found: it is not allowed here; the user can allow it with the setting shell.allow", name)
	case command.Find(name) != nil:
		return fmt.Sprintf("%s: command not found: the setting shell.allow does not have it", name)
	}
	var names []string
	for _, k := range command.All() {
		if r.Allow(k.Name) {
			names = append(names, k.Name)
		}
	}
	return fmt.Sprintf("%s: command not found; there are: %s", name, strings.Join(names, " "))
}

// stdin is the standard input of a call; one that has none reads nothing.
func stdin(hc interp.HandlerContext) io.Reader {
	if f, ok := hc.Stdin.(*os.File); hc.Stdin == nil || ok && f == nil {
		return strings.NewReader("")
	}
	return hc.Stdin
}

// collect keeps the output of a process substitution.
func (r *run) collect(hc interp.HandlerContext) int {
	data, err := io.ReadAll(stdin(hc))
	var name string
	if err == nil {
		name, err = r.Tree.Temp(data)
	}
	if err != nil {
		fmt.Fprintf(hc.Stderr, "bash: process substitution: %s\n", command.Reason(err))
		return 1
	}
	fmt.Fprintln(hc.Stdout, name)
	return 0
}

// which tells what a name is, as command -v does.
func (r *run) which(hc interp.HandlerContext, names []string) int {
	status := 0
	for _, name := range names {
		switch {
		case strings.HasPrefix(name, "-"):
		case r.find(name) != nil, interp.IsBuiltin(name) && refused[name] == "":
			fmt.Fprintln(hc.Stdout, name)
		default:
			status = 1
		}
	}
	return status
}

// undashed puts ./ before names that begin with a dash and came from a pattern: a
// file that is called like an option is none.
func (r *run) undashed(args []string) []string {
	r.talk.Lock()
	defer r.talk.Unlock()
	if len(r.dashed) == 0 {
		return args
	}
	args = slices.Clone(args)
	for i, a := range args {
		if r.dashed[a] {
			args[i] = "./" + a
		}
	}
	return args
}

// readDir lists a folder for a pattern. The interpreter goes on with a pattern whatever
// happens, so that nothing is found any more once the script has ended.
func (r *run) readDir(_ context.Context, name string) ([]fs.DirEntry, error) {
	if err := r.ctx.Err(); err != nil {
		return nil, err
	}
	list, err := r.Tree.ReadDir(name)
	for _, e := range list {
		if strings.HasPrefix(e.Name(), "-") {
			r.talk.Lock()
			r.dashed[e.Name()] = true
			r.talk.Unlock()
		}
	}
	return list, err
}

func (r *run) stat(_ context.Context, name string, follow bool) (fs.FileInfo, error) {
	if err := r.ctx.Err(); err != nil {
		return nil, err
	}
	if follow {
		return r.Tree.Stat(name)
	}
	return r.Tree.Lstat(name)
}

// access answers test -r, -w and -x.
func (r *run) access(_ context.Context, name string, mode interp.AccessMode) error {
	i, err := r.Tree.Stat(name)
	if err != nil {
		return err
	}
	if mode&interp.AccessExec != 0 && !i.IsDir() && i.Mode().Perm()&0o111 == 0 ||
		mode&interp.AccessWrite != 0 && i.Mode().Perm()&0o222 == 0 {
		return fs.ErrPermission
	}
	return nil
}

// open opens a file for a redirection.
func (r *run) open(ctx context.Context, name string, flag int, perm fs.FileMode) (io.ReadWriteCloser, error) {
	hc := interp.HandlerCtx(ctx)
	name = absolute(hc, name)
	switch name {
	case "/dev/stdin", "/dev/fd/0":
		return stream{Reader: stdin(hc)}, nil
	case "/dev/stdout", "/dev/fd/1":
		return stream{Writer: hc.Stdout}, nil
	case "/dev/stderr", "/dev/fd/2":
		return stream{Writer: hc.Stderr}, nil
	}
	if flag&(os.O_WRONLY|os.O_RDWR) == 0 {
		f, err := r.Tree.Open(name)
		if err != nil {
			return nil, r.redirection(hc, name, err)
		}
		return stream{Reader: f, Closer: f}, nil
	}
	f, err := r.Tree.OpenFile(name, flag, perm&^0o022)
	if err != nil {
		return nil, r.redirection(hc, name, err)
	}
	return written{f, r}, nil
}

// written is a file that a redirection writes to. A script that writes more than it may
// is ended: most would go on for ever.
type written struct {
	*tree.File
	run *run
}

func (w written) Write(p []byte) (int, error) {
	n, err := w.File.Write(p)
	if errors.Is(err, tree.ErrFull) {
		w.run.cancel(tree.ErrFull)
	}
	return n, err
}

func absolute(hc interp.HandlerContext, name string) string {
	if path.IsAbs(name) {
		return name
	}
	return hc.Dir + "/" + name // a slash at the end is kept
}

// redirection is an error in the words of bash. The interpreter prints it.
func (r *run) redirection(hc interp.HandlerContext, name string, err error) error {
	short := name
	if rel, ok := strings.CutPrefix(name, hc.Dir+"/"); ok {
		short = rel
	}
	return &fs.PathError{Op: "bash:", Path: short, Err: errors.New(command.Reason(err))}
}

// stream is one of the streams of a call, opened by name.
type stream struct {
	io.Reader
	io.Writer
	io.Closer
}

func (s stream) Read(p []byte) (int, error) {
	if s.Reader == nil {
		return 0, io.EOF
	}
	return s.Reader.Read(p)
}

func (s stream) Write(p []byte) (int, error) {
	if s.Writer == nil {
		return 0, fs.ErrInvalid
	}
	return s.Writer.Write(p)
}

func (s stream) Close() error {
	if s.Closer == nil {
		return nil
	}
	return s.Closer.Close()
}

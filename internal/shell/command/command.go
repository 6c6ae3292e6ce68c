// Package command is the commands of the staged shell.
//
// A command is a Go function over a [tree.Tree]: there is no process, no network and
// no path outside of the folder. It behaves like the GNU tool of its name, for the
// options that its table lists: the same output, the same messages, the same exit
// status. Another option is refused with the GNU message and status 2.
//
// To add a command, register it from an init function of its own file: the options
// are parsed by the table, and docs/shell.md is made from it.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"redline/internal/shell/tree"
)

// Command is an entry of the table.
type Command struct {
	Name     string
	About    string   // what it does, in a few words
	Synopsis string   // "[OPTION]... PATTERNS [FILE]..."
	Options  []Option // nil with Raw
	Differs  string   // what GNU does and this one does not; sentences
	// Raw commands parse their arguments themselves: find, test, echo, expr.
	Raw bool
	// Extra commands exist only if the user has allowed them by name.
	Extra bool
	Run   func(c *Call) int
}

// Call is one run of a command.
type Call struct {
	// Context ends when the script is aborted or its time is over.
	Context context.Context
	Command *Command
	Args    []string // all arguments, without the name

	// Given and Operands are what the table made of the arguments; not for Raw.
	Given    []Given
	Operands []string

	Tree *tree.Tree
	Dir  string // the working directory, absolute
	Env  func(name string) string
	In   io.Reader
	Out  *Output
	Err  io.Writer
	Now  func() time.Time

	// Others finds a command of this shell by name, for xargs and find -exec. It is
	// nil for one that does not exist or is not allowed.
	Others func(name string) *Command
	// Has tells whether an Extra is allowed: "rm", "find -delete".
	Has func(extra string) bool
	// Script runs a script in a shell of its own, with the streams and the directory
	// of the call, and returns its exit status.
	Script func(c *Call, s Script) int
}

// table is the commands, by name. Each file adds its own.
var table = map[string]*Command{}

func register(c *Command) {
	if table[c.Name] != nil {
		panic("two commands " + c.Name)
	}
	table[c.Name] = c
}

// Find is the command of a name, or nil.
func Find(name string) *Command { return table[name] }

// All are the commands, by name.
func All() []*Command {
	var all []*Command
	for _, name := range slices.Sorted(maps.Keys(table)) {
		all = append(all, table[name])
	}
	return all
}

// Run parses the arguments, runs the command and flushes what it wrote. It returns
// the exit status: 141, as for a process that a closed pipe has ended, if nobody
// wants to read what it writes.
func (c *Call) Run() int {
	c.Err = &inOrder{out: c.Out, err: c.Err}
	status, done := c.parse()
	if !done {
		status = c.Command.Run(c)
	}
	if err := c.Out.Flush(); err != nil && status == 0 {
		return closedPipe
	}
	return status
}

const closedPipe = 128 + 13

// Other runs another command of this shell with arguments, on the same streams, in
// the same directory. in may be nil: no input.
func (c *Call) Other(name string, args []string, in io.Reader) int {
	other := c.Others(name)
	if other == nil {
		return c.Fail(127, "%s: No such file or directory", Quote(name))
	}
	if in == nil {
		in = strings.NewReader("")
	}
	call := *c
	call.Command, call.Args, call.Given, call.Operands, call.In = other, args, nil, nil, in
	return call.Run()
}

// Stopped tells whether there is no sense in going on: the script was aborted, its
// time is over, or nobody reads the output any more. Loops look at it often.
func (c *Call) Stopped() bool { return c.Out.err != nil || c.Context.Err() != nil }

// Path is the absolute name of an operand. A slash at the end, which asks for a
// folder, is kept.
func (c *Call) Path(name string) string {
	abs := name
	if !path.IsAbs(name) {
		abs = c.Dir + "/" + name
	}
	clean := path.Clean(abs)
	if strings.HasSuffix(name, "/") && clean != "/" {
		clean += "/"
	}
	return clean
}

// Open opens an operand for reading: "-" and /dev/stdin are standard input.
func (c *Call) Open(name string) (io.ReadCloser, error) {
	if name == "-" || name == "/dev/stdin" || name == "/dev/fd/0" {
		return io.NopCloser(c.In), nil
	}
	if name == "" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return c.Tree.Open(c.Path(name))
}

// Read reads all of an operand. The caller does not change the bytes.
func (c *Call) Read(name string) ([]byte, error) {
	if name != "" && !stdin(name) {
		return c.Tree.ReadFile(c.Path(name))
	}
	in, err := c.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	data, err := io.ReadAll(in)
	if err == nil {
		err = c.Context.Err() // the input may have ended because of it
	}
	return data, err
}

func stdin(name string) bool { return name == "-" || name == "/dev/stdin" || name == "/dev/fd/0" }

// Inputs are the operands to read, "-" if there are none.
func (c *Call) Inputs() []string {
	if len(c.Operands) == 0 {
		return []string{"-"}
	}
	return c.Operands
}

// Fail prints a message as GNU tools do, "name: message", and returns the status.
func (c *Call) Fail(status int, format string, args ...any) int {
	fmt.Fprintf(c.Err, "%s: %s\n", c.Command.Name, fmt.Sprintf(format, args...))
	return status
}

// Try is Fail with the line that refers to --help.
func (c *Call) Try(status int, format string, args ...any) int {
	c.Fail(status, format, args...)
	fmt.Fprintf(c.Err, "Try '%s --help' for more information.\n", c.Command.Name)
	return status
}

// Reason is an error in the words of GNU tools.
func Reason(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "No such file or directory"
	case errors.Is(err, fs.ErrExist):
		return "File exists"
	case errors.Is(err, fs.ErrPermission):
		return "Permission denied"
	case errors.Is(err, tree.ErrIsDir):
		return "Is a directory"
	case errors.Is(err, tree.ErrNotDir):
		return "Not a directory"
	case errors.Is(err, tree.ErrNotEmpty):
		return "Directory not empty"
	case errors.Is(err, tree.ErrLoop):
		return "Too many levels of symbolic links"
	case errors.Is(err, tree.ErrFull):
		return "No space left on device"
	case errors.Is(err, tree.ErrInside):
		return "Invalid argument"
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return "Interrupted"
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err.Error()
	}
	return err.Error()
}

// Quote puts a name into quotes as coreutils do in messages.
func Quote(name string) string {
	if strings.Contains(name, "'") && !strings.ContainsAny(name, "\"$`\\") {
		return `"` + name + `"`
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}

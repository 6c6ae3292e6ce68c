package command

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/benhoyt/goawk/interp"
	"github.com/benhoyt/goawk/lexer"
	"github.com/benhoyt/goawk/parser"
)

func init() {
	for _, name := range []string{"awk", "gawk", "mawk"} {
		register(&Command{
			Name: name, About: "Run a program of patterns and actions over the lines of files.",
			Synopsis: "[-F FS] [-v VAR=VALUE]... [-f FILE | PROGRAM] [--csv] [--] [FILE | VAR=VALUE]...", Raw: true,
			Differs: "It is POSIX awk with some of gawk: gensub, strftime, systime, mktime, strtonum, tolower, match with an array, and, or, xor, lshift, rshift, compl, --csv. " +
				"There are no processes: system() and pipes to and from commands are refused, and so is -i inplace. " +
				"Files are read and written inside of the folder. ENVIRON is empty. " +
				"The order of for (key in array) is another one each time: pipe the output into sort. " +
				"A line has at most 10 MB, and a string that a program makes 16 MB. What getline from a file reads into $0 compares as text; into a variable, as usual.",
			Run: awk,
		})
	}
}

// awkRun is one run of awk.
type awkRun struct {
	*Call
	source   strings.Builder
	vars     []string // names and values, one after the other
	args     []string // files and assignments
	csv      bool
	failed   bool // a file could not be opened
	input    awkInput
	readers  map[string]*awkReader
	outputs  map[string]*awkOutput
	text     string   // the record that was read last by getline from a file
	state    int      // what that getline gave: 1, 0 or -1
	groups   []string // of the last match with an array
	where    []int
	patterns map[string]*regexp.Regexp
}

func awk(c *Call) int {
	a := &awkRun{Call: c, readers: map[string]*awkReader{}, outputs: map[string]*awkOutput{}, patterns: map[string]*regexp.Regexp{}}
	if status, done := a.options(); done {
		return status
	}
	program, args, err := a.compile()
	if err != nil {
		return c.Fail(badUsage, "%s", err)
	}
	return a.run(program, args)
}

// options reads the arguments; they end at the first operand.
func (a *awkRun) options() (status int, done bool) {
	args := a.Args
	hasProgram := false
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		arg := args[0]
		args = args[1:]
		if arg == "--" {
			break
		}
		name, value, args2, ok := awkOption(arg, args)
		if !ok {
			return a.Try(badUsage, "option requires an argument -- '%s'", strings.TrimLeft(arg, "-")), true
		}
		args = args2
		switch name {
		case "F", "field-separator":
			if value == "t" {
				value = "\t"
			}
			a.assign("FS", value)
		case "v", "assign":
			variable, text, isAssignment := strings.Cut(value, "=")
			if !isAssignment || !awkName.MatchString(variable) {
				return a.Fail(badUsage, "fatal: `%s' argument to `-v' not in `var=value' form", value), true
			}
			a.assign(variable, text)
		case "f", "file":
			data, err := a.Read(value)
			if err != nil {
				return a.Fail(badUsage, "fatal: cannot open source file `%s' for reading: %s", value, Reason(err)), true
			}
			a.source.WriteString(string(data) + "\n")
			hasProgram = true
		case "e", "source":
			a.source.WriteString(value + "\n")
			hasProgram = true
		case "k", "csv":
			a.csv = true
		case "help", "h":
			a.help()
			return 0, true
		case "version", "V", "W version":
			a.Out.WriteString("awk of this shell, by GoAWK\n")
			return 0, true
		case "posix", "P", "re-interval", "r", "traditional", "c", "sandbox", "S":
		case "i", "include", "inplace":
			return a.Fail(badUsage, "-i is not available here: redirect the output to another file, and mv it"), true
		default:
			if strings.HasPrefix(arg, "--") {
				return a.Try(badUsage, "unrecognized option '%s'", arg), true
			}
			return a.Try(badUsage, "invalid option -- '%s'", name), true
		}
	}
	if !hasProgram {
		if len(args) == 0 {
			return a.Try(badUsage, "missing program"), true
		}
		a.source.WriteString(args[0])
		args = args[1:]
	}
	a.args = args
	return 0, false
}

var awkName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// awkOption takes an option apart. ok is false if its value is missing.
func awkOption(arg string, rest []string) (name, value string, left []string, ok bool) {
	const withValue = " F v f e i field-separator assign file source include W "
	if long, isLong := strings.CutPrefix(arg, "--"); isLong {
		name, value, ok = strings.Cut(long, "=")
	} else {
		name, value = arg[1:2], arg[2:]
		ok = value != ""
	}
	if !strings.Contains(withValue, " "+name+" ") {
		return name, value, rest, true
	}
	if !ok {
		if len(rest) == 0 {
			return name, "", rest, false
		}
		value, rest = rest[0], rest[1:]
	}
	if name == "W" {
		name = "W " + value
	}
	return name, value, rest, true
}

// assign sets a variable before the program begins. Escapes in the value are read.
func (a *awkRun) assign(name, value string) {
	if text, err := lexer.Unescape(value); err == nil {
		value = text
	}
	a.vars = append(a.vars, name, value)
}

// compile parses the program, with our functions in the place of what would open
// files. It returns the arguments that are to be given to it.
func (a *awkRun) compile() (*parser.Program, []string, error) {
	source := strings.ReplaceAll(strings.ReplaceAll(a.source.String(), "\r\n", "\n"), "\r", " ")
	r, err := rewriteAwk(source)
	if err != nil {
		return nil, nil, err
	}
	funcs := a.functions()
	config := &parser.ParserConfig{Funcs: funcs}
	program, err := parser.ParseProgram([]byte(r.text), config)
	if err == nil {
		return program, a.arguments(r), nil
	}
	// Messages are about the program as it was written.
	if _, original := parser.ParseProgram([]byte(source), config); original != nil {
		err = original
	}
	if pe, ok := errors.AsType[*parser.ParseError](err); ok {
		return nil, nil, fmt.Errorf("cmd. line:%d: %s", pe.Position.Line, pe.Message)
	}
	return nil, nil, err
}

// run executes the program. The interpreter may open no file and start no process: all
// of that is done by our functions.
func (a *awkRun) run(program *parser.Program, args []string) (status int) {
	defer func() {
		if p := recover(); p != nil {
			status = a.Fail(badUsage, "fatal: the interpreter broke down: %v", p)
		}
	}()
	config := &interp.Config{
		Stdin: &a.input, Output: a.Out, Error: a.Err, Argv0: a.Command.Name, Args: args, Vars: a.vars, Funcs: a.functions(),
		NoExec: true, NoFileWrites: true, NoFileReads: true, Environ: []string{}, Chars: true, NewlineOutput: interp.RawNewlineMode,
	}
	if a.csv {
		config.InputMode = interp.CSVMode
	}
	machine, err := interp.New(program)
	if err == nil {
		status, err = machine.ExecuteContext(a.Context, config)
	}
	for _, name := range a.openOutputs() {
		if closeErr := a.closeOutput(name); err == nil {
			err = closeErr
		}
	}
	switch {
	case a.Context.Err() != nil, err != nil && a.Stopped():
		return badUsage
	case err != nil && strings.Contains(err.Error(), "NoFileReads"):
		return a.Fail(badUsage, "fatal: names that are put into ARGV are read only if that was done in BEGIN, before any getline")
	case err != nil:
		return a.Fail(badUsage, "cmd. line:1: fatal: %s", err)
	case status == 0 && a.failed:
		return badUsage
	}
	return status
}

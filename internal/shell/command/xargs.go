package command

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

func init() {
	register(&Command{
		Name: "xargs", About: "Run a command with the words of standard input as arguments.",
		Synopsis: "[OPTION]... [COMMAND [INITIAL-ARGS]...]",
		Raw:      true, // options end at the command
		Options: []Option{
			{Short: "0", Long: "null", Help: "words end in NUL; quotes and backslashes are not special"},
			{Short: "a", Long: "arg-file", Value: "FILE", Help: "read words from FILE"},
			{Short: "d", Long: "delimiter", Value: "CHAR", Help: "words end in CHAR; quotes and backslashes are not special"},
			{Short: "E", Value: "WORD", Help: "stop at this word"},
			{Short: "e", Long: "eof", Value: "[WORD]", Help: "as -E; without WORD, no word ends the input"},
			{Short: "I", Value: "TEXT", Help: "put each line in the place of TEXT"},
			{Short: "i", Long: "replace", Value: "[TEXT]", Help: "as -I; {} without TEXT"},
			{Short: "L", Value: "NUM", Help: "at most NUM lines for each run"},
			{Short: "l", Long: "max-lines", Value: "[NUM]", Help: "as -L; 1 without NUM"},
			{Short: "n", Long: "max-args", Value: "NUM", Help: "at most NUM words for each run"},
			{Short: "o", Long: "open-tty", Refused: "there is no terminal"},
			{Short: "p", Long: "interactive", Refused: "nobody can be asked"},
			{Short: "P", Long: "max-procs", Value: "NUM", Help: "nothing: one run after the other"},
			{Short: "r", Long: "no-run-if-empty", Help: "do not run the command if there are no words"},
			{Short: "s", Long: "max-chars", Value: "NUM", Help: "at most NUM bytes of arguments for each run"},
			{Short: "t", Long: "verbose", Help: "show each command on standard error"},
			{Short: "x", Long: "exit", Help: "stop if the arguments are too long"},
		},
		Differs: "Commands are those of this shell, and run one after the other.",
		Run:     runXargs,
	})
}

// xargs is one run.
type xargs struct {
	c       *Call
	command []string
	words   wordReader
	most    int // words of a run; 0: no limit
	lines   int // lines of a run
	bytes   int // of arguments of a run
	replace string
	exact   bool // all the words of a run must fit
	status  int
	stop    bool
}

func runXargs(c *Call) int {
	n := leadingOptions(c.Command.Options, c.Args)
	head := *c
	table := *c.Command
	table.Raw = false
	head.Command, head.Args = &table, c.Args[:n]
	if status, done := head.parse(); done {
		return min(status, 1) * badUsage
	}
	x := &xargs{c: c, command: c.Args[n:], bytes: mostArguments}
	if len(x.command) > 0 && n > 0 && x.command[0] == "--" {
		x.command = x.command[1:]
	}
	if len(x.command) == 0 {
		x.command = []string{"echo"}
	}
	if !x.options(&head) {
		return 1
	}
	if x.replace != "" {
		x.runLines()
	} else {
		x.runWords(head.Flag("r"))
	}
	if x.words.err != nil && !x.stop {
		return c.Fail(1, "%v", x.words.err)
	}
	return x.status
}

// leadingOptions is how many arguments are options of a command before the first that
// is none; "--" counts.
func leadingOptions(options []Option, args []string) int {
	needs := func(match func(o Option) bool) bool {
		for _, o := range options {
			if match(o) {
				return o.Value != "" && !strings.HasPrefix(o.Value, "[")
			}
		}
		return false
	}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			return i + 1
		case len(arg) < 2 || arg[0] != '-':
			return i
		case strings.HasPrefix(arg, "--"):
			if !strings.Contains(arg, "=") && needs(func(o Option) bool { return o.Long != "" && strings.HasPrefix(o.Long, arg[2:]) }) {
				i++
			}
			continue
		}
		for at := 1; at < len(arg); at++ {
			letter := arg[at : at+1]
			optional := false
			for _, o := range options {
				optional = optional || o.Short == letter && strings.HasPrefix(o.Value, "[")
			}
			if optional {
				break
			}
			if needs(func(o Option) bool { return o.Short == letter }) {
				if at == len(arg)-1 {
					i++
				}
				break
			}
		}
	}
	return len(args)
}

// options reads what was given; the last of those that exclude each other counts.
func (x *xargs) options(head *Call) bool {
	x.words = wordReader{call: x.c, in: x.c.In, quotes: true}
	for _, g := range head.Given {
		switch g.Name {
		case "0":
			x.words.end, x.words.quotes = 0, false
		case "d":
			end, ok := delimiter(g.Value)
			if !ok {
				x.c.Fail(1, "Invalid input delimiter specification %s: the delimiter must be either a single character or an escape sequence starting with \\.", g.Value)
				return false
			}
			x.words.end, x.words.quotes = end, false
		case "E", "e":
			x.words.last, x.words.hasLast = g.Value, g.HasValue
		case "I", "i":
			x.excluded("--max-args", x.most > 0, "--replace/-I/-i")
			x.excluded("--max-lines", x.lines > 0, "--replace/-I/-i")
			x.replace, x.most, x.lines = g.Value, 0, 0
			if !g.HasValue {
				x.replace = "{}"
			}
		case "L", "l", "n", "s", "P":
			value := g.Value
			if g.Name == "l" && !g.HasValue {
				value = "1"
			}
			if !x.limit(g.Name, value) {
				return false
			}
		case "a":
			in, err := x.c.Open(g.Value)
			if err != nil {
				x.c.Fail(1, "Cannot open input file ‘%s’: %s", g.Value, Reason(err))
				return false
			}
			x.words.in = in
		}
	}
	x.words.trace = head.Flag("t")
	x.exact = head.Flag("x")
	return true
}

// excluded warns that one option takes back another.
func (x *xargs) excluded(option string, given bool, by string) {
	if given {
		x.c.Fail(0, "warning: options %s and %s are mutually exclusive, ignoring previous %[1]s value", option, by)
	}
}

func (x *xargs) limit(name, value string) bool {
	n, err := strconv.Atoi(value)
	least := 1
	if name == "P" {
		least = 0
	}
	if err != nil {
		x.c.Try(1, "invalid number \"%s\" for -%s option", value, name)
		return false
	}
	if n < least {
		x.c.Try(1, "value %s for -%s option should be >= %d", value, name, least)
		return false
	}
	switch name {
	case "L", "l":
		by := map[string]string{"L": "-L", "l": "--max-lines/-l"}[name]
		x.excluded("--max-args", x.most > 0, by)
		x.excluded("--replace", x.replace != "", by)
		x.lines, x.most, x.replace = n, 0, ""
	case "n":
		if x.replace != "" && n == 1 { // said by many, and the same
			return true
		}
		x.excluded("--max-lines", x.lines > 0, "--max-args/-n")
		x.excluded("--replace", x.replace != "", "--max-args/-n")
		x.most, x.lines, x.replace = n, 0, ""
	case "s":
		x.bytes = min(n, mostArguments)
	}
	return true
}

// delimiter reads the value of -d.
func delimiter(s string) (byte, bool) {
	if len(s) == 1 {
		return s[0], true
	}
	if len(s) < 2 || s[0] != '\\' {
		return 0, false
	}
	if len(s) == 2 {
		if at := strings.IndexByte(`abfnrtv\0`, s[1]); at >= 0 {
			return "\a\b\f\n\r\t\v\\\x00"[at], true
		}
	}
	base, text := 8, s[1:]
	if s[1] == 'x' {
		base, text = 16, s[2:]
	}
	n, err := strconv.ParseUint(text, base, 8)
	return byte(n), err == nil
}

// runWords runs the command with as many words as fit.
func (x *xargs) runWords(notEmpty bool) {
	fixed := 0
	for _, w := range x.command {
		fixed += len(w) + 1
	}
	var args []string
	size, lines := fixed, 0
	ran := false
	flush := func() {
		ran = true
		x.run(append(x.command[1:len(x.command):len(x.command)], args...))
		args, size, lines = nil, fixed, 0
	}
	for !x.stop && !x.c.Stopped() {
		word, ok := x.words.next()
		if !ok {
			break
		}
		if fixed+len(word)+1 > x.bytes {
			x.fail(1, "argument line too long")
			return
		}
		if size+len(word)+1 > x.bytes && len(args) > 0 {
			if x.lines > 0 || x.exact && x.most > 0 {
				x.fail(1, "argument list too long")
				return
			}
			flush()
		}
		if x.stop {
			return
		}
		args = append(args, word)
		size += len(word) + 1
		if x.words.lineEnd {
			lines++
		}
		if len(args) == x.most || x.lines > 0 && lines == x.lines {
			flush()
		}
	}
	if x.words.err != nil || x.stop || x.c.Stopped() {
		return
	}
	if len(args) > 0 || !ran && !notEmpty {
		flush()
	}
}

// runLines runs the command for each line, which takes the place of a text.
func (x *xargs) runLines() {
	x.words.whole = true
	for !x.stop && !x.c.Stopped() {
		line, ok := x.words.next()
		if !ok {
			return
		}
		args := make([]string, len(x.command)-1)
		size := 0
		for i, w := range x.command[1:] {
			args[i] = strings.ReplaceAll(w, x.replace, line)
			if size += len(args[i]) + 1; size > x.bytes {
				x.fail(1, "argument list too long")
				return
			}
		}
		x.run(args)
	}
}

func (x *xargs) fail(status int, format string, args ...any) {
	x.status = x.c.Fail(status, format, args...)
	x.stop = true
}

// run runs the command once.
func (x *xargs) run(args []string) {
	name := x.command[0]
	if x.words.trace {
		x.trace(name, args)
	}
	if x.c.Others(name) == nil {
		x.fail(127, "%s: No such file or directory", name)
		return
	}
	switch status := x.c.Other(name, args, nil); {
	case status == 255:
		x.fail(124, "%s: exited with status 255; aborting", name)
	case status >= 128 && x.c.Stopped():
		x.status, x.stop = status, true
	case status >= 126 && status <= 127:
		x.status, x.stop = status, true
	case status != 0:
		x.status = 123
	}
}

func (x *xargs) trace(name string, args []string) {
	var b strings.Builder
	b.WriteString(shellWord(name))
	for _, a := range args {
		b.WriteString(" " + shellWord(a))
	}
	io.WriteString(x.c.Err, b.String()+"\n")
}

// shellWord is a word as it can be given to a shell, in quotes if it must be.
func shellWord(w string) string {
	if w != "" && !strings.ContainsAny(w, " \t\n'\"\\$`|&;<>()*?[]#~=!{}") {
		return w
	}
	return Quote(w)
}

var errQuote = map[byte]error{
	'\'': fmt.Errorf("unmatched single quote; by default quotes are special to xargs unless you use the -0 option"),
	'"':  fmt.Errorf("unmatched double quote; by default quotes are special to xargs unless you use the -0 option"),
}

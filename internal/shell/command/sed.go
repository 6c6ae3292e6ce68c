package command

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

func init() {
	register(&Command{
		Name: "sed", About: "Edit text line by line.",
		Synopsis: "[OPTION]... {SCRIPT} [FILE]...",
		Options: []Option{
			{Short: "n", Long: "quiet", Help: "write only what commands write"},
			{Long: "silent", Help: "as -n"},
			{Short: "e", Long: "expression", Value: "SCRIPT", Help: "add commands to the script"},
			{Short: "f", Long: "file", Value: "FILE", Help: "add the commands of a file to the script"},
			{Short: "E", Long: "regexp-extended", Help: "extended regular expressions"},
			{Short: "r", Help: "as -E"},
			{Short: "i", Long: "in-place", Value: "[SUFFIX]", Help: "change the files; keep the old ones as FILE+SUFFIX"},
			{Short: "l", Long: "line-length", Value: "N", Help: "where the l command breaks lines"},
			{Short: "s", Long: "separate", Help: "take each file by itself"},
			{Short: "z", Long: "null-data", Help: "lines end with NUL, not with a newline"},
			{Long: "zero-terminated", Help: "as -z"},
			{Long: "sandbox", Help: "refuse the commands r and w"},
			{Short: "u", Long: "unbuffered", Help: "nothing"},
			{Short: "b", Long: "binary", Help: "nothing"},
			{Long: "posix", Help: "nothing"},
			{Long: "follow-symlinks", Help: "nothing: -i always changes what a link leads to"},
			{Long: "debug", Refused: "leave it out"},
		},
		Differs: "The commands r, R, w and W know only files of the folder. The command e and the flag e of s, which run programs, " +
			"are refused. A pattern or hold space has at most 16 MB.",
		Run: sed,
	})
}

// The statuses of sed.
const (
	sedBadUsage = 1
	sedBadInput = 2
	sedPanic    = 4
)

func sed(c *Call) int {
	script, status := sedScriptOf(c)
	if script == nil {
		return status
	}
	width := 70
	if value, ok := c.Value("l"); ok {
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 {
			return c.Fail(sedBadUsage, "invalid line length: %s", value)
		}
		width = n
	}
	in := c.Flag("i")
	if in && len(c.Operands) == 0 {
		return c.Fail(sedPanic, "no input files")
	}
	suffix, _ := c.Value("i")
	r := &sedRun{
		c: c, script: script, quiet: script.quiet || c.Flag("n") || c.Flag("silent"),
		end: '\n', width: width, separate: in || c.Flag("s"), inPlace: in, suffix: suffix,
		names: c.Inputs(), ranges: make([]sedRange, len(script.commands)),
	}
	if c.Flag("z") || c.Flag("zero-terminated") {
		r.end = 0
	}
	return r.run()
}

// sedScriptOf reads the script of the options or of the first operand. It is nil if
// that is wrong, which it has said.
func sedScriptOf(c *Call) (*sedScript, int) {
	p := &sedParser{
		script:   &sedScript{labels: map[string]int{}},
		extended: c.Flag("E") || c.Flag("r"),
		sandbox:  c.Flag("sandbox"),
		nulls:    c.Flag("z") || c.Flag("zero-terminated"),
	}
	expressions := 0
	for _, g := range c.Given {
		switch g.Name {
		case "e":
			expressions++
			p.add(fmt.Sprintf("-e expression #%d", expressions), false, g.Value)
		case "f":
			data, err := c.Read(g.Value)
			if err != nil {
				return nil, c.Fail(sedPanic, "couldn't open file %s: %s", g.Value, Reason(err))
			}
			p.add("file "+g.Value, true, strings.TrimSuffix(string(data), "\n"))
		}
	}
	if len(p.pieces) == 0 {
		if len(c.Operands) == 0 {
			fmt.Fprint(c.Err, c.Command.Help())
			return nil, sedBadUsage
		}
		p.add("-e expression #1", false, c.Operands[0])
		c.Operands = c.Operands[1:]
	}
	if err := p.parse(); err != nil {
		return nil, sedStatus(c, err)
	}
	return p.script, 0
}

// errSed is an error of a run that ends it.
type errSed struct {
	status  int
	message string
}

// Error implements error.
func (e *errSed) Error() string { return e.message }

// sedStatus prints the error that ended a run and returns its status.
func sedStatus(c *Call, err error) int {
	if e, ok := errors.AsType[*errSed](err); ok {
		return c.Fail(e.status, "%s", e.message)
	}
	return c.Fail(sedPanic, "%s", Reason(err))
}

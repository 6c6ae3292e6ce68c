package command

import (
	"bytes"
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"redline/internal/shell/regex"
)

func init() {
	register(&Command{
		Name: "diff", About: "Compare files line by line.",
		Synopsis: "[OPTION]... FILES",
		Options: []Option{
			{Long: "normal", Help: "show the changes in the normal form, as without it"},
			{Short: "q", Long: "brief", Help: "say only that files differ"},
			{Short: "s", Long: "report-identical-files", Help: "say that files are the same"},
			{Short: "c", Help: "as -C 3"},
			{Short: "C", Value: "NUM", Help: "show NUM lines of context, in the copied form"},
			{Long: "context", Value: "[NUM]", Help: "as -C; 3 without NUM"},
			{Short: "u", Help: "as -U 3"},
			{Short: "U", Value: "NUM", Help: "show NUM lines of context, in the unified form"},
			{Long: "unified", Value: "[NUM]", Help: "as -U; 3 without NUM"},
			{Short: "0-9", Number: true, Value: "NUM", Help: "lines of context for -u and -c"},
			{Short: "L", Long: "label", Value: "LABEL", Help: "show LABEL instead of a file's name and time"},
			{Short: "p", Long: "show-c-function", Help: "show in which function a change is"},
			{Short: "F", Long: "show-function-line", Value: "RE", Help: "show the last line before that matches RE"},
			{Short: "r", Long: "recursive", Help: "compare folders in folders as well"},
			{Short: "N", Long: "new-file", Help: "a file that is not there is empty"},
			{Short: "x", Long: "exclude", Value: "PATTERN", Help: "leave out files whose name matches PATTERN"},
			{Short: "X", Long: "exclude-from", Value: "FILE", Help: "leave out files whose name matches a pattern of FILE"},
			{Short: "i", Long: "ignore-case", Help: "upper and lower case are the same"},
			{Short: "E", Long: "ignore-tab-expansion", Help: "a tab is as the spaces that it looks like"},
			{Short: "Z", Long: "ignore-trailing-space", Help: "white space at the end of lines does not count"},
			{Short: "b", Long: "ignore-space-change", Help: "any white space is as any other"},
			{Short: "w", Long: "ignore-all-space", Help: "white space does not count"},
			{Short: "B", Long: "ignore-blank-lines", Help: "changes of empty lines do not count"},
			{Short: "I", Long: "ignore-matching-lines", Value: "RE", Help: "changes of lines that match RE do not count"},
			{Short: "a", Long: "text", Help: "all files are text"},
			{Long: "strip-trailing-cr", Help: "a CR at the end of a line does not count"},
			{Short: "d", Long: "minimal", Help: "nothing"},
			{Short: "H", Long: "speed-large-files", Help: "nothing"},
			{Long: "color", Value: "[WHEN]", Help: "nothing: there are no colors"},
			{Short: "y", Long: "side-by-side", Refused: "use -u"},
			{Short: "e", Long: "ed", Refused: "use -u"},
			{Short: "n", Long: "rcs", Refused: "use -u"},
		},
		Differs: "Folders are compared in the order of the bytes of their names. There is no form side by side (-y), for ed (-e) or with #ifdef (-D).",
		Run:     diffCommand,
	})
}

// differ is a run of diff.
type differ struct {
	*Call
	form       string // "", "u" or "c"
	context    int
	exclude    []*glob
	ignore     []*regex.Regexp
	isFunction func(line []byte) bool
	words      string // the options as they were given, for headings
}

// diffTrouble is the status if files could not be compared.
const diffTrouble = 2

func diffCommand(c *Call) int {
	d := &differ{Call: c}
	if status := d.options(); status != 0 {
		return status
	}
	switch n := len(c.Operands); {
	case n < 2:
		last := c.Command.Name
		if len(c.Args) > 0 {
			last = c.Args[len(c.Args)-1]
		}
		return d.usage("missing operand after " + Quote(last))
	case n > 2:
		return d.usage("extra operand " + Quote(c.Operands[2]))
	}
	return d.operands(c.Operands[0], c.Operands[1])
}

func (d *differ) usage(message string) int {
	d.Fail(diffTrouble, "%s", message)
	return d.Fail(diffTrouble, "Try 'diff --help' for more information.")
}

func (d *differ) options() int {
	d.context = -1
	forms := map[string]bool{}
	for _, g := range d.Given {
		switch g.Name {
		case "u", "U", "unified", "c", "C", "context":
			form := strings.ToLower(g.Name[:1])
			forms[form] = true
			d.form = form
			if g.Value == "" {
				d.context = max(d.context, 3)
				continue
			}
			n, err := strconv.Atoi(g.Value)
			if err != nil || n < 0 {
				return d.usage("invalid context length " + Quote(g.Value))
			}
			d.context = max(d.context, n)
		case "0-9":
			n, err := strconv.Atoi(g.Value)
			if err != nil {
				return d.usage("invalid context length " + Quote(g.Value))
			}
			d.context = n
		case "normal":
			forms["normal"] = true
		}
	}
	if len(forms) > 1 {
		return d.usage("conflicting output style options")
	}
	if d.form == "" {
		d.context = 0
	}
	d.context = min(d.context, 1<<30)
	d.words = d.givenWords()
	return d.patterns()
}

// givenWords are the options as they were given.
func (d *differ) givenWords() string {
	var words strings.Builder
	operands := map[string]int{}
	for _, o := range d.Operands {
		operands[o]++
	}
	for _, arg := range d.Args {
		if operands[arg] > 0 {
			operands[arg]--
			continue
		}
		words.WriteString(" " + patchWord(arg))
	}
	return words.String()
}

// patchWord is a word as a shell would read it back.
func patchWord(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func (d *differ) patterns() int {
	excluded := d.Values("x")
	for _, file := range d.Values("X") {
		data, err := d.Read(file)
		if err != nil {
			return d.Fail(diffTrouble, "%s: %s", file, Reason(err))
		}
		for line := range strings.Lines(string(data)) {
			excluded = append(excluded, strings.TrimRight(line, " \t\r\n"))
		}
	}
	for _, pattern := range excluded {
		d.exclude = append(d.exclude, newGlob(pattern, globStyle{}))
	}
	for _, pattern := range d.Values("I") {
		re, err := regex.Compile(pattern, regex.Options{})
		if err != nil {
			return d.Fail(diffTrouble, "%s: %s", pattern, err)
		}
		d.ignore = append(d.ignore, re)
	}
	pattern, given := d.Value("F")
	if d.Flag("p") && !given {
		pattern = "^[[:alpha:]$_]"
	}
	if pattern != "" {
		re, err := regex.Compile(pattern, regex.Options{})
		if err != nil {
			return d.Fail(diffTrouble, "%s: %s", pattern, err)
		}
		d.isFunction = re.Match
	}
	return 0
}

// operands compares what the user has named: a file and a folder are compared by the
// file of the same name in the folder.
func (d *differ) operands(a, b string) int {
	x, errA := d.about(a)
	y, errB := d.about(b)
	if errA == nil && errB == nil && a != "-" && b != "-" && x.IsDir() != y.IsDir() {
		if x.IsDir() {
			a = joined(a, lastElement(b))
			x, errA = d.about(a)
		} else {
			b = joined(b, lastElement(a))
			y, errB = d.about(b)
		}
	}
	status := 0
	for _, f := range []struct {
		name  string
		err   error
		other error
	}{{a, errA, errB}, {b, errB, errA}} {
		if f.err != nil && !(d.Flag("N") && errors.Is(f.err, fs.ErrNotExist) && f.other == nil) {
			status = d.Fail(diffTrouble, "%s: %s", f.name, Reason(f.err))
		}
	}
	if status != 0 {
		return status
	}
	if x != nil && y != nil && x.IsDir() && y.IsDir() {
		return d.folders(a, b)
	}
	return d.files(a, b, false)
}

// about is what is known of a file. Standard input is as a file of now.
func (d *differ) about(name string) (fs.FileInfo, error) {
	if name == "-" {
		return d.Tree.Stat("/dev/null")
	}
	if name == "" {
		return nil, fs.ErrNotExist
	}
	return d.Tree.Stat(d.Path(name))
}

// files compares two files. For those in folders, the command is shown before the
// changes.
func (d *differ) files(a, b string, inFolders bool) int {
	x, xData, errA := d.text(a)
	y, yData, errB := d.text(b)
	status := 0
	for name, err := range map[string]error{a: errA, b: errB} {
		if err != nil {
			status = d.Fail(diffTrouble, "%s: %s", name, Reason(err))
		}
	}
	switch {
	case status != 0:
		return status
	case bytes.Equal(xData, yData):
		return d.identical(a, b)
	case !d.Flag("a") && (looksBinary(xData) || looksBinary(yData)):
		what := "Binary files "
		if d.Flag("q") {
			what = "Files "
		}
		d.Out.WriteString(what + d.shown(a, 0) + " and " + d.shown(b, 1) + " differ\n")
		return 1
	}
	labels := d.Values("L")
	for i, t := range []*diffText{x, y} {
		if i < len(labels) {
			t.label = labels[i]
		}
	}
	script := compareLines(x.lines, y.lines, d.context, d.key(), d.Stopped)
	counts := d.markIgnored(x, y, script)
	switch {
	case !counts:
		return d.identical(a, b)
	case d.Flag("q"):
		d.Out.WriteString("Files " + d.shown(a, 0) + " and " + d.shown(b, 1) + " differ\n")
		return 1
	}
	if inFolders {
		d.Out.WriteString("diff" + d.words + " " + patchWord(d.shown(a, 0)) + " " + patchWord(d.shown(b, 1)) + "\n")
	}
	d.print(x, y, script)
	return 1
}

// shown is the name of the first or second file, or the label instead of it.
func (d *differ) shown(name string, which int) string {
	if labels := d.Values("L"); which < len(labels) {
		return labels[which]
	}
	return name
}

func (d *differ) identical(a, b string) int {
	if d.Flag("s") {
		d.Out.WriteString("Files " + d.shown(a, 0) + " and " + d.shown(b, 1) + " are identical\n")
	}
	return 0
}

// looksBinary tells whether data is not text, as GNU diff decides it: by a NUL byte in the
// first block.
func looksBinary(data []byte) bool { return bytes.IndexByte(data[:min(len(data), 64<<10)], 0) >= 0 }

// text reads a file. One that is not there is empty with -N.
func (d *differ) text(name string) (*diffText, []byte, error) {
	t := &diffText{name: name, time: d.Now()}
	data, err := d.Read(name)
	if errors.Is(err, fs.ErrNotExist) && d.Flag("N") {
		t.time = time.Unix(0, 0)
		return t, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if i, err := d.about(name); err == nil && i.Mode().IsRegular() && !i.ModTime().IsZero() {
		t.time = i.ModTime()
	}
	if d.Flag("strip-trailing-cr") {
		data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	}
	t.lines = make([][]byte, 0, bytes.Count(data, []byte("\n"))+1)
	for line := range bytes.Lines(data) {
		t.lines = append(t.lines, line)
	}
	return t, data, nil
}

// key makes lines equal that the options want to be equal.
func (d *differ) key() func([]byte) string {
	fold, all := d.Flag("i"), d.Flag("w")
	change, trailing, tabs := d.Flag("b"), d.Flag("Z"), d.Flag("E")
	if !fold && !all && !change && !trailing && !tabs {
		return func(line []byte) string { return string(line) }
	}
	return func(line []byte) string {
		end := ""
		if !all && !change && !trailing && bytes.HasSuffix(line, []byte("\n")) {
			end = "\n"
		}
		line = bytes.TrimSuffix(line, []byte("\n"))
		if tabs {
			line = untabbed(line)
		}
		switch {
		case all:
			line = bytes.Join(bytes.Fields(line), nil)
		case change:
			lead := len(line) > 0 && strings.IndexByte(" \t\r\v\f", line[0]) >= 0
			line = bytes.Join(bytes.Fields(line), []byte(" "))
			if lead && len(line) > 0 {
				line = append([]byte(" "), line...)
			}
		case trailing:
			line = bytes.TrimRight(line, " \t\r\v\f")
		}
		if fold {
			line = bytes.ToLower(line)
		}
		return string(line) + end
	}
}

// untabbed is a line with spaces instead of tabs.
func untabbed(line []byte) []byte {
	if bytes.IndexByte(line, '\t') < 0 {
		return line
	}
	var out []byte
	for _, b := range line {
		if b != '\t' {
			out = append(out, b)
			continue
		}
		for n := 8 - len(out)%8; n > 0; n-- {
			out = append(out, ' ')
		}
	}
	return out
}

// markIgnored marks the changes that do not count, and tells whether any does.
func (d *differ) markIgnored(a, b *diffText, script []lineChange) bool {
	blank := d.Flag("B")
	counts := false
	for i := range script {
		c := &script[i]
		c.ignored = blank || len(d.ignore) > 0
		for _, lines := range [][][]byte{a.lines[c.a : c.a+c.deleted], b.lines[c.b : c.b+c.added]} {
			for _, line := range lines {
				c.ignored = c.ignored && (blank && d.isBlank(line) || d.isIgnored(line))
			}
		}
		counts = counts || !c.ignored
	}
	return counts
}

func (d *differ) isBlank(line []byte) bool {
	if d.Flag("b") || d.Flag("w") || d.Flag("Z") {
		return len(bytes.TrimSpace(line)) == 0
	}
	return string(line) == "\n" || len(line) == 0
}

func (d *differ) isIgnored(line []byte) bool {
	for _, re := range d.ignore {
		if re.Match(bytes.TrimSuffix(line, []byte("\n"))) {
			return true
		}
	}
	return false
}

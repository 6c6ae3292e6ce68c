package command

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/benhoyt/goawk/lexer"
)

// awkRewriting is a program in which everything that would open a file or start a
// process is a call of one of our functions:
//
//	print a, b > "file"       _awk_print(0, "file", OFS, ORS, a, b)
//	getline line < "file"     (_awk_read("file", RS) < 1 ? _awk_state() : …line = …)
//	close("file")             _awk_close("file")
//	FILENAME, ARGV            _awk_filename(), _awk_argv
//
// What could make strings without limit is given to a function that checks it first.
type awkRewriting struct {
	text string
	argv bool // the program uses ARGV: what is in it after BEGIN is read

	src    string
	tokens []awkToken
	quiet  int // tokens up to this one need no checks of concatenation
	err    error
}

// rewriteAwk rewrites a program. One that cannot be parsed is left for the parser to
// complain about.
func rewriteAwk(src string) (*awkRewriting, error) {
	r := &awkRewriting{src: src, text: src}
	whole := r.scan()
	if err := r.refuse(); err != nil {
		return nil, err
	}
	if !whole || !r.pair() {
		return r, nil
	}
	chains := r.chains()
	r.text = r.prologue() + r.emit(0, len(r.tokens), chains) + r.epilogue()
	return r, r.err
}

// refuse is the error for what no program may do here.
func (r *awkRewriting) refuse() error {
	if len(r.tokens) > mostAwkTokens {
		return fmt.Errorf("fatal: the program has more than %d words and signs: make it shorter", mostAwkTokens)
	}
	for i, t := range r.tokens {
		switch {
		case t.kind == lexer.F_SYSTEM:
			return errors.New("fatal: system() is not available here: there are no processes; use the commands of the shell around awk")
		case t.kind == lexer.PIPE:
			return errors.New("fatal: a pipe to or from a command is not available here: there are no processes; use a pipe of the shell around awk")
		case t.kind == lexer.NAME && strings.HasPrefix(t.value, "_awk_"):
			return errors.New("fatal: names that begin with _awk_ are not available: use another name than " + t.value)
		case t.kind == lexer.NAME && t.value == "FILENAME" && awkAssigns(r.kind(i+1)):
			return errors.New("fatal: FILENAME cannot be set here")
		}
	}
	return nil
}

func awkAssigns(kind lexer.Token) bool {
	switch kind {
	case lexer.ASSIGN, lexer.ADD_ASSIGN, lexer.SUB_ASSIGN, lexer.MUL_ASSIGN, lexer.DIV_ASSIGN, lexer.MOD_ASSIGN, lexer.POW_ASSIGN, lexer.INCR, lexer.DECR:
		return true
	}
	return false
}

// emit is the new text of the tokens from i up to end.
func (r *awkRewriting) emit(i, end int, chains []int) string {
	var b strings.Builder
	for i < end {
		t := r.tokens[i]
		if t.space && b.Len() > 0 {
			b.WriteByte(' ')
		}
		if t.joins && i >= r.quiet {
			b.WriteString(" _awk_join(" + strconv.Itoa(chains[t.chain]+1) + "," + r.plainBefore(i) + ") ")
		}
		text, next := r.token(i, chains)
		b.WriteString(text)
		i = next
	}
	return b.String()
}

// plainBefore is the operand before a token, if reading it once more has no effect: a
// variable.
func (r *awkRewriting) plainBefore(i int) string {
	before := r.tokens[i-1]
	if before.kind != lexer.NAME || r.kind(i-2) == lexer.DOLLAR {
		if before.kind == lexer.NAME || before.kind == lexer.NUMBER {
			if r.kind(i-2) == lexer.DOLLAR {
				return "$" + before.value
			}
		}
		return `""`
	}
	if before.value == "FILENAME" || before.value == "ARGV" {
		return `""`
	}
	return before.value
}

// token is the new text of what begins at a token, and where it ends.
func (r *awkRewriting) token(i int, chains []int) (text string, next int) {
	t := r.tokens[i]
	open := r.kind(i+1) == lexer.LPAREN
	switch {
	case t.kind == lexer.PRINT || t.kind == lexer.PRINTF:
		return r.print(i, chains)
	case t.kind == lexer.GETLINE:
		return r.getline(i, chains)
	case t.kind == lexer.NEXTFILE:
		return "for (_awk_skip(); 1; ) nextfile", i + 1
	case t.kind == lexer.F_CLOSE && open:
		return "_awk_close", i + 1
	case t.kind == lexer.F_FFLUSH && open && r.kind(i+2) != lexer.RPAREN:
		return "_awk_flush", i + 1
	case (t.kind == lexer.F_SUB || t.kind == lexer.F_GSUB) && open:
		return r.substitute(i, chains)
	case t.kind == lexer.F_SUBSTR && open && len(r.arguments(i+1)) == 3 && !r.startsWithin(r.arguments(i + 1)[1]):
		return "_awk_substr", i + 1
	case t.kind == lexer.F_SPLIT && open:
		return r.split(i, chains)
	case t.kind == lexer.F_SPRINTF && open:
		args := r.arguments(i + 1)
		return "sprintf(" + r.format(args, chains) + ")", r.tokens[i+1].match + 1
	case t.kind == lexer.F_MATCH && open && len(r.arguments(i+1)) == 3:
		a := r.arguments(i + 1)
		return "_awk_match(" + r.emit(a[0][0], a[0][1], chains) + ", " + r.dynamic(a[1], chains) + ", " + r.emit(a[2][0], a[2][1], chains) + ")", r.tokens[i+1].match + 1
	case t.kind == lexer.NAME && t.value == "gensub" && open:
		return r.gensub(i, chains)
	case t.kind == lexer.NAME && t.value == "FILENAME":
		return "_awk_filename()", i + 1
	case t.kind == lexer.NAME && t.value == "ARGV":
		r.argv = true
		return "_awk_argv", i + 1
	}
	return r.src[t.start:t.end], i + 1
}

// print rewrites a print or printf statement.
func (r *awkRewriting) print(i int, chains []int) (string, int) {
	end, redirect := r.statementEnd(i + 1)
	word := r.src[r.tokens[i].start:r.tokens[i].end]
	last := end
	if redirect >= 0 {
		last = redirect
	}
	// A list in parentheses is a list as one without.
	from, to := i+1, last
	if r.kind(from) == lexer.LPAREN && r.tokens[from].match == to-1 && to > from+2 {
		from, to = from+1, to-1
	}
	var args [][2]int
	if from < to {
		args = r.list(from, to)
	}
	if !r.assigns(i, end) {
		before := r.quiet
		r.quiet = max(r.quiet, end)
		defer func() { r.quiet = before }()
	}
	isPrintf := r.kind(i) == lexer.PRINTF && len(args) > 0
	var values string
	switch {
	case isPrintf:
		values = r.format(args, chains)
	default:
		values = r.emitList(args, chains)
	}
	if redirect < 0 {
		if isPrintf {
			return word + "(" + values + ")", end
		}
		return word + " " + r.emit(i+1, end, chains), end
	}
	atEnd := "0"
	if r.kind(redirect) == lexer.APPEND {
		atEnd = "1"
	}
	head := "_awk_print(" + atEnd + ", " + r.emit(redirect+1, end, chains)
	switch {
	case isPrintf:
		return head + `, "", "", sprintf(` + values + "))", end
	case len(args) == 0:
		values = "$0"
	}
	return head + ", OFS, ORS, " + values + ")", end
}

func (r *awkRewriting) emitList(args [][2]int, chains []int) string {
	var list []string
	for _, a := range args {
		list = append(list, r.emit(a[0], a[1], chains))
	}
	return strings.Join(list, ", ")
}

// startsWithin tells whether the second argument of substr is never below 1: then the
// interpreter's own substr is right, and faster.
func (r *awkRewriting) startsWithin(a [2]int) bool {
	t := r.tokens[a[0]]
	return a[1] == a[0]+1 && t.kind == lexer.NUMBER && t.value != "0" && strings.Trim(t.value, "0123456789") == ""
}

// format is the arguments of sprintf, with the first one checked. The others are given
// to the check if they can be read twice.
func (r *awkRewriting) format(args [][2]int, chains []int) string {
	if len(args) == 0 {
		return ""
	}
	checked := r.emit(args[0][0], args[0][1], chains)
	for _, a := range args[1:] {
		if !r.assigns(a[0], a[1]) && !r.isConstant(a) {
			checked += ", " + r.emit(a[0], a[1], chains)
		}
	}
	list := []string{"_awk_format(" + checked + ")"}
	if len(args) > 1 {
		list = append(list, r.emitList(args[1:], chains))
	}
	return strings.Join(list, ", ")
}

func (r *awkRewriting) isConstant(a [2]int) bool {
	return a[1] == a[0]+1 && (r.kind(a[0]) == lexer.STRING || r.kind(a[0]) == lexer.NUMBER)
}

// substitute rewrites sub and gsub, whose second argument is checked.
func (r *awkRewriting) substitute(i int, chains []int) (string, int) {
	args := r.arguments(i + 1)
	end := r.tokens[i+1].match + 1
	word := r.src[r.tokens[i].start:r.tokens[i].end]
	if len(args) < 2 {
		return r.src[r.tokens[i].start:r.tokens[i].end], i + 1
	}
	target, read := "", "$0"
	if len(args) > 2 {
		target = r.emit(args[2][0], args[2][1], chains)
		if read = target; r.assigns(args[2][0], args[2][1]) {
			read = `""`
		}
		target = ", " + target
	}
	all := "0"
	if r.kind(i) == lexer.F_GSUB {
		all = "1"
	}
	return word + "(" + r.emit(args[0][0], args[0][1], chains) + ", _awk_replace(" + r.emit(args[1][0], args[1][1], chains) + ", " + read + ", " + all + ")" + target + ")", end
}

// split rewrites split, whose first argument is checked.
func (r *awkRewriting) split(i int, chains []int) (string, int) {
	args := r.arguments(i + 1)
	if len(args) < 2 {
		return "split", i + 1
	}
	separator := "FS"
	if len(args) > 2 {
		separator = r.dynamic(args[2], chains)
		if r.assigns(args[2][0], args[2][1]) {
			separator = `""`
		}
	}
	rest := r.emitList(args[1:], chains)
	if len(args) == 3 && separator == `" "` && r.kind(args[2][0]) == lexer.REGEX {
		rest = r.emit(args[1][0], args[1][1], chains) + ", /[ ]/" // the interpreter takes / / for " "
	}
	return "split(_awk_splits(" + r.emit(args[0][0], args[0][1], chains) + ", " + separator + "), " + rest + ")", r.tokens[i+1].match + 1
}

// dynamic is an argument that may be a regular expression, as a string.
func (r *awkRewriting) dynamic(a [2]int, chains []int) string {
	if a[1] == a[0]+1 && r.kind(a[0]) == lexer.REGEX {
		return awkString(r.tokens[a[0]].value)
	}
	return r.emit(a[0], a[1], chains)
}

// awkString is a string constant.
func awkString(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// gensub gives our gensub what that of gawk takes by itself: the pattern as a string,
// and $0.
func (r *awkRewriting) gensub(i int, chains []int) (string, int) {
	args := r.arguments(i + 1)
	if len(args) < 3 || len(args) > 4 {
		return "gensub", i + 1
	}
	target := ", $0"
	if len(args) == 4 {
		target = ""
	}
	return "gensub(" + r.dynamic(args[0], chains) + ", " + r.emitList(args[1:], chains) + target + ")", r.tokens[i+1].match + 1
}

// getline rewrites a getline from a file.
func (r *awkRewriting) getline(i int, chains []int) (string, int) {
	at := i + 1
	target := "$0"
	if kind := r.kind(at); kind == lexer.NAME || kind == lexer.DOLLAR {
		end := r.primaryEnd(at)
		for i := at; i < end; i++ { // it is written twice
			if r.kind(i) == lexer.GETLINE || r.kind(i) == lexer.F_SPRINTF || r.kind(i) == lexer.F_SPLIT {
				r.err = errors.New("fatal: the variable of getline is too complicated: use a plain one")
				return "getline", i + 1
			}
		}
		target = r.emit(at, end, chains)
		at = end
	}
	if r.kind(at) != lexer.LESS {
		return "getline", i + 1
	}
	end := r.primaryEnd(at + 1)
	file := r.emit(at+1, end, chains)
	// split makes what looks like a number compare as one, as input does.
	return "(_awk_read(" + file + ", RS) < 1 ? _awk_state() : ((split(_awk_text(), _awk_piece, \"x^\") ? (" +
		target + " = _awk_piece[1]) : (" + target + " = \"\")) \"x\" != \"\"))", end
}

func (r *awkRewriting) mentions(name string) bool {
	for _, t := range r.tokens {
		if t.kind == lexer.NAME && t.value == name {
			return true
		}
	}
	return false
}

// prologue is what runs before the program.
func (r *awkRewriting) prologue() string {
	if !r.mentions("ARGV") {
		return ""
	}
	return `BEGIN { for (_awk_i = 0; _awk_i < ARGC; _awk_i++) if (split(_awk_argument(_awk_i), _awk_piece, "x^")) _awk_argv[_awk_i] = _awk_piece[1]; else _awk_argv[_awk_i] = "" } `
}

// epilogue is what runs after the BEGIN of the program, and the functions that it
// needs.
func (r *awkRewriting) epilogue() string {
	text := ""
	if r.mentions("ARGV") {
		text += "\nBEGIN { for (_awk_i = 1; _awk_i < ARGC; _awk_i++) ARGV[_awk_i] = _awk_i in _awk_argv ? _awk_enqueue(_awk_argv[_awk_i]) : \"\" }"
	}
	if r.mentions("RS") {
		text += "\nBEGIN { _awk_records(RS) }"
	}
	for i, t := range r.tokens {
		if t.kind == lexer.F_MATCH && r.kind(i+1) == lexer.LPAREN && len(r.arguments(i+1)) == 3 {
			return text + `
function _awk_match(s, re, m, i, n) {
	split("", m)
	match(s, re)
	n = _awk_groups(s, re)
	for (i = 0; i < n; i++)
		if (_awk_start(i)) {
			m[i] = _awk_group(i)
			m[i, "start"] = _awk_start(i)
			m[i, "length"] = length(m[i])
		}
	return RSTART
}`
		}
	}
	return text
}

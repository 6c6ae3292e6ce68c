package search

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Case says whether "a" finds "A".
type Case int

// The ways to treat case. Smart is insensitive to it if the pattern is written
// in small letters.
const (
	Sensitive Case = iota
	Insensitive
	Smart
)

// Pattern is what to find in a line. No match spans a line break.
type Pattern struct {
	Text   string
	Regexp bool // Text is a regular expression in the syntax of RE2; else it is found as it is
	Case   Case
	// Word finds only what has no letter, digit or underscore, of any script,
	// right before and right behind it.
	Word bool
}

// Limits of a pattern: more is no pattern that somebody means.
const (
	maxPattern      = 4096  // bytes
	maxInstructions = 20000 // of the compiled expression
)

// PatternError says what is wrong with a pattern.
type PatternError struct {
	Pattern string
	At      int    // the character at which it is wrong, from 1; 0 if it is the whole
	Reason  string // for a person, with what to do
}

func (e *PatternError) Error() string {
	if e.At == 0 {
		return e.Reason
	}
	return fmt.Sprintf("the regular expression is wrong at character %d: %s", e.At, e.Reason)
}

// compile checks the pattern and makes a matcher of it.
func (p Pattern) compile() (*matcher, error) {
	bad := func(reason string) (*matcher, error) { return nil, &PatternError{Pattern: p.Text, Reason: reason} }
	switch {
	case p.Text == "":
		return bad("the pattern is empty; say what to look for")
	case len(p.Text) > maxPattern:
		return bad(fmt.Sprintf("the pattern is longer than %d bytes; look for a part of it", maxPattern))
	case !utf8.ValidString(p.Text):
		return bad("the pattern is not valid UTF-8")
	}
	expr, tree, err := p.parse()
	if err != nil {
		return nil, err
	}
	if hasLineBreak(tree) {
		return bad("the pattern has a line break in it, and lines are searched one by one; look for one of its lines")
	}
	if p.Word {
		if tree, err = syntax.Parse(asWord(expr), syntax.Perl); err != nil {
			return bad("the pattern is too large as a whole word; look for a part of it")
		}
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil || len(prog.Inst) > maxInstructions {
		return bad("the regular expression is too large; use smaller repetitions")
	}
	m := &matcher{prog: newProgram(prog), needles: requiredNeedles(tree.Simplify())}
	m.spans = regexpSpans(expr, len(prog.Inst))
	if p.Word {
		m.spans = wordSpans(expr, len(prog.Inst))
	}
	if !p.Regexp {
		m.spans = textSpans(p, m.spans)
	}
	return m, nil
}

// notWord is any character that no word holds. A word is of letters, marks,
// digits, connecting punctuation and joiners, as Unicode defines it for
// regular expressions; the ranges are symbols that count as letters.
//
// isWordRune is the same as a function.
const notWord = `[^\pL\pM\p{Nd}\p{Nl}\p{Pc}\x{200C}\x{200D}\x{24B6}-\x{24E9}\x{1F130}-\x{1F149}\x{1F150}-\x{1F169}\x{1F170}-\x{1F189}]`

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return syntax.IsWordChar(r)
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Nl, unicode.Pc, unicode.Other_Alphabetic, unicode.Join_Control)
}

// asWord is an expression for what expr matches as a word, which is its first
// group, with the characters around it.
func asWord(expr string) string {
	return `(?:\A|` + notWord + `)(` + expr + `)(?:` + notWord + `|\z)`
}

// parse reads the pattern, whatever it is, as an expression that stands for
// itself wherever it is put.
func (p Pattern) parse() (expr string, tree *syntax.Regexp, err error) {
	source := p.Text
	if !p.Regexp {
		source = regexp.QuoteMeta(source)
	} else if _, err := syntax.Parse(source, syntax.Perl); err != nil {
		return "", nil, explain(p.Text, err)
	}
	open := "(?:"
	if p.folds() {
		open = "(?i:"
	}
	expr = open + source + ")"
	if tree, err = syntax.Parse(expr, syntax.Perl); err != nil { // a quotation, \Q, goes on to the end
		expr = open + source + `\E)`
		tree, err = syntax.Parse(expr, syntax.Perl)
	}
	if err != nil {
		return "", nil, explain(p.Text, err)
	}
	return expr, tree, nil
}

// folds tells whether case does not count.
func (p Pattern) folds() bool {
	switch p.Case {
	case Insensitive:
		return true
	case Smart:
		text := p.Text
		if p.Regexp {
			text = syntaxLess.ReplaceAllString(text, "")
		}
		return strings.ContainsFunc(text, unicode.IsLower) && !strings.ContainsFunc(text, unicode.IsUpper)
	}
	return false
}

// syntaxLess matches the parts of an expression whose capitals are not the
// reader's letters: classes and escapes, groups' names and flags.
var syntaxLess = regexp.MustCompile(`\\[pP]\{[^}]*\}|\\[pP].|\\x\{[^}]*\}|\\x[0-9a-fA-F]{2}|\\.|\[:[^:\]]*:\]|\(\?P?<[^>]*>|\(\?[a-zA-Z-]*[:)]`)

// hasLineBreak tells whether the expression asks for a line break.
func hasLineBreak(re *syntax.Regexp) bool {
	if re.Op == syntax.OpLiteral {
		return strings.ContainsRune(string(re.Rune), '\n')
	}
	for _, sub := range re.Sub {
		if hasLineBreak(sub) {
			return true
		}
	}
	return false
}

// explain says where and why an expression is not one.
func explain(pattern string, err error) error {
	e, ok := err.(*syntax.Error)
	if !ok {
		return &PatternError{Pattern: pattern, Reason: err.Error()}
	}
	at := strings.Index(pattern, e.Expr)
	switch e.Code {
	case syntax.ErrMissingParen, syntax.ErrUnexpectedParen:
		at = unmatchedParen(pattern)
	case syntax.ErrTrailingBackslash:
		at = len(pattern) - 1
	}
	reason := e.Code.String()
	if e.Expr != "" && e.Expr != pattern {
		reason += ": `" + e.Expr + "`"
	}
	return &PatternError{Pattern: pattern, At: utf8.RuneCountInString(pattern[:max(at, 0)]) + 1, Reason: reason + "; " + advice(e)}
}

// advice is what to do about an error.
func advice(e *syntax.Error) string {
	for _, around := range []string{"(?=", "(?!", "(?<=", "(?<!"} {
		if strings.HasPrefix(e.Expr, around) {
			return "look-ahead and look-behind are not supported"
		}
	}
	switch e.Code {
	case syntax.ErrInvalidRepeatSize:
		return "at most 1000 repetitions are possible, nested ones multiplied"
	case syntax.ErrLarge, syntax.ErrNestingDepth:
		return "use a smaller expression"
	}
	return `put a \ before a character that stands for itself, or search for the text as it is`
}

// unmatchedParen is the offset of the parenthesis that has no other half.
func unmatchedParen(pattern string) int {
	var open []int
	class := false
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
			if strings.HasPrefix(pattern[i+1:], "]") || strings.HasPrefix(pattern[i+1:], "^]") {
				i += 1 + strings.IndexByte(pattern[i+1:], ']')
			}
		case c == '(':
			open = append(open, i)
		case c == ')':
			if len(open) == 0 {
				return i
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) == 0 {
		return 0
	}
	return open[len(open)-1]
}

package command

import (
	"strings"

	"github.com/benhoyt/goawk/lexer"
)

// awkToken is a token with its place in the source.
type awkToken struct {
	kind       lexer.Token
	value      string
	start, end int
	space      bool // there is white space before it
	match      int  // of a parenthesis or bracket: the other one; -1: none
	head       bool // of a closing parenthesis: it ends the head of if, while or for
	chain      int  // which concatenation it is part of
	joins      bool // it is the second of two operands that are put together
}

// mostAwkTokens is how long a program may be. The parser goes as deep as its expressions
// are, and must come to an end.
const mostAwkTokens = 20_000

// scan takes the source apart, and tells whether all of it could be.
func (r *awkRewriting) scan() bool {
	lineStarts := []int{0}
	for i := range len(r.src) {
		if r.src[i] == '\n' {
			lineStarts = append(lineStarts, i+1)
		}
	}
	l := lexer.NewLexer([]byte(r.src))
	for {
		pos, kind, value := l.Scan()
		space := l.HadSpace()
		if (kind == lexer.DIV || kind == lexer.DIV_ASSIGN) && !r.afterOperand() {
			pos, kind, value = l.ScanRegex()
		}
		if kind == lexer.EOF {
			return true
		}
		if kind == lexer.ILLEGAL || pos.Line > len(lineStarts) || len(r.tokens) > mostAwkTokens {
			return false
		}
		start := lineStarts[pos.Line-1] + pos.Column - 1
		if start >= len(r.src) {
			return false
		}
		end := start + awkTokenLength(r.src[start:], kind, value)
		r.tokens = append(r.tokens, awkToken{kind: kind, value: value, start: start, end: end, space: space, match: -1})
	}
}

// afterOperand tells whether a slash now is a division.
func (r *awkRewriting) afterOperand() bool {
	if len(r.tokens) == 0 {
		return false
	}
	switch kind := r.tokens[len(r.tokens)-1].kind; kind {
	case lexer.NAME, lexer.NUMBER, lexer.STRING, lexer.REGEX, lexer.RPAREN, lexer.RBRACKET, lexer.DOLLAR, lexer.INCR, lexer.DECR, lexer.F_LENGTH:
		return true
	}
	return false
}

// awkTokenLength is how long a token is in the source.
func awkTokenLength(s string, kind lexer.Token, value string) int {
	switch kind {
	case lexer.NAME, lexer.NUMBER:
		return len(value)
	case lexer.NEWLINE:
		return 1
	case lexer.STRING, lexer.REGEX:
		for i := 1; i < len(s); i++ {
			switch s[i] {
			case '\\':
				i++
			case s[0]:
				return i + 1
			}
		}
		return len(s)
	}
	if strings.HasPrefix(s, "**") {
		return len(kind.String()) + 1 // the other spelling of ^
	}
	return len(kind.String())
}

// kind is the kind of a token; EOF behind the last one.
func (r *awkRewriting) kind(i int) lexer.Token {
	if i < 0 || i >= len(r.tokens) {
		return lexer.EOF
	}
	return r.tokens[i].kind
}

// pair finds which parentheses belong together.
func (r *awkRewriting) pair() bool {
	var open []int
	for i := range r.tokens {
		switch r.tokens[i].kind {
		case lexer.LPAREN, lexer.LBRACKET, lexer.LBRACE:
			open = append(open, i)
		case lexer.RPAREN, lexer.RBRACKET, lexer.RBRACE:
			if len(open) == 0 {
				return false
			}
			first := open[len(open)-1]
			open = open[:len(open)-1]
			r.tokens[i].match, r.tokens[first].match = first, i
			switch r.kind(first - 1) {
			case lexer.IF, lexer.WHILE, lexer.FOR:
				r.tokens[i].head = true
			}
		}
	}
	return len(open) == 0
}

// chains numbers the concatenations and marks where operands are put together. It
// returns how many places each has.
func (r *awkRewriting) chains() []int {
	places := []int{0}
	stack := []int{0}
	next := func() int {
		places = append(places, 0)
		return len(places) - 1
	}
	for i := range r.tokens {
		t := &r.tokens[i]
		switch t.kind {
		case lexer.RPAREN, lexer.RBRACKET, lexer.RBRACE:
			stack = stack[:len(stack)-1]
		case lexer.COMMA, lexer.SEMICOLON, lexer.NEWLINE:
			stack[len(stack)-1] = next()
		}
		t.chain = stack[len(stack)-1]
		if t.joins = r.together(i); t.joins {
			places[t.chain]++
		}
		switch t.kind {
		case lexer.LPAREN, lexer.LBRACKET, lexer.LBRACE:
			stack = append(stack, next())
		}
	}
	return places
}

// together tells whether a token begins an operand right behind another one.
func (r *awkRewriting) together(i int) bool {
	if i == 0 {
		return false
	}
	before, t := r.tokens[i-1], r.tokens[i]
	switch before.kind {
	case lexer.NAME:
		if r.kind(i-2) == lexer.GETLINE || r.kind(i-2) == lexer.FUNCTION {
			return false
		}
	case lexer.RPAREN:
		if before.head {
			return false
		}
	case lexer.NUMBER, lexer.STRING, lexer.RBRACKET:
	default:
		return false
	}
	switch {
	case t.kind == lexer.LPAREN:
		return before.kind != lexer.NAME || t.space
	case t.kind == lexer.NAME, t.kind == lexer.NUMBER, t.kind == lexer.STRING, t.kind == lexer.DOLLAR:
		return true
	}
	return t.kind >= lexer.FIRST_FUNC && t.kind <= lexer.LAST_FUNC
}

// arguments are the ranges of tokens between the commas of a list in parentheses.
func (r *awkRewriting) arguments(open int) [][2]int {
	end := r.tokens[open].match
	if end == open+1 {
		return nil
	}
	return r.list(open+1, end)
}

// statementEnd is where the statement that begins at a token ends, and where its
// redirection is, or -1.
func (r *awkRewriting) statementEnd(i int) (end, redirect int) {
	redirect = -1
	for end = i; end < len(r.tokens); end++ {
		switch r.kind(end) {
		case lexer.LPAREN, lexer.LBRACKET:
			end = r.tokens[end].match
		case lexer.GREATER, lexer.APPEND:
			if redirect < 0 {
				redirect = end
			}
		case lexer.SEMICOLON, lexer.RBRACE:
			return end, redirect
		case lexer.NEWLINE:
			switch r.kind(end - 1) {
			case lexer.COMMA, lexer.AND, lexer.OR:
			default:
				return end, redirect
			}
		}
	}
	return end, redirect
}

// list is the ranges of tokens between the commas of a list without parentheses.
func (r *awkRewriting) list(from, to int) [][2]int {
	var list [][2]int
	start := from
	for i := from; i < to; i++ {
		switch r.kind(i) {
		case lexer.LPAREN, lexer.LBRACKET:
			i = r.tokens[i].match
		case lexer.COMMA:
			list = append(list, [2]int{start, i})
			start = i + 1
			for r.kind(start) == lexer.NEWLINE {
				start++
			}
		}
	}
	return append(list, [2]int{start, to})
}

// assigns tells whether tokens may not be evaluated twice, because they have an effect,
// nor written twice, because they are written twice themselves.
func (r *awkRewriting) assigns(from, to int) bool {
	for i := from; i < to; i++ {
		t := r.tokens[i]
		call := t.kind == lexer.NAME && r.kind(i+1) == lexer.LPAREN && !r.tokens[i+1].space
		if awkAssigns(t.kind) || t.kind == lexer.GETLINE || t.kind == lexer.F_SUB || t.kind == lexer.F_GSUB || t.kind == lexer.F_SPLIT || t.kind == lexer.F_SPRINTF || t.kind == lexer.F_RAND || call {
			return true
		}
	}
	return false
}

// primaryEnd is where an operand ends that cannot be a concatenation.
func (r *awkRewriting) primaryEnd(i int) int {
	if i >= len(r.tokens) {
		return i
	}
	switch kind := r.kind(i); {
	case kind == lexer.DOLLAR || kind == lexer.SUB || kind == lexer.ADD || kind == lexer.NOT || kind == lexer.INCR || kind == lexer.DECR:
		return r.primaryEnd(i + 1)
	case kind == lexer.LPAREN:
		return r.tokens[i].match + 1
	case r.kind(i+1) == lexer.LBRACKET && kind == lexer.NAME,
		r.kind(i+1) == lexer.LPAREN && (kind == lexer.NAME && !r.tokens[i+1].space || kind >= lexer.FIRST_FUNC && kind <= lexer.LAST_FUNC):
		return r.tokens[i+1].match + 1
	}
	return i + 1
}

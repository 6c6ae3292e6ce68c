package command

import (
	"errors"
	"fmt"
	"strconv"
)

// errUnknownPredicate is what findParser.parse returns for a test that there is not.
var errUnknownPredicate = errors.New("unknown predicate")

// findFault is what is wrong with an expression, in the words of GNU.
type findFault string

func (f findFault) Error() string { return string(f) }

func findFaultf(format string, args ...any) error { return findFault(fmt.Sprintf(format, args...)) }

// findParser reads an expression:
//
//	list = or { "," or }      all are tried, the last one counts
//	or   = and { "-o" and }
//	and  = not { ["-a"] not }
//	not  = { "!" } primary
type findParser struct {
	f         *finder
	args      []string
	at        int
	parens    int
	acts      bool   // something is done, so that nothing is printed by default
	regexType string // of -regex, from here on
}

func (p *findParser) parse() (findTest, error) {
	if len(p.args) == 0 {
		return printPath, nil
	}
	test, err := p.list()
	if err != nil {
		return nil, err
	}
	if p.more() {
		return nil, findFault("you have too many ')'")
	}
	if !p.acts {
		inner := test
		test = func(f *finder, e *found) bool { return inner(f, e) && !f.quit && printPath(f, e) }
	}
	return test, nil
}

func (p *findParser) more() bool { return p.at < len(p.args) }

func (p *findParser) next() string {
	p.at++
	return p.args[p.at-1]
}

// peek tells whether the next word is one of some.
func (p *findParser) peek(words ...string) bool {
	if !p.more() {
		return false
	}
	for _, w := range words {
		if p.args[p.at] == w {
			return true
		}
	}
	return false
}

func (p *findParser) list() (findTest, error) {
	left, err := p.or()
	for err == nil && p.peek(",") {
		op := p.next()
		if !p.more() {
			return nil, findFaultf("expected an expression after '%s'", op)
		}
		first := left
		var second findTest
		if second, err = p.or(); err == nil {
			left = func(f *finder, e *found) bool { first(f, e); return !f.quit && second(f, e) }
		}
	}
	return left, err
}

func (p *findParser) or() (findTest, error) {
	left, err := p.and()
	for err == nil && p.peek("-o", "-or") {
		op := p.next()
		if !p.more() {
			return nil, findFaultf("expected an expression after '%s'", op)
		}
		first := left
		var second findTest
		if second, err = p.and(); err == nil {
			left = func(f *finder, e *found) bool { return first(f, e) || !f.quit && second(f, e) }
		}
	}
	return left, err
}

func (p *findParser) and() (findTest, error) {
	left, err := p.not()
	for err == nil && p.more() && !p.peek("-o", "-or", ",", ")") {
		if p.peek("-a", "-and") {
			op := p.next()
			if !p.more() {
				return nil, findFaultf("expected an expression after '%s'", op)
			}
		}
		first := left
		var second findTest
		if second, err = p.not(); err == nil {
			left = func(f *finder, e *found) bool { return first(f, e) && !f.quit && second(f, e) }
		}
	}
	return left, err
}

func (p *findParser) not() (findTest, error) {
	invert := false
	for p.peek("!", "-not") {
		op := p.next()
		if !p.more() {
			return nil, findFaultf("expected an expression after '%s'", op)
		}
		invert = !invert
	}
	test, err := p.primary()
	if err != nil || !invert {
		return test, err
	}
	return func(f *finder, e *found) bool { return !test(f, e) }, nil
}

// mostParens is how deep expressions may be nested.
const mostParens = 1000

func (p *findParser) primary() (findTest, error) {
	word := p.next()
	switch word {
	case "-o", "-or", "-a", "-and", ",":
		return nil, findFaultf("invalid expression; you have used a binary operator '%s' with nothing before it.", word)
	case ")":
		if p.parens == 0 {
			return nil, findFault("invalid expression; you have too many ')'")
		}
		return nil, findFault("invalid expression; empty parentheses are not allowed.")
	case "(":
		if p.parens++; p.parens > mostParens {
			return nil, findFault("invalid expression; there are too many parentheses")
		}
		if !p.more() {
			return nil, findFault("invalid expression; expected to find a ')' but didn't see one. Perhaps you need an extra predicate after '('")
		}
		test, err := p.list()
		if err != nil {
			return nil, err
		}
		if !p.peek(")") {
			return nil, findFault("invalid expression; I was expecting to find a ')' somewhere but did not see one.")
		}
		p.next()
		p.parens--
		return test, nil
	}
	if make, ok := findPredicates[word]; ok {
		return make(p, word)
	}
	if why, ok := findRefused[word]; ok {
		return nil, findFaultf("%s is not available here%s", word, why)
	}
	if test, err, ok := p.newerXY(word); ok {
		return test, err
	}
	if len(word) > 1 && word[0] == '-' {
		return nil, fmt.Errorf("%w `%s'", errUnknownPredicate, word)
	}
	return nil, findFaultf("paths must precede expression: `%s'", word)
}

// findRefused are the actions that this shell does not have.
var findRefused = map[string]string{
	"-execdir":     ": use -exec",
	"-ok":          ": nobody can be asked, use -exec",
	"-okdir":       ": nobody can be asked, use -exec",
	"-fprint":      ": redirect the output with >",
	"-fprint0":     ": redirect the output with >",
	"-fprintf":     ": redirect the output of -printf with >",
	"-fls":         ": redirect the output of -ls with >",
	"-files0-from": ": name the paths",
}

// argument is the word behind a predicate.
func (p *findParser) argument(word string) (string, error) {
	if !p.more() {
		return "", findFaultf("missing argument to `%s'", word)
	}
	return p.next(), nil
}

// depth reads -maxdepth and -mindepth.
func (p *findParser) depth(word string) (int, error) {
	arg, err := p.argument(word)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(arg, 10, 31)
	if err != nil {
		return 0, findFaultf("Expected a positive decimal integer argument to %s, but got ‘%s’", word, arg)
	}
	return int(n), nil
}

// findNumber is a number of a test: N, +N for more, -N for less.
type findNumber struct {
	sign byte
	n    float64
}

func newFindNumber(arg string) (findNumber, bool) {
	var f findNumber
	if arg != "" && (arg[0] == '+' || arg[0] == '-') {
		f.sign, arg = arg[0], arg[1:]
	}
	if arg == "" || arg[0] == '+' || arg[0] == '-' {
		return f, false
	}
	n, err := strconv.ParseFloat(arg, 64)
	f.n = n
	return f, err == nil
}

func (f findNumber) is(n float64) bool {
	switch f.sign {
	case '+':
		return n > f.n
	case '-':
		return n < f.n
	}
	return n == f.n
}

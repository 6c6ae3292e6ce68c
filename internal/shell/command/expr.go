package command

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"redline/internal/shell/regex"
)

func init() {
	register(&Command{
		Name: "expr", About: "Calculate, compare and match.",
		Synopsis: "EXPRESSION", Raw: true,
		Run: expr,
	})
}

// expression is one run of expr: what is left of its arguments.
type expression struct {
	*Call
	rest []string
	last string // the argument taken last
	deep int    // parentheses and words that are inside of each other
}

func expr(c *Call) int {
	args := c.Args
	if len(args) == 1 && args[0] == "--help" {
		c.help()
		return 0
	}
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return c.Try(2, "missing operand")
	}
	e := &expression{Call: c, rest: args}
	value, err := e.or(true)
	if err == nil && len(e.rest) > 0 {
		if e.rest[0] == ")" {
			err = errors.New("syntax error: unexpected ')'")
		} else {
			err = fmt.Errorf("syntax error: unexpected argument %s", curly(e.rest[0]))
		}
	}
	if err != nil {
		return c.Fail(2, "%s", err)
	}
	c.Out.WriteString(value + "\n")
	if isNull(value) {
		return 1
	}
	return 0
}

// isNull tells whether a value counts as false.
func isNull(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	return s == "" || digits != "" && strings.Trim(digits, "0") == ""
}

func (e *expression) take(words ...string) (string, bool) {
	if len(e.rest) == 0 || !slices.Contains(words, e.rest[0]) {
		return "", false
	}
	return e.shift(), true
}

func (e *expression) shift() string {
	e.last = e.rest[0]
	e.rest = e.rest[1:]
	return e.last
}

func truth(yes bool) string {
	if yes {
		return "1"
	}
	return "0"
}

// or and what follows are the levels of precedence. live is false in a branch whose
// value does not count: it is parsed only.
func (e *expression) or(live bool) (string, error) {
	left, err := e.and(live)
	for err == nil {
		if _, ok := e.take("|"); !ok {
			break
		}
		var right string
		right, err = e.and(live && isNull(left))
		if isNull(left) {
			if left = right; isNull(left) {
				left = "0"
			}
		}
	}
	return left, err
}

func (e *expression) and(live bool) (string, error) {
	left, err := e.compare(live)
	for err == nil {
		if _, ok := e.take("&"); !ok {
			break
		}
		var right string
		right, err = e.compare(live && !isNull(left))
		if isNull(left) || isNull(right) {
			left = "0"
		}
	}
	return left, err
}

func (e *expression) compare(live bool) (string, error) {
	left, err := e.sum(live)
	for err == nil {
		op, ok := e.take("<", "<=", "=", "==", "!=", ">=", ">")
		if !ok {
			break
		}
		var right string
		if right, err = e.sum(live); err != nil {
			break
		}
		order := strings.Compare(left, right)
		x, errX := number(left)
		y, errY := number(right)
		if errX == nil && errY == nil {
			order = x.Cmp(y)
		}
		left = truth(holds(order, op))
	}
	return left, err
}

// holds tells whether a comparison is true of two values in this order.
func holds(order int, op string) bool {
	switch op {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	case ">=":
		return order >= 0
	case "!=":
		return order != 0
	}
	return order == 0
}

func (e *expression) sum(live bool) (string, error) {
	return e.calculate(live, e.product, "+", "-")
}

func (e *expression) product(live bool) (string, error) {
	return e.calculate(live, e.match, "*", "/", "%")
}

func (e *expression) calculate(live bool, operand func(bool) (string, error), ops ...string) (string, error) {
	left, err := operand(live)
	for err == nil {
		op, ok := e.take(ops...)
		if !ok {
			break
		}
		var right string
		if right, err = operand(live); err != nil || !live {
			continue
		}
		left, err = arithmetic(left, op, right)
	}
	return left, err
}

func number(s string) (*big.Int, error) {
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || strings.Trim(digits, "0123456789") != "" || len(digits) > 10_000 {
		return nil, errors.New("non-integer argument")
	}
	n, _ := new(big.Int).SetString(s, 10)
	return n, nil
}

func arithmetic(left, op, right string) (string, error) {
	x, errX := number(left)
	y, errY := number(right)
	if err := errors.Join(errX, errY); err != nil {
		return "", errors.New("non-integer argument")
	}
	switch op {
	case "+":
		x.Add(x, y)
	case "-":
		x.Sub(x, y)
	case "*":
		x.Mul(x, y)
	default:
		if y.Sign() == 0 {
			return "", errors.New("division by zero")
		}
		if op == "/" {
			x.Quo(x, y)
		} else {
			x.Rem(x, y)
		}
	}
	return x.String(), nil
}

func (e *expression) match(live bool) (string, error) {
	left, err := e.function(live)
	for err == nil {
		if _, ok := e.take(":"); !ok {
			break
		}
		var right string
		if right, err = e.function(live); err == nil && live {
			left, err = matched(left, right)
		}
	}
	return left, err
}

// matched matches a text from its start: it is the first group, or the length of the
// match.
func matched(text, pattern string) (string, error) {
	re, err := regex.Compile(pattern, regex.Options{})
	if err != nil {
		return "", err
	}
	groups := re.Groups() > 0
	at := re.FindSubmatchIndex([]byte(text), 0, nil)
	if at != nil && at[0] > 0 { // the leftmost match, so there is none at the start
		at = nil
	}
	switch {
	case re.Err() != nil:
		return "", re.Err()
	case at == nil && groups:
		return "", nil
	case at == nil:
		return "0", nil
	case !groups:
		return strconv.Itoa(utf8.RuneCountInString(text[at[0]:at[1]])), nil
	case at[2] < 0:
		return "", nil
	}
	return text[at[2]:at[3]], nil
}

// function is one of the words match, substr, index and length, or a value.
func (e *expression) function(live bool) (string, error) {
	if e.deep++; e.deep > deepest {
		return "", errors.New("the expression is too deep")
	}
	defer func() { e.deep-- }()
	if word, ok := e.take("match", "substr", "index", "length"); ok {
		args := make([]string, map[string]int{"match": 2, "substr": 3, "index": 2, "length": 1}[word])
		for i := range args {
			var err error
			if args[i], err = e.function(live); err != nil {
				return "", err
			}
		}
		if !live {
			return "", nil
		}
		return call(word, args)
	}
	return e.value(live)
}

func call(word string, args []string) (string, error) {
	runes := []rune(args[0])
	switch word {
	case "match":
		return matched(args[0], args[1])
	case "length":
		return strconv.Itoa(len(runes)), nil
	case "index":
		i := strings.IndexAny(args[0], args[1])
		if i < 0 {
			return "0", nil
		}
		return strconv.Itoa(utf8.RuneCountInString(args[0][:i]) + 1), nil
	}
	from, errFrom := strconv.Atoi(args[1])
	length, errLength := strconv.Atoi(args[2])
	if errFrom != nil || errLength != nil || from < 1 || length < 1 || from > len(runes) {
		return "", nil
	}
	return string(runes[from-1 : from-1+min(length, len(runes)-from+1)]), nil
}

// deepest is how deep an expression of expr or test may be.
const deepest = 1000

func (e *expression) value(live bool) (string, error) {
	if len(e.rest) == 0 {
		return "", fmt.Errorf("syntax error: missing argument after %s", curly(e.last))
	}
	word := e.shift()
	switch {
	case word == "+" && len(e.rest) > 0:
		return e.shift(), nil
	case word == "+":
		return "", fmt.Errorf("syntax error: missing argument after %s", curly(word))
	case word == ")":
		return "", errors.New("syntax error: unexpected ')'")
	case word == "(":
		inner, err := e.or(live)
		if err != nil {
			return "", err
		}
		if _, ok := e.take(")"); ok {
			return inner, nil
		}
		if len(e.rest) == 0 {
			return "", fmt.Errorf("syntax error: expecting ')' after %s", curly(e.last))
		}
		return "", fmt.Errorf("syntax error: expecting ')' instead of %s", curly(e.rest[0]))
	}
	return word, nil
}

package command

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

func init() {
	register(&Command{
		Name: "seq", About: "Write the numbers from FIRST to LAST.",
		Synopsis: "[-w] [-s STRING] [-f FORMAT] [FIRST [STEP]] LAST",
		Options: []Option{
			{Short: "f", Long: "format", Value: "FORMAT", Help: "how to write numbers, as in %03g"},
			{Short: "s", Long: "separator", Value: "STRING", Help: "what stands between numbers, in the place of a newline"},
			{Short: "w", Long: "equal-width", Help: "write zeros before numbers, so that all have the same width"},
		},
		Raw:     true, // negative numbers are no options
		Differs: "Numbers are decimal, or hexadecimal without a fraction. The format of -f has one of %e %f %g.",
		Run:     seq,
	})
}

// seqNumber is a decimal number: value / 10^places.
type seqNumber struct {
	value    *big.Int
	places   int
	infinite int // -1, 1: no number, but without end
	width    int // of its text
}

// seqRun is a run of seq.
type seqRun struct {
	separator string
	format    string
	equal     bool
	operands  []string
}

// mostPlaces is how many places a number of seq may have.
const mostPlaces = 1000

func seq(c *Call) int {
	r := &seqRun{separator: "\n"}
	if status, done := r.options(c); done {
		return status
	}
	switch n := len(r.operands); {
	case n == 0:
		return c.Try(1, "missing operand")
	case n > 3:
		return c.Try(1, "extra operand %s", curly(r.operands[3]))
	}
	if r.format != "" && r.equal {
		return c.Try(1, "format string may not be specified when printing equal width strings")
	}
	one := seqNumber{value: big.NewInt(1), width: 1}
	first, step := one, one
	var numbers []seqNumber
	for _, text := range r.operands {
		n, complaint := parseSeq(text)
		if complaint != "" {
			return c.Try(1, "%s", complaint)
		}
		numbers = append(numbers, n)
	}
	last := numbers[len(numbers)-1]
	if len(numbers) > 1 {
		first = numbers[0]
	}
	if len(numbers) > 2 {
		if step = numbers[1]; step.infinite == 0 && step.value.Sign() == 0 {
			return c.Try(1, "invalid Zero increment value: %s", curly(r.operands[1]))
		}
	}
	var show func(n seqNumber) string
	if r.format != "" {
		format, complaint := parseSeqFormat(r.format)
		if complaint != "" {
			return c.Fail(1, "%s", complaint)
		}
		show = format
	} else {
		show = plainSeq(first, step, last, r.equal)
	}
	if r.format == "" && !r.equal && r.integers(c, first, step, last) {
		return 0
	}
	r.write(c, first, step, last, show)
	return 0
}

// options reads the arguments: what looks like a negative number is none.
func (r *seqRun) options(c *Call) (status int, done bool) {
	call, table := *c, *c.Command
	table.Raw = false
	call.Command = &table
	args := call.Args
	call.Args = nil
	for i, arg := range args {
		if arg == "--" {
			r.operands = args[i+1:]
			break
		}
		if len(arg) > 1 && arg[0] == '-' && (arg[1] == '.' || isDigit(arg[1])) && !call.wantsValue(args, i) {
			r.operands = args[i:]
			break
		}
		if !strings.HasPrefix(arg, "-") && !call.wantsValue(args, i) {
			r.operands = args[i:]
			break
		}
		call.Args = append(call.Args, arg)
	}
	if status, done = call.parse(); done {
		return status, true
	}
	r.equal = call.Flag("w")
	r.format, _ = call.Value("f")
	if s, ok := call.Value("s"); ok {
		r.separator = s
	}
	return 0, false
}

// wantsValue tells whether the argument before args[i] is an option whose value it
// is.
func (c *Call) wantsValue(args []string, i int) bool {
	if i == 0 {
		return false
	}
	switch before := args[i-1]; {
	case strings.HasPrefix(before, "--"):
		return len(before) > 2 && !strings.Contains(before, "=") &&
			(strings.HasPrefix("--format", before) || strings.HasPrefix("--separator", before))
	case strings.HasPrefix(before, "-"):
		letters := strings.TrimLeft(before[1:], "w")
		return letters == "f" || letters == "s"
	}
	return false
}

// parseSeq reads a number. It returns what is wrong with it, or "".
func parseSeq(text string) (seqNumber, string) {
	invalid := "invalid floating point argument: " + curly(text)
	s := strings.TrimLeft(text, " \t\n")
	n := seqNumber{width: len(strings.TrimPrefix(s, "+"))}
	sign := strings.HasPrefix(s, "-")
	s = strings.ToLower(strings.TrimLeft(s, "+-"))
	switch {
	case s == "inf" || s == "infinity":
		n.infinite = 1
		if sign {
			n.infinite = -1
		}
		n.value = new(big.Int)
		return n, ""
	case s == "nan":
		return n, "invalid " + curly("not-a-number") + " argument: " + curly(text)
	case strings.HasPrefix(s, "0x"):
		value, ok := new(big.Int).SetString(s[2:], 16)
		if !ok || strings.HasPrefix(s[2:], "-") || strings.HasPrefix(s[2:], "+") {
			return n, invalid
		}
		n.value = value
		n.width = len(value.String())
	default:
		if !n.decimal(s) {
			return n, invalid
		}
	}
	if sign {
		n.value.Neg(n.value)
	}
	return n, ""
}

// decimal reads digits, a point and an exponent.
func (n *seqNumber) decimal(s string) bool {
	mantissa, exponent, hasExponent := strings.Cut(s, "e")
	whole, fraction, point := strings.Cut(mantissa, ".")
	if digits(whole) != len(whole) || digits(fraction) != len(fraction) || whole+fraction == "" || len(s) > mostPlaces {
		return false
	}
	n.value, _ = new(big.Int).SetString(whole+fraction, 10)
	n.places = len(fraction)
	if point && fraction == "" {
		n.width-- // of "1."
	}
	if point && whole == "" {
		n.width++ // of ".5"
	}
	if !hasExponent {
		return true
	}
	power := 0
	if _, err := fmt.Sscanf(exponent, "%d", &power); err != nil || digits(strings.TrimLeft(exponent, "+-")) == 0 || power > mostPlaces || power < -mostPlaces {
		return false
	}
	n.places -= power
	if n.places < 0 {
		n.value.Mul(n.value, powerOfTen(-n.places))
		n.places = 0
	}
	n.width = len(n.text(n.places))
	return true
}

func powerOfTen(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// at is the value counted in units of so many places.
func (n *seqNumber) at(places int) *big.Int {
	return new(big.Int).Mul(n.value, powerOfTen(places-n.places))
}

// text is the number with so many places, of which it may have fewer.
func (n *seqNumber) text(places int) string {
	value := n.at(max(places, n.places))
	digits := new(big.Int).Abs(value).String()
	if pad := places + 1 - len(digits); pad > 0 {
		digits = strings.Repeat("0", pad) + digits
	}
	if places > 0 {
		digits = digits[:len(digits)-places] + "." + digits[len(digits)-places:]
	}
	if value.Sign() < 0 {
		digits = "-" + digits
	}
	return digits
}

// plainSeq writes numbers with the places of FIRST and STEP.
func plainSeq(first, step, last seqNumber, equal bool) func(seqNumber) string {
	places := max(first.places, step.places)
	width := 0
	if equal && last.infinite == 0 {
		widthOf := func(n seqNumber) int {
			w := n.width + places - n.places
			switch {
			case n.places == 0 && places > 0:
				w++ // the point
			case n.places > 0 && places == 0:
				w = n.width - n.places - 1
			}
			return w
		}
		width = max(widthOf(first), widthOf(last))
	}
	return func(n seqNumber) string {
		s := n.text(places)
		if pad := width - len(s); pad > 0 {
			if s[0] == '-' {
				return "-" + strings.Repeat("0", pad) + s[1:]
			}
			return strings.Repeat("0", pad) + s
		}
		return s
	}
}

// parseSeqFormat reads a format with one directive. It returns what is wrong with
// it, or "".
func parseSeqFormat(format string) (func(seqNumber) string, string) {
	name := "format " + curly(format)
	before, rest, ok := cutDirective(format)
	if !ok {
		return nil, name + " has no % directive"
	}
	flags := len(rest) - len(strings.TrimLeft(rest, "-+#0 '"))
	i := flags
	width := digits(rest[i:])
	i += width
	precision := ""
	if i < len(rest) && rest[i] == '.' {
		n := digits(rest[i+1:])
		precision = rest[i : i+1+n]
		i += 1 + n
	}
	for i < len(rest) && rest[i] == 'L' {
		i++
	}
	if i == len(rest) {
		return nil, name + " ends in %"
	}
	if !strings.ContainsRune("efgEFG", rune(rest[i])) {
		return nil, name + fmt.Sprintf(" has unknown %%%c directive", rest[i])
	}
	after, _, more := cutDirective(rest[i+1:])
	if more {
		return nil, name + " has too many % directives"
	}
	if n, _ := decimal(rest[flags : flags+width]); n > widestColumn || len(precision) > 4 {
		return nil, name + " is too wide"
	}
	if precision == "" {
		precision = ".6"
	}
	form := "%" + strings.ReplaceAll(rest[:flags+width], "'", "") + precision + string(rest[i])
	return func(n seqNumber) string {
		value, _ := new(big.Rat).SetFrac(n.value, powerOfTen(n.places)).Float64()
		return before + fmt.Sprintf(form, value) + after
	}, ""
}

// cutDirective is the text around the first % of a format that is not doubled.
func cutDirective(format string) (before, after string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			b.WriteByte(format[i])
			continue
		}
		if i+1 < len(format) && format[i+1] == '%' {
			b.WriteByte('%')
			i++
			continue
		}
		return b.String(), format[i+1:], true
	}
	return b.String(), "", false
}

// integers writes numbers without a point that are not too large; false if they
// are.
func (r *seqRun) integers(c *Call, first, step, last seqNumber) bool {
	const most = 1 << 60
	var all [3]int64
	for i, n := range []seqNumber{first, step, last} {
		if n.infinite != 0 || n.places > 0 || !n.value.IsInt64() {
			return false
		}
		if all[i] = n.value.Int64(); all[i] > most || all[i] < -most {
			return false
		}
	}
	var line []byte
	for n := all[0]; (n <= all[2] || all[1] < 0) && (n >= all[2] || all[1] > 0) && !c.Stopped(); n += all[1] {
		if line != nil {
			c.Out.WriteString(r.separator)
		}
		line = strconv.AppendInt(line[:0], n, 10)
		c.Out.Write(line)
	}
	if line != nil {
		c.Out.WriteByte('\n')
	}
	return true
}

func (r *seqRun) write(c *Call, first, step, last seqNumber, show func(seqNumber) string) {
	if first.infinite != 0 || step.infinite != 0 {
		return
	}
	places := max(first.places, step.places, last.places)
	now := seqNumber{value: first.at(places), places: places}
	by, until := step.at(places), new(big.Int)
	if last.infinite == 0 {
		until = last.at(places)
	}
	down := by.Sign() < 0
	beyond := func() bool {
		if last.infinite != 0 {
			return down != (last.infinite < 0)
		}
		order := now.value.Cmp(until)
		return order > 0 && !down || order < 0 && down
	}
	shown := max(first.places, step.places)
	scale := powerOfTen(places - shown)
	some := false
	for ; !beyond() && !c.Stopped(); now.value.Add(now.value, by) {
		if some {
			c.Out.WriteString(r.separator)
		}
		some = true
		// All places beyond those of FIRST and STEP are zeros.
		c.Out.WriteString(show(seqNumber{value: new(big.Int).Quo(now.value, scale), places: shown}))
	}
	if some {
		c.Out.WriteByte('\n')
	}
}

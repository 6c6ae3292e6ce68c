package command

import (
	"bytes"
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

func init() {
	register(&Command{
		Name: "printf", About: "Write the arguments as a format says.",
		Synopsis: "FORMAT [ARGUMENT]...", Raw: true,
		Differs: "It is the printf of bash, without -v. A field is at most 1 MB wide.",
		Run:     printf,
	})
}

// printing is one run of printf.
type printing struct {
	*Call
	args   []string
	used   bool // an argument was taken by the format
	ended  bool // nothing more is to be written
	status int
}

// widestField is how wide a field of printf may be, in bytes.
const widestField = 1 << 20

func printf(c *Call) int {
	args := c.Args
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	} else if len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		c.Fail(2, "%s: invalid option", args[0][:2])
		args = nil
	}
	if len(args) == 0 {
		c.Err.Write([]byte("printf: usage: printf [-v var] format [arguments]\n"))
		return 2
	}
	p := printing{Call: c, args: args[1:]}
	for {
		p.used = false
		p.format(args[0])
		if p.ended || !p.used || len(p.args) == 0 || c.Stopped() {
			return p.status
		}
	}
}

// format goes through the format once.
func (p *printing) format(format string) {
	for i := 0; i < len(format) && !p.ended; {
		switch format[i] {
		case '\\':
			if i+1 == len(format) {
				p.Out.WriteByte('\\')
				return
			}
			out, n := escape(nil, format[i:], formatEscapes)
			p.Out.Write(out)
			i += n
		case '%':
			i += p.directive(format[i:])
		default:
			end := strings.IndexAny(format[i:], `\%`)
			if end < 0 {
				end = len(format) - i
			}
			p.Out.WriteString(format[i : i+end])
			i += end
		}
	}
}

// directive is what stands behind a percent sign.
type directive struct {
	left, plus, space, alternate, zero bool
	width                              int
	precision                          int // -1: none
}

// directive writes what a directive asks for, and returns its length.
func (p *printing) directive(s string) int {
	if strings.HasPrefix(s, "%%") {
		p.Out.WriteByte('%')
		return 2
	}
	d, i := p.parse(s)
	if p.ended {
		return len(s)
	}
	if i < len(s) && s[i] == '(' {
		if end := strings.Index(s[i:], ")T"); end >= 0 {
			p.time(d, s[i+1:i+end])
			return i + end + 2
		}
	}
	i += len(s[i:]) - len(strings.TrimLeft(s[i:], "hlLjzt"))
	if i >= len(s) {
		return p.fail(s, "`%s': missing format character", s)
	}
	switch s[i] {
	case 's':
		p.field(d, cutTo(p.next(), d.precision))
	case 'b':
		out, ended := unescape(nil, p.next(), percentBEscape)
		p.field(d, cutTo(string(out), d.precision))
		p.ended = ended
	case 'q':
		p.field(d, cutTo(shellQuoted(p.next()), d.precision))
	case 'c':
		arg := p.next()
		p.field(d, (arg + "\x00")[:1])
	case 'd', 'i':
		n := p.integer()
		p.field(d, d.integer(n.Text(10)))
	case 'u', 'o', 'x', 'X':
		p.field(d, d.unsigned(p.integer(), s[i]))
	case 'e', 'E', 'f', 'F', 'g', 'G', 'a', 'A':
		p.field(d, d.float(p.float(), s[i]))
	default:
		return p.fail(s, "`%c': invalid format character", s[i])
	}
	return i + 1
}

func (p *printing) fail(s, message string, arg any) int {
	p.status = p.Fail(1, message, arg)
	p.ended = true
	return len(s)
}

// parse reads flags, width and precision, and returns where they end.
func (p *printing) parse(s string) (directive, int) {
	d := directive{precision: -1}
	i := 1
	for ; i < len(s) && strings.IndexByte("-+ #0'", s[i]) >= 0; i++ {
		switch s[i] {
		case '-':
			d.left = true
		case '+':
			d.plus = true
		case ' ':
			d.space = true
		case '#':
			d.alternate = true
		case '0':
			d.zero = true
		}
	}
	width, n := p.number(s[i:])
	i += n
	if d.width = width; width < 0 {
		d.left, d.width = true, -width
	}
	if i < len(s) && s[i] == '.' {
		d.precision, n = p.number(s[i+1:])
		i += 1 + n
		d.precision = max(d.precision, -1)
	}
	if d.width > widestField || d.precision > widestField {
		p.fail(s, "%s: Result too large", s[:i])
	}
	return d, i
}

// number reads a width, or takes it from the arguments.
func (p *printing) number(s string) (value, length int) {
	if strings.HasPrefix(s, "*") {
		n := p.integer()
		if !n.IsInt64() || n.Int64() > widestField || n.Int64() < -widestField {
			return widestField + 1, 1
		}
		return int(n.Int64()), 1
	}
	n := digits(s)
	value, err := strconv.Atoi("0" + s[:n])
	if err != nil {
		value = widestField + 1
	}
	return value, n
}

func (p *printing) next() string {
	p.used = true
	if len(p.args) == 0 {
		return ""
	}
	arg := p.args[0]
	p.args = p.args[1:]
	return arg
}

func (p *printing) field(d directive, s string) {
	pad := strings.Repeat(" ", max(0, d.width-len(s)))
	if d.left {
		p.Out.WriteString(s)
		p.Out.WriteString(pad)
		return
	}
	p.Out.WriteString(pad)
	p.Out.WriteString(s)
}

func cutTo(s string, precision int) string {
	if precision >= 0 && precision < len(s) {
		return s[:precision]
	}
	return s
}

// character is the code of an argument such as 'A.
func character(arg string) (int64, bool) {
	if arg == "" || arg[0] != '\'' && arg[0] != '"' {
		return 0, false
	}
	r, size := utf8.DecodeRuneInString(arg[1:])
	switch {
	case size == 0:
		return 0, true
	case r == utf8.RuneError && size == 1:
		return int64(arg[1]), true
	}
	return int64(r), true
}

// integer is the next argument as a number: decimal, 0x… or 0….
func (p *printing) integer() *big.Int {
	arg := p.next()
	if r, ok := character(arg); ok {
		return big.NewInt(r)
	}
	if arg == "" {
		return new(big.Int)
	}
	s := strings.TrimLeft(arg, " \t\n\v\f\r")
	sign := ""
	if s != "" && (s[0] == '-' || s[0] == '+') {
		sign, s = s[:1], s[1:]
	}
	base := 10
	switch {
	case len(s) > 2 && (s[:2] == "0x" || s[:2] == "0X") && digitsOf(s[2:], 16, 1) > 0:
		base, s = 16, s[2:]
	case len(s) > 1 && s[0] == '0':
		base = 8
	}
	n := digitsOf(s, base, len(s))
	v, ok := new(big.Int).SetString(sign+"0"+s[:n], base)
	if n == 0 || n < len(s) || !ok {
		kind := ""
		switch {
		case strings.HasPrefix(s, "0x"):
			kind = "hex "
		case base == 8:
			kind = "octal "
		}
		p.status = p.Fail(1, "%s: invalid %snumber", arg, kind)
	}
	if !ok {
		return new(big.Int)
	}
	return p.clamp(arg, v)
}

// clamp keeps a number within 64 bits.
func (p *printing) clamp(arg string, v *big.Int) *big.Int {
	if v.IsInt64() {
		return v
	}
	p.status = p.Fail(1, "warning: %s: Numerical result out of range", arg)
	if v.Sign() < 0 {
		return big.NewInt(-1 << 63)
	}
	return big.NewInt(1<<63 - 1)
}

// integer lays out the digits of a number, with its sign.
func (d directive) integer(s string) string {
	sign := ""
	switch {
	case s[0] == '-':
		sign, s = "-", s[1:]
	case d.plus:
		sign = "+"
	case d.space:
		sign = " "
	}
	return d.zeros(sign, s, d.precision)
}

// zeros puts zeros between a prefix and digits: as many as the precision wants, or the
// width with the flag 0.
func (d directive) zeros(prefix, s string, precision int) string {
	want := precision
	if precision == 0 && s == "0" {
		s = ""
	}
	if precision < 0 && d.zero && !d.left {
		want = d.width - len(prefix)
	}
	return prefix + strings.Repeat("0", max(0, want-len(s))) + s
}

func (d directive) unsigned(n *big.Int, verb byte) string {
	if n.Sign() < 0 {
		n = new(big.Int).Add(n, new(big.Int).Lsh(big.NewInt(1), 64))
	}
	base := map[byte]int{'u': 10, 'o': 8, 'x': 16, 'X': 16}[verb]
	s, prefix := n.Text(base), ""
	if d.alternate && n.Sign() != 0 {
		switch verb {
		case 'x', 'X':
			prefix = "0x"
		case 'o':
			s = "0" + s
		}
	}
	out := d.zeros(prefix, s, d.precision)
	if verb == 'X' {
		out = strings.ToUpper(out)
	}
	return out
}

// float is the next argument as a number, with the precision of a long double.
func (p *printing) float() *big.Float {
	arg := p.next()
	if r, ok := character(arg); ok {
		return longDouble().SetInt64(r)
	}
	s := strings.TrimLeft(arg, " \t\n\v\f\r")
	if s == "" && arg == "" {
		return longDouble()
	}
	n := floatLength(s)
	f, _, err := longDouble().Parse(strings.ToLower(s[:n]), 0)
	if err != nil || n < len(s) {
		p.status = p.Fail(1, "%s: invalid number", arg)
	}
	if err != nil {
		return longDouble()
	}
	return f
}

func longDouble() *big.Float { return new(big.Float).SetPrec(64) }

// floatLength is how much of s is a number that can be read.
func floatLength(s string) int {
	for n := min(len(s), 400); n > 0; n-- {
		if strings.ContainsAny(s[:n], "_bBoO") {
			continue
		}
		if _, _, err := longDouble().Parse(strings.ToLower(s[:n]), 0); err == nil {
			return n
		}
	}
	return 0
}

// float lays out a number.
func (d directive) float(f *big.Float, verb byte) string {
	precision := d.precision
	if precision < 0 {
		precision = 6
	}
	var s string
	switch lower := verb | 0x20; {
	case f.IsInf():
		s = strings.TrimPrefix(f.Text('g', 6), "+")
		s, d.zero = strings.ToLower(s), false
	case lower == 'a':
		s = f.Text('p', d.precision)
	case lower == 'g':
		s = general(f, max(precision, 1), d.alternate)
	default:
		s = f.Text(lower, precision)
	}
	d.precision = -1
	s = d.integer(s)
	if verb < 'a' {
		s = strings.ToUpper(s)
	}
	return s
}

// general is %g: the shorter of both forms, without zeros at the end.
func general(f *big.Float, digits int, keepZeros bool) string {
	s := f.Text('e', digits-1)
	at := strings.IndexByte(s, 'e')
	exponent, _ := strconv.Atoi(s[at+1:])
	mantissa, tail := s[:at], s[at:]
	if exponent >= -4 && exponent < digits {
		mantissa, tail = f.Text('f', digits-1-exponent), ""
	}
	if !keepZeros && strings.Contains(mantissa, ".") {
		mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
	}
	return mantissa + tail
}

// time writes %(FORMAT)T: the argument is in seconds since 1970, -1 or none is now.
func (p *printing) time(d directive, format string) {
	at := p.Now()
	if len(p.args) > 0 {
		if n := p.integer(); n.Sign() >= 0 {
			at = unixTime(n.Int64())
		}
	}
	p.used = true
	p.field(d, cutTo(strftime(at.UTC(), format), d.precision))
}

// shellQuoted is an argument as bash would read it back.
func shellQuoted(s string) string {
	if s == "" {
		return "''"
	}
	if strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) || r == utf8.RuneError }) {
		return "$'" + ansiC(s) + "'"
	}
	var b bytes.Buffer
	for i, r := range s {
		special := strings.ContainsRune(" \t\n!\"$&'()*,;<>?[\\]^`{|}", r) || i == 0 && (r == '~' || r == '#')
		if special {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// ansiC is a text as it stands between $' and '.
func ansiC(s string) string {
	const letters, values = `abEfnrtv\'`, "\a\b\x1b\f\n\r\t\v\\'"
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		j := strings.IndexByte(values, s[i])
		switch {
		case j >= 0:
			b.WriteString(`\` + letters[j:j+1])
		case unicode.IsControl(r) || r == utf8.RuneError && size == 1:
			b.WriteString(`\` + strconv.FormatInt(int64(s[i])|1<<9, 8)[1:])
			size = 1
		default:
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}

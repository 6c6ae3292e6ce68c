package command

import (
	"fmt"
	"strings"

	"redline/internal/shell/regex"
)

// sedParser reads a script. Pieces of it are joined with newlines, so that a text may
// go on in the next one; errors tell the piece and the place in it.
type sedParser struct {
	script   *sedScript
	extended bool
	sandbox  bool
	nulls    bool // -z: texts end with NUL, and there are no lines for the flag M

	pieces []sedPiece
	text   string
	at     int
	blocks []int // the commands { that are open
	starts []int // where they are in text
}

// sedPiece is the value of one -e or -f.
type sedPiece struct {
	name       string
	file       bool
	begin, end int
}

func (p *sedParser) add(name string, file bool, text string) {
	if len(p.pieces) > 0 {
		p.text += "\n"
	} else if strings.HasPrefix(text, "#n") && (!file || text == "#n" || strings.HasPrefix(text, "#n\n")) {
		p.script.quiet = true
	}
	begin := len(p.text)
	p.text += text
	p.pieces = append(p.pieces, sedPiece{name, file, begin, len(p.text)})
}

// where names the place of an offset: how much of the piece was read.
func (p *sedParser) where(at int, none bool) string {
	piece := p.pieces[len(p.pieces)-1]
	for _, candidate := range p.pieces {
		if at <= candidate.end || at == candidate.end+1 && p.text[at-1] == '\n' {
			piece = candidate
			break
		}
	}
	at = max(piece.begin, min(at, piece.end))
	if piece.file {
		return fmt.Sprintf("%s line %d", piece.name, 1+strings.Count(p.text[piece.begin:at], "\n"))
	}
	if none {
		return piece.name + ", char 0"
	}
	return fmt.Sprintf("%s, char %d", piece.name, at-piece.begin)
}

func (p *sedParser) fail(format string, args ...any) error {
	return &errSed{sedBadUsage, p.where(p.at, false) + ": " + fmt.Sprintf(format, args...)}
}

// next takes a byte; 0 and false at the end.
func (p *sedParser) next() (byte, bool) {
	if p.at == len(p.text) {
		return 0, false
	}
	p.at++
	return p.text[p.at-1], true
}

// peek is the byte that next would take.
func (p *sedParser) peek() byte {
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

// blanks goes over spaces and tabs, and over newlines too if lines is set.
func (p *sedParser) blanks(lines bool) {
	for p.at < len(p.text) && (p.text[p.at] == ' ' || p.text[p.at] == '\t' || p.text[p.at] == '\r' || lines && p.text[p.at] == '\n') {
		p.at++
	}
}

func (p *sedParser) parse() error {
	for {
		for p.at < len(p.text) && (isBlank(p.peek()) || p.peek() == ';' || p.peek() == '\r') {
			p.at++
		}
		if p.at == len(p.text) {
			break
		}
		if err := p.command(); err != nil {
			return err
		}
	}
	if n := len(p.starts); n > 0 {
		return &errSed{sedBadUsage, p.where(p.starts[n-1], true) + ": unmatched `{'"}
	}
	p.script.place = p.where(len(p.text), true)
	return p.link()
}

// link finds the places of labels.
func (p *sedParser) link() error {
	for i := range p.script.commands {
		k := &p.script.commands[i]
		if !strings.ContainsRune("btT", rune(k.name)) {
			continue
		}
		k.jump = len(p.script.commands)
		if k.label == "" {
			continue
		}
		at, ok := p.script.labels[k.label]
		if !ok {
			return &errSed{sedPanic, "can't find label for jump to `" + k.label + "'"}
		}
		k.jump = at
	}
	return nil
}

func (p *sedParser) command() error {
	k := sedCommand{number: -1}
	var err error
	if k.from, err = p.address(); err != nil {
		return err
	}
	if k.from != nil {
		if k.from.kind == '+' || k.from.kind == '*' {
			return p.fail("invalid usage of +N or ~N as first address")
		}
		p.blanks(false)
		if p.peek() == ',' {
			p.at++
			p.blanks(false)
			if k.to, err = p.address(); err != nil {
				return err
			}
			if k.to == nil {
				p.next()
				return p.fail("unexpected `,'")
			}
		}
		if k.from.kind == 'n' && k.from.line == 0 && (k.to == nil || k.to.kind != '/') {
			p.next()
			return p.fail("invalid usage of line address 0")
		}
	}
	p.blanks(false)
	for p.peek() == '!' && p.at < len(p.text) {
		p.at++
		if k.negate {
			return p.fail("multiple `!'s")
		}
		k.negate = true
		p.blanks(false)
	}
	name, ok := p.next()
	if !ok || name == '\n' {
		return p.fail("missing command")
	}
	k.name = name
	return p.body(k)
}

// body reads what is behind the letter of a command.
func (p *sedParser) body(k sedCommand) error {
	commands := &p.script.commands
	switch k.name {
	case '#':
		if k.from != nil {
			return p.fail("comments don't accept any addresses")
		}
		for p.at < len(p.text) && p.peek() != '\n' {
			p.at++
		}
		return nil
	case ':':
		if k.from != nil {
			return p.fail(": doesn't want any addresses")
		}
		p.blanks(false)
		label := p.word()
		if label == "" {
			return p.fail(`":" lacks a label`)
		}
		if _, ok := p.script.labels[label]; !ok {
			p.script.labels[label] = len(*commands)
		}
		return nil
	case '{':
		p.blocks = append(p.blocks, len(*commands))
		p.starts = append(p.starts, p.at)
		*commands = append(*commands, k)
		return nil
	case '}':
		n := len(p.blocks)
		if n == 0 {
			return p.fail("unexpected `}'")
		}
		if k.from != nil {
			return p.fail("} doesn't want any addresses")
		}
		(*commands)[p.blocks[n-1]].jump = len(*commands)
		p.blocks, p.starts = p.blocks[:n-1], p.starts[:n-1]
		return p.finish()
	}
	if err := p.operand(&k); err != nil {
		return err
	}
	*commands = append(*commands, k)
	return nil
}

// operand reads what belongs to a command.
func (p *sedParser) operand(k *sedCommand) error {
	switch k.name {
	case '=', 'd', 'D', 'F', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'z', 'x':
		return p.finish()
	case 'a', 'i', 'c':
		return p.lines(k)
	case 'b', 't', 'T':
		p.blanks(false)
		k.label = p.word()
		return nil
	case 'q', 'Q', 'l', 'L':
		if k.to != nil && k.name != 'l' {
			return p.fail("command only uses one address")
		}
		p.blanks(false)
		if n := digits(p.text[p.at:]); n > 0 {
			value, _ := decimal(p.text[p.at : p.at+n])
			k.number = int(value & 0x7fffffff)
			p.at += n
		}
		return p.finish()
	case 'r', 'R', 'w', 'W':
		if p.sandbox {
			return p.fail("e/r/w commands disabled in sandbox mode")
		}
		var err error
		k.file, err = p.fileName()
		return err
	case 's':
		return p.substitution(k)
	case 'y':
		return p.transliteration(k)
	case 'v':
		return p.version()
	case 'e':
		return p.fail("the command e is not available here: no programs are run")
	}
	return p.fail("unknown command: `%c'", k.name)
}

// finish goes to the end of a command.
func (p *sedParser) finish() error {
	p.blanks(false)
	b, ok := p.next()
	switch {
	case !ok || b == '\n' || b == ';':
		return nil
	case b == '}' || b == '#':
		p.at--
		return nil
	}
	return p.fail("extra characters after command")
}

// word is a label: up to a blank, ; or }.
func (p *sedParser) word() string {
	begin := p.at
	for p.at < len(p.text) && !isBlank(p.peek()) && p.peek() != ';' && p.peek() != '}' {
		p.at++
	}
	return p.text[begin:p.at]
}

// fileName is the rest of the line.
func (p *sedParser) fileName() (string, error) {
	p.blanks(false)
	begin := p.at
	for p.at < len(p.text) && p.peek() != '\n' {
		p.at++
	}
	if p.at == begin {
		return "", p.fail("missing filename in r/R/w/W commands")
	}
	return p.text[begin:p.at], nil
}

func (p *sedParser) version() error {
	p.blanks(false)
	version := p.word()
	var major, minor int
	if version != "" {
		if n, _ := fmt.Sscanf(version, "%d.%d", &major, &minor); n == 0 {
			return p.fail("invalid version")
		}
	}
	if major > 4 || major == 4 && minor > 9 {
		return p.fail("expected newer version of sed")
	}
	return p.finish()
}

// address reads an address; nil if there is none.
func (p *sedParser) address() (*sedAddress, error) {
	number := func() int {
		n := digits(p.text[p.at:])
		value, _ := decimal(p.text[p.at : p.at+n])
		p.at += n
		return int(value)
	}
	switch b := p.peek(); {
	case p.at == len(p.text):
		return nil, nil
	case isDigit(b):
		a := &sedAddress{kind: 'n', line: number()}
		p.blanks(false)
		if p.peek() == '~' && p.at < len(p.text) {
			p.at++
			p.blanks(false)
			a.step = number()
			if a.step > 0 {
				a.kind = '~'
			}
		}
		return a, nil
	case b == '$':
		p.at++
		return &sedAddress{kind: '$'}, nil
	case b == '+' || b == '~':
		p.at++
		p.blanks(false)
		kind := byte('+')
		if b == '~' {
			kind = '*'
		}
		return &sedAddress{kind: kind, line: number()}, nil
	case b == '/' || b == '\\':
		return p.pattern()
	}
	return nil, nil
}

// pattern reads /regex/ or \cregexc with its flags.
func (p *sedParser) pattern() (*sedAddress, error) {
	delimiter, _ := p.next()
	if delimiter == '\\' {
		delimiter, _ = p.next() // 0 at the end, which is none
	}
	text, ok := p.delimited(delimiter, true)
	if !ok {
		return nil, p.fail("unterminated address regex")
	}
	o := p.options()
	flags := false
	for {
		switch p.peek() {
		case 'I':
			o.IgnoreCase = true
		case 'M':
			o.Multiline = true
		default:
			re, err := p.compile(text, o, flags)
			return &sedAddress{kind: '/', regex: re}, err
		}
		flags = true
		p.at++
	}
}

func (p *sedParser) options() regex.Options {
	o := regex.Options{Syntax: regex.Basic, Sed: true}
	if p.extended {
		o.Syntax = regex.Extended
	}
	return o
}

// compile makes a pattern; an empty one is nil, the one that was used last.
func (p *sedParser) compile(text string, o regex.Options, flags bool) (*regex.Regexp, error) {
	if text == "" {
		if flags {
			return nil, p.fail("cannot specify modifiers on empty regexp")
		}
		return nil, nil
	}
	o.Multiline = o.Multiline && !p.nulls
	re, err := regex.Compile(text, o)
	if err != nil {
		return nil, p.fail("%v", err)
	}
	return re, nil
}

// delimited reads up to a delimiter, which may stand in it behind a backslash, and in
// a bracket of a pattern. It returns false if there is none.
func (p *sedParser) delimited(delimiter byte, pattern bool) (string, bool) {
	if delimiter == '\n' || delimiter == '\\' || delimiter == 0 {
		return "", false
	}
	var b strings.Builder
	for {
		c, ok := p.next()
		switch {
		case !ok:
			return "", false
		case c == '\n':
			p.at--
			return "", false
		case c == delimiter:
			return b.String(), true
		case c == '[' && pattern:
			b.WriteByte(c)
			if !p.bracket(&b, delimiter) {
				return "", false
			}
			continue
		case c == '\\':
			c, ok = p.next()
			switch {
			case !ok:
				return "", false
			case c == delimiter && (pattern || c != '&'):
			case c == 'n' && pattern:
				c = '\n'
			case c == '\n' && pattern:
			default:
				b.WriteByte('\\')
			}
		}
		b.WriteByte(c)
	}
}

// bracket reads a bracket expression behind its [.
func (p *sedParser) bracket(b *strings.Builder, delimiter byte) bool {
	if p.peek() == '^' {
		b.WriteByte('^')
		p.at++
	}
	for first := true; ; first = false {
		c, ok := p.next()
		switch {
		case !ok:
			return false
		case c == '\n':
			p.at--
			return false
		case c == ']' && !first:
			b.WriteByte(c)
			return true
		case c == '[' && p.at < len(p.text) && strings.IndexByte(":.=", p.peek()) >= 0:
			if n := strings.Index(p.text[p.at+1:], string(p.peek())+"]"); n >= 0 {
				b.WriteString("[" + p.text[p.at:p.at+n+2])
				p.at += n + 3
				c = ']'
			}
		case c == '\\' && p.peek() == delimiter && delimiter != ']':
			c, _ = p.next()
		case c == '\\' && p.peek() == 'n':
			p.at++
			c = '\n'
		case c == '\\' && p.peek() == '\\':
			p.at++
			b.WriteByte(c)
		}
		b.WriteByte(c)
	}
}

package command

import (
	"io/fs"
	"strconv"
	"strings"
)

// permTest is -perm MODE, -perm -MODE (all of these bits) and -perm /MODE (any).
func permTest(p *findParser, word string) (findTest, error) {
	arg, err := p.argument(word)
	if err != nil {
		return nil, err
	}
	text, how := arg, byte('=')
	if arg != "" && (arg[0] == '-' || arg[0] == '/') {
		text, how = arg[1:], arg[0]
	}
	bits, ok := permBits(text)
	if !ok {
		return nil, findFaultf("invalid mode ‘%s’", arg)
	}
	return func(f *finder, e *found) bool {
		i, ok := f.stat(e)
		if !ok {
			return false
		}
		has := i.Mode().Perm()
		switch how {
		case '-':
			return has&bits == bits
		case '/':
			return bits == 0 || has&bits != 0
		}
		return has == bits
	}, nil
}

// permBits reads permissions: octal, or "u=rw,go+r" upon nothing.
func permBits(s string) (fs.FileMode, bool) {
	if n, err := strconv.ParseUint(s, 8, 32); err == nil {
		return fs.FileMode(n) & fs.ModePerm, n <= 0o7777
	}
	var bits fs.FileMode
	for clause := range strings.SplitSeq(s, ",") {
		at := strings.IndexAny(clause, "+-=")
		if at < 0 {
			return 0, false
		}
		var who fs.FileMode
		for _, w := range clause[:at] {
			switch w {
			case 'u':
				who |= 0o700
			case 'g':
				who |= 0o070
			case 'o':
				who |= 0o007
			case 'a':
				who |= 0o777
			default:
				return 0, false
			}
		}
		if at == 0 {
			who = 0o777
		}
		var what fs.FileMode
		for _, w := range clause[at+1:] {
			switch w {
			case 'r':
				what |= 0o444
			case 'w':
				what |= 0o222
			case 'x', 'X':
				what |= 0o111
			case 's', 't':
			default:
				return 0, false
			}
		}
		switch clause[at] {
		case '+':
			bits |= who & what
		case '-':
			bits &^= who & what
		default:
			bits = bits&^who | who&what
		}
	}
	return bits, true
}

// accessTest tells whether any of some permissions is given.
func accessTest(bits fs.FileMode) func(*findParser, string) (findTest, error) {
	return fixed(func(f *finder, e *found) bool {
		i, ok := f.stat(e)
		return ok && i.Mode().Perm()&bits != 0
	})
}

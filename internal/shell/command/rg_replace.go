package command

import (
	"errors"
	"io/fs"
	"regexp/syntax"
	"strconv"
	"strings"

	"redline/internal/shell/regex"
	"redline/internal/shell/tree"
)

// newReplacement makes of a text with $1, ${name} and $$ what writes it for a match.
func newReplacement(text string, names map[string]int) func(dst, line []byte, match []int) []byte {
	type piece struct {
		text  string
		group int // -1: text
	}
	var pieces []piece
	for text != "" {
		at := strings.IndexByte(text, '$')
		if at < 0 {
			at = len(text)
		}
		pieces = append(pieces, piece{text[:at], -1})
		if text = text[at:]; text == "" {
			break
		}
		name, n := groupReference(text)
		switch number, err := strconv.Atoi(name); {
		case strings.HasPrefix(text, "$$"):
			pieces, n = append(pieces, piece{"$", -1}), 2
		case name == "":
			pieces, n = append(pieces, piece{"$", -1}), 1
		case err == nil:
			pieces = append(pieces, piece{"", number})
		default:
			if number, ok := names[name]; ok {
				pieces = append(pieces, piece{"", number})
			}
		}
		text = text[n:]
	}
	return func(dst, line []byte, match []int) []byte {
		for _, p := range pieces {
			if p.group < 0 {
				dst = append(dst, p.text...)
			} else if 2*p.group+1 < len(match) && match[2*p.group] >= 0 {
				dst = append(dst, line[match[2*p.group]:match[2*p.group+1]]...)
			}
		}
		return dst
	}
}

// groupReference is the name of a group behind a dollar sign, and how long all of it
// is.
func groupReference(text string) (name string, n int) {
	if strings.HasPrefix(text, "${") {
		if end := strings.IndexByte(text, '}'); end > 0 {
			return text[2:end], end + 1
		}
		return "", 1
	}
	n = 1
	for n < len(text) && (text[n] == '_' || isLetter(text[n]) || text[n] >= '0' && text[n] <= '9') {
		n++
	}
	return text[1:n], n
}

// groupNames are the numbers of the groups of patterns that have a name.
func groupNames(patterns []string, s regex.Syntax) map[string]int {
	names := map[string]int{}
	if s == regex.Fixed {
		return names
	}
	before := 0
	for _, p := range patterns {
		re, err := syntax.Parse(p, syntax.Perl)
		if err != nil {
			return names
		}
		for i, name := range re.CapNames() {
			if name != "" {
				names[name] = before + i
			}
		}
		before += re.MaxCap()
	}
	return names
}

// errorNumber is the number of an error on Linux, which ripgrep shows.
func errorNumber(err error) int {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return 13
	case errors.Is(err, tree.ErrNotDir):
		return 20
	case errors.Is(err, tree.ErrIsDir):
		return 21
	case errors.Is(err, tree.ErrLoop):
		return 40
	}
	return 2
}

package command

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// globStyle is how a pattern for names is read.
type globStyle struct {
	fold bool // upper and lower case are the same
	// path: a star and a question mark stop at slashes, ** does not (gitignore).
	path   bool
	braces bool // {a,b} is either (ripgrep)
}

// glob is a pattern for names, as fnmatch reads it.
type glob struct {
	// Most patterns are a literal with at most one star at an end: re is then nil.
	prefix, suffix string
	exact          bool
	re             *regexp.Regexp
}

// Longer patterns match nothing, and longer sets of characters are none; bytes.
const (
	mostGlob = 4 << 10
	mostSet  = 256
)

// newGlob reads a pattern. What is not complete in it stands for itself.
func newGlob(pattern string, style globStyle) *glob {
	if len(pattern) > mostGlob {
		return &glob{re: nothing}
	}
	if !style.fold && !strings.ContainsAny(pattern, `?[\{`) {
		head, tail, star := strings.Cut(pattern, "*")
		switch {
		case !star:
			return &glob{prefix: pattern, exact: true}
		case !style.path && !strings.Contains(tail, "*"):
			return &glob{prefix: head, suffix: tail}
		}
	}
	r := globReader{rest: pattern, style: style}
	r.read()
	flags := "(?s)^(?:"
	if style.fold {
		flags = "(?si)^(?:"
	}
	re, err := regexp.Compile(flags + r.out.String() + ")$")
	if err != nil { // too large
		re = nothing
	}
	return &glob{re: re}
}

var nothing = regexp.MustCompile(`[^\x00-\x{10FFFF}]`)

func (g *glob) match(name string) bool {
	switch {
	case g.re != nil:
		return g.re.MatchString(name)
	case g.exact:
		return name == g.prefix
	}
	return len(name) >= len(g.prefix)+len(g.suffix) && strings.HasPrefix(name, g.prefix) && strings.HasSuffix(name, g.suffix)
}

// globReader writes a pattern as a regular expression.
type globReader struct {
	rest  string
	style globStyle
	out   strings.Builder
	depth int // of braces
}

func (r *globReader) read() {
	any, stars := ".", ".*"
	if r.style.path {
		any, stars = "[^/]", "[^/]*"
	}
	for r.rest != "" {
		ch := r.rest[0]
		switch {
		case r.style.path && strings.HasPrefix(r.rest, "**/") && r.atStart():
			r.take(3, "(?:.*/)?")
		case r.style.path && strings.HasPrefix(r.rest, "**"):
			r.take(2, ".*")
		case ch == '*':
			r.take(1, stars)
		case ch == '?':
			r.take(1, any)
		case ch == '\\' && len(r.rest) > 1:
			r.rest = r.rest[1:]
			r.literal()
		case ch == '[' && r.bracket():
		case ch == '{' && r.style.braces && strings.Contains(r.rest, "}"):
			r.depth++
			r.take(1, "(?:")
		case ch == ',' && r.depth > 0:
			r.take(1, "|")
		case ch == '}' && r.depth > 0:
			r.depth--
			r.take(1, ")")
		default:
			r.literal()
		}
	}
	r.out.WriteString(strings.Repeat(")", r.depth))
}

// atStart tells whether a component begins here.
func (r *globReader) atStart() bool {
	so := r.out.String()
	return so == "" || strings.HasSuffix(so, "/") || strings.HasSuffix(so, "/)?")
}

func (r *globReader) take(n int, as string) {
	r.out.WriteString(as)
	r.rest = r.rest[n:]
}

// literal takes one character for itself. A byte that is no UTF-8 becomes the
// character that stands for such bytes: regular expressions have no word for one.
func (r *globReader) literal() {
	char, n := utf8.DecodeRuneInString(r.rest)
	r.take(n, regexp.QuoteMeta(string(char)))
}

// bracket takes a set of characters, if one is complete here.
func (r *globReader) bracket() bool {
	body := r.rest[1:]
	not := ""
	if strings.HasPrefix(body, "!") || strings.HasPrefix(body, "^") {
		not, body = "^", body[1:]
	}
	var set strings.Builder
	for first := true; ; first = false {
		switch {
		case body == "" || set.Len() > mostSet:
			return false
		case body[0] == ']' && !first:
			s := set.String()
			if r.style.path && not != "" {
				s += "/"
			}
			if _, err := regexp.Compile("[" + not + s + "]"); err != nil {
				return false
			}
			r.out.WriteString("[" + not + s + "]")
			r.rest = body[1:]
			return true
		case strings.HasPrefix(body, "[:") && strings.Contains(body, ":]"):
			end := strings.Index(body, ":]") + 2
			set.WriteString(body[:end])
			body = body[end:]
			continue
		case body[0] == '\\' && len(body) > 1:
			body = body[1:]
		case body[0] == '-' && !first && len(body) > 1 && body[1] != ']':
			set.WriteByte('-')
			body = body[1:]
			continue
		}
		char, n := utf8.DecodeRuneInString(body)
		if strings.ContainsRune(`\]^-[&~`, char) {
			set.WriteByte('\\')
		}
		set.WriteRune(char)
		body = body[n:]
	}
}

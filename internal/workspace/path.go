package workspace

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of file systems that documents travel between.
const (
	maxName = 255
	maxPath = 4096
)

// Path names a file below the folder: clean, relative, with slashes. Only
// this package makes one, so a Path cannot lead out of the folder. The zero
// value is the folder itself.
type Path struct{ rel string }

// String is the path as people write it; the folder itself is ".".
func (p Path) String() string {
	if p.rel == "" {
		return "."
	}
	return p.rel
}

// IsRoot tells whether p is the folder itself.
func (p Path) IsRoot() bool { return p.rel == "" }

// Base is the last component; of the folder itself it is ".".
func (p Path) Base() string { return path.Base(p.String()) }

// Parent is the folder that holds p. The parent of the root is the root.
func (p Path) Parent() Path {
	i := strings.LastIndexByte(p.rel, '/')
	if i < 0 {
		return Path{}
	}
	return Path{p.rel[:i]}
}

// Depth is the number of components.
func (p Path) Depth() int { return len(p.components()) }

// Rebase is the path that p has once the folder from has the name to. p must
// lie within from.
func (p Path) Rebase(from, to Path) Path {
	rest := strings.TrimPrefix(strings.TrimPrefix(p.rel, from.rel), "/")
	switch {
	case rest == "":
		return to
	case to.IsRoot():
		return Path{rest}
	}
	return Path{to.rel + "/" + rest}
}

// Within tells whether p is dir or lies below it.
func (p Path) Within(dir Path) bool {
	return dir.IsRoot() || p.rel == dir.rel || strings.HasPrefix(p.rel, dir.rel+"/")
}

// Compare orders paths component by component, so that a folder's files stay
// together.
func (p Path) Compare(q Path) int {
	n := 0
	for n < len(p.rel) && n < len(q.rel) && p.rel[n] == q.rel[n] {
		n++
	}
	// Where a name ends, by a slash or altogether, the longer one is greater.
	return cmp.Compare(orderAt(p.rel, n), orderAt(q.rel, n))
}

func orderAt(rel string, i int) int {
	switch {
	case i == len(rel):
		return -2
	case rel[i] == '/':
		return -1
	}
	return int(rel[i])
}

// MarshalText writes p as String does; a path that is not UTF-8, which JSON could
// not hold, as a NUL and its bytes in hexadecimal.
func (p Path) MarshalText() ([]byte, error) {
	if !utf8.ValidString(p.rel) {
		return append([]byte{0}, hex.EncodeToString([]byte(p.rel))...), nil
	}
	return []byte(p.String()), nil
}

// UnmarshalText reads what MarshalText wrote: a path of this package, which may
// have a name that nobody would be allowed to give.
func (p *Path) UnmarshalText(b []byte) error {
	s := string(b)
	if s == "." {
		*p = Path{}
		return nil
	}
	if coded, ok := strings.CutPrefix(s, "\x00"); ok {
		decoded, err := hex.DecodeString(coded)
		if err != nil {
			return &Error{Code: InvalidPath, Path: s, Reason: "not a path inside the folder"}
		}
		s = string(decoded)
	}
	for name := range strings.SplitSeq(s, "/") {
		if name == "" || name == "." || name == ".." || strings.ContainsRune(name, 0) {
			return &Error{Code: InvalidPath, Path: s, Reason: "not a path inside the folder"}
		}
	}
	*p = Path{s}
	return nil
}

func (p Path) components() []string {
	if p.rel == "" {
		return nil
	}
	return strings.Split(p.rel, "/")
}

// child is the path of name in p. The name is trusted: it came from a
// directory or was checked.
func (p Path) child(name string) Path {
	if p.rel == "" {
		return Path{name}
	}
	return Path{p.rel + "/" + name}
}

// ParsePath reads a relative path. "a//b", "./a" and "a/../b" are cleaned by
// their spelling alone; one that leaves the folder on the way is refused even
// if it comes back.
func ParsePath(s string) (Path, error) {
	if err := checkSpelling(s); err != nil {
		return Path{}, err
	}
	if strings.HasPrefix(s, "/") {
		return Path{}, &Error{Code: OutsideFolder, Path: s, Reason: "an absolute path outside the folder; use a path relative to the folder"}
	}
	if len(s) > maxPath {
		return Path{}, tooLong(s)
	}
	var out []string
	for name := range strings.SplitSeq(s, "/") {
		switch name {
		case "", ".":
		case "..":
			if len(out) == 0 {
				return Path{}, &Error{Code: OutsideFolder, Path: s, Reason: "leads out of the folder"}
			}
			out = out[:len(out)-1]
		default:
			if err := checkName(s, name); err != nil {
				return Path{}, err
			}
			out = append(out, name)
		}
	}
	return Path{strings.Join(out, "/")}, nil
}

// MustPath is ParsePath for constants.
func MustPath(s string) Path {
	p, err := ParsePath(s)
	if err != nil {
		panic(err)
	}
	return p
}

func tooLong(s string) error {
	return &Error{Code: TooLong, Path: s, Reason: fmt.Sprintf("longer than %d bytes, or a name in it longer than %d", maxPath, maxName)}
}

// checkSpelling refuses what no path of a document looks like, wherever the
// slash is. Nothing is decoded, unquoted or expanded: a path is data.
func checkSpelling(s string) error {
	bad := func(reason string) error { return &Error{Code: InvalidPath, Path: s, Reason: reason} }
	switch {
	case strings.TrimSpace(s) == "":
		return bad("the path is empty")
	case !utf8.ValidString(s):
		return bad("not valid UTF-8")
	case strings.ContainsRune(s, 0):
		return bad("holds a NUL character")
	case strings.ContainsFunc(s, unicode.IsControl):
		return bad("holds a control character")
	case strings.Contains(s, `\`):
		return bad(`holds a backslash; separate folders with "/"`)
	case len(s) >= 3 && isLetter(s[0]) && s[1] == ':' && s[2] == '/':
		return bad("a drive letter; use a path relative to the folder")
	case hasScheme(s):
		return bad("a URL, not a path")
	}
	first, _, _ := strings.Cut(s, "/")
	switch first {
	case "~", "$HOME", "${HOME}":
		return &Error{Code: OutsideFolder, Path: s, Reason: "the home folder is outside; use a path relative to the folder"}
	}
	return nil
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// hasScheme tells whether s starts like "file://" or "https://".
func hasScheme(s string) bool {
	scheme, _, ok := strings.Cut(s, ":/")
	return ok && len(scheme) > 1 && isLetter(scheme[0]) && !strings.ContainsFunc(scheme, func(r rune) bool {
		return r > unicode.MaxASCII || !(isLetter(byte(r)) || r >= '0' && r <= '9' || strings.ContainsRune("+-.", r))
	})
}

// checkName refuses a component that is too long, or that is nothing but dots
// once quotes, blanks and invisible characters are taken away: somebody meant
// ".." and no file is called so.
func checkName(s, name string) error {
	if len(name) > maxName {
		return tooLong(s)
	}
	bare := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Quotation_Mark, r) || r == '`' {
			return -1
		}
		return r
	}, name)
	switch {
	case bare == "":
		return &Error{Code: InvalidPath, Path: s, Reason: "a name in it is blank"}
	case strings.Trim(bare, ".") == "":
		return &Error{Code: InvalidPath, Path: s, Reason: "a name in it is only dots"}
	}
	return nil
}

// Display writes a path for a terminal or a log: characters that would move
// the cursor or turn the reading direction are escaped.
func Display(s string) string {
	const most = 300
	var b strings.Builder
	for _, r := range s {
		if b.Len() > most {
			b.WriteString("…")
			break
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == utf8.RuneError {
			fmt.Fprintf(&b, "\\u%04x", r)
			continue
		}
		b.WriteRune(r)
	}
	if b.Len() == 0 {
		return `""`
	}
	return b.String()
}

package regex

import (
	"bytes"
	"errors"
	"sync"
	"sync/atomic"
)

// Syntax is a language of patterns.
type Syntax int

const (
	// Basic is grep's and sed's default, with the GNU operators \+ \? \|.
	Basic Syntax = iota
	// Extended is that of grep -E and sed -E.
	Extended
	// Perl is that of grep -P, as far as the package documentation says.
	Perl
	// Fixed takes every character for itself.
	Fixed
)

// Options say how a pattern is read and what it may match.
type Options struct {
	Syntax     Syntax
	IgnoreCase bool
	// Word wants no word character before and behind the match (grep -w).
	Word bool
	// Line wants the match to be the whole text (grep -x).
	Line bool
	// Multiline lets ^ and $ match beside each newline as well, and keeps . and [^a]
	// of Basic and Extended within a line (sed's flag M).
	Multiline bool
	// Sed reads Basic and Extended as sed does: \n, \t, \xHH and their like are
	// characters, in brackets too, and what only grep forgives is an error.
	Sed bool
}

// ErrTooComplex is what [Regexp.Err] returns after a search was given up.
var ErrTooComplex = errors.New("the pattern takes too many steps on this text: simplify it, or avoid back-references and large intervals")

// Regexp is a compiled pattern. It may be used by several goroutines at once.
type Regexp struct {
	*program // what a match is

	// skeleton is the program without what an automaton cannot do; it matches
	// wherever program does. It is program itself for most patterns.
	skeleton *program
	needle   needle
	groups   int
	complex  atomic.Bool

	// idle is the machine that was used last; spare holds those of other
	// goroutines.
	idle  atomic.Pointer[machine]
	spare sync.Pool
}

// Compile reads a pattern. Its errors are in the words of GNU.
func Compile(pattern string, o Options) (*Regexp, error) {
	return CompileAll([]string{pattern}, o)
}

// CompileAll reads patterns into one that matches where any of them does. The
// groups of each are numbered behind those of the ones before. No patterns match
// nothing.
func CompileAll(patterns []string, o Options) (*Regexp, error) {
	var all []*node
	groups := 0
	for _, p := range patterns {
		n, count, err := parse(p, o, groups)
		if err != nil {
			return nil, err
		}
		all = append(all, n)
		groups += count
	}
	n := alternate(all)
	r := &Regexp{groups: groups, needle: newNeedle(frame(n, o))}
	if o.Syntax != Perl {
		n = trie(all, n)
	}
	if err := r.assemble(frame(n, o), o); err != nil {
		return nil, err
	}
	return r, nil
}

// parse reads one pattern whose groups begin behind those counted.
func parse(pattern string, o Options, groups int) (*node, int, error) {
	switch o.Syntax {
	case Perl:
		return parsePerl(pattern, o, groups)
	case Fixed:
		return literalNode(pattern, o.IgnoreCase), 0, nil
	}
	return parsePOSIX(pattern, o, groups)
}

// frame adds what the options Word and Line ask for.
func frame(n *node, o Options) *node {
	switch {
	case o.Line:
		return concat(assertion(textStart), n, assertion(textEnd))
	case o.Word:
		return concat(assertion(noWordBefore), n, assertion(noWordAfter))
	}
	return n
}

func (r *Regexp) assemble(n *node, o Options) (err error) {
	if r.program, err = newProgram(n, o.Syntax, r.groups); err != nil {
		return err
	}
	r.skeleton = r.program
	if r.deep {
		// Groups do not matter to whether a match is possible.
		r.skeleton, err = newProgram(bare(n), o.Syntax, 0)
	}
	return err
}

// Groups is the number of groups.
func (r *Regexp) Groups() int { return r.groups }

// Err is [ErrTooComplex] when a search was given up since r was compiled, and
// counted as not matching; else nil.
func (r *Regexp) Err() error {
	if r.complex.Load() {
		return ErrTooComplex
	}
	return nil
}

// Literal returns bytes that every text with a match contains, "" if none are
// known. whole says that there is nothing else to the pattern: each occurrence is
// a match.
func (r *Regexp) Literal() (s []byte, whole bool) {
	s = r.needle.literal()
	return s, s != nil && r.needle.whole
}

// seek is where a match may begin at the earliest, or -1. If it is sure, one
// begins there.
func (r *Regexp) seek(b []byte, from int) (at int, sure bool) {
	d := &r.needle
	switch {
	case len(d.texts) == 0:
		return from, false
	case d.behind:
		if at, _ = d.index(b, 0); at >= 0 {
			at = from
		}
		return at, false
	}
	at, sure = d.index(b, from)
	if at >= 0 && !d.whole {
		return from, false
	}
	return at, sure
}

// Match says whether b contains a match.
func (r *Regexp) Match(b []byte) bool {
	if at, sure := r.seek(b, 0); at < 0 || sure {
		return at >= 0
	}
	m := r.machine()
	defer r.release(m)
	return m.match(b)
}

// FindIndex finds the first match that begins at from or later. What is before
// from is still seen: ^ matches only where the text begins.
func (r *Regexp) FindIndex(b []byte, from int) (start, end int, ok bool) {
	if from > len(b) {
		return 0, 0, false
	}
	from, sure := r.seek(b, from)
	if from < 0 {
		return 0, 0, false
	}
	if sure && len(r.needle.texts) == 1 {
		return from, from + len(r.needle.texts[0]), true
	}
	m := r.machine()
	defer r.release(m)
	return m.find(b, from)
}

// FindSubmatchIndex is [Regexp.FindIndex] with the groups: it appends to dst[:0]
// the start and the end of the match and of each group, -1 for a group that took
// no part, and returns nil if there is no match.
func (r *Regexp) FindSubmatchIndex(b []byte, from int, dst []int) []int {
	if r.groups == 0 {
		start, end, ok := r.FindIndex(b, from)
		if !ok {
			return nil
		}
		return append(dst[:0], start, end)
	}
	if from > len(b) {
		return nil
	}
	if from, _ = r.seek(b, from); from < 0 {
		return nil
	}
	m := r.machine()
	defer r.release(m)
	return m.submatch(b, from, dst[:0])
}

// NextLine finds the first line of b that contains a match, as if each line were
// matched on its own, beginning at from, which must be where a line begins. The
// line is b[start:end], without its newline.
func (r *Regexp) NextLine(b []byte, from int) (start, end int, ok bool) {
	if len(r.needle.texts) == 0 {
		m := r.machine()
		defer r.release(m)
		return m.nextLine(b, from)
	}
	for from < len(b) {
		found, sure := r.needle.index(b, from)
		if found < 0 {
			return 0, 0, false
		}
		start = from + bytes.LastIndexByte(b[from:found], '\n') + 1
		end = lineEnd(b, found)
		if sure && r.needle.whole || r.Match(b[start:end]) {
			return start, end, true
		}
		from = end + 1
	}
	return 0, 0, false
}

// lineEnd is where the line that holds position at ends.
func lineEnd(b []byte, at int) int {
	if n := bytes.IndexByte(b[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(b)
}

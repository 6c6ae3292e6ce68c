package regex_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/internal/shell/regex"
)

// spell makes text of the pieces that the bytes choose.
func spell(choice []byte, pieces []string) string {
	var b strings.Builder
	for _, c := range choice {
		b.WriteString(pieces[int(c)%len(pieces)])
	}
	return b.String()
}

var (
	extendedPieces = []string{"a", "b", "c", "é", ".", "*", "+", "?", "|", "(", ")", "[ab]", "[^a]", "^", "$", "{2}", "{0,2}", "{1,}", "ab"}
	anyCasePieces  = []string{"[aA]", "[bB]", "[cC]", "[éÉ]", ".", "*", "+", "?", "|", "(", ")", "[abAB]", "[^aA]", "^", "$", "{2}", "{0,2}", "{1,}", "[aA][bB]"}
	perlPieces     = append([]string{"*?", "+?", "??", "(?:", "(?i)", `\b`, `\B`, `\w`, `\d`, `\W`, "[^b]", "A"}, extendedPieces...)
	textPieces     = []string{"a", "b", "c", "é", "A", " ", "-", "ab", "1", "É"}
)

// FuzzPOSIX compares with the standard library's leftmost-longest matching.
func FuzzPOSIX(f *testing.F) {
	for _, s := range [][2]string{{"\x00\x08\x12", "\x00\x01"}, {"\x09\x00\x05\x0a\x05\x01", "\x00\x00\x01"}, {"\x0d\x09\x04\x06\x0a\x0f\x0e", "\x00\x01\x02\x03\x04"}} {
		f.Add([]byte(s[0]), []byte(s[1]), false)
	}
	f.Fuzz(func(t *testing.T, pattern, text []byte, ignoreCase bool) {
		if len(pattern) > 40 || len(text) > 200 {
			return
		}
		p, s := spell(pattern, extendedPieces), []byte(spell(text, textPieces))
		std, err := regexp.CompilePOSIX(p)
		if ignoreCase {
			std, err = regexp.CompilePOSIX(spell(pattern, anyCasePieces))
		}
		if err != nil {
			return
		}
		re, err := regex.Compile(p, regex.Options{Syntax: regex.Extended, IgnoreCase: ignoreCase})
		if err != nil {
			t.Fatalf("%q: %v", p, err)
		}
		var got []int
		if start, end, ok := re.FindIndex(s, 0); ok {
			got = []int{start, end}
		}
		if d := cmp.Diff(std.FindIndex(s), got); d != "" && re.Err() == nil {
			t.Errorf("%q in %q (-regexp +regex):\n%s", p, s, d)
		}
		agree(t, p, re, s)
	})
}

// FuzzPerl compares with the standard library's leftmost-first matching and its
// groups.
func FuzzPerl(f *testing.F) {
	for _, s := range [][2]string{{"\x0c\x00\x0d", "\x00\x01"}, {"\x15\x0c\x01\x16\x0d", "\x00\x00\x01"}} {
		f.Add([]byte(s[0]), []byte(s[1]))
	}
	f.Fuzz(func(t *testing.T, pattern, text []byte) {
		if len(pattern) > 40 || len(text) > 200 {
			return
		}
		p, s := spell(pattern, perlPieces), []byte(spell(text, textPieces))
		std, err := regexp.Compile(p)
		re, err2 := regex.Compile(p, regex.Options{Syntax: regex.Perl})
		if err != nil || err2 != nil {
			if (err == nil) != (err2 == nil) {
				t.Fatalf("%q: regexp %v, regex %v", p, err, err2)
			}
			return
		}
		if d := cmp.Diff(std.FindSubmatchIndex(s), re.FindSubmatchIndex(s, 0, nil)); d != "" && re.Err() == nil {
			t.Errorf("%q in %q (-regexp +regex):\n%s", p, s, d)
		}
		agree(t, p, re, s)
	})
}

// FuzzRefused has any bytes as a pattern: whatever it is, it is read or refused,
// and all ways to ask agree.
func FuzzRefused(f *testing.F) {
	for _, p := range []string{`\(a\)\1`, `[[:alpha:]-z]`, `a\{1,2\}`, `(?<=a)b\K`, "\xff[\xfe-\xff]", `\x5c\cA[\n]`, `a{1,32767}`} {
		for o := range uint8(16) {
			f.Add(p, []byte("ab\xff\nAB a"), o)
		}
	}
	f.Fuzz(func(t *testing.T, pattern string, text []byte, options uint8) {
		if len(pattern) > 60 || len(text) > 200 {
			return
		}
		o := regex.Options{Syntax: regex.Syntax(options % 4), Sed: options&4 != 0, IgnoreCase: options&8 != 0,
			Word: options&16 != 0, Line: options&32 != 0, Multiline: options&64 != 0}
		re, err := regex.Compile(pattern, o)
		if err != nil {
			return
		}
		if agree(t, pattern, re, text); re.Err() != nil {
			t.Skip(re.Err())
		}
	})
}

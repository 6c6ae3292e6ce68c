package command

import (
	"regexp"
	"testing"
	"unicode/utf8"
)

func TestGlob(t *testing.T) {
	plain, fold, deep := globStyle{}, globStyle{fold: true}, globStyle{path: true, braces: true}
	for _, c := range []struct {
		pattern, name string
		style         globStyle
		want          bool
	}{
		{"*.md", "a.md", plain, true},
		{"*.md", ".md", plain, true},
		{"*.md", "a.mdx", plain, false},
		{"a*", "a", plain, true},
		{"a*a", "a", plain, false},
		{"a*b*c", "aXbYc", plain, true},
		{"*", "any/thing", plain, true},
		{"?", "é", plain, true},
		{"?", "ab", plain, false},
		{"[abc]", "b", plain, true},
		{"[!abc]", "b", plain, false},
		{"[^abc]", "d", plain, true},
		{"[a-c]x", "bx", plain, true},
		{"[]x]", "]", plain, true},
		{"[!]x]", "y", plain, true},
		{"[[:digit:]]*", "1st", plain, true},
		{"[[:digit:]]*", "first", plain, false},
		{"[a", "[a", plain, true},
		{"a[", "a[", plain, true},
		{"[z-a]", "z", plain, false},
		{`\*`, "*", plain, true},
		{`\*`, "x", plain, false},
		{`[\]]`, "]", plain, true},
		{"a.b", "axb", plain, false},
		{"(a|b)+$", "(a|b)+$", plain, true},
		{"*.MD", "a.md", fold, true},
		{"É?", "éa", fold, true},
		{"{a,b}", "{a,b}", plain, true},
		{"{a,b}.md", "b.md", deep, true},
		{"{a,b.md", "{a,b.md", deep, true},
		{"a/*", "a/b", deep, true},
		{"a/*", "a/b/c", deep, false},
		{"a/**", "a/b/c", deep, true},
		{"**/c", "c", deep, true},
		{"**/c", "a/b/c", deep, true},
		{"a/**/c", "a/c", deep, true},
		{"a/**/c", "a/x/y/c", deep, true},
		{"a?c", "a/c", deep, false},
		{"a[!x]c", "a/c", deep, false},
	} {
		if got := newGlob(c.pattern, c.style).match(c.name); got != c.want {
			t.Errorf("%q matches %q: %v", c.pattern, c.name, got)
		}
	}
}

// FuzzGlob: patterns that are read the short way match the same as the regular
// expressions that others become; and no pattern is too odd.
func FuzzGlob(f *testing.F) {
	f.Add("*.md", "a.md")
	f.Add("a*b", "ab")
	f.Add("[a-", "[a-")
	f.Add("\\", "\\")
	f.Add("**/{x,y", "x")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		newGlob(pattern, globStyle{path: true, braces: true, fold: true}).match(name)
		short := newGlob(pattern, globStyle{})
		if short.re != nil || !utf8.ValidString(pattern) || !utf8.ValidString(name) {
			return
		}
		r := globReader{rest: pattern}
		r.read()
		long := regexp.MustCompile("(?s)^(?:" + r.out.String() + ")$")
		if a, b := short.match(name), long.MatchString(name); a != b {
			t.Errorf("%q matches %q: %v, as a regular expression %v", pattern, name, a, b)
		}
	})
}

func TestHumanSize(t *testing.T) {
	for _, c := range []struct {
		n    int64
		step float64
		want string
	}{
		{0, 1024, "0"}, {1023, 1024, "1023"}, {1024, 1024, "1.0K"}, {1025, 1024, "1.1K"}, {1536, 1024, "1.5K"}, {10239, 1024, "10K"}, {10240, 1024, "10K"},
		{10241, 1024, "11K"}, {1047552, 1024, "1023K"}, {1048575, 1024, "1.0M"}, {1048576, 1024, "1.0M"}, {1 << 40, 1024, "1.0T"}, {999, 1000, "999"}, {1000, 1000, "1.0k"}, {1500000, 1000, "1.5M"},
	} {
		if got := humanSize(c.n, c.step); got != c.want {
			t.Errorf("%d: %s, want %s", c.n, got, c.want)
		}
	}
}

func TestVersions(t *testing.T) {
	sorted := []string{"", ".", "..", ".a", ".a1", "a~", "a", "a1", "a2.tar.gz", "a2b", "a10", "a10.md", "b1", "b-1", "b_1"}
	for i, a := range sorted {
		for j, b := range sorted {
			if got := compareVersions(a, b); (got < 0) != (i < j) {
				t.Errorf("%q and %q: %d", a, b, got)
			}
		}
	}
}

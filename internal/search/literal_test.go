package search

import (
	"fmt"
	"regexp/syntax"
	"strings"
	"testing"
)

// TestNeedles: what every match of an expression is known to hold. "=" stands
// before needles that are all there is to a match, "/i" behind those that have
// any case.
func TestNeedles(t *testing.T) {
	for expr, want := range map[string]string{
		`needle`:                   "= needle",
		`need(le|ed)`:              "= needle needed",
		`colou?r`:                  "= colour color",
		`[fF]ox`:                   "= fox Fox",
		`gr[ae]y`:                  "= gray grey",
		`foo|bar|quux`:             "= foo bar quux",
		`foo|foobar`:               "= foo",
		`^needle$`:                 "needle",
		`\bneedle\b`:               "needle",
		`[a-z]+needle[0-9]*`:       "needle",
		`the [a-z]+ xyzzy`:         " xyzzy",
		`(abc|def)+x*`:             "abc def",
		`(abc){3}`:                 "= abcabcabc",
		`x{2,}yz`:                  "yz",
		`a.*b.*quartz`:             "quartz",
		`needle|[a-z]`:             "",
		`needle?`:                  "= needl",
		`(needle)?`:                "",
		`(needle)*`:                "",
		`[a-z]+`:                   "",
		`e`:                        "",
		`\d{3}\)$`:                 ")",
		`.`:                        "",
		`^$`:                       "",
		`(?i)needle`:               "= needle/i",
		`(?i)xyzzy-42`:             "= xyzzy-42/i",
		`(?i)book`:                 "boo/i",
		`(?i)asks`:                 "",
		`(?i)strauß`:               "trau/i",
		`(?i)été`:                  "",
		`élan`:                     "= élan",
		`(?i:foo)Bar`:              "Bar",
		`(?i:foo)-x`:               "-x",
		`(?i:fo)-(?i:o)`:           "= fo-o/i",
		"a\\x{FFFD}bcd":            "bcd",
		`(?i:no)Way`:               "= noWay nOWay NoWay NOWay",
		"tab\\r?end":               "tab",
		`(?:a|b|c|d)(?:e|f|g|h)zz`: "ezz fzz gzz hzz",
		`(?:x|y)(?:v|w)q`:          "= xvq xwq yvq ywq",
		`[a-zA-Z]+@[a-z]+\.com`:    ".com",
		`(one|two|three|four|five|six|seven|eight|nine)`: "",
	} {
		re, err := syntax.Parse(expr, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		n := requiredNeedles(re.Simplify())
		var got []string
		for _, l := range n.list {
			s := string(l.text)
			if l.fold {
				s = strings.ToLower(s) + "/i"
			}
			got = append(got, s)
		}
		text := strings.Join(got, " ")
		if n.exact {
			text = "= " + text
		}
		if text != want {
			t.Errorf("%s: %q, want %q", expr, text, want)
		}
	}
}

// TestPartials: every sequence of bytes of which a character consists is read
// as that character, and no other one is.
func TestPartials(t *testing.T) {
	re, err := syntax.Parse(`[é-я]|[一-丿]|😀`, syntax.Perl)
	if err != nil {
		t.Fatal(err)
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		t.Fatal(err)
	}
	c := newClasses(prog.Inst, false)
	for _, r := range []rune{0x80, 0xe9, 0x44f, 0x450, 0x7ff, 0x800, 0x4e00, 0x4e3f, 0x4e40, 0xd7ff, 0xe000, 0xfffd, 0xffff, 0x10000, 0x1f600, 0x1f601, 0x10ffff} {
		b := []byte(string(r))
		p, ok := startPartial(b[0], c)
		for _, next := range b[1:] {
			if !ok || p.missing == 0 {
				t.Fatalf("%U: %+v %v", r, p, ok)
			}
			p, ok = p.extend(next, c)
		}
		if !ok || p.missing != 0 || p.class != c.class(r) {
			t.Errorf("%U: %+v %v, want class %d", r, p, ok, c.class(r))
		}
	}
	for _, bad := range []string{"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xe4a", "\xe4\xb8a"} {
		p, ok := startPartial(bad[0], c)
		for i := 1; ok && i < len(bad); i++ {
			p, ok = p.extend(bad[i], c)
		}
		if ok {
			t.Errorf("%q: %s", bad, fmt.Sprintf("%+v", p))
		}
	}
}

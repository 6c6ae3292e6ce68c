package search_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/internal/search"
)

// expression is a random regular expression, as we write it and as ripgrep
// writes the same: there classes and borders of words are those of Unicode.
type expression struct{ ours, rg string }

func same(s string) expression { return expression{s, s} }

var atoms = []expression{
	same("a"), same("b"), same("k"), same("s"), same("S"), same("K"), same("the"), same("ss"), same("fox"), same("é"), same("ß"), same("я"), same("界"), same("界я"),
	same("😀"), same("-"), same(" "), same("_"), same(`\.`), same("."), same("."), same("[ab]"), same("[^a]"), same("[a-k]"), same("[^a-z ]"), same("[é-я]"), same(`[[:upper:]]`),
	same(`\pL`), same(`\p{Cyrillic}`), same(`\PL`), same("^"), same("$"), same(`\x{e9}`), same(`[ſt]`),
	{`\w`, `[0-9A-Za-z_]`}, {`\W`, `[^0-9A-Za-z_]`}, {`\d`, `[0-9]`}, {`\s`, `[\t\n\f\r ]`}, {`\b`, `(?-u:\b)`}, {`\B`, `(?-u:\B)`},
}

func randomExpression(r *rand.Rand, depth int) expression {
	join := func(n int, sep string) expression {
		var e expression
		for i := range n {
			sub := randomExpression(r, depth-1)
			if i > 0 {
				e.ours += sep
				e.rg += sep
			}
			e.ours += sub.ours
			e.rg += sub.rg
		}
		return e
	}
	group := func(e expression, open, behind string) expression {
		return expression{open + e.ours + ")" + behind, open + e.rg + ")" + behind}
	}
	if depth == 0 || r.IntN(4) == 0 {
		return atoms[r.IntN(len(atoms))]
	}
	switch r.IntN(6) {
	case 0, 1, 2:
		return join(2+r.IntN(3), "")
	case 3:
		return group(join(2+r.IntN(2), "|"), "(", "")
	case 4:
		return group(randomExpression(r, depth-1), "(?:", []string{"*", "+", "?", "{2}", "{1,3}", "{2,}", "*?", "+?"}[r.IntN(8)])
	}
	return group(randomExpression(r, depth-1), []string{"(?i:", "(?:", "(?s:", "(?m:"}[r.IntN(4)], "")
}

// pieces are what random texts are made of.
var pieces = strings.Split("a,b,k,s,S,K,A,\u212a,ſ,the,The,ss,ß,ẞ,fox,FOX,é,É,e\u0301,я,Я,界,😀,-, ,  ,_,.,0,12,x,aab,abab,kk,tab\t", ",")

// invalid are bytes that are no UTF-8, or the start of some.
var invalid = []string{"\xff", "\xc3", "\xe7\x95", "\xf0\x9f\x98", "\x80", "\xed\xa0\x80", "\xc0\xaf", "\xf4\x90\x80\x80", "\xe0\x80\x80"}

func randomLine(r *rand.Rand, extra ...string) string {
	var b strings.Builder
	for range r.IntN(12) {
		if len(extra) > 0 && r.IntN(6) == 0 {
			b.WriteString(extra[r.IntN(len(extra))])
		} else {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
	}
	return b.String()
}

func randomText(r *rand.Rand, ends []string, extra ...string) []byte {
	var b strings.Builder
	for range r.IntN(12) {
		b.WriteString(randomLine(r, extra...))
		b.WriteString(ends[r.IntN(len(ends))])
	}
	if r.IntN(2) == 0 {
		b.WriteString(randomLine(r, extra...)) // without an end
	}
	return []byte(b.String())
}

func randomPattern(r *rand.Rand) (p search.Pattern, rg string) {
	p.Case = search.Case(r.IntN(2))
	if r.IntN(3) == 0 {
		p.Case = search.Case(r.IntN(3))
		p.Text = strings.TrimSpace(randomLine(r))
		if p.Text == "" {
			p.Text = "a"
		}
		return p, p.Text
	}
	e := randomExpression(r, 1+r.IntN(4))
	p.Text, p.Regexp = e.ours, true
	return p, e.rg
}

// TestLikeRegexp: lines and places are those of package regexp, whatever the
// expression and the bytes.
func TestLikeRegexp(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	rounds := 8_000
	if testing.Short() {
		rounds = 2_000
	}
	found := 0
	for range rounds {
		p, _ := randomPattern(r)
		p.Case = min(p.Case, search.Insensitive)
		data := randomText(r, []string{"\n", "\n", "\r\n", "\r", "\n\n"}, invalid...)
		got, want := lines(t, data, p), plainly(t, data, p)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%+v\n%q\n(-regexp +search)\n%s", p, data, diff)
		}
		found += len(got)
	}
	if found < rounds/10 {
		t.Errorf("only %d lines found", found)
	}
}

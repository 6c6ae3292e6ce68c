package search_test

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"redline/internal/search"
	"redline/internal/text"
)

// flags are a pattern's options as bits, for fuzzing.
const (
	asRegexp = 1 << iota
	anyCase
	asWord
	smartCase
)

func patternOf(p string, flags uint8) search.Pattern {
	q := search.Pattern{Text: p, Regexp: flags&asRegexp != 0, Word: flags&asWord != 0}
	switch {
	case flags&anyCase != 0:
		q.Case = search.Insensitive
	case flags&smartCase != 0:
		q.Case = search.Smart
	}
	return q
}

// plainly does what a search does in the simplest way: it asks the regexp
// package about one line after the other.
func plainly(t testing.TB, data []byte, p search.Pattern) []search.Line {
	source := p.Text
	if !p.Regexp {
		source = regexp.QuoteMeta(source)
	}
	if p.Case == search.Insensitive {
		source = "(?i:" + source + ")"
	}
	re, err := regexp.Compile(source)
	if err != nil {
		t.Skip(err)
	}
	var out []search.Line
	doc := text.New(data)
	for i := range doc.Lines() {
		line := doc.LineText(i)
		var at []search.Span
		for _, loc := range re.FindAllIndex(line, 100) {
			at = append(at, search.Span{Start: loc[0], End: loc[1]})
		}
		if at != nil {
			out = append(out, search.Line{Number: i + 1, Text: strings.ToValidUTF8(string(line), "\uFFFD"), Shown: search.Span{End: len(line)}, Size: len(line), Spans: at})
		}
	}
	return out
}

// inWord tells whether a character, if there is one, belongs to a word.
func inWord(r rune, n int) bool {
	return n > 0 && unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Nl, unicode.Pc, unicode.Other_Alphabetic, unicode.Join_Control)
}

// hasWord tells whether a part of the line that starts and ends where no word
// goes on matches, by trying them all. Behind the expression's back, ^, $ and \b
// would be about the part, so it must have none of them.
func hasWord(whole *regexp.Regexp, line []byte) bool {
	places := []int{len(line)}
	for i := range string(line) {
		places = append(places, i)
	}
	for _, i := range places {
		for _, k := range places {
			if i <= k && !inWord(utf8.DecodeLastRune(line[:i])) && !inWord(utf8.DecodeRune(line[k:])) && whole.Match(line[i:k]) {
				return true
			}
		}
	}
	return false
}

func lines(t testing.TB, data []byte, p search.Pattern) []search.Line {
	r, err := search.Text(context.Background(), data, search.Query{Pattern: p, MaxLine: 1 << 30})
	if err != nil {
		t.Skip(err)
	}
	var out []search.Line
	for _, f := range r.Files {
		for _, h := range f.Hits {
			out = append(out, h.Lines...)
		}
	}
	return out
}

// FuzzLines: the lines that match, and where, are those that package regexp
// finds line by line.
func FuzzLines(f *testing.F) {
	const prose = "The quick brown fox\njumps over the\r\nlazy dog.\n\n\ttab \u00e9t\u00e9 \u212aelvin stra\u00dfe \u017fs\r\rno \xff\xfe end"
	for _, p := range []string{
		"the", "o", "fox$", "^jumps", "^$", "$", "\\bd", "\\Bo", "[a-z]+\\.", "(qu|br)[iow]+", "x*", "(?i)KELVIN", "k", "ss", "straSSE", "\u00c9T\u00c9", ".", "e.d",
		"[^a-z ]", "\\s", "\\x{FFFD}", "\\pL{4}", "(a|b)*c", "o.*o", "(?m)^l", "\\Aj", "g\\.\\z", "(|x)", "a{0,2}z", "\r", "o\\b.\\b", "(?s).x", "fox|dog|cat", "[Ff]ox", "t.{3}",
	} {
		for flags := range uint8(8) {
			f.Add(p, []byte(prose), flags)
		}
	}
	f.Add("^[ab][0-9]", []byte("ax\na1\nb\nb2"), uint8(asRegexp))
	f.Add("a", []byte(text.BOM+"abc\nabc"), uint8(0))
	f.Add("^a", []byte(text.BOM+"abc\nabc"), uint8(asRegexp))
	f.Fuzz(func(t *testing.T, p string, data []byte, flags uint8) {
		if len(data) > 2000 || len(p) > 100 {
			t.Skip()
		}
		q := patternOf(p, flags&(asRegexp|anyCase))
		got, want := lines(t, data, q), plainly(t, data, q)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q %+v\n%q\n(-regexp +search)\n%s", p, q, data, diff)
		}
	})
}

// FuzzWords: the lines that match as words are those that have a matching part
// between the borders of words, and each place that is told is such a part.
func FuzzWords(f *testing.F) {
	for _, p := range []string{"the", "o", "fox", "[a-z]+", "-foo", "foo|-bar", "a b", ".", "x*", "\u00e9t\u00e9", "(?i)STRASSE", "k", "_", "\u0301"} {
		for flags := range uint8(4) {
			f.Add(p, []byte("the foo foo-bar\nother fox\n\u00e9t\u00e9 e\u0301 stra\u00dfe strasse a_b a b\r\n\xffthe\xff k\u212a"), flags)
		}
	}
	f.Fuzz(func(t *testing.T, p string, data []byte, flags uint8) {
		if len(data) > 200 || len(p) > 50 || flags&asRegexp != 0 && strings.ContainsAny(p, `^$\`) {
			t.Skip()
		}
		q := patternOf(p, flags&(asRegexp|anyCase)|asWord)
		got := map[int]search.Line{}
		for _, l := range lines(t, data, q) {
			got[l.Number] = l
		}
		source := p
		if !q.Regexp {
			source = regexp.QuoteMeta(p)
		}
		if q.Case == search.Insensitive {
			source = "(?i:" + source + ")"
		}
		whole := regexp.MustCompile(`\A(?:` + source + `)\z`)
		doc := text.New(data)
		for i := range doc.Lines() {
			line := doc.LineText(i)
			if want := hasWord(whole, line); got[i+1].Matches() != want {
				t.Errorf("%q in %q: %v, want %v", p, line, !want, want)
			}
			end := -1
			for _, s := range got[i+1].Spans {
				if s.Start < end || s.End == end || !whole.Match(line[s.Start:s.End]) || inWord(utf8.DecodeLastRune(line[:s.Start])) || inWord(utf8.DecodeRune(line[s.End:])) {
					t.Errorf("%q in %q is no word at %v", p, line, s)
				}
				end = s.End
			}
		}
	})
}

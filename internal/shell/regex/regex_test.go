package regex_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/internal/shell/regex"
)

var update = flag.Bool("update", false, "write what the code answers into testdata")

// row is a line of a table: options, pattern, text, and the spans of the first
// match and its groups, or the error. The columns are separated by tabs; \n, \t,
// \\ and \xHH are escapes in text; a pattern has none. A row that begins with ! is
// one in which GNU answers something else.
type row struct {
	options, pattern, text, want string
	ours                         bool
}

// table reads the rows of a file; lines that begin with # and empty ones are nil.
func table(t *testing.T, file string) (rows []*row, lines []string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		lines = append(lines, line)
		if line == "" || line[0] == '#' {
			rows = append(rows, nil)
			continue
		}
		body, ours := strings.CutPrefix(line, "!")
		col := strings.Split(body, "\t")
		if len(col) != 4 {
			t.Fatalf("%s: %q has %d columns, not 4", file, line, len(col))
		}
		rows = append(rows, &row{col[0], col[1], unescape(t, col[2]), col[3], ours})
	}
	return rows, lines
}

func unescape(t *testing.T, s string) string {
	t.Helper()
	var out []byte
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			out = append(out, s[i])
			continue
		}
		i++
		switch s[i] {
		case 'n':
			out = append(out, '\n')
		case 't':
			out = append(out, '\t')
		case 'x':
			var c byte
			if _, err := fmt.Sscanf(s[i+1:i+3], "%02x", &c); err != nil {
				t.Fatal(err)
			}
			out = append(out, c)
			i += 2
		default:
			out = append(out, s[i])
		}
	}
	return string(out)
}

// parsed reads the letters of a row's options: the syntax (G, E, P, F), i, w, x
// as grep has them, M and s for sed.
func (r *row) parsed() (o regex.Options) {
	for _, c := range r.options {
		switch c {
		case 'E':
			o.Syntax = regex.Extended
		case 'P':
			o.Syntax = regex.Perl
		case 'F':
			o.Syntax = regex.Fixed
		case 'i':
			o.IgnoreCase = true
		case 'w':
			o.Word = true
		case 'x':
			o.Line = true
		case 'M':
			o.Multiline = true
		case 's':
			o.Sed = true
		}
	}
	return o
}

// answer is what the last column should be.
func (r *row) answer() string {
	re, err := regex.Compile(r.pattern, r.parsed())
	if err != nil {
		return err.Error()
	}
	found := re.FindSubmatchIndex([]byte(r.text), 0, nil)
	if found == nil {
		return "none"
	}
	var out []string
	for i := 0; i < len(found); i += 2 {
		if found[i] < 0 {
			out = append(out, "-")
			continue
		}
		out = append(out, fmt.Sprintf("%d,%d", found[i], found[i+1]))
	}
	return strings.Join(out, " ")
}

func tables(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no tables", err)
	}
	for i, f := range files {
		files[i] = filepath.Base(f)
	}
	return files
}

func TestTables(t *testing.T) {
	for _, file := range tables(t) {
		rows, lines := table(t, file)
		for i, r := range rows {
			if r == nil {
				continue
			}
			got := r.answer()
			if got != r.want && !*update {
				t.Errorf("%s:%d: %s\tgives %s", file, i+1, lines[i], got)
			}
			lines[i] = lines[i][:strings.LastIndexByte(lines[i], '\t')+1] + got
		}
		if *update {
			data := strings.Join(lines, "\n") + "\n"
			if err := os.WriteFile(filepath.Join("testdata", file), []byte(data), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// All ways to ask must agree on every row of the tables.
func TestWaysAgree(t *testing.T) {
	for _, file := range tables(t) {
		rows, lines := table(t, file)
		for i, r := range rows {
			if r == nil {
				continue
			}
			re, err := regex.Compile(r.pattern, r.parsed())
			if err != nil {
				continue
			}
			name := fmt.Sprintf("%s:%d: %s", file, i+1, lines[i])
			agree(t, name, re, []byte(r.text))
			agree(t, name+" amid lines", re, []byte("~\n"+r.text+"\n~\n"))
		}
	}
}

func agree(t *testing.T, name string, re *regex.Regexp, text []byte) {
	t.Helper()
	found := re.FindSubmatchIndex(text, 0, nil)
	start, end, ok := re.FindIndex(text, 0)
	if ok != (found != nil) || ok && (start != found[0] || end != found[1]) {
		t.Errorf("%s: FindIndex %d,%d %v, FindSubmatchIndex %v", name, start, end, ok, found)
	}
	if re.Match(text) != ok {
		t.Errorf("%s: Match %v, FindIndex %v", name, !ok, ok)
	}
	if lit, whole := re.Literal(); ok && !bytes.Contains(text, lit) || whole && len(lit) > 0 && bytes.Contains(text, lit) != ok {
		t.Errorf("%s: Literal %q %v, FindIndex %v", name, lit, whole, ok)
	}
	want := -1
	base := 0
	for line := range bytes.Lines(text) {
		if re.Match(bytes.TrimSuffix(line, []byte("\n"))) {
			want = base
			break
		}
		base += len(line)
	}
	if at, _, ok := re.NextLine(text, 0); ok != (want >= 0) || ok && at != want {
		t.Errorf("%s: NextLine %d %v, Match finds %d", name, at, ok, want)
	}
}

func TestFindsBehind(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		from          int
		want          string
	}{
		{"^a", "ab c", 1, "none"},
		{`\<b`, "ab c", 1, "none"},
		{`\<c`, "ab c", 1, "3,4"},
		{"b*", "ab c", 1, "1,2"},
		{"c", "ab c", 4, "none"},
		{"$", "ab c", 4, "4,4"},
		{`\b`, "ab c", 4, "4,4"},
		{"x*", "ab c", 5, "none"},
		{`\Bab(c)\1`, "xabcc", 1, "1,5"},
		{`(?<=key)\w`, "keyv", 3, "3,4"},
		{`(?<=key)\w`, "keyv", 4, "none"},
	} {
		re, err := regex.Compile(c.pattern, regex.Options{Syntax: regex.Perl})
		if strings.ContainsAny(c.pattern, "<>") && !strings.Contains(c.pattern, "(") {
			re, err = regex.Compile(c.pattern, regex.Options{})
		}
		if err != nil {
			t.Fatal(err)
		}
		got := "none"
		if start, end, ok := re.FindIndex([]byte(c.text), c.from); ok {
			got = fmt.Sprintf("%d,%d", start, end)
		}
		if got != c.want {
			t.Errorf("%q from %d in %q: %s, want %s", c.pattern, c.from, c.text, got, c.want)
		}
	}
}

func TestSeveralPatterns(t *testing.T) {
	many := []string{"to", "tomato", "potato", "pot", "tom", "tomahawk", "x", "or", "orange"}
	for _, c := range []struct {
		patterns []string
		syntax   regex.Syntax
		text     string
		want     []int
	}{
		{[]string{"ab", "abc", "b"}, regex.Basic, "xabcd", []int{1, 4}},
		{[]string{"ab", "abc", "b"}, regex.Perl, "xabcd", []int{1, 3}},
		{[]string{`\(a\)\1`, `\(b\)\1`}, regex.Basic, "abb", []int{1, 3, -1, -1, 1, 2}},
		{nil, regex.Basic, "a", nil},
		{[]string{""}, regex.Basic, "a", []int{0, 0}},
		{many, regex.Fixed, "a tomahawk", []int{2, 10}},
		{many, regex.Fixed, "a tomahaw", []int{2, 5}},
		{many, regex.Fixed, "no fruit here", nil},
		{many, regex.Basic, "an orange", []int{3, 9}},
	} {
		re, err := regex.CompileAll(c.patterns, regex.Options{Syntax: c.syntax})
		if err != nil {
			t.Fatal(err)
		}
		got := re.FindSubmatchIndex([]byte(c.text), 0, nil)
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%q in %q (-want +got):\n%s", c.patterns, c.text, d)
		}
		agree(t, fmt.Sprintf("%q in %q", c.patterns, c.text), re, []byte(c.text))
	}
}

func TestLiteral(t *testing.T) {
	for _, c := range []struct {
		pattern string
		o       regex.Options
		want    string
		whole   bool
	}{
		{"foo", regex.Options{}, "foo", true},
		{"a.b", regex.Options{Syntax: regex.Fixed}, "a.b", true},
		{"foo", regex.Options{Word: true}, "foo", false},
		{"foo", regex.Options{IgnoreCase: true}, "", false},
		{"x*foo.*barbaz[0-9]", regex.Options{}, "barbaz", false},
		{"(foo|bar)baz", regex.Options{Syntax: regex.Extended}, "baz", false},
		{"foobar|foobaz", regex.Options{Syntax: regex.Extended}, "fooba", false},
		{"one|two", regex.Options{Syntax: regex.Extended}, "", false},
		{"(foo)+", regex.Options{Syntax: regex.Extended}, "foo", false},
		{"(foo)?", regex.Options{Syntax: regex.Extended}, "", false},
		{"a{3}", regex.Options{Syntax: regex.Extended}, "a", false},
		{"^foo$", regex.Options{}, "foo", false},
		{"(?<=key)value", regex.Options{Syntax: regex.Perl}, "value", false},
		{"(?<!key)v", regex.Options{Syntax: regex.Perl}, "v", false},
		{"é", regex.Options{}, "é", true},
	} {
		re, err := regex.Compile(c.pattern, c.o)
		if err != nil {
			t.Fatal(err)
		}
		if got, whole := re.Literal(); string(got) != c.want || whole != c.whole {
			t.Errorf("%q: %q %v, want %q %v", c.pattern, got, whole, c.want, c.whole)
		}
	}
}

// What a pattern asks too much of is given up and said so, and the pattern goes
// on working on other texts.
func TestTooComplex(t *testing.T) {
	long := strings.Repeat("ab c", 25_000)
	for _, c := range []struct {
		pattern, text, fits string
		syntax              regex.Syntax
	}{
		{`(.*)(.*)(.*)\1\2\3x`, "x" + long, "ababx", regex.Extended},
		{`^(.*)\1\1$`, strings.Repeat("a", 100_001), "aaa", regex.Extended},
		{`.{20000,}x|y`, "x" + long, "y", regex.Extended},
		{`(?=(?:(?:a|b| |c)(?:a|b|.))*?!)a`, "!" + long, "ab!", regex.Perl},
	} {
		re, err := regex.Compile(c.pattern, regex.Options{Syntax: c.syntax})
		if err != nil {
			t.Fatal(err)
		}
		if !re.Match([]byte(c.fits)) || re.Err() != nil {
			t.Errorf("%q does not match what it should: %v", c.pattern, re.Err())
		}
		if re.Match([]byte(c.text)) || !errors.Is(re.Err(), regex.ErrTooComplex) {
			t.Errorf("%q was not given up: %v", c.pattern, re.Err())
		}
		if !re.Match([]byte(c.fits)) {
			t.Errorf("%q matches no more", c.pattern)
		}
	}
}

// Tries from each position would read this text a hundred thousand times.
func TestLongLine(t *testing.T) {
	text := []byte(strings.Repeat("a", 100_000) + "b")
	for _, c := range []struct {
		pattern    string
		syntax     regex.Syntax
		start, end int
	}{
		{"a.*z|b", regex.Extended, 100_000, 100_001},
		{"a*z|b|ba", regex.Extended, 100_000, 100_001},
		{"a.*z|a?b", regex.Extended, 99_999, 100_001},
		{"(a.*z|aa?)b", regex.Perl, 99_998, 100_001},
		{"a+?b", regex.Perl, 0, 100_001},
		{`\ba.*z|a\B.b\b`, regex.Perl, 99_998, 100_001},
	} {
		re, err := regex.Compile(c.pattern, regex.Options{Syntax: c.syntax})
		if err != nil {
			t.Fatal(err)
		}
		if start, end, ok := re.FindIndex(text, 0); start != c.start || end != c.end || !ok || re.Err() != nil {
			t.Errorf("%q: %d,%d %v %v, want %d,%d", c.pattern, start, end, ok, re.Err(), c.start, c.end)
		}
	}
}

// The first alternative is tried in vain from so many positions that the rest of
// the text is read by threads: they find what the others find.
func TestThreadsAgree(t *testing.T) {
	text := []byte(strings.Repeat("a", 200) + "-bbcd bcd éb")
	for _, syntax := range []regex.Syntax{regex.Extended, regex.Perl} {
		for _, p := range []string{"b+c?", "b|bb|bbc", "bbc|bb|b", "(b|bc)(cd|d)", "d b?", `\bb`, "c*d", "b+?", "b??c", "[^ac-]+", "é?b$", "(b|d ?)+c", "c|-bb"} {
			want, err := regex.Compile(p, regex.Options{Syntax: syntax})
			if err != nil {
				t.Fatal(err)
			}
			got, err := regex.Compile("a.*Z|"+p, regex.Options{Syntax: syntax})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want.FindSubmatchIndex(text, 0, nil), got.FindSubmatchIndex(text, 0, nil)); d != "" {
				t.Errorf("%q of syntax %d (-alone +behind an alternative):\n%s", p, syntax, d)
			}
		}
	}
}

// A pattern with more states than are kept matches all the same.
func TestManyStates(t *testing.T) {
	re, err := regex.Compile("a[ab]{17}c", regex.Options{Syntax: regex.Extended})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	text := make([]byte, 400_000)
	for i := range text {
		text[i] = "ab"[random.IntN(2)]
	}
	for i := 1000; i < len(text); i += 1000 {
		text[i], text[i-18] = 'c', 'b'
	}
	if re.Match(text) || re.Err() != nil {
		t.Error("matches where each c is 18 behind a b:", re.Err())
	}
	text[399_000-18] = 'a'
	if !re.Match(text) || re.Err() != nil {
		t.Error("does not match where a c is 18 behind an a:", re.Err())
	}
}

func TestTooBig(t *testing.T) {
	for _, p := range []string{"(a{32767}){32767}", "a{32768}", strings.Repeat("(", 5000) + strings.Repeat(")", 5000)} {
		if _, err := regex.Compile(p, regex.Options{Syntax: regex.Extended}); err == nil || err.Error() != "Regular expression too big" {
			t.Errorf("%.20s: %v", p, err)
		}
	}
}

func TestNoAllocation(t *testing.T) {
	text := []byte("The quick brown fox jumps over the lazy dog, naïve and 42 years old.\n")
	for _, c := range []struct {
		pattern string
		o       regex.Options
	}{
		{"lazy", regex.Options{}},
		{"LAZY", regex.Options{IgnoreCase: true}},
		{"cat|dog", regex.Options{Syntax: regex.Extended}},
		{"[0-9]+ [a-z]*", regex.Options{Syntax: regex.Extended}},
		{"na.ve", regex.Options{Word: true}},
		{`\(o\).*\1`, regex.Options{}},
	} {
		re, err := regex.Compile(c.pattern, c.o)
		if err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(100, func() {
			re.Match(text)
			re.FindIndex(text, 0)
			re.NextLine(text, 0)
		}); n >= 1 {
			t.Errorf("%q allocates %v times", c.pattern, n)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	re, err := regex.Compile(`\([a-z]*\) \([0-9]*\)`, regex.Options{})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan []int)
	for i := range 8 {
		go func() {
			text := []byte(strings.Repeat("-", i) + "abc 123")
			var got []int
			for range 500 {
				got = re.FindSubmatchIndex(text, 0, got)
			}
			for j := range got {
				got[j] -= i
			}
			done <- got
		}()
	}
	for range 8 {
		if d := cmp.Diff([]int{0, 7, 0, 3, 4, 7}, <-done); d != "" {
			t.Error(d)
		}
	}
}

package regex_test

import (
	"fmt"
	"strings"
	"testing"

	"redline/internal/shell/regex"
)

// corpus is 1 MB of lines as in a folder of notes, with a needle near its end.
var corpus = func() []byte {
	var b strings.Builder
	for i := 0; b.Len() < 1<<20; i++ {
		fmt.Fprintf(&b, "%d. The quick brown fox jumps over the lazy dog, and nobody knows why it does so.\n", i)
	}
	b.WriteString("A Lighthouse keeper wrote NOTE_17 in the logbook.\n")
	return []byte(b.String())
}()

// lines counts the matching lines.
func lines(r *regex.Regexp, b []byte) int {
	n := 0
	for at := 0; ; n++ {
		_, end, ok := r.NextLine(b, at)
		if !ok {
			return n
		}
		at = end + 1
	}
}

func benchmark(b *testing.B, pattern string, o regex.Options) {
	r, err := regex.Compile(pattern, o)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(corpus)))
	b.ReportAllocs()
	for b.Loop() {
		if n := lines(r, corpus); n != 1 {
			b.Fatalf("%d lines match", n)
		}
	}
}

func BenchmarkLiteral(b *testing.B) { benchmark(b, "Lighthouse", regex.Options{}) }

func BenchmarkFold(b *testing.B) { benchmark(b, "lighthouse", regex.Options{IgnoreCase: true}) }

func BenchmarkAlternation(b *testing.B) {
	benchmark(b, "keeper|lighthouse|logbook", regex.Options{Syntax: regex.Extended})
}

func BenchmarkClass(b *testing.B) {
	benchmark(b, "[A-Z]{2,}[^a-z]*[0-9]", regex.Options{Syntax: regex.Extended})
}

func BenchmarkWord(b *testing.B) { benchmark(b, "keeper", regex.Options{Word: true}) }

func BenchmarkReference(b *testing.B) {
	benchmark(b, `\(NO\).*\(o\)\2.*k`, regex.Options{})
}

func BenchmarkPerl(b *testing.B) { benchmark(b, `(?<=NOTE_)\d+`, regex.Options{Syntax: regex.Perl}) }

// BenchmarkEachLine asks line by line, as a caller does who counts them.
func BenchmarkEachLine(b *testing.B) {
	r, err := regex.Compile("[A-Z]{2,}[^a-z]*[0-9]", regex.Options{Syntax: regex.Extended})
	if err != nil {
		b.Fatal(err)
	}
	all := strings.SplitAfter(string(corpus), "\n")
	text := make([][]byte, len(all))
	for i, l := range all {
		text[i] = []byte(l)
	}
	b.SetBytes(int64(len(corpus)))
	b.ReportAllocs()
	for b.Loop() {
		for _, l := range text {
			r.Match(l)
		}
	}
}

func BenchmarkSubmatch(b *testing.B) {
	r, err := regex.Compile(`\([a-z]*\) \([a-z]*\) dog`, regex.Options{})
	if err != nil {
		b.Fatal(err)
	}
	line := []byte("12. The quick brown fox jumps over the lazy dog, and nobody knows why.")
	var found []int
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		found = r.FindSubmatchIndex(line, 0, found)
	}
}

func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		r, err := regex.Compile(`^\(foo\|ba[rz]\)\+ [[:digit:]]\{1,3\}$`, regex.Options{})
		if err != nil || !r.Match([]byte("foobar 12")) {
			b.Fatal(err)
		}
	}
}

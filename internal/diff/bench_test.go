package diff

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"redline/internal/text"
)

// prose makes n lines of sentences; every seventh is blank.
func prose(n int) [][]byte {
	r := rand.New(rand.NewPCG(20, 20))
	out := make([][]byte, n)
	for i := range out {
		if i%7 != 0 {
			out[i] = sentence(r)
		}
		out[i] = append(out[i], '\n')
	}
	return out
}

func sentence(r *rand.Rand) []byte {
	var b []byte
	for range 6 + r.IntN(12) {
		b = fmt.Appendf(b, "word%d ", int(r.ExpFloat64()*200))
	}
	return append(bytes.TrimSpace(b), '.')
}

// scattered replaces, inserts and deletes about n lines.
func scattered(lines [][]byte, n int, seed uint64) *text.Document {
	r := rand.New(rand.NewPCG(seed, seed))
	var b bytes.Buffer
	for _, l := range lines {
		switch x := r.IntN(len(lines) * 10 / n); {
		case x < 6:
			b.Write(append(sentence(r), '\n'))
		case x < 8:
			b.Write(append(l, append(sentence(r), '\n')...))
		case x >= 10:
			b.Write(l)
		}
	}
	return text.New(b.Bytes())
}

func BenchmarkLines(b *testing.B) {
	lines := prose(100_000)
	old, new := text.New(bytes.Join(lines, nil)), scattered(lines, 1000, 1)
	b.SetBytes(int64(old.Len() + new.Len()))
	b.ReportAllocs()
	for b.Loop() {
		Lines(old, new)
	}
}

// BenchmarkLinesOne is the usual case: one edit in a long document.
func BenchmarkLinesOne(b *testing.B) {
	lines := prose(100_000)
	old := text.New(bytes.Join(lines, nil))
	lines[50_000] = []byte("changed\n")
	new := text.New(bytes.Join(lines, nil))
	b.ReportAllocs()
	for b.Loop() {
		Lines(old, new)
	}
}

func BenchmarkPatch(b *testing.B) {
	lines := prose(100_000)
	old, new := text.New(bytes.Join(lines, nil)), scattered(lines, 1000, 1)
	b.ReportAllocs()
	for b.Loop() {
		NewPatch("a", "b", old, new).Append(nil)
	}
}

func BenchmarkMerge3(b *testing.B) {
	lines := prose(100_000)
	base, ours, theirs := text.New(bytes.Join(lines, nil)), scattered(lines, 1000, 1), scattered(lines, 1000, 2)
	b.ReportAllocs()
	for b.Loop() {
		Merge3(base, ours, theirs)
	}
}

func BenchmarkWords(b *testing.B) {
	paragraph := bytes.ReplaceAll(bytes.Join(prose(40), nil), []byte("\n"), []byte(" "))
	for _, size := range []int{1, 1000} {
		old := bytes.Repeat(paragraph, size)
		new := bytes.Clone(old)
		for i := range 5 * size {
			copy(new[i*len(new)/(5*size):], "changed")
		}
		b.Run(fmt.Sprintf("%dKB", len(old)/1000), func(b *testing.B) {
			b.SetBytes(int64(len(old)))
			b.ReportAllocs()
			for b.Loop() {
				Words(old, new)
			}
		})
	}
}

func BenchmarkSplit(b *testing.B) {
	var new strings.Builder
	for _, l := range prose(2000) {
		new.Write(l)
	}
	a, d := text.FromString(""), text.FromString(new.String())
	c := Lines(a, d)[0]
	b.ReportAllocs()
	for b.Loop() {
		Split(a, d, c, nil, DefaultLimits)
	}
}

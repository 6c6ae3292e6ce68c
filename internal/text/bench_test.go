package text

import (
	"bytes"
	"testing"
)

// large is 10 MB in 200,000 lines.
func large() []byte {
	return bytes.Repeat([]byte("The quick brown fox jumps over the lazy old dogs.\n"), 200_000)
}

func BenchmarkNew(b *testing.B) {
	for _, tt := range []struct {
		name string
		data []byte
	}{
		{"10MB-200k-lines", large()},
		{"10MB-one-line", bytes.Repeat([]byte("x"), 10<<20)},
		{"5M-empty-lines", bytes.Repeat([]byte("\n"), 5_000_000)},
	} {
		b.Run(tt.name, func(b *testing.B) {
			b.SetBytes(int64(len(tt.data)))
			for b.Loop() {
				New(tt.data)
			}
		})
	}
}

func BenchmarkEdit(b *testing.B) {
	d := New(large())
	for _, tt := range []struct {
		name string
		at   int
	}{{"first", 0}, {"middle", 100_000}, {"last", 199_999}} {
		b.Run(tt.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := d.Replace(Range{tt.at, tt.at + 1}, []byte("new\nlines\n")); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSlice(b *testing.B) {
	d := New(large())
	for b.Loop() {
		if _, err := d.Slice(Range{100_000, 101_000}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReplaceTextAll(b *testing.B) {
	d := New(large())
	for b.Loop() {
		if _, _, err := d.ReplaceText([]byte("lazy"), []byte("sleepy"), true); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEstimateTokens(b *testing.B) {
	data := large()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		EstimateTokens(data)
	}
}

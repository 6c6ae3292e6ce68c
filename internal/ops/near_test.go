package ops_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"redline/internal/ledger"
	"redline/internal/ops"
)

// The closest text is looked for in bounded time, whatever the document is like.
func TestNearIsQuick(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	letters := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte('a' + random.IntN(26))
		}
		return string(b)
	}
	lines := func(n, width int) string { return strings.Repeat(letters(width)+"\n", n) }
	for name, test := range map[string]struct{ content, old string }{
		"long lines": {lines(500, 4000), letters(4200)},
		"many lines": {lines(100_000, 12), strings.Repeat(letters(12)+"\n", 50)},
		"one line":   {letters(1 << 20), letters(1 << 20)},
	} {
		t.Run(name, func(t *testing.T) {
			f := newOffice(t, ledger.Auto, ops.Options{}, "a.md", test.content)
			began := time.Now()
			_, err := f.Edit(ctx, "test", ops.EditRequest{Path: "a.md", Edits: []ops.Edit{ops.Replace{Old: test.old, New: "x"}}})
			if code(err) != ops.TextNotFound {
				t.Fatal(err)
			}
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

package staged_test

import (
	"context"
	"testing"

	"redline/internal/shell/staged"
)

// BenchmarkTrivial is what a command costs that does next to nothing.
func BenchmarkTrivial(b *testing.B) {
	v := newVault(b, map[string]string{"a.md": "alpha\n"})
	for b.Loop() {
		if r := staged.Run(context.Background(), staged.Command{Line: "echo x", Tree: v.tree()}); r.Stdout != "x\n" {
			b.Fatal(r)
		}
	}
}

// BenchmarkLoop is what an iteration of a loop costs.
func BenchmarkLoop(b *testing.B) {
	v := newVault(b, nil)
	for b.Loop() {
		staged.Run(context.Background(), staged.Command{Line: "for ((i=0; i<1000; i++)); do x=$i; [ $x = 3 ]; done", Tree: v.tree()})
	}
}

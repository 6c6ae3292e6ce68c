package command_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"redline/internal/diff"
	"redline/internal/text"
)

// TestDiffApplies: what diff -u says, applied to the old file, is the new one, whatever
// the lines are.
func TestDiffApplies(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	document := func() string {
		var b strings.Builder
		for range random.IntN(30) {
			b.WriteString(strings.Repeat(string(rune('a'+random.IntN(4))), random.IntN(2)) + "\n")
		}
		if random.IntN(4) == 0 {
			b.WriteString("end")
		}
		return b.String()
	}
	for range 500 {
		old, new := document(), document()
		for _, form := range []string{"-u", "-U0", "-U1"} {
			r := invocation{base: folder(map[string]string{"old": old, "new": new}), args: []string{"diff", form, "old", "new"}}.run(t)
			if (r.status == 0) != (old == new) {
				t.Fatalf("diff %s: status %d for %q and %q", form, r.status, old, new)
			}
			patches, err := diff.Parse([]byte(r.stdout))
			if err != nil {
				t.Fatalf("diff %s of %q and %q: %v\n%s", form, old, new, err, r.stdout)
			}
			got := text.FromString(old)
			for _, p := range patches {
				if got, err = p.Apply(got); err != nil {
					t.Fatalf("diff %s of %q and %q: %v\n%s", form, old, new, err, r.stdout)
				}
			}
			if got.String() != new {
				t.Fatalf("diff %s makes %q of %q, not %q\n%s", form, got, old, new, r.stdout)
			}
		}
	}
}

// TestDiffLarge: texts that have nothing in common, and such that have every line
// often, are compared in a time that does not explode.
func TestDiffLarge(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var one, two, few bytes.Buffer
	for range 8_000 {
		one.WriteString(string(rune('a'+random.IntN(26))) + string(rune('a'+random.IntN(26))) + "\n")
		two.WriteString(string(rune('a'+random.IntN(26))) + string(rune('a'+random.IntN(26))) + "\n")
		few.WriteString(string(rune('0'+random.IntN(10))) + "x\n")
	}
	base := folder(map[string]string{"one": one.String(), "two": two.String(), "few": few.String()})
	for _, args := range [][]string{{"diff", "one", "two"}, {"diff", "one", "few"}, {"diff", "-u", "few", "two"}} {
		if r := (invocation{base: base, args: args}).run(t); r.status != 1 || len(r.stdout) < 50_000 {
			t.Errorf("%v: status %d, %d bytes", args, r.status, len(r.stdout))
		}
	}
}

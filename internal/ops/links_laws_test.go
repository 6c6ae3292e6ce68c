package ops

import (
	"bytes"
	"testing"

	"redline/internal/outline"
	"redline/internal/text"
)

// differences counts the links that differ, and fails if any byte does that is
// not of a target.
func differences(t *testing.T, c relinked) int {
	t.Helper()
	before, after := outline.Links(text.New(c.Before)), outline.Links(text.New(c.After))
	if len(before) != len(after) {
		t.Fatalf("%s: %d links became %d\n%s\n%s", c.Path, len(before), len(after), c.Before, c.After)
	}
	n, at, to := 0, 0, 0
	for i, b := range before {
		a := after[i]
		if !bytes.Equal(c.Before[at:b.Start], c.After[to:a.Start]) {
			t.Fatalf("%s: %q became %q", c.Path, c.Before[at:b.Start], c.After[to:a.Start])
		}
		if a.Kind != b.Kind || a.Anchor != b.Anchor || a.Embed != b.Embed {
			t.Fatalf("%s: %+v became %+v", c.Path, b, a)
		}
		if !bytes.Equal(c.Before[b.Start:b.End], c.After[a.Start:a.End]) {
			n++
		}
		at, to = b.End, a.End
	}
	if !bytes.Equal(c.Before[at:], c.After[to:]) {
		t.Fatalf("%s: the end %q became %q", c.Path, c.Before[at:], c.After[to:])
	}
	return n
}

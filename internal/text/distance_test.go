package text_test

import (
	"strings"
	"testing"

	"redline/internal/text"
)

func TestDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"kitten", "sitting", 3}, {"roadmap", "raodmap", 2},
		{"naïve", "naive", 1}, {"日本語", "日本", 1}, {strings.Repeat("a", 300), strings.Repeat("a", 200) + "b", 0},
	} {
		if got := text.Distance(test.a, test.b); got != test.want {
			t.Errorf("%q to %q: %d, not %d", test.a, test.b, got, test.want)
		}
		if got := text.Distance(test.b, test.a); got != test.want {
			t.Errorf("%q to %q: %d, not %d", test.b, test.a, got, test.want)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"model", "mode", "maxIterations", "ok"}
	for _, test := range []struct{ name, want string }{
		{"modell", "model"}, {"MODE", "mode"}, {"mod", "mode"}, {"maxiteration", "maxIterations"}, {"max_iterations", "maxIterations"},
		{"zebra", ""}, {"", ""}, {"no", ""}, {"xx", ""},
	} {
		if got := text.Nearest(test.name, names); got != test.want {
			t.Errorf("%q: %q, not %q", test.name, got, test.want)
		}
	}
}

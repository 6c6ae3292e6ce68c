package console_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"redline/internal/console"
	"redline/internal/wire"
)

func TestClean(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"text", "Grüße, 世界 👨‍👩‍👧", "Grüße, 世界 👨‍👩‍👧"},
		{"lines and tabs", "a\tb\nc\r\nd", "a\tb\nc\nd"},
		{"colour", "\x1b[31mred\x1b[0m", "␛[31mred␛[0m"},
		{"title of the window", "\x1b]0;owned\a", "␛]0;owned␇"},
		{"a link that lies", "\x1b]8;;http://evil\x1b\\x", "␛]8;;http://evil␛\\x"},
		{"one byte for CSI", "\u009b2J", `\u009b2J`},
		{"back to the beginning", "good\rbad\b\x7f", "good␍bad␈␡"},
		{"override", "a\u202etxt.exe", `a\u202etxt.exe`},
		{"isolates and marks", "\u2066x\u2069\u200f\u061c", `\u2066x\u2069\u200f\u061c`},
		{"nothing to see", "a\u200bb\u2060c\ufeff", `a\u200bb\u2060c\ufeff`},
		{"tags", "a\U000e0041", `a\ue0041`},
		{"separators", "a\u2028b\u2029c", `a\u2028b\u2029c`},
		{"not UTF-8", "a\xffb\xc3", "a�b�"},
		{"nul", "a\x00b", "a␀b"},
		{"joiners of scripts", "می\u200cخواهم", "می\u200cخواهم"},
	} {
		if got := console.Clean(test.in); got != test.want {
			t.Errorf("%s: Clean(%q) = %q, want %q", test.name, test.in, got, test.want)
		}
	}
}

// harmless tells whether a text has nothing in it that a terminal obeys.
func harmless(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r)
	})
}

// FuzzClean: whatever comes in, nothing comes out that a terminal obeys, and what
// is clean stays as it is. A diff without colours is as clean.
func FuzzClean(f *testing.F) {
	for _, s := range []string{"", "plain", "\x1b[2J", "a\u202eb", "\xff\xfe", "x\r\ny\r", "\u009b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := console.Clean(s)
		if !harmless(once) {
			t.Errorf("Clean(%q) = %q", s, once)
		}
		if again := console.Clean(once); again != once {
			t.Errorf("Clean(%q) = %q, and cleaned again %q", s, once, again)
		}
		turn := wire.Turn{ID: s, Files: []wire.File{{Path: s, From: s, Verb: s, Hunks: []wire.Hunk{{
			ID: s, Kind: "text", State: s, Patch: s, Note: s,
			Lines: []wire.Line{{Type: "added", Spans: []wire.Span{{Text: s}, {Text: s, Changed: true}}}},
		}}}}}
		var b bytes.Buffer
		if err := console.Diff(&b, turn, console.Style{}); err != nil || !harmless(b.String()) || strings.Count(b.String(), "\n") > 4 {
			t.Errorf("the diff of %q: %q, %v", s, b.String(), err)
		}
	})
}

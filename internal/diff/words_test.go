package diff

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWords shows old and new as one text: [-deleted-]{+inserted+}.
func TestWords(t *testing.T) {
	golden(t, "words", func(t *testing.T, file func(string) string) string {
		return inline(Words([]byte(file("old")), []byte(file("new"))))
	})
}

func inline(spans []Span) string {
	var b strings.Builder
	for _, s := range spans {
		switch s.Op {
		case Equal:
			b.Write(s.Text)
		case Delete:
			b.WriteString("[-" + string(s.Text) + "-]")
		case Insert:
			b.WriteString("{+" + string(s.Text) + "+}")
		}
	}
	return b.String()
}

// checkSpans checks what Words promises.
func checkSpans(t *testing.T, a, b []byte, spans []Span) {
	t.Helper()
	var old, new []byte
	for i, s := range spans {
		if len(s.Text) == 0 {
			t.Fatalf("%q → %q: span %d is empty", a, b, i)
		}
		if i > 0 && (spans[i-1].Op == s.Op || spans[i-1].Op == Insert && s.Op == Delete) {
			t.Fatalf("%q → %q: %v behind %v", a, b, s.Op, spans[i-1].Op)
		}
		if s.Op != Insert {
			old = append(old, s.Text...)
		}
		if s.Op != Delete {
			new = append(new, s.Text...)
		}
	}
	if !bytes.Equal(old, a) || !bytes.Equal(new, b) {
		t.Fatalf("%q → %q: spans hold %q and %q", a, b, old, new)
	}
}

func FuzzWords(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s.a), []byte(s.b))
	}
	f.Add([]byte("It's 3.14, l’été 👩‍👩‍👧 🇩🇪🇫🇷."), []byte("Its 3,14 l'ete 👩‍👧 🇩🇪. \xf0\x9f"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		checkSpans(t, a, b, Words(a, b))
		if bytes.Equal(a, b) && len(Words(a, b)) > 1 {
			t.Fatalf("%q differs from itself", a)
		}
	})
}

func TestWordsRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 10))
	for range 10000 {
		a := document(r) + document(r)
		b := mutate(r, a)
		checkSpans(t, []byte(a), []byte(b), Words([]byte(a), []byte(b)))
	}
}

func TestSegments(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"Hello, world!", "Hello|,| |world|!"},
		{"it's John’s", "it's| |John’s"},
		{"'quoted'", "'|quoted|'"},
		{"3.14 1,000 a.b 1.", "3.14| |1,000| |a|.|b| |1|."},
		{"snake_case x+y", "snake_case| |x|+|y"},
		{"a \t b\r\nc\rd\n\n", "a| \t |b|\r\n|c|\r|d|\n|\n"},
		{"naïve cafe\u0301 Straße", "naïve| |cafe\u0301| |Straße"},
		{"日本語とabc", "日|本|語|と|abc"},
		{"한국어 말", "한국어| |말"},
		{"👩‍👩‍👧👍🏽!🇩🇪🇫🇷", "👩‍👩‍👧|👍🏽|!|🇩🇪|🇫🇷"},
		{"a\xff\xfeb\x00", "a|\xff|\xfe|b|\x00"},
	} {
		if d := cmp.Diff(strings.Split(tt.want, "|"), cut(words([]byte(tt.in)))); d != "" {
			t.Errorf("words of %q (-want +got):\n%s", tt.in, d)
		}
	}
}

func TestSentences(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"One. Two! Three? Four", "One. |Two! |Three? |Four"},
		{"He said \"No.\" Then left.", "He said \"No.\" |Then left."},
		{"Version 1.2 is out... Good.", "Version 1.2 is out... |Good."},
		{"A line\nthat goes on. Next\n\nparagraph", "A line\nthat goes on. |Next\n|\n|paragraph"},
		{"- one\n- two\n# head\ntext\n", "- one\n|- two\n|# head\ntext\n"},
		{"一つ。二つ！「三つ。」四つ", "一つ。|二つ！|「三つ。」|四つ"},
		{"End.\r\nNext.\r\n", "End.\r\n|Next.\r\n"},
	} {
		if d := cmp.Diff(strings.Split(tt.want, "|"), cut(sentences([]byte(tt.in)))); d != "" {
			t.Errorf("sentences of %q (-want +got):\n%s", tt.in, d)
		}
	}
}

func cut(p pieces) []string {
	var out []string
	for i := range p.len() {
		out = append(out, string(p.at(i)))
	}
	return out
}

func TestWordsHuge(t *testing.T) {
	if testing.Short() {
		t.Skip("large texts")
	}
	r := rand.New(rand.NewPCG(11, 11))
	text := func(n int, pieces ...string) []byte {
		var b bytes.Buffer
		for b.Len() < n {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		return b.Bytes()
	}
	prose := text(large(2<<20), "the ", "quick ", "brown ", "fox ", "jumps. ", "It ", "was, ", "over! ")
	edited := bytes.Clone(prose)
	for range 100 {
		edited[r.IntN(len(edited))] = 'x'
	}
	for _, tt := range []struct {
		name string
		a, b []byte
	}{
		{"prose", prose, edited},
		{"unrelated prose", prose[:1<<19], text(1<<19, "lazy ", "dogs, ", "the ", "bark. ")},
		{"one word", bytes.Repeat([]byte("x"), large(2<<20)), bytes.Repeat([]byte("x"), large(3<<19))},
		{"punctuation", text(large(3<<13), ".", ",", "(", ")"), text(large(3<<13), ".", ",", "(", ")")},
		{"json", text(large(1<<18), `{"a":1},`, `{"b":[2,3]},`, `{"c":"d"},`), text(large(1<<18), `{"a":1},`, `{"b":[2,3]},`, `{"c":"e"},`)},
		{"spaces", bytes.Repeat([]byte(" \n"), large(1<<19)), bytes.Repeat([]byte("\n "), large(1<<19))},
	} {
		t.Run(tt.name, func(t *testing.T) { checkSpans(t, tt.a, tt.b, Words(tt.a, tt.b)) })
	}
}

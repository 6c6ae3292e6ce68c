package text

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func lines(d *Document) []string {
	var out []string
	for i := range d.Lines() {
		out = append(out, string(d.Line(i)))
	}
	return out
}

func TestLines(t *testing.T) {
	tests := []struct {
		in   string
		want []string
		eol  EOL
	}{
		{"", nil, LF},
		{"a", []string{"a"}, LF},
		{"a\nb\n", []string{"a\n", "b\n"}, LF},
		{"a\nb", []string{"a\n", "b"}, LF},
		{"\n\n", []string{"\n", "\n"}, LF},
		{"a\r\nb\r\n", []string{"a\r\n", "b\r\n"}, CRLF},
		{"a\r\nb\n", []string{"a\r\n", "b\n"}, CRLF},
		{"a\nb\r\n", []string{"a\n", "b\r\n"}, LF},
		{"a\nb\r\nc\r\n", []string{"a\n", "b\r\n", "c\r\n"}, CRLF},
		{"a\rb\nc\r", []string{"a\rb\n", "c\r"}, LF},
		{"\r\r\n", []string{"\r\r\n"}, CRLF},
		{BOM + "a\n", []string{BOM + "a\n"}, LF},
		{"a\x00\xff\n", []string{"a\x00\xff\n"}, LF},
	}
	for _, tt := range tests {
		d := FromString(tt.in)
		if diff := cmp.Diff(tt.want, lines(d)); diff != "" {
			t.Errorf("lines of %q (-want +got):\n%s", tt.in, diff)
		}
		if d.EOL() != tt.eol {
			t.Errorf("EOL of %q = %q, want %q", tt.in, d.EOL(), tt.eol)
		}
		if d.String() != tt.in {
			t.Errorf("bytes of %q = %q", tt.in, d)
		}
	}
}

func TestZeroDocument(t *testing.T) {
	var d Document
	if d.Lines() != 0 || d.Len() != 0 || d.EOL() != LF || d.LineAt(0) != 0 {
		t.Error("the zero document is not an empty one")
	}
	got, err := d.Insert(-1, []byte("x"))
	if err != nil || got.String() != "x" {
		t.Errorf("insert into the zero document = %q, %v", got, err)
	}
}

func TestLineText(t *testing.T) {
	d := FromString(BOM + "one\r\ntwo\n\rthree")
	for i, want := range []string{"one", "two", "\rthree"} {
		if got := string(d.LineText(i)); got != want {
			t.Errorf("text of line %d = %q, want %q", i, got, want)
		}
	}
}

func TestLineAt(t *testing.T) {
	d := FromString("a\nbb\nc")
	for offset, want := range []int{0, 0, 1, 1, 1, 2, 2, 2} {
		if got := d.LineAt(offset); got != want {
			t.Errorf("LineAt(%d) = %d, want %d", offset, got, want)
		}
	}
}

func TestSlice(t *testing.T) {
	d := FromString("a\nb\r\nc")
	for _, tt := range []struct {
		r    Range
		want string
	}{{Range{0, 3}, "a\nb\r\nc"}, {Range{1, 2}, "b\r\n"}, {Range{3, 3}, ""}, {Range{0, 0}, ""}} {
		got, err := d.Slice(tt.r)
		if err != nil || string(got) != tt.want {
			t.Errorf("Slice(%v) = %q, %v, want %q", tt.r, got, err, tt.want)
		}
		h, err := d.HashRange(tt.r)
		if err != nil || h != Sum([]byte(tt.want)) {
			t.Errorf("HashRange(%v) = %v, %v", tt.r, h, err)
		}
	}
	for _, r := range []Range{{-1, 1}, {0, 4}, {2, 1}, {4, 4}} {
		if _, err := d.Slice(r); !errors.Is(err, ErrRange) {
			t.Errorf("Slice(%v): %v, want ErrRange", r, err)
		}
		if _, err := d.HashRange(r); !errors.Is(err, ErrRange) {
			t.Errorf("HashRange(%v): %v, want ErrRange", r, err)
		}
	}
}

// TestAppendToSlice makes sure that no caller can grow one line into the next.
func TestAppendToSlice(t *testing.T) {
	d := FromString("a\nb\n")
	_ = append(d.Line(0), 'X')
	s, _ := d.Slice(Range{0, 1})
	_ = append(s, 'X')
	if d.String() != "a\nb\n" {
		t.Errorf("document became %q", d)
	}
}

func TestCheck(t *testing.T) {
	late := append(bytes.Repeat([]byte("a"), binaryWindow), 0)
	for _, tt := range []struct {
		in   []byte
		want error
	}{
		{nil, nil},
		{[]byte("plain"), nil},
		{[]byte("grüß dich 🦀"), nil},
		{[]byte("a\x00b"), ErrBinary},
		{late, nil},
		{[]byte("caf\xe9"), ErrEncoding},
		{[]byte("\xff\xfea\x00"), ErrBinary},
		{[]byte("\xc0\xae"), ErrEncoding},
		{[]byte("\xed\xa0\x80"), ErrEncoding}, // a lone surrogate
	} {
		if got := Check(tt.in); !errors.Is(got, tt.want) {
			t.Errorf("Check(%.20q) = %v, want %v", tt.in, got, tt.want)
		}
	}
}

func TestHash(t *testing.T) {
	const empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	h := FromString("").Hash()
	if h.String() != empty {
		t.Errorf("hash of nothing = %s", h)
	}
	for _, s := range []string{empty, ""} {
		if back, err := ParseHash(s); err != nil || back.String() != s {
			t.Errorf("ParseHash(%q) = %v, %v", s, back, err)
		}
	}
	for _, s := range []string{"sha256:zz", "sha256:", empty[7:], empty + "00", strings.Replace(empty, "e3", "g3", 1), "md5:" + empty[7:]} {
		if _, err := ParseHash(s); err == nil {
			t.Errorf("ParseHash(%q) succeeded", s)
		}
	}
}

// randomDocument makes short documents rich in the cases that go wrong.
func randomDocument(r *rand.Rand) string {
	pieces := []string{"a", "b", "\n", "\n", "\r\n", "\r\n", "\r", "é", "word ", "\x00", "\xff"}
	var b strings.Builder
	if r.IntN(8) == 0 {
		b.WriteString(BOM)
	}
	for range r.IntN(14) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

// TestEditedIndex: the index that an edit derives is the one a scan would make.
func TestEditedIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 30000 {
		d := FromString(randomDocument(r))
		var edits []Edit
		for range 1 + r.IntN(3) {
			start := r.IntN(d.Lines() + 1)
			edits = append(edits, Edit{Range{start, start + r.IntN(d.Lines()-start+1)}, []byte(randomDocument(r))})
		}
		got, err := d.Apply(edits...)
		if errors.Is(err, ErrOverlap) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		want := New(got.Bytes())
		if fmt.Sprint(want.ends) != fmt.Sprint(got.ends) || want.crlf != got.crlf {
			t.Fatalf("%q edited by %+v = %q\nindex %v crlf %d\nscan  %v crlf %d", d, edits, got, got.ends, got.crlf, want.ends, want.crlf)
		}
	}
}

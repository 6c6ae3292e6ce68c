package text

import (
	"bytes"
	"errors"
	"testing"
)

// FuzzEdit checks what every edit promises: the bytes outside it stay, except
// that a line without an end gets one when text follows; the line index is
// right; and the document that was edited is untouched.
func FuzzEdit(f *testing.F) {
	for _, s := range []string{"", "a", "a\nb\n", "a\r\nb\r\nc", BOM + "a\nb", "a\rb\r\n\n", "\x00\xff\n"} {
		f.Add([]byte(s), uint8(0), uint8(1), []byte("x\ny"))
		f.Add([]byte(s), uint8(1), uint8(0), []byte(BOM+"x\r\n"))
		f.Add([]byte(s), uint8(1), uint8(2), []byte(""))
	}
	f.Fuzz(func(t *testing.T, data []byte, start, count uint8, content []byte) {
		before := bytes.Clone(data)
		d := New(data)
		r := Range{int(start), int(start) + int(count)}
		got, err := d.Apply(Edit{r, content})
		if !bytes.Equal(d.Bytes(), before) {
			t.Fatalf("the edit changed its document to %q", d)
		}
		if r.End > d.Lines() {
			if !errors.Is(err, ErrRange) {
				t.Fatalf("range %v of %d lines: %v", r, d.Lines(), err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		head, tail := before[:d.Offset(r.Start)], before[d.Offset(r.End):]
		if r.Start == 0 && d.HasBOM() {
			head = []byte(BOM)
			if r.End == 0 {
				tail = before[len(BOM):]
			}
		}
		if !bytes.HasPrefix(got.Bytes(), head) || !bytes.HasSuffix(got.Bytes(), tail) {
			t.Fatalf("%q with %v replaced by %q = %q", before, r, content, got)
		}
		if got.Len() < len(head)+len(tail) {
			t.Fatalf("%q: head and tail overlap in %q", before, got)
		}
		middle := got.Bytes()[len(head) : got.Len()-len(tail)]
		// Terminators may change their kind, and one may be supplied at either end.
		plain := func(b []byte) []byte {
			return bytes.Trim(bytes.ReplaceAll(b, []byte("\r"), nil), "\n")
		}
		want := content
		if d.Offset(r.Start) <= len(BOM) && d.HasBOM() {
			want = bytes.TrimPrefix(want, []byte(BOM))
		}
		if !bytes.Equal(plain(middle), plain(want)) {
			t.Fatalf("%q with %v replaced by %q holds %q", before, r, content, middle)
		}
		if fresh := New(got.Bytes()); fresh.Lines() != got.Lines() || fresh.crlf != got.crlf {
			t.Fatalf("index of %q: %d lines %d CRLF, scanned %d and %d", got, got.Lines(), got.crlf, fresh.Lines(), fresh.crlf)
		}
	})
}

// FuzzReplaceText checks that replacing a text leaves the rest alone, and that
// all matches are what was looked for.
func FuzzReplaceText(f *testing.F) {
	f.Add([]byte("one\r\ntwo\r\n"), []byte("one\n"), []byte("x\n"), true)
	f.Add([]byte("one\ntwo\r\none\r\n"), []byte("\n"), []byte("\r\n"), true)
	f.Add([]byte("aaaa"), []byte("aa"), []byte(""), true)
	f.Add([]byte(BOM+"a\r\r\n"), []byte("\r\n"), []byte("b"), false)
	f.Fuzz(func(t *testing.T, data, old, new []byte, all bool) {
		d := New(bytes.Clone(data))
		flat := func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(CRLF), []byte(LF)) }
		needle := flat(bytes.TrimPrefix(old, []byte(BOM)))
		found := d.Find(old)
		at := 0
		for _, m := range found {
			if m.Start < at || m.End < m.Start || m.End > len(data) {
				t.Fatalf("%q in %q: matches %v", old, data, found)
			}
			at = m.End
			if got := flat(data[m.Start:m.End]); !bytes.Equal(got, needle) {
				t.Fatalf("%q in %q: match %q", old, data, got)
			}
		}
		got, n, err := d.ReplaceText(old, new, all)
		if !bytes.Equal(d.Bytes(), data) {
			t.Fatalf("the edit changed its document to %q", d)
		}
		if err != nil {
			return
		}
		if n != len(found) || (!all && n != 1) {
			t.Fatalf("replaced %d of %d", n, len(found))
		}
		// What lies between the matches is there, in order and unchanged.
		rest, at := got.Bytes(), 0
		for _, m := range found {
			keep := data[at:m.Start]
			if !bytes.HasPrefix(rest, keep) {
				t.Fatalf("%q: %q → %q in %q", got, old, new, data)
			}
			rest = rest[len(keep):]
			at = m.End
			rest = rest[len(adopt(bytes.TrimPrefix(new, bomOf(old)), data[m.Start:m.End], d.EOL())):]
		}
		if !bytes.Equal(rest, data[at:]) {
			t.Fatalf("%q: %q → %q in %q", got, old, new, data)
		}
	})
}

func bomOf(b []byte) []byte {
	if bytes.HasPrefix(b, []byte(BOM)) {
		return []byte(BOM)
	}
	return nil
}

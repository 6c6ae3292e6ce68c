package search

import "bytes"

// needle is a text that is looked for byte by byte. With fold an ASCII letter
// stands for both its cases; such a needle has no letter that folds to anything
// else.
type needle struct {
	text []byte
	fold bool
	rare int // the offset in text of the byte that is seldom met
}

func newNeedle(text string, fold bool) needle {
	n := needle{text: []byte(text), fold: fold}
	best := -1
	for i, c := range n.text {
		w := weight[c]
		if fold && isLetter(c) {
			w = min(weight[c|0x20], weight[c&^0x20])
		}
		if int(w) > best {
			n.rare, best = i, int(w)
		}
	}
	return n
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// isAt tells whether data holds the needle at offset i.
func (n *needle) isAt(data []byte, i int) bool {
	if i < 0 || i+len(n.text) > len(data) {
		return false
	}
	if !n.fold {
		return bytes.Equal(data[i:i+len(n.text)], n.text)
	}
	for k, c := range n.text {
		if d := data[i+k]; d != c && (d^c != 0x20 || !isLetter(c)) {
			return false
		}
	}
	return true
}

// indexFrom is the offset of the first occurrence at or behind from, or never.
func (n *needle) indexFrom(data []byte, from int) int {
	if !n.fold {
		if i := bytes.Index(data[from:], n.text); i >= 0 {
			return from + i
		}
		return never
	}
	for ; from+len(n.text) <= len(data); from++ {
		if n.isAt(data, from) {
			return from
		}
	}
	return never
}

// finder finds a needle in one text after the other. It remembers where the
// next ones are, so that asking again costs nothing.
type finder struct {
	*needle
	hit  int    // the next occurrence, if it is not behind
	next [2]int // of the rare byte, in both cases
}

const (
	unknown = -1
	never   = int(^uint(0) >> 1)
)

// reset makes the finder ready for another text.
func (f *finder) reset() { f.hit, f.next = unknown, [2]int{unknown, unknown} }

// find is the offset of the first occurrence at or behind from, or never.
// Calls for one text go forward.
func (f *finder) find(data []byte, from int) int {
	if f.hit >= from {
		return f.hit
	}
	if f.fold && isLetter(f.text[f.rare]) {
		f.hit = f.findFold(data, from)
	} else {
		f.hit = f.findPlain(data, from)
	}
	return f.hit
}

func (f *finder) findPlain(data []byte, from int) int {
	c, misses := f.text[f.rare], 0
	for at := from + f.rare; at < len(data); at++ {
		i := bytes.IndexByte(data[at:], c)
		if i < 0 {
			break
		}
		at += i
		if f.isAt(data, at-f.rare) {
			return at - f.rare
		}
		// The byte is not rare here: the general search copes better.
		if misses++; misses > 16+(at-from)/32 && !f.fold {
			if i := bytes.Index(data[at-f.rare+1:], f.text); i >= 0 {
				return at - f.rare + 1 + i
			}
			break
		}
	}
	return never
}

func (f *finder) findFold(data []byte, from int) int {
	cases := [2]byte{f.text[f.rare] | 0x20, f.text[f.rare] &^ 0x20}
	for at := from + f.rare; ; at++ {
		for k, c := range cases {
			if f.next[k] >= at {
				continue
			}
			f.next[k] = never
			if at < len(data) {
				if i := bytes.IndexByte(data[at:], c); i >= 0 {
					f.next[k] = at + i
				}
			}
		}
		if at = min(f.next[0], f.next[1]); at == never {
			return never
		}
		if f.isAt(data, at-f.rare) {
			return at - f.rare
		}
	}
}

// weight tells how seldom a byte is in notes and code: about the bits of
// information that it carries.
var weight = weights()

func weights() [256]uint8 {
	var w [256]uint8
	for c := range w {
		w[c] = 9
		if c >= 0x80 {
			w[c] = 5 // a text in another script is full of them
		}
	}
	for bits, chars := range map[uint8]string{
		2: " ", 3: "e", 4: "taoinshr", 5: "dlucm", 6: "fwygpb.,-", 7: "vk0123456789#*_\"'()[]=/:", 8: "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
	} {
		for i := range len(chars) {
			w[chars[i]] = bits
		}
	}
	return w
}

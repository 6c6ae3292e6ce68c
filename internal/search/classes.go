package search

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// The columns of a table of transitions: what ends lines, the classes of
// characters, and behind them the bytes of characters that have several.
const (
	endColumn  = iota // the end of a line
	backColumn        // a carriage return: data, or part of the end of a line
	firstClass
)

// classes sort the characters so that those of one class behave alike.
type classes struct {
	bytes  [256]uint32 // the column of each byte
	starts []rune      // where runs of characters of one class start; the first is 0
	of     []uint32    // the class of each run
	sample []rune      // a character of each class, from firstClass on
}

func newClasses(inst []syntax.Inst, words bool) *classes {
	var sets []*syntax.Inst
	seen := map[string]bool{}
	cuts := []rune{0}
	cut := func(lo, hi rune) { cuts = append(cuts, lo, hi+1) }
	if words {
		cut('0', '9')
		cut('A', 'Z')
		cut('a', 'z')
		cut('_', '_')
	}
	for k := range inst {
		i := &inst[k]
		if i.Op != syntax.InstRune && i.Op != syntax.InstRune1 || seen[setKey(i)] {
			continue // the other instructions take any character of a line
		}
		seen[setKey(i)] = true
		sets = append(sets, i)
		if len(i.Rune) == 1 {
			cut(i.Rune[0], i.Rune[0])
			for r := unicode.SimpleFold(i.Rune[0]); r != i.Rune[0]; r = unicode.SimpleFold(r) {
				cut(r, r)
			}
		}
		for j := 0; j+1 < len(i.Rune); j += 2 {
			cut(i.Rune[j], i.Rune[j+1])
		}
	}
	slices.Sort(cuts)
	c := &classes{starts: slices.Compact(cuts)}
	c.sort(sets, words)
	c.assign()
	return c
}

func setKey(i *syntax.Inst) string {
	b := []byte{byte(i.Op), byte(i.Arg)}
	for _, r := range i.Rune {
		b = binary.AppendVarint(b, int64(r))
	}
	return string(b)
}

// sort gives the runs that no set tells apart one class.
func (c *classes) sort(sets []*syntax.Inst, words bool) {
	ids := map[string]uint32{}
	key := make([]byte, (len(sets)+8)/8)
	for _, r := range c.starts {
		clear(key)
		for k, i := range sets {
			if i.MatchRune(r) {
				key[k/8] |= 1 << (k % 8)
			}
		}
		if words && syntax.IsWordChar(r) {
			key[len(sets)/8] |= 1 << (len(sets) % 8)
		}
		id, ok := ids[string(key)]
		if !ok {
			id = uint32(firstClass + len(c.sample))
			ids[string(key)] = id
			c.sample = append(c.sample, r)
		}
		c.of = append(c.of, id)
	}
}

// assign gives the bytes their columns.
func (c *classes) assign() {
	for b := range c.bytes {
		switch {
		case b == '\n':
			c.bytes[b] = endColumn
		case b == '\r':
			c.bytes[b] = backColumn
		case b < utf8.RuneSelf:
			c.bytes[b] = c.class(rune(b))
		default:
			c.bytes[b] = c.wide() + uint32(b-utf8.RuneSelf)
		}
	}
}

// wide is the first column for bytes of characters that have several.
func (c *classes) wide() uint32 { return firstClass + uint32(len(c.sample)) }

// wideByte is the byte of such a column.
func (c *classes) wideByte(column uint32) (byte, bool) {
	if column < c.wide() {
		return 0, false
	}
	return byte(column-c.wide()) + utf8.RuneSelf, true
}

// columns is the number of columns.
func (c *classes) columns() int { return int(c.wide()) + 256 - utf8.RuneSelf }

// class is the class of a character.
func (c *classes) class(r rune) uint32 {
	i, found := slices.BinarySearch(c.starts, r)
	if !found {
		i--
	}
	return c.of[i]
}

// common is the class of all characters from low to high, if they have one.
func (c *classes) common(low, high rune) (uint32, bool) {
	class := c.class(low)
	i, found := slices.BinarySearch(c.starts, low)
	if found {
		i++
	}
	for ; i < len(c.starts) && c.starts[i] <= high; i++ {
		if c.of[i] != class {
			return 0, false
		}
	}
	return class, true
}

// partial is the start of a character of several bytes. Starts whose characters
// are all of one class are the same, for the same number of bytes.
type partial struct {
	read, missing uint8  // bytes
	low           rune   // the first character that starts so
	class         uint32 // of all characters that start so; 0 if they differ
}

// startPartial is what the first byte of a character tells. It is not ok if none
// looks like that.
func startPartial(b byte, c *classes) (partial, bool) {
	p := partial{read: 1}
	switch {
	case b>>5 == 0b110:
		p.missing, p.low = 1, rune(b&0x1f)<<6
	case b>>4 == 0b1110:
		p.missing, p.low = 2, rune(b&0x0f)<<12
	case b>>3 == 0b11110:
		p.missing, p.low = 3, rune(b&0x07)<<18
	default:
		return partial{}, false
	}
	return p.sorted(c), true
}

// extend is the partial with one more byte. It is not ok if no character starts
// so.
func (p partial) extend(b byte, c *classes) (partial, bool) {
	if b&0xc0 != 0x80 {
		return partial{}, false
	}
	p.read++
	p.missing--
	if p.class == 0 {
		p.low |= rune(b&0x3f) << (6 * p.missing)
		if !p.valid() {
			return partial{}, false
		}
	}
	return p.sorted(c), true
}

// high is the last character that starts so.
func (p partial) high() rune { return p.low + 1<<(6*p.missing) - 1 }

// least is the least character that may be written with so many bytes.
func (p partial) least() rune {
	switch p.read + p.missing {
	case 2:
		return 0x80
	case 3:
		return 0x800
	}
	return 0x10000
}

// valid tells whether all that can follow makes a character.
func (p partial) valid() bool {
	return p.low >= p.least() && p.high() <= unicode.MaxRune && (p.high() < 0xd800 || p.low > 0xdfff)
}

// sorted gives a partial its class if it has one.
func (p partial) sorted(c *classes) partial {
	if p.class == 0 && p.valid() {
		if class, ok := c.common(p.low, p.high()); ok {
			p.low, p.class = 0, class
		}
	}
	return p
}

package diff

import (
	"bytes"
	"hash/maphash"
	"math/bits"
)

// interner gives equal byte strings equal small numbers, counted from 0 in the
// order in which they are first seen. The numbers do not depend on the hash,
// so results do not depend on its seed.
type interner struct {
	seed  maphash.Seed
	slots []slot // open addressing, a power of two
	seen  [][]byte
}

type slot struct {
	hash uint32
	id   int32 // 0 is free, otherwise the number plus one
}

// newInterner expects about n distinct strings.
func newInterner(n int) *interner {
	const most = 1 << 20 // more than that only if they really are distinct
	n = min(max(n, 8), most)
	return &interner{
		seed:  maphash.MakeSeed(),
		slots: make([]slot, 1<<bits.Len(uint(n+n/2))),
		seen:  make([][]byte, 0, n),
	}
}

func (t *interner) len() int { return len(t.seen) }

// id returns the number of s, which the interner keeps.
func (t *interner) id(s []byte) int32 {
	hash := uint32(maphash.Bytes(t.seed, s))
	mask := uint32(len(t.slots) - 1)
	at := hash & mask
	for ; t.slots[at].id != 0; at = (at + 1) & mask {
		if t.slots[at].hash == hash && bytes.Equal(t.seen[t.slots[at].id-1], s) {
			return t.slots[at].id - 1
		}
	}
	t.seen = append(t.seen, s)
	t.slots[at] = slot{hash, int32(len(t.seen))}
	if len(t.seen)*4 > len(t.slots)*3 {
		t.grow()
	}
	return int32(len(t.seen) - 1)
}

func (t *interner) grow() {
	old := t.slots
	t.slots = make([]slot, 2*len(old))
	mask := uint32(len(t.slots) - 1)
	for _, s := range old {
		if s.id == 0 {
			continue
		}
		at := s.hash & mask
		for t.slots[at].id != 0 {
			at = (at + 1) & mask
		}
		t.slots[at] = s
	}
}

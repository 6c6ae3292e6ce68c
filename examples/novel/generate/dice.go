package main

// dice is a splitmix64 generator. It is written out here, and not taken from
// math/rand, so that no future release of Go can change the book.
type dice uint64

func (d *dice) next() uint64 {
	*d += 0x9e3779b97f4a7c15
	z := uint64(*d)
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// upTo returns a number in [0, n). The bias of the remainder does not matter for n this small.
func (d *dice) upTo(n int) int { return int(d.next() % uint64(n)) }

package text

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// Hash identifies content: the SHA-256 of its exact bytes. The zero value
// stands for no content at all, such as a file that does not exist.
type Hash [sha256.Size]byte

const hashPrefix = "sha256:"

// Sum is the hash of data.
func Sum(data []byte) Hash { return sha256.Sum256(data) }

// Hash is the hash of the whole document.
func (d *Document) Hash() Hash { return Sum(d.data) }

// HashRange is the hash of the exact bytes of the lines in r.
func (d *Document) HashRange(r Range) (Hash, error) {
	b, err := d.Slice(r)
	if err != nil {
		return Hash{}, err
	}
	return Sum(b), nil
}

// IsZero tells whether h stands for no content.
func (h Hash) IsZero() bool { return h == Hash{} }

// String writes h as "sha256:" and 64 hexadecimal digits; the zero hash is "".
func (h Hash) String() string {
	if h.IsZero() {
		return ""
	}
	return hashPrefix + hex.EncodeToString(h[:])
}

// ParseHash reads what String writes.
func ParseHash(s string) (Hash, error) {
	var h Hash
	if s == "" {
		return h, nil
	}
	digits, ok := strings.CutPrefix(s, hashPrefix)
	if !ok || len(digits) != 2*len(h) {
		return h, fmt.Errorf("hash %.80q: want %q and %d hexadecimal digits", s, hashPrefix, 2*len(h))
	}
	if _, err := hex.Decode(h[:], []byte(digits)); err != nil {
		return Hash{}, fmt.Errorf("hash %.80q: %w", s, err)
	}
	return h, nil
}

// MarshalText and UnmarshalText give hashes their String form in JSON.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

func (h *Hash) UnmarshalText(b []byte) (err error) {
	*h, err = ParseHash(string(b))
	return err
}

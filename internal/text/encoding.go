package text

import (
	"bytes"
	"unicode/utf8"
)

// binaryWindow is how much of a file is looked at for a NUL byte.
const binaryWindow = 8 << 10

// IsBinary tells whether data holds a NUL byte near its start.
func IsBinary(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), binaryWindow)], 0) >= 0
}

// Check returns ErrBinary or ErrEncoding for data that Redline must not edit
// as text, and nil for the rest.
func Check(data []byte) error {
	switch {
	case IsBinary(data):
		return ErrBinary
	case !utf8.Valid(data):
		return ErrEncoding
	}
	return nil
}

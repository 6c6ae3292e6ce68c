package ops

import "redline/internal/text"

// What keeps a file from being read as text: an error with the code
// UnsupportedFile may be one of them, by errors.Is.
var (
	ErrBinary   = text.ErrBinary
	ErrEncoding = text.ErrEncoding
)

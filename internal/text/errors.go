package text

import (
	"errors"
	"fmt"
)

// What can be wrong with an edit. None of them changes a document.
var (
	ErrRange     = errors.New("line range is outside the document")
	ErrOverlap   = errors.New("edits overlap")
	ErrNotFound  = errors.New("text not found")
	ErrAmbiguous = errors.New("text occurs more than once")
	ErrNoChange  = errors.New("the new text is the same as the old")
	ErrEmpty     = errors.New("the text to find is empty")
	ErrBinary    = errors.New("binary data, not text")
	ErrEncoding  = errors.New("text is not valid UTF-8")
)

// RangeError is ErrRange with the range that was asked for. Line numbers in
// its message count from 0, as everywhere in this package.
type RangeError struct {
	Range Range
	Lines int // how many lines the document has
}

func (e *RangeError) Error() string {
	return fmt.Sprintf("lines %d up to %d of a document of %d lines: %v", e.Range.Start, e.Range.End, e.Lines, ErrRange)
}

func (e *RangeError) Unwrap() error { return ErrRange }

// AmbiguousError is ErrAmbiguous with the places.
type AmbiguousError struct {
	Count int   // all occurrences
	Lines []int // the lines of the first few
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%v: %d times, first on lines %v", ErrAmbiguous, e.Count, e.Lines)
}

func (e *AmbiguousError) Unwrap() error { return ErrAmbiguous }

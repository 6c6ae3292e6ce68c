package workspace

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// lookalike finds a name in d that is spelled with other code points but is
// the same text: "é" can be one character or two, and which of them a file
// name has depends on the system that made it.
func (d *dir) lookalike(name string) (string, bool) {
	if isASCII(name) {
		return "", false
	}
	names, err := d.names()
	if err != nil {
		return "", false
	}
	want := norm.NFC.String(name)
	for _, n := range names {
		if n != name && norm.NFC.String(n) == want {
			return n, true
		}
	}
	return "", false
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

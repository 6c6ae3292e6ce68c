package command

import (
	"cmp"
	"strings"
)

// compareVersions compares names in which numbers count by their value, as ls -v and
// sort -V do: file2 before file10, a.1.tar.gz by what is before the extension first.
func compareVersions(a, b string) int {
	if a == b {
		return 0
	}
	for _, special := range []string{"", ".", ".."} {
		if a == special || b == special {
			if a == special {
				return -1
			}
			return 1
		}
	}
	hiddenA, hiddenB := a[0] == '.', b[0] == '.'
	if hiddenA != hiddenB {
		if hiddenA {
			return -1
		}
		return 1
	}
	stemA, stemB := withoutExtension(a), withoutExtension(b)
	return cmp.Or(compareRevisions(stemA, stemB), compareRevisions(a, b))
}

// withoutExtension cuts off the extensions of a name: letters, digits and tildes behind
// a dot, which begin with no digit.
func withoutExtension(name string) string {
	end := len(name)
	for {
		at := strings.LastIndexByte(name[:end], '.')
		if at <= 0 || at+1 == end {
			return name[:end]
		}
		for i := at + 1; i < end; i++ {
			c := name[i]
			if !isLetter(c) && c != '~' && (i == at+1 || c < '0' || c > '9') {
				return name[:end]
			}
		}
		end = at
	}
}

// compareRevisions compares parts without and with digits in turn.
func compareRevisions(a, b string) int {
	for a != "" || b != "" {
		for nonDigit(a) || nonDigit(b) {
			if c := cmp.Compare(versionRank(a), versionRank(b)); c != 0 {
				return c
			}
			a, b = a[1:], b[1:]
		}
		a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
		n, m := digits(a), digits(b)
		if c := cmp.Or(cmp.Compare(n, m), cmp.Compare(a[:n], b[:m])); c != 0 {
			return c
		}
		a, b = a[n:], b[m:]
	}
	return 0
}

func nonDigit(s string) bool { return s != "" && (s[0] < '0' || s[0] > '9') }

// versionRank is the order of the first character: a tilde before the end, that
// before digits, letters and all else.
func versionRank(s string) int {
	switch {
	case s == "":
		return -1
	case s[0] == '~':
		return -2
	case s[0] >= '0' && s[0] <= '9':
		return 0
	case isLetter(s[0]):
		return int(s[0])
	}
	return int(s[0]) + 256
}

package tool

import (
	"cmp"
	"slices"
	"strings"
)

// near returns up to three of the known names that could have been meant, the
// nearest first.
func near(name string, known []string) []string {
	type candidate struct {
		name string
		far  int
	}
	if len(name) > 100 {
		return nil
	}
	var found []candidate
	for _, k := range known {
		if far, ok := farness(name, k); ok {
			found = append(found, candidate{k, far})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.far, b.far) })
	var names []string
	for _, c := range found[:min(3, len(found))] {
		names = append(names, c.name)
	}
	return names
}

// farness compares two names without regard to case and separators. Names of
// which one has all the words of the other (path, file_path), or begins with it
// (lim, limit), are near as well.
func farness(a, b string) (int, bool) {
	bare := strings.NewReplacer("_", "", "-", "", ".", "", " ", "")
	x, y := bare.Replace(strings.ToLower(a)), bare.Replace(strings.ToLower(b))
	d := distance([]rune(x), []rune(y))
	limit := max(1, min(len(x), len(y))/3)
	if d <= limit {
		return d, true
	}
	if hasWords(a, b) || hasWords(b, a) || begins(x, y) || begins(y, x) {
		return limit + 1, true
	}
	return 0, false
}

func hasWords(a, of string) bool {
	words := split(of)
	for _, w := range split(a) {
		if !slices.Contains(words, w) {
			return false
		}
	}
	return len(a) > 0
}

func begins(a, with string) bool { return len(with) >= 3 && strings.HasPrefix(a, with) }

// split cuts snake_case, kebab-case and camelCase into words in lower case.
func split(name string) []string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && r >= 'A' && r <= 'Z' {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return strings.FieldsFunc(strings.ToLower(b.String()), func(r rune) bool { return r == '_' || r == '-' || r == ' ' || r == '.' })
}

// distance counts the letters to insert, drop, replace or swap with their
// neighbour.
func distance(a, b []rune) int {
	var older []int
	prev := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := range a {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(row[j]+1, prev[j+1]+1, prev[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], older[j-1]+1)
			}
		}
		older, prev = prev, row
	}
	return prev[len(b)]
}

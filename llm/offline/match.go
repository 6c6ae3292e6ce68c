package offline

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// folded is a text without case and accents.
func folded(s string) string {
	var b strings.Builder
	for _, r := range norm.NFD.String(s) {
		if !unicode.Is(unicode.Mn, r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// termsOf are the words of a text, folded, without punctuation, and numbers without
// zeros before them.
func termsOf(s string) []string {
	terms := strings.FieldsFunc(strings.ReplaceAll(strings.ReplaceAll(folded(s), "'s", ""), "’s", ""), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	for i, t := range terms {
		if numeric(t) {
			terms[i] = strings.TrimLeft(t[:len(t)-1], "0") + t[len(t)-1:]
		}
	}
	return terms
}

// numeric tells whether a word is a number.
func numeric(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// digits are those of a text.
func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

// plainTerms are the words of a text that say something.
func plainTerms(s string) []string {
	terms := termsOf(s)
	kept := slices.DeleteFunc(slices.Clone(terms), func(t string) bool { return fillers[t] })
	if len(kept) == 0 {
		return terms
	}
	return kept
}

// fillers are words that people put around a name.
var fillers = map[string]bool{
	"a": true, "an": true, "the": true, "my": true, "our": true, "of": true, "for": true, "to": true, "in": true, "on": true,
	"and": true, "about": true, "with": true, "from": true, "note": true, "notes": true, "document": true, "documents": true,
	"file": true, "files": true, "entry": true, "entries": true, "page": true, "list": true, "doc": true, "called": true, "named": true,
}

// hasAll tells whether every one of the words is in the list.
func hasAll(list, words []string) bool {
	for _, w := range words {
		if !slices.Contains(list, w) {
			return false
		}
	}
	return len(words) > 0
}

// hasPrefixes tells whether each of the words begins a word of the list.
func hasPrefixes(list, words []string) bool {
	for _, w := range words {
		if !slices.ContainsFunc(list, func(s string) bool { return s == w || strings.HasPrefix(s, w) && !numeric(w) }) {
			return false
		}
	}
	return len(words) > 0
}

// distance is how many letters have to be changed, added, left out or swapped with
// their neighbour to make b of a.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	if len(s) > 100 || len(t) > 100 {
		return 100
	}
	rows := make([][]int, len(s)+1)
	for i := range rows {
		rows[i] = make([]int, len(t)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(s); i++ {
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(s)][len(t)]
}

// near tells whether two names differ by no more than a slip of the pen: a letter
// in five, and no digit.
func near(a, b string) bool {
	n := max(len([]rune(a)), len([]rune(b)))
	return n >= 4 && digits(a) == digits(b) && distance(a, b) <= (n+2)/5
}

// nearest are those of the names that look most like one, best first.
func nearest(name string, names []string, most int) []string {
	type scored struct {
		name  string
		score int
	}
	var list []scored
	want := strings.Join(plainTerms(name), " ")
	for _, n := range names {
		have := strings.Join(plainTerms(nameOf(n)), " ")
		score := distance(want, have)
		shared := 0
		for _, t := range plainTerms(name) {
			if slices.ContainsFunc(plainTerms(n), func(s string) bool { return s == t || near(s, t) }) {
				shared++
			}
		}
		if shared == 0 && score > (len([]rune(want))+1)/2 {
			continue
		}
		list = append(list, scored{n, score - 10*shared})
	}
	slices.SortStableFunc(list, func(a, b scored) int { return a.score - b.score })
	var best []string
	for _, s := range list[:min(len(list), most)] {
		best = append(best, s.name)
	}
	return best
}

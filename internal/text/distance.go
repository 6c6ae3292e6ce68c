package text

import "strings"

// Distance is how many letters have to be changed, added or left out to make b of
// a. Its cost is the product of their lengths, so only the first 200 letters of
// each are compared.
func Distance(a, b string) int {
	const longest = 200
	x, y := []rune(a), []rune(b)
	x, y = x[:min(len(x), longest)], y[:min(len(y), longest)]
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j := range y {
			cost := diagonal
			if x[i] != y[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(y)]
}

// Nearest returns the one of names that a misspelt name was probably meant to be:
// at most a third of its letters differ, and upper and lower case are the same. It
// returns "" if there is none.
func Nearest(name string, names []string) string {
	best, least := "", max(2, len([]rune(name))/3)+1
	for _, n := range names {
		if d := Distance(strings.ToLower(name), strings.ToLower(n)); d < least && d < len(n) {
			best, least = n, d
		}
	}
	return best
}

package session

import (
	"fmt"
	"maps"
	"slices"
)

// JobMoves are the moves of the table of jobs, as rows of a table in Markdown, in the
// order of the states.
func JobMoves() (rows []string, moves map[string]bool) {
	moves = map[string]bool{}
	for _, from := range append(slices.Clone(unfinished), "completed", "failed", "cancelled") {
		for _, what := range slices.Sorted(maps.Keys(jobTable[from])) {
			to := jobTable[from][what]
			rows = append(rows, fmt.Sprintf("| %s | %s | %s |", from, what, to))
			moves[fmt.Sprintf("%s → %s", from, to)] = true
		}
	}
	return rows, moves
}

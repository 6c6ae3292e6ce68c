package server

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"testing"
)

// TestErrorsPage: docs/api.md names every code by which a request can be refused, at the
// status that it has.
func TestErrorsPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	told := map[string][]string{} // codes by status
	code := regexp.MustCompile("`([a-z_]+)`")
	for _, row := range regexp.MustCompile(`(?m)^\| (\d{3}) \| (.*?) \|`).FindAllSubmatch(page, -1) {
		for _, c := range code.FindAllSubmatch(row[2], -1) {
			told[string(row[1])] = append(told[string(row[1])], string(c[1]))
		}
	}
	for _, c := range slices.Sorted(maps.Keys(statuses)) {
		if status := strconv.Itoa(statuses[c]); !slices.Contains(told[status], c) {
			t.Errorf("docs/api.md does not say that %s is %s", c, status)
		}
	}
}

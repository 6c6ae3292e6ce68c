package project

import (
	"fmt"
	"strings"
)

// numbered is text with the numbers of its lines, the first of them from. A byte
// order mark is not shown: it stays in the file whatever becomes of its line.
func numbered(content string, from int) string {
	var b strings.Builder
	content = strings.TrimPrefix(content, "\ufeff")
	for line := range strings.Lines(content) {
		fmt.Fprintf(&b, "%6d\t%s\n", from, strings.TrimRight(line, "\r\n"))
		from++
	}
	return b.String()
}

// lines names a range of lines.
func lines(from, to int) string {
	if from == to {
		return fmt.Sprintf("line %d", from)
	}
	return fmt.Sprintf("lines %d to %d", from, to)
}

// count is a number with its noun, which is regular.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// sentence puts a full stop behind a message that has none.
func sentence(s string) string {
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "?") {
		return s
	}
	return s + "."
}

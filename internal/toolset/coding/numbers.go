package coding

import (
	"fmt"
	"strings"

	"redline/internal/ops"
	"redline/internal/toolset"
)

// pasted tells whether content is a piece of what read shows, with its line
// numbers: two lines or more, numbered one after the other in their column. No
// file is written like that by intention, and one that is can be made with bash.
func pasted(content string) bool {
	plain, ok := ops.Unnumber(content)
	if !ok || strings.Count(strings.TrimSuffix(content, "\n"), "\n") == 0 || strings.TrimSpace(plain) == "" {
		return false
	}
	next := 0
	for line := range strings.Lines(content) {
		var n int
		if _, err := fmt.Sscan(line, &n); err != nil || next != 0 && n != next || !strings.HasPrefix(line, fmt.Sprintf("%6d", n)) {
			return false
		}
		next = n + 1
	}
	return true
}

func numberedContent(path, parameter string) error {
	e := toolset.Refusal(ops.ToolMessage, path, "every line of %s begins with a line number as read shows it; the numbers are not part of a file, and nothing was written", parameter)
	e.Suggestions = []string{"Send the text without the numbers and the two blanks behind them."}
	return e
}

package session

import (
	"strings"
	"unicode"
)

// What a message looks like: Job.Intent of package wire.
const (
	IntentAction = "action" // it wants something done with documents
	IntentChat   = "chat"
)

// actionWords are what messages say that want something done. One that ends in a space
// is a whole word: others begin with it that mean something else.
var actionWords = []string{
	"create", "make", "new document", "new file",
	"edit", "modify", "change", "update",
	"delete", "remove",
	"move", "rename",
	"organize", "organise", "sort",
	"find", "search",
	"list", "show me",
	"add ", "append", "insert", "put ", "write", "rewrite", "replace", "fix ", "correct",
	"refactor", "convert", "copy", "merge", "split", "tidy", "translate", "restore",
}

// Intent is what a message looks like by its words: one of them begins a word of it,
// as in "listing" or "renamed". It is a hint for screens: a model has its tools in
// either case.
func Intent(message string) string {
	words := strings.FieldsFunc(strings.ToLower(message), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	said := " " + strings.Join(words, " ") + " "
	for _, w := range actionWords {
		if strings.Contains(said, " "+w) {
			return IntentAction
		}
	}
	return IntentChat
}

package offline

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"redline/llm"
)

// conversation is what was said, seen from the newest message of the user.
type conversation struct {
	text   string        // what the user asks for now
	open   string        // path of the document that the user has open
	sent   time.Time     // when the newest message was
	after  []llm.Message // behind it
	before []llm.Message // of the turns before it
}

func readConversation(messages []llm.Message) *conversation {
	for i := len(messages) - 1; i >= 0; i-- {
		if m := messages[i]; m.Role == llm.RoleUser {
			c := &conversation{sent: m.Time, after: messages[i+1:], before: messages[:i]}
			c.text, c.open = unwrap(typed(m))
			return c
		}
	}
	return &conversation{after: messages}
}

// typed is what the user wrote. Further texts of the message are files that were
// attached, which ask for nothing.
func typed(m llm.Message) string {
	for _, block := range m.Content {
		if t, ok := block.(llm.Text); ok {
			return t.Text
		}
	}
	return ""
}

// isLast tells whether a message is the last words of a turn.
func isLast(m llm.Message) bool { return m.Role == llm.RoleAssistant && len(m.ToolCalls()) == 0 }

// A message of the user tells which document is open, and which pieces of documents
// the user has picked. What stands between the tags is the text of documents, which
// asks for nothing.
var (
	openDocument = regexp.MustCompile(`^\s*Current document: ("(?:[^"\\\n]|\\.)*"|[^\n]*)\n`)
	withContext  = regexp.MustCompile(`^\s*Context that the user has picked\.[^\n]*\n<context `)
	requestAfter = []string{"\n</document>\n\nUser request: ", "\n</context>\n\nUser request: "}
	requestElse  = "\nUser request: " // behind a document without its text
)

// unwrap is what the user typed, and the path of the open document.
func unwrap(text string) (request, open string) {
	m := openDocument.FindStringSubmatch(text)
	if m == nil && !withContext.MatchString(text) {
		return text, ""
	}
	if m != nil {
		open = strings.TrimSpace(m[1])
		if plain, err := strconv.Unquote(open); err == nil {
			open = plain
		} else {
			open = strings.Trim(open, `"`)
		}
	}
	at := -1
	for _, mark := range requestAfter {
		if i := strings.LastIndex(text, mark); i >= 0 {
			at = max(at, i+len(mark))
		}
	}
	switch i := strings.LastIndex(text, requestElse); {
	case at >= 0:
		return text[at:], open
	case i >= 0:
		return text[i+len(requestElse):], open
	case m != nil:
		return text[len(m[0]):], open
	}
	return text, open
}

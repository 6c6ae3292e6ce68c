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
	text    string        // what the user asks for now
	answers []string      // of the user to questions that were last words
	open    string        // path of the document that the user has open
	sent    time.Time     // when the newest message was
	after   []llm.Message // behind it
	before  []llm.Message // of the turns before it
}

// said is one message of the user with the last words that answered it.
type said struct {
	text, open string
	reply      string
}

func readConversation(messages []llm.Message) *conversation {
	c := &conversation{}
	var turns []said
	for i, m := range messages {
		switch m.Role {
		case llm.RoleUser:
			text, open := unwrap(m.Text())
			turns = append(turns, said{text: text, open: open})
			c.sent, c.after, c.before = m.Time, messages[i+1:], messages[:i]
		case llm.RoleAssistant:
			if len(turns) > 0 && len(m.ToolCalls()) == 0 {
				turns[len(turns)-1].reply = m.Text()
			}
		}
	}
	if len(turns) == 0 {
		return c
	}
	c.open = turns[len(turns)-1].open
	c.text, c.answers = meant(turns, c.sent)
	return c
}

// meant is the request that the last of the turns is about: an earlier one, if it
// says to go on or answers a question.
func meant(turns []said, today time.Time) (text string, answers []string) {
	last := turns[len(turns)-1]
	if len(turns) == 1 {
		return last.text, nil
	}
	earlier := turns[:len(turns)-1]
	switch {
	case goesOn(last.text, today) && strings.Contains(earlier[len(earlier)-1].reply, goOn):
		text, _ = meant(earlier, today)
		return text, nil
	case isQuestion(earlier[len(earlier)-1].reply) && !understood(last.text, today):
		text, answers = meant(earlier, today)
		return text, append(answers, last.text)
	}
	return last.text, nil
}

// goOn is what an answer ends with that is not the whole of it.
const goOn = "say: go on"

// goesOn tells whether a message says nothing but to go on.
func goesOn(text string, today time.Time) bool {
	list := parse(text, today)
	return len(list) == 1 && list[0].Kind == Continue
}

// isQuestion tells whether last words are one: a single paragraph with its mark.
func isQuestion(reply string) bool {
	reply = strings.TrimSpace(reply)
	return strings.HasSuffix(reply, "?") && !strings.Contains(reply, "\n\n")
}

func understood(text string, today time.Time) bool {
	for _, q := range parse(text, today) {
		if q.Kind != Unknown {
			return true
		}
	}
	return false
}

// A message of the user tells which document is open. What stands between the
// tags is the text of the document, which asks for nothing.
var (
	openDocument = regexp.MustCompile(`^\s*Current document: ("(?:[^"\\\n]|\\.)*"|[^\n]*)\n`)
	requestAfter = []string{"\n</document>\n\nUser request: ", "\nUser request: "}
)

// unwrap is what the user typed, and the path of the open document.
func unwrap(text string) (request, open string) {
	m := openDocument.FindStringSubmatch(text)
	if m == nil {
		return text, ""
	}
	open = strings.TrimSpace(m[1])
	if plain, err := strconv.Unquote(open); err == nil {
		open = plain
	} else {
		open = strings.Trim(open, `"`)
	}
	for _, mark := range requestAfter {
		if i := strings.LastIndex(text, mark); i >= 0 {
			return text[i+len(mark):], open
		}
	}
	return text[len(m[0]):], open
}

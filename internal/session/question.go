package session

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// AsksFor is the question with which a text ends, or "" if it ends otherwise:
//
//   - its last paragraph ends in a question mark, of whichever script, also before
//     quotation marks, brackets, emphasis or a smiley;
//   - or it ends with a list: of answers to choose from, if the paragraph before it
//     ends so, or of several questions, if each of its items does.
//
// Code, quotations, tables and lists of tasks ask nothing: they are shown, not
// said. The question is the last sentence of its paragraph, with the list if there
// is one.
func AsksFor(text string) string {
	blocks := blocksOf(text)
	if len(blocks) == 0 {
		return ""
	}
	last, before := blocks[len(blocks)-1], block{}
	if len(blocks) > 1 {
		before = blocks[len(blocks)-2]
	}
	switch last.kind {
	case paragraph:
		return lastQuestion(last.text())
	case list:
		if asked := lastQuestion(before.text()); asked != "" && before.kind == paragraph {
			return asked + "\n" + last.text()
		}
		if last.allAsk() {
			return last.text()
		}
	}
	return ""
}

type blockKind int

const (
	paragraph blockKind = iota
	list
	shown // code, a quotation, a table, tasks
)

// block is a piece of a text: the lines of a paragraph, or the items of a list.
type block struct {
	kind  blockKind
	lines []string
	fence string // of code that has not ended
	over  bool   // nothing more belongs to it
}

func (b block) text() string { return strings.Join(b.lines, "\n") }

// allAsk tells whether a list is several questions.
func (b block) allAsk() bool {
	for _, item := range b.lines {
		if !endsAsking(item) {
			return false
		}
	}
	return len(b.lines) > 1
}

var (
	fenceStart = regexp.MustCompile("^(```+|~~~+)")
	itemStart  = regexp.MustCompile(`^([-*+•]|\d{1,3}[.)])\s`)
	taskStart  = regexp.MustCompile(`^[-*+]\s+\[[ xX]\]\s`)
	quoteStart = regexp.MustCompile(`^[>|]`)
)

// blocksOf divides a text as a reader of Markdown sees it, as far as it matters
// for its end.
func blocksOf(text string) []block {
	var blocks []block
	for line := range strings.Lines(text) {
		indent := len(line) - len(strings.TrimLeft(line, " \t"))
		trimmed := strings.TrimSpace(line)
		var b *block // the one that may go on
		if len(blocks) > 0 {
			b = &blocks[len(blocks)-1]
		}
		if b != nil && b.takes(trimmed, indent) {
			continue
		}
		if trimmed != "" {
			blocks = append(blocks, begin(trimmed, indent))
		}
	}
	return blocks
}

// begin is the block that begins with a line.
func begin(line string, indent int) block {
	b := block{lines: []string{line}}
	switch {
	case fenceStart.MatchString(line):
		b.kind, b.fence = shown, fenceStart.FindString(line)
	case quoteStart.MatchString(line), taskStart.MatchString(line):
		b.kind = shown
	case itemStart.MatchString(line):
		b.kind = list
	case indent >= 4:
		b.kind = shown
	case strings.HasPrefix(line, "#"): // a heading is one line
		b.over = true
	}
	return b
}

// takes reports whether a line belongs to the block, and takes it.
func (b *block) takes(line string, indent int) bool {
	if b.fence != "" {
		if strings.HasPrefix(line, b.fence) && strings.Trim(line, b.fence[:1]) == "" {
			b.fence, b.over = "", true
		}
		return true
	}
	if line == "" {
		b.over = b.over || b.kind != list
		return true
	}
	next := begin(line, indent)
	switch {
	case b.over:
		return false
	case b.kind == list && next.kind == list:
		b.lines = append(b.lines, line)
	case b.kind == list && indent >= 2 && next.fence == "":
		b.lines[len(b.lines)-1] += " " + line
	case b.kind == paragraph && next.kind == paragraph && !next.over:
		b.lines = append(b.lines, line)
	case b.kind == shown && next.kind == shown && next.fence == "":
	default:
		return false
	}
	return true
}

// questionMarks are those of the scripts that have one of their own, at the end.
const questionMarks = "?\uff1f\u061f\u037e\u1367\u2047\u2048\u2049\u203d"

// endsAsking tells whether a text ends in a question mark.
func endsAsking(text string) bool {
	text = strings.TrimRightFunc(text, func(r rune) bool { return r == '!' || r == '\uff01' || closes(r) })
	return text != "" && strings.TrimRight(text, questionMarks) != text
}

// closes tells whether a character may stand behind the end of a sentence. A
// backtick may not: what is before it is code.
func closes(r rune) bool {
	switch {
	case unicode.IsSpace(r), strings.ContainsRune(`"'*_~`, r), r == '\ufe0f':
		return true
	}
	return unicode.In(r, unicode.Pe, unicode.Pf, unicode.Pi, unicode.So, unicode.Sk, unicode.Cf) && r != '`'
}

// lastQuestion is the last sentence of a paragraph, if it asks something.
func lastQuestion(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if !endsAsking(text) {
		return ""
	}
	from, word := 0, 0
	for i, r := range text {
		if r != ' ' {
			continue
		}
		if ended(text[word:i]) && begins(text[i+1:]) {
			from = i + 1
		}
		word = i + 1
	}
	return strings.TrimLeft(text[from:], "#*_~ ")
}

// ended tells whether a sentence may end with a word. Short ones before a full
// stop are more often abbreviations, and so are those with another one inside.
func ended(word string) bool {
	word = strings.TrimRightFunc(word, closes)
	stem := strings.TrimRight(word, ".!:…。！"+questionMarks)
	short := utf8.RuneCountInString(stem) <= 2 || strings.Contains(stem, ".")
	return stem != word && (!short || !strings.HasSuffix(word, ".") || strings.IndexFunc(stem, unicode.IsDigit) >= 0)
}

// begins tells whether a sentence may begin here.
func begins(rest string) bool {
	for _, r := range rest {
		switch {
		case unicode.IsLower(r):
			return false
		case unicode.IsLetter(r), unicode.IsDigit(r):
			return true
		}
	}
	return false
}

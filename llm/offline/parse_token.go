package offline

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// form is what a token is.
type form byte

const (
	plain  form = iota // a word, a name, a number
	quoted             // "…", '…', “…”, `…`, a fenced block; value is what is between
	wiki               // [[…]]; value is the name
	body               // all lines behind a colon at the end of a line
	soft               // , : - and dashes: grammar skips them
	stop               // . ! ? ; and line breaks: a sentence may end here
)

// token is a piece of a message. Slots are cut from the message by the offsets,
// so nothing between two tokens is lost.
type token struct {
	form       form
	start, end int    // in the message
	low        string // in lower case, with plain apostrophes: what grammar compares
	value      string // as written, without quotes
	file       bool   // a file name or a path
	number     int    // of the word in the grammar, if it is one
}

// quotes are pairs of quotation marks other than ' and ", which need a look at
// what is around them.
var quotes = map[rune]string{'“': "”", '„': "“", '«': "»", '‘': "’", '`': "`"}

// tokenise cuts a message into tokens. It never fails: a quote that is not
// closed is an ordinary character.
func (g *grammar) tokenise(text string) []token {
	t := tokeniser{text: text, grammar: g}
	for t.at < len(text) {
		t.next()
	}
	return t.tokens
}

type tokeniser struct {
	text    string
	at      int
	tokens  []token
	grammar *grammar
}

func (t *tokeniser) next() {
	r, size := utf8.DecodeRuneInString(t.text[t.at:])
	rest := t.text[t.at:]
	switch {
	case r == '\n':
		t.newline()
	case unicode.IsSpace(r):
		t.at += size
	case strings.HasPrefix(rest, "```") && t.fence():
	case strings.HasPrefix(rest, "[[") && t.pair(wiki, "[[", "]]"):
	case (r == '"' || r == '\'') && t.straight(byte(r)):
	case quotes[r] != "" && t.pair(quoted, string(r), quotes[r]):
	case strings.ContainsRune("—–…", r):
		t.add(soft, t.at+size)
	case t.mark():
	default:
		t.word()
	}
}

// newline ends a sentence, unless the rest of the message is content that a
// colon announced.
func (t *tokeniser) newline() {
	last := len(t.tokens) - 1
	if last >= 0 && (t.tokens[last].low == ":" || contentWords[t.tokens[last].low]) && !t.courtesy() {
		start, end := trimLines(t.text, t.at, len(t.text))
		if start < end && !strings.HasPrefix(t.text[start:], "```") {
			t.at = start
			t.add(body, end)
			t.at = len(t.text)
			return
		}
		t.at++
		return
	}
	t.add(stop, t.at+1)
}

// courtesy tells that the sentence so far asks for nothing itself: "Do the
// following:".
func (t *tokeniser) courtesy() bool {
	from := len(t.tokens)
	for from > 0 && t.tokens[from-1].form != stop {
		from--
	}
	return len(t.grammar.behead(t.tokens[from:])) == 0
}

// trimLines leaves out empty lines at the beginning and blanks at the end.
func trimLines(text string, start, end int) (int, int) {
	for i := start; i < end; i++ {
		if text[i] == '\n' {
			start = i + 1
		} else if text[i] != ' ' && text[i] != '\t' && text[i] != '\r' {
			break
		}
	}
	return start, start + len(strings.TrimRightFunc(text[start:end], unicode.IsSpace))
}

// fence reads a block between ``` lines. A block of another language than
// Markdown keeps its fence, because that is part of what is wanted.
func (t *tokeniser) fence() bool {
	rest := t.text[t.at:]
	head, _, ok := strings.Cut(rest, "\n")
	if !ok {
		return false
	}
	length := strings.Index(rest[len(head):], "\n```")
	if length < 0 {
		return false
	}
	inner := rest[min(len(head)+1, len(head)+length) : len(head)+length]
	end := t.at + len(head) + length + len("\n```")
	switch strings.ToLower(strings.TrimSpace(head[3:])) {
	case "", "md", "markdown", "text", "txt":
	default:
		inner = t.text[t.at:end]
	}
	t.add(quoted, end)
	t.tokens[len(t.tokens)-1].value = inner
	return true
}

func (t *tokeniser) pair(f form, open, shut string) bool {
	from := t.at + len(open)
	length := strings.Index(t.text[from:], shut)
	if length <= 0 {
		return false
	}
	value := t.text[from : from+length]
	if f == wiki {
		value, _, _ = strings.Cut(value, "|")
	}
	t.add(f, from+length+len(shut))
	t.tokens[len(t.tokens)-1].value = value
	return true
}

// straight reads '…' and "…". The mark closes where no letter follows, so that
// the apostrophe of "Anna's" does not, and inner pairs are counted.
func (t *tokeniser) straight(mark byte) bool {
	from, depth, first := t.at+1, 0, -1
	for i := from; i < len(t.text); i++ {
		if t.text[i] != mark {
			continue
		}
		after, _ := utf8.DecodeRuneInString(t.text[i+1:])
		before, _ := utf8.DecodeLastRuneInString(t.text[:i])
		follows := i+1 < len(t.text) && (unicode.IsLetter(after) || unicode.IsDigit(after))
		switch {
		case follows && mark == '"' && unicode.IsSpace(before):
			depth++
			continue
		case follows:
			continue
		case first < 0:
			first = i
		}
		if depth == 0 {
			return t.quote(from, i)
		}
		depth--
	}
	return first > 0 && t.quote(from, first)
}

func (t *tokeniser) quote(from, to int) bool {
	if mark := t.text[to]; mark == '\'' && strings.Contains(t.text[from:to], "\n") {
		return false
	}
	t.add(quoted, to+1)
	t.tokens[len(t.tokens)-1].value = t.text[from:to]
	return true
}

// mark reads punctuation, which counts only before a blank or the end.
func (t *tokeniser) mark() bool {
	c := t.text[t.at]
	if !strings.ContainsRune(".,;:!?-", rune(c)) {
		return false
	}
	end := t.at + 1
	for end < len(t.text) && strings.IndexByte(".!?", c) >= 0 && strings.IndexByte(".!?", t.text[end]) >= 0 {
		end++
	}
	if end < len(t.text) {
		r, _ := utf8.DecodeRuneInString(t.text[end:])
		if !unicode.IsSpace(r) && !strings.ContainsRune(`"'”’)`, r) && (c != ',' || !strings.ContainsRune("“‘`", r)) {
			return false
		}
	}
	f := soft
	if strings.IndexByte(".;!?", c) >= 0 {
		f = stop
	}
	if c == '.' && end == t.at+1 && len(t.tokens) > 0 && t.tokens[len(t.tokens)-1].abbreviated(t.at) {
		t.tokens[len(t.tokens)-1].end = end
		t.at = end
		return true
	}
	if c == '.' && t.nextInLine() {
		last := t.tokens[len(t.tokens)-1]
		t.tokens = append(t.tokens[:len(t.tokens)-1], token{form: stop, start: last.start, end: last.start, low: ";"}, last)
	}
	if c == '.' && t.numbering() {
		last := &t.tokens[len(t.tokens)-1]
		last.end, last.low, last.number = end, last.low+".", 0
		t.at = end
		return true
	}
	t.add(f, end)
	return true
}

// numbering tells that the last token is a number at the beginning of a line.
func (t *tokeniser) numbering() bool {
	n := len(t.tokens)
	if n == 0 || t.tokens[n-1].end != t.at || strings.Trim(t.tokens[n-1].low, "0123456789") != "" || len(t.tokens[n-1].low) > 3 {
		return false
	}
	return n == 1 || t.tokens[n-2].low == "\n" || t.tokens[n-2].low == ";" && t.tokens[n-2].start == t.tokens[n-2].end || strings.Contains(t.text[t.tokens[n-2].end:t.tokens[n-1].start], "\n")
}

// nextInLine tells that the last token is the next number of a list in one line:
// "1. create a 2. create b".
func (t *tokeniser) nextInLine() bool {
	n := len(t.tokens)
	if n < 3 || t.tokens[0].low != "1." || t.tokens[n-1].end != t.at || t.tokens[n-2].form == stop {
		return false
	}
	number, err := strconv.Atoi(t.tokens[n-1].low)
	before := strconv.Itoa(number-1) + "."
	return err == nil && slices.ContainsFunc(t.tokens, func(tok token) bool { return tok.low == before })
}

// abbreviated tells that a full stop at an offset belongs to the word before it.
func (t token) abbreviated(at int) bool {
	return t.form == plain && t.end == at && (abbreviations[t.low] || len(t.low) == 1 && t.low >= "a" && t.value < "a")
}

// word reads up to a blank, or to punctuation before one.
func (t *tokeniser) word() {
	end := t.at
	for end < len(t.text) {
		r, size := utf8.DecodeRuneInString(t.text[end:])
		if unicode.IsSpace(r) || strings.ContainsRune("—“”„«»`", r) && end > t.at {
			break
		}
		end += size
	}
	start := t.at
	for end > start+1 && strings.IndexByte(".,;:!?", t.text[end-1]) >= 0 {
		end--
	}
	if end == start {
		_, size := utf8.DecodeRuneInString(t.text[start:])
		end += size
	}
	t.add(plain, end)
}

func (t *tokeniser) add(f form, end int) {
	value := t.text[t.at:end]
	tok := token{form: f, start: t.at, end: end, value: value}
	switch f {
	case plain:
		tok.low = strings.ReplaceAll(strings.ToLower(value), "’", "'")
		tok.file = fileName(value)
	case soft, stop:
		tok.low = value
	}
	if tok.low != "" {
		tok.number = t.grammar.numbers[tok.low]
	}
	t.tokens = append(t.tokens, tok)
	t.at = end
}

// opensPath tells that a word can be the beginning of a path that has blanks in it:
// "todo/This" of "todo/This week".
func (t token) opensPath() bool {
	return t.form == plain && strings.Contains(t.value, "/") && !documentFile(t.value) && !strings.HasSuffix(t.value, "/")
}

// fileName tells whether a word is a path or has an extension, as opposed to
// "and/or", "1.5" and "e.g".
func fileName(word string) bool {
	if strings.Contains(word, "://") || strings.HasPrefix(word, "#") {
		return false
	}
	if dot := strings.LastIndexByte(word, '.'); dot > 0 && dot < len(word)-1 {
		return extensions[strings.ToLower(word[dot+1:])]
	}
	slash := strings.IndexByte(word, '/')
	return slash > 0 && !notPaths[strings.ToLower(word)] && strings.Trim(word, "0123456789/") != ""
}

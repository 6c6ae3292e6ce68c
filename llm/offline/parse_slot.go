package offline

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// reader accepts the tokens of a slot and notes what they say in a request. It
// must decide by the tokens alone.
type reader func(c *clause, s span, r *Request) bool

// greedy slots take as much as they can: content may have any words in it.
var greedy = map[string]bool{"text": true, "select": true}

// slotReader returns the reader of a slot. It is a function and not a table,
// because readers use patterns themselves.
func slotReader(name string) (reader, bool) {
	switch name {
	case "text":
		return readText, true
	case "quote":
		return func(c *clause, s span, r *Request) bool {
			tok, ok := c.only(s)
			return ok && tok.form == quoted && readText(c, s, r)
		}, true
	case "term":
		return func(c *clause, s span, r *Request) bool { return s.to-s.from <= 6 && readText(c, s, r) }, true
	case "title":
		return readTitle, true
	case "file":
		return readFile, true
	case "filename":
		return func(c *clause, s span, r *Request) bool { return readFile(c, s, r) && c.tokens[s.to-1].file }, true
	case "thing":
		return readThing, true
	case "doc", "docs", "doc2":
		return func(c *clause, s span, r *Request) bool { return readDocs(c, s, r) && (name == "docs" || r.one()) }, true
	case "select":
		return readSelect, true
	case "folder", "parent":
		return readFolder, true
	case "titles":
		return readTitles, true
	case "_":
		return func(c *clause, s span, _ *Request) bool { return s.to-s.from <= 4 && !named(c.tokens[s.from:s.to]) }, true
	case "sections":
		return readSections, true
	case "folders":
		return readFolders, true
	case "old":
		return readOld, true
	case "new":
		return readNew, true
	case "person":
		return readPerson, true
	case "heading":
		return readHeading, true
	case "date":
		return readDate, true
	case "template":
		return readTemplate, true
	case "builtin":
		return func(c *clause, s span, r *Request) bool { return readTemplate(c, s, r) && templates[c.low(s)] != "" }, true
	case "tag":
		return readTag, true
	case "level":
		return readLevel, true
	case "one": // a document that is clearly one
		return func(c *clause, s span, r *Request) bool {
			last := c.tokens[s.to-1]
			clear := last.file || last.form == quoted || last.form == wiki || numeric(last.low) || folderWords[last.low] || docNouns[last.low] && s.to-s.from > 1
			return clear && readDocs(c, s, r)
		}, true
	case "deep": // a folder in a folder
		return func(c *clause, s span, r *Request) bool {
			return readFolder(c, s, r) && strings.Contains(strings.Trim(r.Folder, "/"), "/")
		}, true
	case "nth":
		return readNth, true
	case "words", "plural", "number", "tagged", "mention", "about", "period", "before", "under", "glob", "extension", "prefix":
		return func(c *clause, s span, r *Request) bool { return readChoice(c, s, &r.Select, name) }, true
	}
	return nil, false
}

// literal is a span as written: what is between the quotes if it is quoted, or
// else its words. A quotation that is followed by grammar is no literal.
func (c *clause) literal(s span) (string, bool) {
	if s.from >= s.to {
		return "", false
	}
	if tok, ok := c.only(s); ok {
		return tok.value, tok.form != soft
	}
	if first := c.tokens[s.from]; first.form == quoted && (prepositions[c.tokens[s.from+1].low] || c.tokens[s.from+1].low == "and") {
		return "", false
	}
	for _, tok := range c.tokens[s.from:s.to] {
		if tok.form == body || tok.form == stop && strings.Contains(tok.low, "\n") {
			return "", false
		}
	}
	return c.cut(s), true
}

// low is the span in lower case, a blank between words.
func (c *clause) low(s span) string {
	var words []string
	for _, tok := range c.tokens[s.from:s.to] {
		if tok.form == plain {
			words = append(words, tok.low)
		} else if tok.form == quoted || tok.form == wiki {
			words = append(words, "\x00")
		}
	}
	return strings.Join(words, " ")
}

// readText reads content. What would have to be thought up first is no content:
// "a paragraph about dogs", "some ideas for the trip".
func readText(c *clause, s span, r *Request) bool {
	s = c.trim(c.lead(s))
	if tok, ok := c.only(s); ok && tok.form == body {
		r.Text = tok.value
		return true
	}
	announced := s.from > 0 && c.tokens[s.from-1].low == ":"
	if !announced && s.from < s.to && (describing[c.tokens[s.from].low] || determiners[c.tokens[s.from].low]) && c.tokens[s.from].form == plain {
		for _, part := range c.items(span{s.from, min(s.to, s.from+40)}) {
			if c.invented(part) {
				return false
			}
		}
	}
	if !announced && c.christened(s) {
		return false
	}
	if items, ok := c.quotations(s); ok && len(items) > 1 {
		r.Text, r.List = strings.Join(items, "\n"), true
		return true
	}
	if s.to-s.from > 1 && c.tokens[s.to-1].form == body {
		return false
	}
	if s.from >= s.to || s.to-s.from < 3 && pronouns[c.low(s)] || !announced && c.invented(s) {
		return false
	}
	if dates[c.low(span{s.from, min(s.to, s.from+4)})] {
		r.Text = c.today.Format("2006-01-02")
		return true
	}
	if first := c.tokens[s.from]; first.form == plain && (first.low == "to" || first.low == "into" || first.low == "onto") {
		return false
	}
	if tok, ok := c.only(s); ok {
		r.Text = tok.value
		return tok.form != soft
	}
	if c.tokens[s.from].form == quoted && prepositions[c.tokens[s.from+1].low] {
		return false
	}
	r.Text = c.cut(s)
	return true
}

// christened tells that something is described by its name, and not given: "a
// character called Mira".
func (c *clause) christened(s span) bool {
	if s.to-s.from < 4 || c.tokens[s.from].form != plain || c.tokens[s.from].low != "a" && c.tokens[s.from].low != "an" {
		return false
	}
	return slices.ContainsFunc(c.tokens[s.from:min(s.to, s.from+5)], func(t token) bool { return t.form == plain && called[t.low] })
}

// lead leaves out words that only announce content: "a line saying", "the text".
func (c *clause) lead(s span) span {
	at := s.from
	word := func() string {
		if at = c.skip(at); at < s.to {
			return c.tokens[at].low
		}
		return ""
	}
	strong := false
	for announcing[word()] {
		strong = strong || word() == "the" || word() == "this" || word() == "these" || word() == "following"
		at++
	}
	noun := textNouns[word()]
	strong = strong || at == s.from && plain == c.tokens[s.from].form && (word() == "items" || word() == "bullets")
	for textNouns[word()] {
		at++
	}
	said := false
	for saying[word()] && (noun || at == s.from) {
		said = true
		at++
	}
	if at = c.skip(at); at >= s.to || at == s.from {
		return s
	}
	next := c.tokens[at].form
	colon := at > 0 && c.tokens[at-1].low == ":"
	if next == quoted || next == body || colon || noun && (said || strong) || said && at > s.from && !noun {
		return span{at, s.to}
	}
	return s
}

// quotations are the items of a span that is nothing but quotations.
func (c *clause) quotations(s span) ([]string, bool) {
	var items []string
	for _, tok := range c.tokens[s.from:s.to] {
		switch {
		case tok.form == quoted:
			items = append(items, tok.value)
		case tok.form == soft && tok.low == ",", tok.low == "and", tok.low == "&":
		default:
			return nil, false
		}
	}
	return items, len(items) > 0
}

// invented tells that content is described and not given.
func (c *clause) invented(s span) bool {
	words := strings.Fields(c.low(span{s.from, min(s.to, s.from+12)}))
	for i, word := range words {
		switch {
		case i == 0 && vagueContent[word] && len(words) > 1 && subjects[words[1]]:
			return true
		case i == 0 && !describing[word]:
			return false
		case describing[word]:
		case !inventions[word] || i+1 >= len(words):
			return i > 0 && inventions[word] && i+1 == len(words)
		default:
			return subjects[words[i+1]] || inventions[words[i+1]]
		}
	}
	return false
}

func readTitle(c *clause, s span, r *Request) bool {
	if s.to-s.from > 14 || s.from >= s.to {
		return false
	}
	first := c.tokens[s.from]
	listed := s.from > 0 && (called[c.tokens[s.from-1].low] || c.tokens[s.from-1].low == "," || c.tokens[s.from-1].low == "and")
	if !listed && !slices.ContainsFunc(c.tokens[s.from:s.to], func(t token) bool { return t.form != plain || !adjectives[t.value] }) {
		return false
	}
	if first.form == plain && !(s.from > 0 && called[c.tokens[s.from-1].low]) {
		at := s.from
		for at < s.to-1 && (describing[c.tokens[at].low] || determiners[c.tokens[at].low]) {
			at++
		}
		if explicit[first.value] || at < s.to-1 && looks[c.tokens[at].low] && c.tokens[at+1].low == "of" {
			return false // "each section of a.md", "an outline of a.md"
		}
	}
	given := s.from > 0 && called[c.tokens[s.from-1].low] && capital(first.value) // "called The Storm"
	if first.form == plain && notTitles[first.low] && s.to-s.from < 14 && !first.file && !given {
		return false
	}
	for i, tok := range c.tokens[s.from : s.to-1] {
		if tok.file && !tok.opensPath() || tok.form == quoted && s.to-s.from > 1 {
			return false
		}
		if tok.form == plain && called[tok.low] {
			return false // "the volunteers called Summer rota"
		}
		if next := c.tokens[s.from+i+1]; tok.low == "and" && next.form == plain && furtherVerbs[next.low] {
			return false // the next request
		}
	}
	value, ok := c.literal(s)
	r.Title = value
	return ok && first.form != body && strings.TrimSpace(value) != "" && !strings.ContainsAny(value, "\r\n") && (first.form != quoted || s.to-s.from == 1)
}

// readFile reads a title that is clearly one: quoted, or a file name.
func readFile(c *clause, s span, r *Request) bool {
	last := c.tokens[max(s.to-1, s.from)]
	if s.from >= s.to || s.to-s.from > 8 || !last.file && last.form != quoted && last.form != wiki && !c.tokens[s.from].opensPath() {
		return false
	}
	for _, tok := range c.tokens[s.from : s.to-1] {
		if tok.form != plain || tok.file && !tok.opensPath() || grammarWords[tok.low] {
			return false
		}
	}
	return readTitle(c, s, r)
}

// readSections reads the headings of a new document.
func readSections(c *clause, s span, r *Request) bool {
	var all []string
	for _, part := range c.items(s) {
		var one Request
		if !readHeading(c, part, &one) {
			return false
		}
		all = append(all, "## "+one.Heading)
	}
	r.Text = strings.Join(all, "\n\n")
	return len(all) > 0
}

// readTitles reads several that are clearly titles, a line each.
func readTitles(c *clause, s span, r *Request) bool {
	var all []string
	plural := s.from > 0 && (docPlurals[c.tokens[s.from-1].low] || called[c.tokens[s.from-1].low] || c.tokens[s.from-1].low == ":")
	for _, part := range c.items(s) {
		var one Request
		if !plural && !readFile(c, part, &one) || !readTitle(c, part, &one) {
			return false
		}
		all = append(all, one.Title)
	}
	r.Title = strings.Join(all, "\n")
	return len(all) > 1
}

// readThing reads what is a document by its last word: "packing list".
func readThing(c *clause, s span, r *Request) bool {
	if s.from >= s.to || !things[c.tokens[s.to-1].low] || s.to-s.from == 1 && templates[c.low(s)] == "" {
		return false
	}
	for _, tok := range c.tokens[s.from : s.to-1] {
		if tok.form != plain || grammarWords[tok.low] || tok.file {
			return false
		}
	}
	return readTitle(c, s, r) && s.to-s.from <= 5
}

func readOld(c *clause, s span, r *Request) bool {
	value, ok := c.literal(s)
	r.Old = value
	return ok && value != "" && !pronouns[c.low(s)]
}

// readNew takes "nothing" for what it means.
func readNew(c *clause, s span, r *Request) bool {
	value, ok := c.literal(s)
	if low := c.low(s); low == "nothing" || low == "an empty string" {
		value = ""
	}
	r.New = value
	if s.to-s.from > 1 && slices.ContainsFunc(c.tokens[s.from:s.to-1], func(t token) bool { return t.file && documentFile(t.value) }) {
		return false // the next request
	}
	if s.to-s.from > 1 && slices.ContainsFunc(c.tokens[s.from:s.to], func(t token) bool { return t.form == plain && limitingReason[t.low] }) {
		return false // "but only in b.md"
	}
	return ok && !pronouns[c.low(s)]
}

// readPerson reads the name of a person or place: quoted, or in capitals.
func readPerson(c *clause, s span, r *Request) bool {
	value, ok := c.literal(s)
	if !ok || s.to-s.from > 4 || value == "" {
		return false
	}
	if first := c.tokens[s.from]; first.form == plain && (!capital(value) || first.file) {
		return false
	}
	if slices.ContainsFunc(c.tokens[s.from:s.to], func(t token) bool { return t.form == plain && notNames[t.low] }) {
		return false
	}
	r.Old = value
	return true
}

// capital tells that a name begins with a capital letter.
func capital(name string) bool {
	r, _ := utf8.DecodeRuneInString(name)
	return unicode.IsUpper(r)
}

func readHeading(c *clause, s span, r *Request) bool {
	for s.from < s.to && (determiners[c.tokens[s.from].low] || strings.Trim(c.tokens[s.from].low, "#") == "" && c.tokens[s.from].form == plain) {
		s.from++
	}
	if s.to-s.from > 1 && headingNouns[c.tokens[s.from].low] && c.tokens[s.from+1].form == quoted {
		s.from++
	}
	if s.to-s.from > 1 && headingNouns[c.tokens[s.to-1].low] {
		s.to--
	}
	s = c.trim(s)
	if s.from < s.to && explicit[c.tokens[s.from].low] {
		return false
	}
	value, ok := c.literal(s)
	if !ok || s.to-s.from > 10 || strings.ContainsAny(value, "\r\n") {
		return false
	}
	for _, tok := range c.tokens[s.from:s.to] {
		if tok.file || explicit[tok.low] || tok.form == quoted && s.to-s.from > 1 {
			return false
		}
	}
	r.Heading = strings.TrimSpace(strings.TrimLeft(value, "#"))
	low := strings.ToLower(r.Heading)
	return r.Heading != "" && !headingNouns[low] && !ends[low] && !strings.HasPrefix(low, "end of") && !strings.HasPrefix(low, "top of")
}

func readDate(c *clause, s span, r *Request) bool {
	p, ok := c.period(s)
	if !ok || p.day == 0 {
		return false
	}
	r.Date = p.start()
	return true
}

func (c *clause) period(s span) (period, bool) {
	if s.to-s.from > 6 {
		return period{}, false
	}
	var words []string
	for _, tok := range c.tokens[s.from:s.to] {
		switch tok.form {
		case plain:
			words = append(words, strings.TrimSuffix(tok.low, "'s"))
		case soft:
		default:
			return period{}, false
		}
	}
	return readPeriod(words, c.today)
}

// readTemplate reads the name of a template. Built-in ones have several names.
func readTemplate(c *clause, s span, r *Request) bool {
	for s.from < s.to && determiners[c.tokens[s.from].low] {
		s.from++
	}
	value, ok := c.literal(s)
	if !ok || s.to-s.from > 5 {
		return false
	}
	r.Template = value
	if name := templates[strings.ToLower(value)]; name != "" {
		r.Template = name
	}
	return value != ""
}

// readTag reads one tag or several.
func readTag(c *clause, s span, r *Request) bool {
	var tags []string
	for _, tok := range c.tokens[s.from:s.to] {
		tag := strings.Trim(tok.value, "#")
		switch {
		case tok.form == soft, tok.low == "and", tok.low == "&":
		case tok.form == quoted, tok.form == plain && tag != "" && !grammarWords[tok.low] && !tok.file:
			tags = append(tags, tag)
		default:
			return false
		}
	}
	r.Text, r.List = strings.Join(tags, "\n"), len(tags) > 1
	return len(tags) > 0 && len(tags) < 8
}

// readNth reads the place of something in a list; the last has the number -1.
func readNth(c *clause, s span, r *Request) bool {
	low := c.low(s)
	if r.Nth = slices.Index(ordinals, low) + 1; low == "last" || low == "bottom" {
		r.Nth = -1
	} else if low == "top" || low == "topmost" || low == "next" {
		r.Nth = 1
	}
	return r.Nth != 0
}

// readLevel reads a level of headings: "2", "h2", "##".
func readLevel(c *clause, s span, r *Request) bool {
	tok, ok := c.only(s)
	if !ok || tok.form != plain {
		return false
	}
	if strings.Trim(tok.low, "#") == "" {
		r.Level = len(tok.low)
	} else {
		r.Level, _ = strconv.Atoi(strings.TrimPrefix(tok.low, "h"))
	}
	return r.Level >= 1 && r.Level <= 6
}

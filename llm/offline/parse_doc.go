package offline

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// reference is what a span says about documents.
type reference struct {
	part Request
	ok   bool
}

// readDocs reads which documents are meant: names, "this note", "all notes",
// "all meeting notes from 2023". Many rules ask about the same words.
func readDocs(c *clause, s span, r *Request) bool {
	known, ok := c.docs[s]
	if !ok {
		known.part, known.ok = c.refer(s)
		if c.docs == nil {
			c.docs = map[span]reference{}
		}
		c.docs[s] = known
	}
	*r = known.part
	r.Docs = slices.Clone(r.Docs)
	return known.ok
}

func (c *clause) refer(s span) (Request, bool) {
	if s = c.trim(s); s.from >= s.to {
		return Request{}, false
	}
	low := c.low(s)
	switch {
	case these[low] && s.to < len(c.tokens) && s.to-s.from == 1 && moments[c.tokens[s.to].low]:
		return Request{}, false // "This week"
	case these[low]:
		return Request{This: true}, true
	case everything[low]:
		return Request{Everywhere: true, Select: Selection{All: explicit[c.tokens[s.from].low]}}, true
	}
	if n := listedAt(low); n != 0 {
		return Request{This: true, Nth: n}, true
	}
	if tok, ok := c.only(c.undetermined(s)); ok && tok.form == plain && len(tok.value) > 1 && strings.HasSuffix(tok.value, "/") {
		return Request{Select: Selection{Folder: strings.TrimSuffix(tok.value, "/")}}, true
	}
	if last := c.tokens[s.to-1]; s.to-s.from > 1 && folderWords[last.low] {
		var in Request
		if readFolder(c, s, &in) && in.Folder != "/" && in.Folder != thatFolder {
			return Request{Select: Selection{Folder: in.Folder}}, true
		}
	}
	if p, ok := c.period(possessive(c, s)); ok && p.day != 0 {
		return Request{Docs: []string{p.start().Format("2006-01-02")}, Date: p.start()}, true
	}
	if choice, ok := c.selection(s, false); ok {
		return Request{Select: choice}, true
	}
	names, ok := c.names(s)
	return Request{Docs: names}, ok
}

// listedAt is the place that "the second one" has in a list, the last being -1.
func listedAt(low string) int {
	low, one := strings.CutSuffix(low, " one")
	low, of := strings.CutSuffix(low, " of them")
	low, the := strings.CutPrefix(low, "the ")
	if !one && !of || !the {
		return 0
	}
	if low == "last" {
		return -1
	}
	return slices.Index(ordinals, low) + 1
}

// one tells that a request names one document.
func (r *Request) one() bool { return len(r.Docs) == 1 || r.This }

// possessive leaves "today's" of "today's daily note".
func possessive(c *clause, s span) span {
	to := s.to
	for to > s.from+1 && (docNouns[c.tokens[to-1].low] || c.tokens[to-1].low == "daily" || c.tokens[to-1].low == "journal" || c.tokens[to-1].low == "diary") {
		to--
	}
	if to == s.to || !strings.HasSuffix(c.tokens[to-1].low, "'s") {
		return span{s.from, s.from}
	}
	return span{s.from, to}
}

// readSelect also takes a plural for a choice: "the journal entries".
func readSelect(c *clause, s span, r *Request) bool {
	choice, ok := c.selection(c.trim(s), true)
	r.Select = choice
	return ok
}

// names splits "a, b and c" into the names of documents. "the salt and pepper
// note" and "Salt and pepper.md" are one.
func (c *clause) names(s span) ([]string, bool) {
	if low := c.tokens[s.from].low; low == "both" && s.to-s.from > 1 {
		s.from++
	}
	at := s.from
	for at < s.to-1 && (determiners[c.tokens[at].low] || c.tokens[at].low == "following" || numberWords[c.tokens[at].low] > 1) {
		at++
	}
	if at < s.to-1 && (at > s.from || c.tokens[at+1].file || c.tokens[at+1].form == quoted) && docPlurals[c.tokens[at].low] && (nameAhead(c, c.skip(at+1)) || slices.ContainsFunc(c.tokens[at:s.to], func(t token) bool { return t.low == "," || t.low == "and" })) {
		s.from = c.skip(at + 1)
		if called[c.tokens[s.from].low] && s.from+1 < s.to {
			s.from++
		}
	}
	if names := c.series(c.undetermined(s)); names != nil {
		return names, true
	}
	parts := c.parts(s)
	var names []string
	for _, part := range parts {
		name, ok := c.name(part)
		if !ok {
			return nil, false
		}
		names = append(names, name)
	}
	return names, len(names) > 0
}

// series is "chapters 3 to 5": chapter 3, chapter 4, chapter 5.
func (c *clause) series(s span) []string {
	words := strings.Fields(c.low(s))
	if s.to-s.from != 4 || len(words) != 4 || !slices.Contains([]string{"to", "through", "until", "-", "–"}, words[2]) {
		return nil
	}
	from, err := strconv.Atoi(words[1])
	to, err2 := strconv.Atoi(words[3])
	if err != nil || err2 != nil || from < 0 || to <= from || to-from > 50 || strings.HasSuffix(words[0], "ss") {
		return nil
	}
	noun, ok := strings.CutSuffix(c.tokens[s.from].value, "s")
	if !ok || noun == "" {
		return nil
	}
	var names []string
	for n := from; n <= to; n++ {
		names = append(names, noun+" "+strconv.Itoa(n))
	}
	return names
}

func (c *clause) parts(s span) []span {
	var parts []span
	from, commas, files := s.from, false, 0
	for i := s.from; i <= s.to; i++ {
		if i < s.to {
			tok := c.tokens[i]
			if tok.low != "and" && tok.low != "&" && !(tok.form == soft && tok.low == ",") {
				continue
			}
			commas = commas || tok.low == ","
		}
		part := c.trim(span{from, i})
		if part.to-part.from > 1 && (c.tokens[part.from].low == "also" || c.tokens[part.from].low == "both") {
			part.from++
		}
		if part.from < part.to {
			parts = append(parts, part)
			if last := c.tokens[part.to-1]; last.file || last.form != plain {
				files++
			}
		}
		from = i + 1
	}
	last := c.tokens[s.to-1]
	single := docNouns[last.low] || last.file && files == 1 && !commas
	if len(parts) > 1 && single && !determiners[c.tokens[parts[len(parts)-1].from].low] {
		return []span{s}
	}
	if first := c.unnoun(s); first.from > s.from && (called[c.tokens[first.from-1].low] || c.tokens[first.from-1].low == "about") && len(parts) > 1 && files == 0 {
		return []span{s}
	}
	return parts
}

// name reads the name of one document: "the note called Draft", "my Draft
// note", "Draft in the archive folder".
func (c *clause) name(s span) (string, bool) {
	at := s.to
	for i := s.to - 1; i > s.from; i-- {
		if low := c.tokens[i].low; low == "in" || low == "inside" || low == "from" || low == "under" {
			at = i
			break
		}
	}
	folder := ""
	if at < s.to {
		var r Request
		last := c.tokens[s.to-1]
		if !folderWords[last.low] && !strings.HasSuffix(last.low, "/") && !roots[c.low(c.undetermined(span{at + 1, s.to}))] || !readFolder(c, span{at + 1, s.to}, &r) {
			if !c.tokens[s.to-1].file || s.to-at == 2 {
				return "", false
			}
			at = s.to
		}
		folder = strings.TrimPrefix(r.Folder, "/")
	}
	s = c.unnoun(span{s.from, at})
	if s.to-s.from > 1 && docNouns[c.tokens[s.to-1].low] {
		s.to--
	}
	empty := true
	for _, tok := range c.tokens[s.from:s.to] {
		empty = empty && tok.form == plain && nameless[tok.value]
	}
	value, ok := c.literal(c.trim(s))
	if !ok || empty || !c.nameable(s, value) {
		return "", false
	}
	if folder != "" && !strings.Contains(value, "/") {
		value = folder + "/" + value
	}
	return value, true
}

// unnoun leaves out what stands before a name: "the", "my note called".
func (c *clause) unnoun(s span) span {
	s = c.undetermined(s)
	determined := s.from > 0 && determiners[c.tokens[s.from-1].low]
	from := s.from
	for from < s.to-1 && kindsOfFile[c.tokens[from].low] {
		from++
	}
	if from < s.to-1 && docNouns[c.tokens[from].low] {
		next := from + 1
		if (called[c.tokens[next].low] || determined && (c.tokens[next].low == "about" || c.tokens[next].low == "on")) && next+1 < s.to {
			return span{next + 1, s.to}
		}
		if determined || nameAhead(c, next) {
			return span{next, s.to}
		}
	}
	return s
}

func (c *clause) undetermined(s span) span {
	for s.to-s.from > 1 && determiners[c.tokens[s.from].low] {
		s.from++
	}
	return s
}

// nameAhead tells that a token looks like the beginning of a name.
func nameAhead(c *clause, at int) bool {
	if at >= len(c.tokens) {
		return false
	}
	tok := c.tokens[at]
	if tok.form == quoted || tok.form == wiki || tok.file || called[tok.low] {
		return true
	}
	return capital(tok.value) || tok.value != "" && tok.value[0] >= '0' && tok.value[0] <= '9'
}

// article tells that "a" is no name but stands before one.
func (c *clause) article(s span) bool {
	tok, ok := c.only(s)
	next := s.to
	if !ok || tok.value != "a" && tok.value != "an" || next == len(c.tokens) || c.tokens[next].form != plain {
		return false
	}
	return !prepositions[c.tokens[next].low] && c.tokens[next].low != "and"
}

// nameable refuses what cannot be the name of a document: too long, a part of a
// sentence, a file name that does not stand at the end.
func (c *clause) nameable(s span, value string) bool {
	if strings.TrimSpace(value) == "" || strings.ContainsAny(value, "\r\n") || len(value) > 200 {
		return false
	}
	if tok, ok := c.only(s); ok {
		if c.article(s) {
			return false
		}
		return tok.form == quoted || tok.form == wiki || tok.form == plain && !notNames[tok.low] && !notAlone[tok.low] && !strings.Contains(value, "*") && !strings.HasSuffix(value, "/")
	}
	first, last := c.tokens[s.from], c.tokens[s.to-1]
	if second := c.tokens[s.from+1].low; built().verbs.has(first.number) && (determiners[second] || pronouns[second]) {
		return false // "append the summary"
	}
	if s.to-s.from > 9 || startsPart[first.low] && last.low != "list" || docPlurals[first.value] && !last.file || mildStarts[first.low] && !last.file {
		return false
	}
	for i := s.from; i < s.to; i++ {
		tok := c.tokens[i]
		switch {
		case tok.form == quoted || tok.form == wiki || tok.form == body || tok.form == stop && tok.low == "\n":
			return false
		case tok.file && i < s.to-1 && c.tokens[i+1].low != "-" && !tok.opensPath():
			return false
		case notNames[tok.low] && (!last.file || !mildNames[tok.low]):
			return false
		case called[tok.low]:
			return false
		case i > s.from && partNouns[c.tokens[i-1].low] && prepositions[tok.low]:
			return false // "the first line of a.md"
		}
	}
	return !folderWords[last.low] && (!docPlurals[last.low] || !nameless[first.low])
}

// selection reads documents that are chosen by what they are. Implied ones are
// plurals without "all" and without a year.
func (c *clause) selection(s span, implied bool) (Selection, bool) {
	if !slices.ContainsFunc(c.tokens[s.from:s.to], func(t token) bool { return choosing[t.low] || strings.ContainsAny(t.low, "*") || timely(t.low) }) {
		return Selection{}, false
	}
	g := built()
	sub := clause{text: c.text, tokens: c.tokens[s.from:s.to], today: c.today}
	for _, rule := range g.choices {
		if rule.implied && !implied || !rule.program.any && !rule.program.first.has(sub.tokens[0].number) {
			continue
		}
		captures, ok := rule.program.run(&sub)
		if !ok {
			continue
		}
		r := rule.request
		for _, cap := range captures {
			cap.slot.read(&sub, cap.span, &r)
		}
		return r.Select, true
	}
	return Selection{}, false
}

// timely tells that a word is a part of a date, or compares with one.
func timely(word string) bool {
	_, year := readPeriod([]string{word}, time.Time{})
	return year || word == "older" || word == "before" || word == "year" || word == "month"
}

// readChoice reads a slot of a selection.
func readChoice(c *clause, s span, choice *Selection, slot string) bool {
	switch slot {
	case "words":
		return c.readWords(s, choice)
	case "plural":
		last := c.tokens[s.to-1].low
		return strings.HasSuffix(last, "s") && !strings.HasSuffix(last, "ss") && !strings.HasSuffix(last, "'s") && c.readWords(s, choice)
	case "tagged":
		tok, ok := c.only(s)
		choice.Tag = strings.TrimLeft(tok.value, "#")
		return ok && choice.Tag != "" && (tok.form == quoted || tok.form == plain && !grammarWords[tok.low])
	case "number":
		choice.Number = numberWords[c.low(s)]
		return choice.Number > 1
	case "mention", "about":
		value, ok := c.literal(c.undetermined(s))
		if choice.Mentions = value; slot == "about" {
			choice.About, choice.Mentions = value, ""
		}
		return ok && s.to-s.from <= 8 && value != "" && !pronouns[c.low(s)]
	case "period", "before":
		p, ok := c.period(s)
		if slot == "before" {
			choice.Before = p.start()
			return ok
		}
		choice.Year, choice.Month = p.year, p.month
		return ok && p.day == 0
	case "under":
		var r Request
		ok := readFolder(c, s, &r)
		if r.Folder == "/" {
			choice.Loose = true
			return ok
		}
		choice.Folder = r.Folder
		return ok
	case "prefix":
		value, ok := c.literal(s)
		choice.Pattern = strings.TrimSuffix(value, "*") + "*"
		return ok && value != "" && s.to-s.from <= 4
	case "glob", "extension":
		return c.readGlob(s, choice, slot)
	}
	return false
}

// readWords takes words that say what notes are about; "old" and "useless" say
// nothing that can be looked up.
func (c *clause) readWords(s span, choice *Selection) bool {
	s = c.undetermined(s)
	value, ok := c.literal(s)
	if _, time := c.period(s); !ok || time || s.to-s.from > 3 {
		return false
	}
	for _, tok := range c.tokens[s.from:s.to] {
		if tok.form == plain && (vague[tok.low] || grammarWords[tok.low] || notNames[tok.low] || determiners[tok.low] || docNouns[tok.low] || tok.file) || tok.form == soft {
			return false
		}
	}
	choice.Words = value
	return true
}

// readGlob takes a pattern of names: "draft-*", ".bak", "txt".
func (c *clause) readGlob(s span, choice *Selection, slot string) bool {
	tok, ok := c.only(s)
	if !ok || strings.ContainsAny(tok.value, " \n") {
		return false
	}
	if slot == "extension" {
		name := strings.TrimPrefix(strings.TrimPrefix(tok.value, "*"), ".")
		if name == tok.value && !bareExtensions[strings.ToLower(name)] {
			return false
		}
		choice.Pattern = "*." + name
		return name != ""
	}
	choice.Pattern = tok.value
	return strings.Contains(tok.value, "*")
}

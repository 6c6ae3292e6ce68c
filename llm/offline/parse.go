package offline

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// grammar is the compiled table of rules.
type grammar struct {
	rules   []compiled
	choices []compiledChoice
	follow  []compiled
	heads   map[string][][]string // courtesies by their first word, the longest first
	tails   map[string][][]string // by their last word
	verbs   words                 // that rules begin with
	numbers map[string]int        // of the words of all patterns
}

type compiled struct {
	request Request
	program *program
}

// choiceRule is a rule for documents that are chosen by what they are. An
// implied one counts only where a plural cannot be the name of a document.
type choiceRule struct {
	request Request
	pattern string
	implied bool
}

type compiledChoice struct {
	request Request
	program *program
	implied bool
}

var (
	theGrammar grammar
	building   sync.Once
)

// built returns the grammar. It is compiled when the first message is parsed, so
// that a program that never does starts as fast as without it.
func built() *grammar {
	building.Do(func() {
		loadWords()
		loadClasses()
		g, c := &theGrammar, newCompiler()
		for _, table := range rules {
			for _, rule := range table {
				g.rules = append(g.rules, compiled{rule.request, c.compile(rule.pattern)})
				g.verbs.join(&g.rules[len(g.rules)-1].program.first)
			}
		}
		for _, rule := range choiceRules {
			g.choices = append(g.choices, compiledChoice{rule.request, c.compile(rule.pattern), rule.implied})
		}
		for _, pattern := range followPatterns {
			g.follow = append(g.follow, compiled{Request{Kind: Create}, c.compile(pattern)})
		}
		for word := range notVerbs {
			if n := c.numbers[word]; n > 0 {
				g.verbs[n>>6] &^= 1 << (n & 63)
			}
		}
		g.numbers = c.numbers
		g.heads = phrases(heads, func(words []string) string { return words[0] })
		g.tails = phrases(tails, func(words []string) string { return words[len(words)-1] })
	})
	return &theGrammar
}

func phrases(list []string, key func([]string) string) map[string][][]string {
	index := map[string][][]string{}
	for _, phrase := range list {
		words := strings.Fields(phrase)
		index[key(words)] = append(index[key(words)], words)
	}
	for _, found := range index {
		slices.SortStableFunc(found, func(a, b []string) int { return len(b) - len(a) })
	}
	return index
}

// parse understands a message of a person: what it asks for, in order. A
// message that asks for nothing that is known is one request of kind Unknown.
func parse(text string, today time.Time) []Request {
	tokens := built().tokenise(text)
	if found := understood(text, tokens, today); len(found) > 0 {
		return found
	}
	if corrected := built().corrected(tokens); corrected != nil {
		if found := understood(text, corrected, today); !slices.ContainsFunc(found, func(r Request) bool { return destructive[r.Kind] }) && len(found) > 0 {
			return found
		}
	}
	return []Request{{Text: strings.TrimSpace(text)}}
}

func understood(text string, tokens []token, today time.Time) []Request {
	p := parser{grammar: built(), text: text, today: today, sentences: map[row]reading{}, parts: map[row]reading{}}
	p.message(tokens)
	p.resolve()
	return p.requests
}

// parser goes through the sentences of a message.
type parser struct {
	*grammar
	text     string
	today    time.Time
	requests []Request
	open     int    // the offset of content at the end of the last request, which further sentences belong to; -1: none
	limited  bool   // a sentence restricts what was asked for
	remark   bool   // there is one before the request
	spoken   string // the document that a remark names
	place    string // the folder that a remark names

	sentences, parts map[row]reading // what clauses and clause said before
}

// sentences cuts tokens where one may end.
func sentences(tokens []token) [][]token {
	var found [][]token
	from := 0
	for i := range tokens {
		if tokens[i].form == stop {
			if i > from {
				found = append(found, tokens[from:i])
			}
			from = i + 1
		}
	}
	if from < len(tokens) {
		found = append(found, tokens[from:])
	}
	return found
}

func (p *parser) message(tokens []token) {
	p.open = -1
	all := sentences(tokens)
	for i := 0; i < len(all); i++ {
		found, open, ok := p.clauses(all[i])
		if !ok && p.open < 0 && i+1 < len(all) && p.commands(all[i]) {
			if found, open, ok = p.joined(tokens, all[i], all[i+1]); ok {
				i++
			}
		}
		if ok && !p.content(found) {
			p.requests, p.open = append(p.requests, found...), open
			p.complete(all[i])
			continue
		}
		p.leftover(all[i])
	}
	if slices.ContainsFunc(p.requests, func(r Request) bool { return r.Kind != Thanks }) {
		p.requests = slices.DeleteFunc(p.requests, func(r Request) bool { return r.Kind == Thanks })
	}
	if p.limited && slices.ContainsFunc(p.requests, func(r Request) bool { return destructive[r.Kind] }) {
		p.requests = nil
	}
	if !slices.ContainsFunc(p.requests, func(r Request) bool { return r.Kind != Unknown }) {
		p.requests = nil
	}
}

// content tells that requests are rather more of the content that the message
// has begun: behind a colon always, otherwise if they would take away what has
// no name.
func (p *parser) content(found []Request) bool {
	if p.open < 0 {
		return false
	}
	return slices.ContainsFunc(found, func(r Request) bool {
		return doubtful(r) && (p.announced() || destructive[r.Kind] && len(r.Docs) == 0)
	})
}

// announced tells that the content has a colon before it.
func (p *parser) announced() bool {
	return strings.HasSuffix(strings.TrimSpace(p.text[:p.open]), ":")
}

// complete gives content behind a colon the mark that ends its sentence.
func (p *parser) complete(sentence []token) {
	last := &p.requests[len(p.requests)-1]
	if p.open < 0 || last.List || !p.announced() {
		return
	}
	if end := sentence[len(sentence)-1].end; last.Text == p.text[p.open:end] {
		last.Text = p.text[p.open:p.sentenceEnd(end)]
	}
}

// commands tells that tokens begin with a word that requests begin with.
func (p *parser) commands(tokens []token) bool {
	tokens = p.behead(tokens)
	return len(tokens) > 0 && p.verbs.has(tokens[0].number)
}

// joined tries two sentences as one: content may have a full stop in it.
func (p *parser) joined(tokens, first, second []token) ([]Request, int, bool) {
	if _, _, ok := p.clauses(second); ok {
		return nil, -1, false
	}
	from := slices.IndexFunc(tokens, func(t token) bool { return t.start == first[0].start })
	to := slices.IndexFunc(tokens, func(t token) bool { return t.start == second[len(second)-1].start })
	r, open, ok := p.clause(tokens[from : to+1])
	return []Request{r}, open, ok
}

// leftover is a sentence that is no request by itself: more content, a
// restriction, a remark, or a request that is not understood.
func (p *parser) leftover(tokens []token) {
	end := tokens[len(tokens)-1].end
	rest := p.behead(tokens)
	c := clause{tokens: tokens}
	p.limited = p.limited || cancels[c.low(span{0, min(2, len(tokens))})] || cancels[tokens[0].low] && len(rest) == 0
	if len(rest) == 0 || len(p.betail(rest)) == 0 {
		return
	}
	if p.open >= 0 {
		p.requests[len(p.requests)-1].Text = p.text[p.open:p.sentenceEnd(end)]
		return
	}
	if p.followed(rest) {
		return
	}
	harmless := p.harmless(rest)
	if !harmless && slices.ContainsFunc(rest, func(t token) bool { return limiting[t.low] }) {
		p.limited = true
		harmless = negations[rest[0].low] || rest[0].low == "do"
	}
	if harmless || remarks[rest[0].low] {
		p.note(tokens)
		return
	}
	p.requests = append(p.requests, Request{Text: p.text[tokens[0].start:end]})
}

// sentenceEnd includes the mark that ends a sentence at an offset.
func (p *parser) sentenceEnd(end int) int {
	for end < len(p.text) && strings.IndexByte(".!?", p.text[end]) >= 0 {
		end++
	}
	return end
}

// followed applies a sentence such as "It should say …" to the request before it.
func (p *parser) followed(tokens []token) bool {
	if len(p.requests) == 0 {
		return false
	}
	last := &p.requests[len(p.requests)-1]
	if last.Kind != Create && last.Kind != Daily && last.Kind != AddSection || last.Text != "" {
		return false
	}
	r, open, ok := p.try(tokens, p.grammar.follow)
	if !ok {
		return false
	}
	last.Text, last.List, p.open = r.Text, r.List, open
	if r.Title != "" && last.Title == "" {
		last.Title = r.Title
	}
	if r.Folder != "" && last.Folder == "" {
		last.Folder = r.Folder
	}
	return true
}

var followPatterns = []string{
	"(it|this|that|the note|the document|the file|the content|the text) (should|must|needs to|has to|shall|will) (contain|say|include|have|read|be) [the] [following] [content|text] {text}",
	"(content|text|contents|body) {text}",
	"(call|name|title) it {title}",
	"(title|name) {title}",
	"(put|place|save|store) it (in|into|under|inside) {folder}",
}

// maxSplit is the number of tokens above which a sentence is taken for one
// request: it has long content.
const maxSplit = 150

// reading is what a row of tokens was understood as.
type reading struct {
	requests []Request
	open     int
	ok       bool
}

// row names a row of tokens of the message: a sentence is cut at many places,
// and its parts are the same ones again and again.
type row struct{ first, second, count int }

func rowOf(tokens []token) row {
	return row{tokens[0].start, tokens[min(1, len(tokens)-1)].start, len(tokens)}
}

// clauses understands a sentence as one request, or as several that are joined
// by "and" or "then".
func (p *parser) clauses(tokens []token) ([]Request, int, bool) {
	known, ok := p.sentences[rowOf(tokens)]
	if !ok {
		known.requests, known.open, known.ok = p.cut(tokens)
		p.sentences[rowOf(tokens)] = known
	}
	return slices.Clone(known.requests), known.open, known.ok
}

func (p *parser) cut(tokens []token) ([]Request, int, bool) {
	for i := 1; i < len(tokens)-1 && len(tokens) < maxSplit; i++ {
		if !connectors[tokens[i].low] || tokens[i].form != plain && tokens[i].form != soft {
			if tokens[i].low == ":" && !p.listing(tokens[:i]) {
				break // behind a colon is content
			}
			continue
		}
		right := p.behead(tokens[i+1:])
		if len(right) == 0 {
			continue
		}
		if !p.verbs.has(right[0].number) && !(right[0].low == "do" && len(right) > 3) {
			if found, open, ok := p.elliptic(tokens[:i], right); ok {
				return found, open, true
			}
			continue
		}
		left, open, ok := p.clause(tokens[:i])
		if !ok {
			continue
		}
		strong := slices.ContainsFunc(tokens[i:len(tokens)-len(right)], func(t token) bool { return t.low == "then" || t.low == "afterwards" })
		rest, restOpen, ok := p.clauses(tokens[i+1:])
		if !ok && !strong {
			continue
		}
		if !ok {
			rest, restOpen = []Request{{Text: p.text[right[0].start:right[len(right)-1].end]}}, -1
		}
		if open >= 0 && !strong && !named(right) && slices.ContainsFunc(rest, doubtful) {
			continue
		}
		return append(expand(left), rest...), restOpen, true
	}
	r, open, ok := p.clause(tokens)
	if !ok {
		return nil, -1, false
	}
	return expand(r), open, true
}

// elliptic understands "move a.md to x and b.md to y": the verb is said once.
func (p *parser) elliptic(left, right []token) ([]Request, int, bool) {
	if !slices.ContainsFunc(right, func(t token) bool { return repeating[t.low] || called[t.low] }) {
		return nil, -1, false
	}
	verb := p.behead(left)
	if !p.commands(left) {
		return nil, -1, false
	}
	first, _, ok := p.clause(left)
	if !ok || !elliptical[first.Kind] || first.Kind != RenameName && first.Kind != Rename && !named(right) && !slices.ContainsFunc(right, func(t token) bool { return called[t.low] }) {
		return nil, -1, false
	}
	rest, open, ok := p.clauses(slices.Concat(verb[:1], right))
	if ok && first.Kind == Rename && rest[0].Kind == RenameName && len(first.Docs) == 1 && !documentFile(first.Docs[0]) {
		first.Kind, first.Old, first.Docs, first.Word = RenameName, first.Docs[0], rest[0].Docs, true
		first.This, first.Everywhere, first.Select = rest[0].This, rest[0].Everywhere, rest[0].Select
	}
	if !ok || rest[0].Kind != first.Kind && !(rest[0].Kind == CreateFolder && first.Kind == Create || rest[0].Kind == Create && first.Kind == CreateFolder) {
		return nil, -1, false
	}
	if last := rest[len(rest)-1]; first.Kind == Replace && len(first.Docs) == 0 && !first.This && !first.Everywhere {
		first.Docs, first.This, first.Everywhere, first.Select = last.Docs, last.This, last.Everywhere, last.Select
	}
	if folder := rest[len(rest)-1].Folder; first.Kind == Create && rest[len(rest)-1].Kind == Create && first.Text == "" && first.Folder == "" {
		first.Folder = folder
	}
	return append(expand(first), rest...), open, true
}

// elliptical are the kinds of which one verb may say several.
var elliptical = map[Kind]bool{
	Append: true, Prepend: true, Insert: true, AddTodo: true, Create: true, CreateFolder: true,
	Move: true, Rename: true, Replace: true, RenameName: true, Tag: true,
}

// listing tells that a colon is behind words that ask for nothing themselves.
func (p *parser) listing(tokens []token) bool { return len(p.behead(tokens)) == 0 }

// doubtful requests are not taken out of what may be content.
func doubtful(r Request) bool { return r.Kind != Unknown && r.Kind != Thanks }

// named tells that a clause has a file name or a quotation in it.
func named(tokens []token) bool {
	return slices.ContainsFunc(tokens, func(t token) bool { return t.file || t.form == quoted || t.form == wiki })
}

// clause understands tokens as one request. The offset is that of content that
// ends the clause without quotes, or -1.
func (p *parser) clause(tokens []token) (Request, int, bool) {
	known, ok := p.parts[rowOf(tokens)]
	if !ok {
		r, open, ok := p.understand(tokens)
		known = reading{[]Request{r}, open, ok}
		p.parts[rowOf(tokens)] = known
	}
	return known.requests[0], known.open, known.ok
}

func (p *parser) understand(tokens []token) (Request, int, bool) {
	head := p.behead(tokens)
	if len(head) == 0 {
		return p.try(tokens, p.rules)
	}
	if negations[head[0].low] {
		return p.try(tokens, p.rules[:len(talkRules)+len(todoRules)])
	}
	variants := [][]token{head}
	if !slices.ContainsFunc(head, func(t token) bool { return t.low == ":" || t.form == body }) {
		if short := p.betail(head); len(short) > 0 && len(short) < len(head) {
			variants = [][]token{short, head}
		}
	}
	if len(head) < len(tokens) {
		variants = append(variants, tokens)
	}
	for _, variant := range variants {
		if r, open, ok := p.try(variant, p.rules); ok {
			return r, open, ok
		}
		for _, turned := range p.turned(variant) {
			if r, open, ok := p.try(turned, p.rules); ok {
				return r, open, ok
			}
		}
	}
	return p.remarked(head)
}

// try runs rules over tokens until one matches and its request makes sense.
func (p *parser) try(tokens []token, rules []compiled) (Request, int, bool) {
	c := &clause{text: p.text, tokens: tokens, today: p.today}
	at := c.skip(0)
	if at == len(tokens) {
		return Request{}, -1, false
	}
	for i := range rules {
		rule := &rules[i]
		if !rule.program.any && !rule.program.first.has(tokens[at].number) {
			continue
		}
		captures, ok := rule.program.run(c)
		if !ok {
			continue
		}
		r := rule.request
		for _, capture := range captures {
			var part Request
			capture.slot.read(c, capture.span, &part)
			r.take(part, capture.slot.name)
		}
		if r.finish(c, captures) {
			return r, r.openEnd(c, captures), true
		}
	}
	return Request{}, -1, false
}

// openEnd is where content begins that ends a clause without quotes.
func (r *Request) openEnd(c *clause, captures []capture) int {
	switch r.Kind {
	case Create, Daily, Append, Prepend, Insert, AddSection, AddTodo:
	default:
		return -1
	}
	for _, capture := range captures {
		last := c.tokens[capture.span.to-1]
		if capture.slot.name == "text" && last.form != quoted && last.form != body && capture.span.to == len(c.tokens) {
			return c.tokens[c.trim(c.lead(capture.span)).from].start
		}
	}
	return -1
}

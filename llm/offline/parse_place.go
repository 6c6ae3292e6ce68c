package offline

import "slices"

// remarked leaves out a remark before a request: "my notes are a mess, please
// sort them by topic".
func (p *parser) remarked(tokens []token) (Request, int, bool) {
	if !remarks[tokens[0].low] {
		return Request{}, -1, false
	}
	for i := 2; i < len(tokens)-1; i++ {
		if tokens[i].low != "," || !p.commands(tokens[i+1:]) || slices.ContainsFunc(tokens[:i], func(t token) bool { return limiting[t.low] }) {
			continue
		}
		if slices.ContainsFunc(tokens[:i], func(t token) bool { return t.low == ":" }) {
			break
		}
		if r, open, ok := p.clause(tokens[i+1:]); ok {
			p.note(tokens[:i])
			return r, open, true
		}
	}
	return Request{}, -1, false
}

// note keeps what a remark speaks of: the one document that it names, and a
// folder.
func (p *parser) note(tokens []token) {
	p.spoken, p.remark = "", true
	for i, tok := range tokens {
		switch {
		case (tok.file || tok.form == quoted || tok.form == wiki) && p.spoken == "":
			p.spoken = tok.value
		case (tok.file || tok.form == quoted || tok.form == wiki) && p.spoken != tok.value:
			p.spoken = ""
			return
		case docNouns[tok.low] && p.spoken == "" && i+1 < len(tokens) && nameAhead(&clause{tokens: tokens}, i+1):
			p.spoken = p.namedAt(tokens, i)
		case tok.low == "in" || tok.low == "inside":
			c := &clause{text: p.text, tokens: tokens, today: p.today}
			to := i + 1
			for to < len(tokens) && to < i+5 && tokens[to].form == plain && !notNames[tokens[to].low] {
				to++
			}
			var r Request
			if to > i+1 && readFolder(c, span{i + 1, to}, &r) && r.Folder != thatFolder {
				p.place = r.Folder
			}
		}
	}
}

// namedAt is the longest name behind a word such as "note".
func (p *parser) namedAt(tokens []token, at int) string {
	c := &clause{text: p.text, tokens: tokens, today: p.today}
	for to := len(tokens); to > at+1; to-- {
		if name, ok := c.name(c.trim(span{at, to})); ok && tokens[to-1].form != soft {
			return name
		}
	}
	return ""
}

// turned puts a place that stands first behind the rest: "in todo.md, tick x"
// is "tick x in todo.md".
func (p *parser) turned(tokens []token) [][]token {
	if openers[tokens[0].low] { // "update a.md: replace x with y"
		at := slices.IndexFunc(tokens, func(t token) bool { return t.low == ":" })
		if at < 2 || !p.commands(tokens[at+1:]) {
			return nil
		}
		tokens = slices.Clone(tokens)
		tokens[0].low, tokens[0].number = "in", p.numbers["in"]
		return [][]token{slices.Concat(p.behead(tokens[at+1:]), tokens[:at])}
	}
	if !places[tokens[0].low] {
		return nil
	}
	var found [][]token
	for i := 2; i < min(len(tokens)-1, 14); i++ {
		from := i
		if tokens[i].form == soft || tokens[i].low == "and" {
			from++
		}
		rest := p.behead(tokens[from:])
		if len(rest) > 0 && (p.verbs.has(rest[0].number) || tokens[i].low == ",") {
			found = append(found, slices.Concat(rest, tokens[:i]))
		}
	}
	return found
}

package offline

import (
	"slices"
	"strings"
)

// behead leaves out courtesies before a request.
func (p *grammar) behead(tokens []token) []token {
	for len(tokens) > 0 {
		if tokens[0].form == soft {
			tokens = tokens[1:]
			continue
		}
		if plain := p.ungerund(tokens); len(plain) < len(tokens) {
			return plain
		}
		n := 0
		for _, words := range p.heads[tokens[0].low] {
			if prefixed(tokens, words) {
				n = len(words)
				break
			}
		}
		if n == 0 && bullet(tokens[0].low) && len(tokens) > 1 {
			n = 1
		}
		if n == 0 {
			break
		}
		tokens = tokens[n:]
	}
	return tokens
}

// bullet tells whether a word is the mark of a list item: "1.", "2)", "*".
func bullet(word string) bool {
	mark := strings.TrimLeft(word, "0123456789")
	return word == "*" || word == "•" || len(mark) < len(word) && (mark == ")" || mark == ".")
}

func prefixed(tokens []token, words []string) bool {
	if len(tokens) < len(words) {
		return false
	}
	for i, word := range words {
		if tokens[i].low != word {
			return false
		}
	}
	return true
}

// ungerund reads "would you mind deleting" as "delete".
func (p *grammar) ungerund(tokens []token) []token {
	for _, words := range [][]string{{"would", "you", "mind"}, {"do", "you", "mind"}, {"how", "about"}, {"start", "by"}, {"begin", "by"}} {
		if !prefixed(tokens, words) || len(tokens) == len(words) {
			continue
		}
		stem, ok := strings.CutSuffix(tokens[len(words)].low, "ing")
		if !ok || len(stem) < 2 {
			continue
		}
		for _, verb := range []string{stem, stem + "e", stem[:len(stem)-1]} {
			if p.verbs.has(p.numbers[verb]) {
				rest := slices.Clone(tokens[len(words):])
				rest[0].low, rest[0].number = verb, p.numbers[verb]
				return rest
			}
		}
	}
	return tokens
}

// betail leaves out courtesies and reasons behind a request.
func (p *grammar) betail(tokens []token) []token {
	for i := 1; i < len(tokens); i++ {
		if reasons[tokens[i].low] && !slices.ContainsFunc(tokens[i:], func(t token) bool { return t.form != plain && t.form != soft || limitingReason[t.low] }) {
			tokens = tokens[:i]
		}
	}
	tokens = excused(tokens)
	for len(tokens) > 0 {
		last := tokens[len(tokens)-1]
		if last.form == soft {
			tokens = tokens[:len(tokens)-1]
			continue
		}
		n := 0
		for _, words := range p.tails[last.low] {
			if len(words) <= len(tokens) && prefixed(tokens[len(tokens)-len(words):], words) {
				n = len(words)
				break
			}
		}
		if n == 0 {
			break
		}
		tokens = tokens[:len(tokens)-n]
	}
	return tokens
}

// excused leaves out why somebody wants something gone, moved or ticked: "delete
// a.md, I have read it". Nothing that such a request is about ends like that.
func excused(tokens []token) []token {
	if len(tokens) == 0 || !excusable[tokens[0].low] {
		return tokens
	}
	for i := 2; i+2 < len(tokens); i++ {
		if tokens[i-1].low != "," || !excuses[tokens[i].low] {
			continue
		}
		if !slices.ContainsFunc(tokens[i:], func(t token) bool {
			return t.form != plain && t.form != soft || limiting[t.low] || t.file
		}) {
			return tokens[:i-1]
		}
	}
	return tokens
}

// harmless tells that a sentence restricts nothing: "I don't need them anymore",
// "leave the rest as it is".
func (p *parser) harmless(tokens []token) bool {
	if len(p.betail(tokens)) == 0 {
		return true
	}
	var words []string
	for _, tok := range tokens {
		words = append(words, tok.low)
	}
	line := strings.Join(words, " ")
	for _, known := range harmlessSentences {
		if strings.HasPrefix(line, known) {
			return true
		}
	}
	return false
}

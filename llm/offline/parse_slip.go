package offline

import "slices"

// corrected are tokens with a slip of the pen in their verb put right, if there is
// just one verb that it can be: "cretae a note". Otherwise nil.
func (g *grammar) corrected(tokens []token) []token {
	rest := g.behead(tokens)
	if len(rest) < 2 || rest[0].form != plain || len(rest[0].low) < 5 || g.numbers[rest[0].low] != 0 {
		return nil
	}
	verb := ""
	for word, n := range g.numbers {
		if len(word) < 4 || !g.verbs.has(n) || distance(word, rest[0].low) != 1 {
			continue
		}
		if verb != "" {
			return nil
		}
		verb = word
	}
	if verb == "" {
		return nil
	}
	rest = slices.Clone(rest)
	rest[0].low, rest[0].number = verb, g.numbers[verb]
	return rest
}

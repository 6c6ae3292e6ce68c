package search

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// needles are texts one of which every match holds. None at all means that
// nothing is known.
type needles struct {
	list  []needle
	exact bool // wherever one of them is, there is a match
}

const (
	maxNeedles  = 8 // more are not looked for
	leastWeight = 7 // a needle that is found everywhere is of no use
)

// requiredNeedles finds needles in a simplified expression.
func requiredNeedles(re *syntax.Regexp) needles {
	k := know(re)
	set, exact := k.required()
	set = shortest(set)
	if len(set) == 0 || set.weight() < leastWeight {
		return needles{}
	}
	n := needles{exact: exact && k.pure}
	for _, l := range set {
		n.list = append(n.list, newNeedle(l.text, l.fold))
	}
	return n
}

// literal is a text, in any case if fold.
type literal struct {
	text string
	fold bool
}

type literals []literal

// weight is how much is known if one of them is found.
func (ls literals) weight() int {
	least := 1 << 20
	for _, l := range ls {
		w := 0
		for i := range len(l.text) {
			b := int(weight[l.text[i]])
			if l.fold && isLetter(l.text[i]) {
				b = int(min(weight[l.text[i]|0x20], weight[l.text[i]&^0x20])) - 1
			}
			w += b
		}
		least = min(least, w)
	}
	return least - len(ls)/2
}

// knowledge is what is known of the texts that a part of an expression matches.
type knowledge struct {
	exact literals // all of them; nil if they are too many, or not known
	pure  bool     // with exact: each of them matches, wherever it is
	best  literals // every text holds one of these; nil if that is not known
}

// required are literals one of which every match holds, if any are known, and
// whether they are all that is matched.
func (k knowledge) required() (ls literals, exact bool) {
	empty := slices.ContainsFunc(k.exact, func(l literal) bool { return l.text == "" })
	if k.exact == nil || empty || k.best != nil && k.best.weight() > k.exact.weight() {
		return k.best, false
	}
	return k.exact, true
}

// shortest leaves out the literals that hold another one: where they are, it
// is as well.
func shortest(ls literals) literals {
	var out literals
	for i, l := range ls {
		held := func(k int, m literal) bool {
			return k != i && m.fold == l.fold && strings.Contains(l.text, m.text) && (l.text != m.text || k < i)
		}
		redundant := false
		for k, m := range ls {
			redundant = redundant || held(k, m)
		}
		if !redundant {
			out = append(out, l)
		}
	}
	return out
}

func exactly(ls ...literal) knowledge { return knowledge{exact: ls, pure: true} }

// know looks at a part of a simplified expression.
func know(re *syntax.Regexp) knowledge {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return exactly(literal{})
	case syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return knowledge{exact: literals{{}}}
	case syntax.OpLiteral:
		return knowLiteral(re.Rune, re.Flags&syntax.FoldCase != 0)
	case syntax.OpCharClass:
		return knowClass(re.Rune)
	case syntax.OpCapture:
		return know(re.Sub[0])
	case syntax.OpQuest:
		k := know(re.Sub[0])
		if k.exact == nil || len(k.exact) == maxNeedles {
			return knowledge{}
		}
		return knowledge{exact: append(slices.Clip(k.exact), literal{}), pure: k.pure}
	case syntax.OpPlus:
		best, _ := know(re.Sub[0]).required()
		return knowledge{best: best}
	case syntax.OpConcat:
		return knowConcat(re.Sub)
	case syntax.OpAlternate:
		return knowAlternate(re.Sub)
	}
	return knowledge{}
}

// plain tells whether r is found by its bytes: not the replacement character,
// which stands for invalid bytes as well, and not what ends lines.
func plain(r rune) bool { return r != utf8.RuneError && r != '\r' && r != '\n' }

// folds tells how r behaves without case: it has none, or it has two in ASCII.
// Other characters change their length.
func folds(r rune) (caseless, simple bool) {
	other := unicode.SimpleFold(r)
	if other == r {
		return true, r < utf8.RuneSelf
	}
	return false, r < utf8.RuneSelf && other < utf8.RuneSelf && unicode.SimpleFold(other) == r
}

// knowLiteral cuts a text where it cannot be found by its bytes.
func knowLiteral(runes []rune, fold bool) knowledge {
	var k knowledge
	start := 0
	for i := 0; i <= len(runes); i++ {
		if i < len(runes) {
			if _, simple := folds(runes[i]); plain(runes[i]) && (simple || !fold) {
				continue
			}
		}
		piece := literal{string(runes[start:i]), fold}
		if i-start == len(runes) {
			return exactly(piece)
		}
		if i > start {
			k.improve(literals{piece})
		}
		start = i + 1
	}
	return k
}

func (k *knowledge) improve(ls literals) {
	if ls != nil && (k.best == nil || ls.weight() > k.best.weight()) {
		k.best = ls
	}
}

// knowClass takes a small class apart.
func knowClass(ranges []rune) knowledge {
	var ls literals
	for i := 0; i < len(ranges); i += 2 {
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			if len(ls) == maxNeedles || !plain(r) {
				return knowledge{}
			}
			ls = append(ls, literal{text: string(r)})
		}
	}
	if ls == nil {
		return knowledge{}
	}
	return exactly(ls...)
}

// knowConcat joins what is known exactly as far as that goes, and keeps the
// best of the pieces.
func knowConcat(subs []*syntax.Regexp) knowledge {
	var k knowledge
	run, whole, pure := literals{{}}, true, true
	flush := func() {
		piece, _ := knowledge{exact: run}.required()
		k.improve(piece)
		run, whole = literals{{}}, false
	}
	for _, sub := range subs {
		s := know(sub)
		pure = pure && s.pure
		k.improve(s.best)
		if s.exact == nil {
			flush()
			continue
		}
		joined, ok := product(run, s.exact)
		if !ok {
			flush()
			joined = s.exact
		}
		run = joined
	}
	if whole {
		k.exact, k.pure = run, pure
	}
	piece, _ := knowledge{exact: run}.required()
	k.improve(piece)
	return k
}

// product is each text of a followed by each of b, unless there are too many or
// case counts for one and not for the other.
func product(a, b literals) (literals, bool) {
	if len(a)*len(b) > maxNeedles {
		return nil, false
	}
	var out literals
	for _, x := range a {
		for _, y := range b {
			if x.fold != y.fold && !(x.fold && isCaseless(y.text)) && !(y.fold && isCaseless(x.text)) {
				return spelled(a, b)
			}
			out = append(out, literal{x.text + y.text, x.fold || y.fold})
		}
	}
	return out, true
}

// spelled is the product of what a and b are when all cases are spelled out.
func spelled(a, b literals) (literals, bool) {
	a, b = a.spelled(), b.spelled()
	if a == nil || b == nil {
		return nil, false
	}
	return product(a, b)
}

// spelled are the literals with all cases spelled out, unless they are too many.
func (ls literals) spelled() literals {
	var out literals
	for _, l := range ls {
		texts := []string{""}
		for _, c := range []byte(l.text) {
			cases := []byte{c}
			if l.fold && isLetter(c) {
				cases = []byte{c | 0x20, c &^ 0x20}
			}
			var longer []string
			for _, text := range texts {
				for _, c := range cases {
					longer = append(longer, text+string([]byte{c}))
				}
			}
			texts = longer
			if len(out)+len(texts) > maxNeedles/2 {
				return nil
			}
		}
		for _, text := range texts {
			out = append(out, literal{text: text})
		}
	}
	return out
}

func isCaseless(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { caseless, simple := folds(r); return !caseless || !simple })
}

func knowAlternate(subs []*syntax.Regexp) knowledge {
	k := knowledge{pure: true}
	exact, best := true, true
	for _, sub := range subs {
		s := know(sub)
		exact = exact && s.exact != nil
		k.exact, k.pure = append(k.exact, s.exact...), k.pure && s.pure
		required, _ := s.required()
		best = best && len(required) > 0
		k.best = append(k.best, required...)
	}
	if !exact || len(k.exact) > maxNeedles {
		k.exact, k.pure = nil, false
	}
	if !best || len(k.best) > maxNeedles {
		k.best = nil
	}
	return k
}

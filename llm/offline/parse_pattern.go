package offline

import (
	"fmt"
	"slices"
	"strings"
)

// A program is a compiled pattern. A pattern is a line of English with choices
// and slots:
//
//	word        the word itself, in any case; a comma or colon, too
//	(a|b c)     one of these
//	[a|b c]     one of these, or nothing
//	<class>     the pattern of that name in words_class.go
//	{slot}      something of the user's, see parse_slot.go
//
// Soft punctuation between words is skipped.
type program struct {
	steps []step
	first words // that it can begin with
	any   bool  // it can begin with a slot
}

type op byte

const (
	opWord  op = iota // the word with the number other
	opWords           // one of words
	opClass           // a class without slots
	opSlot            // one token or more that a reader accepts
	opFork            // go on with the next step, or else with other
	opJump            // go on with other
	opDone            // all of the clause must be used up
)

type step struct {
	op    op
	other int32
	words *words
	class *class
	slot  *slot
}

// class is a compiled class of words and phrases. One with slots has to be
// copied to where it is used.
type class struct {
	steps []step
	first words
	slots bool
}

// slot is a place for something of the user's, and what can stand behind it.
type slot struct {
	name   string
	read   reader
	greedy bool
	words  words
	any    bool // another slot
	end    bool // nothing
}

// words is a set of words of the grammar, by their numbers.
type words [32]uint64

func (w *words) has(n int) bool { return n > 0 && w[n>>6]>>(n&63)&1 != 0 }
func (w *words) add(n int)      { w[n>>6] |= 1 << (n & 63) }
func (w *words) join(other *words) {
	for i := range w {
		w[i] |= other[i]
	}
}

// compiler compiles patterns. Words get numbers as they come; 0 is every word
// that no pattern has.
type compiler struct {
	numbers map[string]int
	classes map[string]*class
	source  string
	at      int
	steps   []step
}

func newCompiler() *compiler {
	return &compiler{numbers: map[string]int{}, classes: map[string]*class{}}
}

// compile panics when a pattern is malformed: patterns are constants, and every
// test compiles all of them.
func (c *compiler) compile(pattern string) *program {
	c.source, c.at, c.steps = pattern, 0, c.steps[:0]
	c.choice(false)
	if c.at < len(c.source) {
		c.fail("unexpected " + c.source[c.at:])
	}
	c.emit(step{op: opDone})
	p := &program{steps: slices.Clone(c.steps)}
	seen := make([]bool, len(p.steps))
	for i := range p.steps {
		if s := &p.steps[i]; s.op == opSlot {
			own := *s.slot
			p.reach(i+1, &own, seen)
			s.slot = &own
		}
	}
	var start slot
	p.reach(0, &start, seen)
	p.first, p.any = start.words, start.any
	return p
}

func (c *compiler) fail(what string) {
	panic(fmt.Sprintf("pattern %q: %s", c.source, what))
}

func (c *compiler) emit(s step) int {
	c.steps = append(c.steps, s)
	return len(c.steps) - 1
}

func (c *compiler) number(word string) int {
	n, ok := c.numbers[word]
	if !ok {
		n = len(c.numbers) + 1
		if n >= len(words{})*64 {
			c.fail("too many words in the grammar")
		}
		c.numbers[strings.Clone(word)] = n
	}
	return n
}

// choice compiles alternatives up to a closing bracket or the end. Those of one
// word become one step.
func (c *compiler) choice(optional bool) {
	var exits []int
	var single *words
	for more := true; more; {
		fork := c.emit(step{op: opFork})
		c.sequence()
		more = c.at < len(c.source) && c.source[c.at] == '|'
		if more {
			c.at++
		}
		if len(c.steps) == fork+2 && c.steps[fork+1].op == opWord {
			if single == nil {
				single = &words{}
			}
			single.add(int(c.steps[fork+1].other))
			c.steps = c.steps[:fork]
			continue
		}
		exits = append(exits, c.emit(step{op: opJump}))
		c.steps[fork].other = int32(len(c.steps))
	}
	if single != nil {
		fork := c.emit(step{op: opFork})
		c.emit(step{op: opWords, words: single})
		exits = append(exits, c.emit(step{op: opJump}))
		c.steps[fork].other = int32(len(c.steps))
	}
	c.close(optional, exits)
}

// close ends a choice: the last alternative has nothing else to try, unless
// nothing will do.
func (c *compiler) close(optional bool, exits []int) {
	end := int32(len(c.steps))
	if !optional {
		c.emit(step{op: opJump, other: -1}) // no alternative fits
		end++
	}
	for _, exit := range exits {
		c.steps[exit].other = end
	}
}

func (c *compiler) sequence() {
	for c.at < len(c.source) {
		switch char := c.source[c.at]; char {
		case '|', ')', ']':
			return
		case ' ':
			c.at++
		case '(', '[':
			c.group(char)
		case '<':
			c.use(c.until('>'))
		case '{':
			name := c.until('}')
			read, ok := slotReader(name)
			if !ok {
				c.fail("no slot " + name)
			}
			c.emit(step{op: opSlot, slot: &slot{name: name, read: read, greedy: greedy[name]}})
		default:
			end := c.at
			for end < len(c.source) && strings.IndexByte(" |()[]<{", c.source[end]) < 0 {
				end++
			}
			c.emit(step{op: opWord, other: int32(c.number(c.source[c.at:end]))})
			c.at = end
		}
	}
}

func (c *compiler) group(open byte) {
	shut := byte(')')
	if open == '[' {
		shut = ']'
	}
	c.at++
	c.choice(open == '[')
	if c.at >= len(c.source) || c.source[c.at] != shut {
		c.fail("a bracket is not closed")
	}
	c.at++
}

// use compiles a class once, and refers to it if it has no slots.
func (c *compiler) use(name string) {
	known, ok := c.classes[name]
	if !ok {
		pattern, ok := classes[name]
		if !ok {
			c.fail("no class " + name)
		}
		outer := *c
		c.source, c.at, c.steps = pattern, 0, nil
		c.choice(false)
		known = &class{steps: append(c.steps, step{op: opDone})}
		known.slots = slices.ContainsFunc(known.steps, func(s step) bool { return s.op == opSlot })
		var start slot
		(&program{steps: known.steps}).reach(0, &start, make([]bool, len(known.steps)))
		known.first = start.words
		c.classes[name] = known
		c.source, c.at, c.steps = outer.source, outer.at, outer.steps
	}
	if !known.slots {
		c.emit(step{op: opClass, class: known})
		return
	}
	base := int32(len(c.steps))
	for _, s := range known.steps[:len(known.steps)-1] {
		if (s.op == opFork || s.op == opJump) && s.other >= 0 {
			s.other += base
		}
		c.steps = append(c.steps, s)
	}
}

func (c *compiler) until(shut byte) string {
	end := strings.IndexByte(c.source[c.at:], shut)
	if end < 0 {
		c.fail("a bracket is not closed")
	}
	name := c.source[c.at+1 : c.at+end]
	c.at += end + 1
	return name
}

// reach notes in a slot what can come at a step.
func (p *program) reach(from int, s *slot, seen []bool) {
	clear(seen)
	var visit func(int)
	visit = func(at int) {
		if at < 0 || seen[at] {
			return
		}
		seen[at] = true
		switch step := &p.steps[at]; step.op {
		case opWord:
			s.words.add(int(step.other))
		case opWords:
			s.words.join(step.words)
		case opClass:
			s.words.join(&step.class.first)
		case opFork:
			visit(at + 1)
			visit(int(step.other))
		case opJump:
			visit(int(step.other))
		case opSlot:
			s.any = true
		case opDone:
			s.end = true
		}
	}
	visit(from)
}

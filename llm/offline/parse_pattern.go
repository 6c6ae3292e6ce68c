package offline

import (
	"fmt"
	"strings"
)

// A program is a compiled pattern. A pattern is a line of English with choices
// and slots:
//
//	word        the word itself, in any case
//	(a|b c)     one of these
//	[a|b c]     one of these, or nothing
//	<class>     the pattern of that name in words.go
//	{slot}      something of the user's, see parse_slot.go
//
// Soft punctuation between words is skipped.
type program struct {
	steps []step
	first map[string]bool // words that it can begin with; nil: anything
}

type op byte

const (
	opWord op = iota // one of words
	opSlot           // one token or more that read accepts
	opFork           // go on with the next step, or else with other
	opJump           // go on with other
	opDone           // all of the clause must be used up
)

type step struct {
	op     op
	words  map[string]bool
	slot   string
	read   reader
	other  int
	behind behind // of a slot
}

// behind is what can stand behind a slot.
type behind struct {
	words map[string]bool
	slot  bool
	end   bool
}

// compile panics when a pattern is malformed: patterns are constants, and a
// test compiles all of them.
func compile(pattern string) *program {
	c := compiler{source: pattern}
	c.choice(false)
	if c.at < len(c.source) {
		c.fail("unexpected " + c.source[c.at:])
	}
	p := &program{steps: append(c.steps, step{op: opDone})}
	for i := range p.steps {
		if s := &p.steps[i]; s.op == opSlot {
			s.behind = p.reach(i + 1)
		}
	}
	if start := p.reach(0); !start.slot {
		p.first = start.words
	}
	return p
}

type compiler struct {
	source string
	at     int
	steps  []step
}

func (c *compiler) fail(what string) {
	panic(fmt.Sprintf("pattern %q: %s", c.source, what))
}

func (c *compiler) emit(s step) int {
	c.steps = append(c.steps, s)
	return len(c.steps) - 1
}

// choice compiles alternatives up to a closing bracket or the end.
func (c *compiler) choice(optional bool) {
	var exits []int
	for {
		fork := c.emit(step{op: opFork})
		c.sequence()
		if c.at >= len(c.source) || c.source[c.at] != '|' {
			if optional {
				c.steps[fork].other = len(c.steps)
			} else {
				c.steps[fork] = step{op: opJump, other: fork + 1}
			}
			break
		}
		c.at++
		exits = append(exits, c.emit(step{op: opJump}))
		c.steps[fork].other = len(c.steps)
	}
	for _, exit := range exits {
		c.steps[exit].other = len(c.steps)
	}
}

func (c *compiler) sequence() {
	for c.at < len(c.source) {
		switch char := c.source[c.at]; char {
		case '|', ')', ']':
			return
		case ' ':
			c.at++
		case '(':
			c.group(')', false)
		case '[':
			c.group(']', true)
		case '<':
			name := c.until('>')
			words, ok := classes[name]
			if !ok {
				c.fail("no class " + name)
			}
			outer := *c
			*c = compiler{source: words, steps: c.steps}
			c.choice(false)
			c.source, c.at = outer.source, outer.at
		case '{':
			name := c.until('}')
			read, ok := slotReader(name)
			if !ok {
				c.fail("no slot " + name)
			}
			c.emit(step{op: opSlot, slot: name, read: read})
		default:
			c.word()
		}
	}
}

// word compiles a word, or a choice of single words at once.
func (c *compiler) word() {
	end := c.at + strings.IndexAny(c.source[c.at:]+" ", " |()[]<{")
	c.emit(step{op: opWord, words: map[string]bool{c.source[c.at:end]: true}})
	c.at = end
}

func (c *compiler) group(shut byte, optional bool) {
	c.at++
	if end := strings.IndexAny(c.source[c.at:], "()[]<{ "); end >= 0 && c.source[c.at+end] == shut {
		c.set(strings.Split(c.source[c.at:c.at+end], "|"), optional)
		c.at += end + 1
		return
	}
	c.choice(optional)
	if c.at >= len(c.source) || c.source[c.at] != shut {
		c.fail("a bracket is not closed")
	}
	c.at++
}

// set is a choice of single words in one step.
func (c *compiler) set(words []string, optional bool) {
	set := make(map[string]bool, len(words))
	for _, word := range words {
		set[word] = true
	}
	if optional {
		fork := c.emit(step{op: opFork})
		c.steps[fork].other = fork + 2
	}
	c.emit(step{op: opWord, words: set})
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

// reach tells what can come at a step.
func (p *program) reach(from int) behind {
	b := behind{words: map[string]bool{}}
	seen := make([]bool, len(p.steps))
	var visit func(int)
	visit = func(at int) {
		if seen[at] {
			return
		}
		seen[at] = true
		switch s := p.steps[at]; s.op {
		case opWord:
			for word := range s.words {
				b.words[word] = true
			}
		case opFork:
			visit(at + 1)
			visit(s.other)
		case opJump:
			visit(s.other)
		case opSlot:
			b.slot = true
		case opDone:
			b.end = true
		}
	}
	visit(from)
	return b
}

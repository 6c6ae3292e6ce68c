package command

import "redline/internal/shell/regex"

// sedScript is a parsed script.
type sedScript struct {
	commands []sedCommand
	labels   map[string]int
	quiet    bool   // it begins with #n
	place    string // its last piece, for messages
}

// sedCommand is one command with its addresses.
type sedCommand struct {
	from, to *sedAddress // nil: none
	negate   bool
	name     byte
	text     []byte // of a, i and c
	file     string // of r, R, w and W
	label    string // of b, t and T; "": the end of the script
	jump     int    // where a label or the end of a block is
	number   int    // of q, Q and l; -1: none
	subst    *sedSubst
	table    map[rune]rune // of y
}

// sedAddress chooses lines.
type sedAddress struct {
	kind  byte // 'n' a number, '$' the last, '/' a pattern, '~' first~step, '+' so many more, '*' up to a multiple
	line  int
	step  int
	regex *regex.Regexp // nil: the one used last
}

// sedSubst is what the command s does.
type sedSubst struct {
	regex  *regex.Regexp // nil: the one used last
	parts  []sedPart
	all    bool
	number int // the match to begin with; 0 is as 1
	print  bool
	file   string // w; "": none
}

// sedPart is a piece of a replacement: a change of case, then a text, then a group.
type sedPart struct {
	turn  byte // U, L, u, l, E; 0: none
	text  []byte
	group int // -1: none
}

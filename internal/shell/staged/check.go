package staged

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// check refuses what this shell does not do, before anything has run, and rewrites what
// the interpreter does in another way: the output of <(list) is collected first and
// read from a file of this script, and what is before a | is kept as a part.
func (p *parts) check(file *syntax.File) (err error) {
	var pipes []*syntax.BinaryCmd // outer ones first
	refuse := func(n syntax.Node, what string) {
		if err == nil {
			err = fmt.Errorf("line %d: %s", n.Pos().Line(), what)
		}
	}
	expanded := func(words ...*syntax.Word) {
		for _, w := range words {
			if why := tooMany(w); why != "" {
				refuse(w, why)
			}
		}
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			if n.Background || n.Disown {
				refuse(n, "a command in the background (&) is not possible here: run it without &")
			}
			if n.Coprocess {
				refuse(n, "a coprocess is not possible here: use a pipe")
			}
		case *syntax.CallExpr:
			expanded(n.Args...)
		case *syntax.WordIter:
			expanded(n.Items...)
		case *syntax.ArrayElem:
			expanded(n.Value)
		case *syntax.BinaryCmd:
			if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
				pipes = append(pipes, n)
			}
		case *syntax.ForClause:
			// The interpreter ends for ((…)) when a round fails: let none fail.
			if _, ok := n.Loop.(*syntax.CStyleLoop); ok {
				n.Do = append(n.Do, simple(n.Pos(), ":"))
			}
		case *syntax.CoprocClause:
			refuse(n, "a coprocess is not possible here: use a pipe")
		case *syntax.UnaryTest:
			if n.Op == syntax.TsUsrOwn || n.Op == syntax.TsGrpOwn {
				refuse(n, "files have no owner here: -O and -G are not possible")
			}
		case *syntax.Word:
			for i, part := range n.Parts {
				ps, ok := part.(*syntax.ProcSubst)
				if !ok {
					continue
				}
				if ps.Op != syntax.CmdIn {
					refuse(ps, "process substitution with >( ) is not possible here: use a pipe, or a file")
					continue
				}
				n.Parts[i] = collected(ps)
			}
		}
		return err == nil
	})
	for _, pipe := range slices.Backward(pipes) {
		if err == nil {
			pipe.X, err = p.keep(pipe.X)
		}
	}
	return err
}

const (
	mostBraces   = 1000     // in a word; to expand them takes the square of that
	mostElements = 16 << 10 // of the braces of a word: the interpreter makes none of more
)

// sequence is {1..9}.
var sequence = regexp.MustCompile(`\{(-?[0-9]+)\.\.(-?[0-9]+)(\.\.-?[0-9]+)?\}`)

// tooMany says why the braces of a word are too many, "" if they are not; w may be nil.
func tooMany(w *syntax.Word) string {
	if w == nil {
		return ""
	}
	braces, elements := 0, 1.0
	for _, part := range w.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			continue
		}
		braces += strings.Count(lit.Value, "{")
		for _, m := range sequence.FindAllStringSubmatch(lit.Value, -1) {
			first, _ := strconv.ParseFloat(m[1], 64)
			last, _ := strconv.ParseFloat(m[2], 64)
			step, _ := strconv.ParseFloat(strings.TrimPrefix(m[3], ".."), 64)
			elements *= 1 + math.Floor(math.Abs(last-first)/max(1, math.Abs(step)))
			if elements > mostElements {
				return fmt.Sprintf("%s would be more than %d words: use seq, or for ((i = 0; i < n; i++))", m[0], mostElements)
			}
		}
	}
	if braces > mostBraces {
		return fmt.Sprintf("a word has more than %d braces: put it in quotes, or make it shorter", mostBraces)
	}
	return ""
}

// collected is a command substitution that puts the output of a list into a file and
// is the name of that.
func collected(ps *syntax.ProcSubst) syntax.WordPart {
	list := &syntax.Stmt{Position: ps.Pos(), Cmd: &syntax.Subshell{Stmts: ps.Stmts}}
	pipe := &syntax.Stmt{Position: ps.Pos(), Cmd: &syntax.BinaryCmd{OpPos: ps.Pos(), Op: syntax.Pipe, X: list, Y: simple(ps.Pos(), collectName)}}
	return &syntax.CmdSubst{Left: ps.Pos(), Right: ps.End(), Stmts: []*syntax.Stmt{pipe}}
}

// simple is a call with literal words.
func simple(at syntax.Pos, words ...string) *syntax.Stmt {
	call := new(syntax.CallExpr)
	for _, word := range words {
		call.Args = append(call.Args, &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{ValuePos: at, ValueEnd: at, Value: word}}})
	}
	return &syntax.Stmt{Position: at, Cmd: call}
}

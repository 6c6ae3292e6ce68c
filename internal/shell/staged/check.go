package staged

import (
	"fmt"

	"mvdan.cc/sh/v3/syntax"
)

// check refuses what this shell does not do, before anything has run, and rewrites what
// the interpreter does in another way: the output of <(list) is collected first and
// read from a file of this script.
func check(file *syntax.File) (err error) {
	refuse := func(n syntax.Node, what string) {
		if err == nil {
			err = fmt.Errorf("line %d: %s", n.Pos().Line(), what)
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
	return err
}

// collected is a command substitution that puts the output of a list into a file and
// is the name of that.
func collected(ps *syntax.ProcSubst) syntax.WordPart {
	list := &syntax.Stmt{Position: ps.Pos(), Cmd: &syntax.Subshell{Stmts: ps.Stmts}}
	pipe := &syntax.Stmt{Position: ps.Pos(), Cmd: &syntax.BinaryCmd{OpPos: ps.Pos(), Op: syntax.Pipe, X: list, Y: simple(ps.Pos(), collectName)}}
	return &syntax.CmdSubst{Left: ps.Pos(), Right: ps.End(), Stmts: []*syntax.Stmt{pipe}}
}

// simple is a call without arguments.
func simple(at syntax.Pos, name string) *syntax.Stmt {
	word := &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{ValuePos: at, ValueEnd: at, Value: name}}}
	return &syntax.Stmt{Position: at, Cmd: &syntax.CallExpr{Args: []*syntax.Word{word}}}
}

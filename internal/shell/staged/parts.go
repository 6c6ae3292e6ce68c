package staged

import (
	"strconv"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// parts are the commands before a | in the scripts of a run. The interpreter runs each
// of them in a goroutine of its own, where a panic, of which it has some, would end the
// whole program. So the script has a call in its place, and what answers the call runs
// the part and recovers:
//
//	a | b    ─▶    <partName> a | b
type parts struct {
	mu   sync.Mutex
	list []string       // in the grammar of the shell
	at   map[string]int // where each is in the list
}

// keep makes a call of a part, whose own pipelines are kept already.
func (p *parts) keep(part *syntax.Stmt) (*syntax.Stmt, error) {
	line, err := printed(part)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	i, ok := p.at[line]
	if !ok {
		i = len(p.list)
		p.list, p.at[line] = append(p.list, line), i
	}
	return simple(part.Pos(), partName, strconv.Itoa(i)), nil
}

// line is a part that was kept, by the argument of its call.
func (p *parts) line(number string) (string, error) {
	i, err := strconv.Atoi(number)
	if err != nil {
		return "", err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.list[i], nil
}

// printed is a piece of a script in the grammar of the shell.
func printed(n syntax.Node) (string, error) {
	var b strings.Builder
	err := syntax.NewPrinter().Print(&b, n)
	return b.String(), err
}

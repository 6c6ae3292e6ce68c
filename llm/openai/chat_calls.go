package openai

import (
	"encoding/json"
	"strings"
)

// calls sorts the pieces of tool calls. OpenAI numbers the calls of an answer
// and sends id and name with the first piece; other servers send whole calls,
// number all of them 0, leave out numbers or ids, or repeat id and name.
type calls struct {
	list []callSoFar
	at   map[int]int // the server's number of a call → its place in list
}

type callSoFar struct {
	id, name string
	begun    bool // some of its arguments came
}

// place is the place of the call that a piece belongs to.
func (c *calls) place(p *callPart) int {
	i := c.find(p)
	if i < 0 || c.list[i].differs(p) {
		i = c.add(p)
	}
	so := &c.list[i]
	if so.id == "" {
		so.id = p.ID
	}
	if so.name == "" {
		so.name = p.Function.Name
	}
	so.begun = so.begun || p.Function.Arguments != ""
	return i
}

func (c *calls) find(p *callPart) int {
	switch {
	case p.Index != nil:
		if i, ok := c.at[*p.Index]; ok {
			return i
		}
		return -1
	case p.ID != "":
		for i := len(c.list) - 1; i >= 0; i-- {
			if c.list[i].id == p.ID {
				return i
			}
		}
		return -1
	}
	return len(c.list) - 1
}

// differs reports whether a piece, though it seems to belong to the call, is the
// beginning of another one.
func (so callSoFar) differs(p *callPart) bool {
	name, arguments := p.Function.Name, string(p.Function.Arguments)
	return so.id != "" && p.ID != "" && so.id != p.ID ||
		so.name != "" && name != "" && so.name != name ||
		so.begun && name != "" && strings.HasPrefix(arguments, "{") && json.Valid([]byte(arguments))
}

func (c *calls) add(p *callPart) int {
	i := len(c.list)
	c.list = append(c.list, callSoFar{})
	if p.Index != nil {
		if c.at == nil {
			c.at = map[int]int{}
		}
		c.at[*p.Index] = i
	}
	return i
}

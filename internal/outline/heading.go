package outline

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"redline/internal/text"
)

// Heading opens a section. Lines are counted from 1.
type Heading struct {
	Level int    // 1 to 6
	Text  string // as a reader sees it, on one line
	Line  int    // its first line
	Last  int    // its last line: the underline, if it has one, else Line or the end of its text
	End   int    // the last line of its section, subsections included
}

// Headings are the headings of a document in their order. One that stands in a
// quotation or a list is part of that and opens no section.
func Headings(doc *text.Document) []Heading {
	page := parse(doc)
	var list []Heading
	for n := page.root.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			list = append(list, page.heading(h))
		}
	}
	var open []int // headings whose section has not ended yet
	for i, h := range list {
		for len(open) > 0 && list[open[len(open)-1]].Level >= h.Level {
			list[open[len(open)-1]].End = h.Line - 1
			open = open[:len(open)-1]
		}
		open = append(open, i)
	}
	for _, i := range open {
		list[i].End = doc.Lines()
	}
	return list
}

func (p *page) heading(n *ast.Heading) Heading {
	line := p.doc.LineAt(p.base+n.Pos()) + 1
	h := Heading{Level: n.Level, Text: p.plain(n), Line: line, Last: line}
	if lines := n.Lines(); lines.Len() > 0 {
		h.Last = p.doc.LineAt(p.base+lines.At(lines.Len()-1).Start) + 1
	}
	if p.underlined(h) {
		h.Last++
	}
	return h
}

// underlined tells whether a heading is written with a line of "=" or "-" below,
// and not with as many "#" before it as its level is.
func (p *page) underlined(h Heading) bool {
	line := strings.TrimLeft(string(p.doc.LineText(h.Line-1)), " ")
	marks := len(line) - len(strings.TrimLeft(line, "#"))
	return marks != h.Level || len(line) > marks && !util.IsSpace(line[marks])
}

// plain is the text of a node without its markup.
func (p *page) plain(n ast.Node) string {
	var b strings.Builder
	p.write(&b, n)
	return strings.Join(strings.Fields(b.String()), " ")
}

func (p *page) write(b *strings.Builder, n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			value := string(c.Segment.Value(p.source))
			if !c.IsRaw() {
				value = unescape(value)
			}
			b.WriteString(value)
			if c.SoftLineBreak() || c.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(c.Value)
		case *ast.AutoLink:
			b.Write(c.Label(p.source))
		default:
			p.write(b, c)
		}
	}
}

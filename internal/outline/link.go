package outline

import (
	"bytes"
	"slices"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	gtext "github.com/yuin/goldmark/text"

	"redline/internal/text"
)

// Kind is how a link is written.
type Kind int

// The kinds of links.
const (
	Wiki       Kind = iota // [[target#anchor|alias]], ![[target]]
	Inline                 // [text](target#anchor "title"), ![alt](target)
	Definition             // [label]: target#anchor "title"
	Property               // a wikilink in a quoted value of front matter
)

func (k Kind) String() string {
	return [...]string{"wiki", "inline", "definition", "property"}[k]
}

// IsWiki tells whether the target is a name as in wikilinks, not a relative URL.
func (k Kind) IsWiki() bool { return k == Wiki || k == Property }

// Link is a link that names a file, or a place in its own document.
type Link struct {
	Kind       Kind
	Start, End int    // the bytes of the target in the document: without its anchor, its <> and blanks around it
	Target     string // decoded; empty if the link stays in its document
	Anchor     string // decoded, behind the "#"; a block has a "^" before its name
	Embed      bool   // an image or an embedded note

	raw   string // the target as it is written
	quote byte   // around the value of a property
	angle bool   // the target stands in <>
}

// Links are the links of a document that name a file, in their order. URLs with
// a scheme are none, and code and HTML have none.
//
// In front matter only a wikilink in a quoted value of one line counts:
// [[Note]] without quotes is a list in a list there.
func Links(doc *text.Document) []Link {
	p := parse(doc)
	links := p.properties()
	_ = ast.Walk(p.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if d, ok := n.(*ast.LinkReferenceDefinition); ok && entering {
			p.define(d)
		}
		return ast.WalkContinue, nil
	})
	slices.SortStableFunc(p.links, func(a, b Link) int { return a.Start - b.Start })
	for _, l := range p.links {
		// The bytes may be replaced, so they are looked at once more.
		if bytes.HasPrefix(p.source[l.Start:], []byte(l.raw)) {
			l.Start += p.base
			l.End += p.base
			links = append(links, l)
		}
	}
	return links
}

// destinations is the parser of links, which also notes where their targets
// are.
type destinations struct{ parser.InlineParser }

func (d destinations) Parse(parent ast.Node, block gtext.Reader, pc parser.Context) ast.Node {
	rest, _ := block.PeekLine()
	closing := rest[0] == ']'
	if closing && len(rest) > 2 && rest[1] == '(' && extent(rest[2:]) == longest {
		return nil
	}
	line, position := block.Position()
	node := d.InlineParser.Parse(parent, block, pc)
	if !closing || node == nil {
		return node
	}
	var target []byte
	_, embed := node.(*ast.Image)
	switch n := node.(type) {
	case *ast.Link:
		if n.Reference == nil {
			target = n.Destination
		}
	case *ast.Image:
		if n.Reference == nil {
			target = n.Destination
		}
	}
	if len(target) == 0 {
		return node
	}
	endLine, end := block.Position()
	block.SetPosition(line, position)
	block.Advance(len("]("))
	pc.Get(pageKey).(*page).add(Inline, block, target, embed)
	block.SetPosition(endLine, end)
	return node
}

// CloseBlock ends what is open when a paragraph ends.
func (d destinations) CloseBlock(parent ast.Node, block gtext.Reader, pc parser.Context) {
	d.InlineParser.(parser.CloseBlocker).CloseBlock(parent, block, pc)
}

// define adds the link of a definition.
func (p *page) define(n *ast.LinkReferenceDefinition) {
	block := gtext.NewBlockReader(p.source, n.Lines())
	block.SkipSpaces()
	block.Advance(len("["))
	if _, ok := block.FindClosure('[', ']', gtext.FindClosureOptions{Newline: true, Advance: true}); !ok {
		return
	}
	block.Advance(len(":"))
	p.add(Definition, block, n.Destination, false)
}

// add adds a link whose target is the next that block has, blanks aside.
func (p *page) add(k Kind, block gtext.Reader, target []byte, embed bool) {
	block.SkipSpaces()
	angle := block.Peek() == '<'
	if angle {
		block.Advance(1)
	}
	_, at := block.Position()
	if l, ok := destination(string(target)); ok {
		l.Kind, l.Embed, l.angle = k, embed, angle
		l.Start += at.Start
		l.End += at.Start
		p.links = append(p.links, l)
	}
}

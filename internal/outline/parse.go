package outline

import (
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	gtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"redline/internal/text"
)

// page is a document and the tree of what stands behind its front matter.
type page struct {
	doc    *text.Document
	front  int    // how many lines are front matter
	base   int    // where source begins in the document
	source []byte // the document behind its byte order mark and front matter
	root   ast.Node
	links  []Link // wikilinks and links with their target beside them, offsets in source
}

func parse(doc *text.Document) *page {
	p := &page{doc: doc, front: FrontMatter(doc)}
	p.base = doc.Offset(p.front)
	if p.base == 0 && doc.HasBOM() {
		p.base = len(text.BOM)
	}
	p.source = doc.Bytes()[p.base:]
	pc := parser.NewContext()
	pc.Set(pageKey, p)
	p.root = markdown.Parse(gtext.NewReader(p.source), parser.WithContext(pc))
	return p
}

// pageKey is where the parsers of links find the page that they parse.
var pageKey = parser.NewContextKey()

var markdown = parser.NewParser(
	parser.WithBlockParsers(append(parser.DefaultBlockParsers(),
		// Without it "[^1]: [[Note]]" would be a definition with the target "[[Note]]".
		util.Prioritized(extension.NewFootnoteBlockParser(), 950))...),
	parser.WithInlineParsers(
		util.Prioritized(parser.NewCodeSpanParser(), 100),
		util.Prioritized(wikilinks{}, 150),
		util.Prioritized(destinations{parser.NewLinkParser()}, 200),
		util.Prioritized(parser.NewAutoLinkParser(), 300),
		util.Prioritized(parser.NewRawHTMLParser(), 400),
		util.Prioritized(titles{parser.NewEmphasisParser()}, 500),
		util.Prioritized(titles{extension.NewStrikethroughParser()}, 600)),
	parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(),
		util.Prioritized(extension.NewTableParagraphTransformer(), 200))...),
)

// titles is a parser that is used in headings only: nobody asks for emphasis
// elsewhere, and looking for it takes the square of the length at worst.
type titles struct{ parser.InlineParser }

func (t titles) Parse(parent ast.Node, block gtext.Reader, pc parser.Context) ast.Node {
	const longest = 4 << 10
	h, ok := parent.(*ast.Heading)
	if !ok {
		return nil
	}
	if line := h.Lines().At(0); line.Len() > longest {
		return nil
	}
	return t.InlineParser.Parse(parent, block, pc)
}

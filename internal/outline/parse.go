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
	source []byte // the document behind its byte order mark and front matter
	base   int    // where source begins in the document
	root   ast.Node
}

func parse(doc *text.Document) *page {
	base := doc.Offset(FrontMatter(doc))
	if base == 0 && doc.HasBOM() {
		base = len(text.BOM)
	}
	p := &page{doc: doc, source: doc.Bytes()[base:], base: base}
	p.root = markdown.Parse(gtext.NewReader(p.source))
	return p
}

var markdown = parser.NewParser(
	parser.WithBlockParsers(parser.DefaultBlockParsers()...),
	parser.WithInlineParsers(append(parser.DefaultInlineParsers(),
		util.Prioritized(extension.NewStrikethroughParser(), 500))...),
	parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(),
		util.Prioritized(extension.NewTableParagraphTransformer(), 200))...),
)

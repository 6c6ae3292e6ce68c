package outline

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	gtext "github.com/yuin/goldmark/text"
)

// wikilinks is the parser of [[target#anchor|alias]] and ![[target]].
type wikilinks struct{}

func (wikilinks) Trigger() []byte { return []byte{'!', '['} }

func (wikilinks) Parse(_ ast.Node, block gtext.Reader, pc parser.Context) ast.Node {
	line, segment := block.PeekLine()
	l, shown, n := wikilink(line)
	if n == 0 || tail.Match(line[n:]) {
		return nil
	}
	l.Start += segment.Start
	l.End += segment.Start
	p := pc.Get(pageKey).(*page)
	p.links = append(p.links, l)
	block.Advance(n)
	return ast.NewString([]byte(shown))
}

// tail is what makes the inner brackets of "[[1]](page.md)" the text of a link.
var tail = regexp.MustCompile(`^\(\s*(?:<[^<>]*>|(?:[^\s<()]|\([^\s()]*\))(?:[^\s()]|\([^\s()]*\))*)(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)`)

// wikilink reads the wikilink with which s begins, and returns it with what a
// reader sees of it and its length in s: 0 if there is none.
func wikilink(s []byte) (l Link, shown string, n int) {
	l = Link{Kind: Wiki, Embed: s[0] == '!'}
	from := len("[[")
	if l.Embed {
		from++
	}
	if !bytes.HasSuffix(s[:min(from, len(s))], []byte("[[")) {
		return l, "", 0
	}
	inner, _, ok := bytes.Cut(s[from:], []byte("]]"))
	if !ok || bytes.Contains(inner, []byte("[[")) {
		return l, "", 0
	}
	n = from + len(inner) + len("]]")
	// A bracket can end an alias: [[note|alias [1]]]
	if bytes.Count(inner, []byte("[")) > bytes.Count(inner, []byte("]")) && n < len(s) && s[n] == ']' {
		inner = s[from : from+len(inner)+1]
		n++
	}
	address, alias, piped := strings.Cut(string(inner), "|")
	if piped {
		address = strings.TrimSuffix(address, `\`) // so that it does not end a cell of a table
	}
	if strings.ContainsAny(address, "[]") || strings.TrimSpace(address) == "" {
		return l, "", 0
	}
	path, anchor, _ := strings.Cut(address, "#")
	l.raw = strings.TrimSpace(path)
	l.Target, l.Anchor = l.raw, strings.TrimSpace(anchor)
	l.Start = from + strings.Index(path, l.raw)
	l.End = l.Start + len(l.raw)
	if l.Target == "" && l.Anchor == "" {
		return l, "", 0
	}
	if shown = strings.TrimSpace(alias); shown == "" {
		shown = strings.TrimSpace(address)
	}
	return l, shown, n
}

// properties are the wikilinks of the front matter.
func (p *page) properties() []Link {
	var links []Link
	for i := range max(p.front-2, 0) {
		line := p.doc.LineText(i + 1)
		base := p.doc.Offset(i + 1)
		for _, q := range quoted(line) {
			links = append(links, q.links(line, base)...)
		}
	}
	return links
}

// quotation is the part of a line between two quotes.
type quotation struct {
	mark       byte
	start, end int
}

// quoted are the quoted values on a line of YAML or TOML.
func quoted(line []byte) []quotation {
	var list []quotation
	before := byte('\n') // the last character that is not a blank
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t'):
			return list // a comment
		case (c == '"' || c == '\'') && bytes.IndexByte([]byte("\n:=-,[{"), before) >= 0:
			end := closing(line, i+1, c)
			if end < 0 {
				return list
			}
			list = append(list, quotation{c, i + 1, end})
			i = end
		}
		if c != ' ' && c != '\t' {
			before = c
		}
	}
	return list
}

// closing is where the quote ends that was opened before from, or -1.
func closing(line []byte, from int, mark byte) int {
	for i := from; i < len(line); i++ {
		switch {
		case line[i] == '\\' && mark == '"':
			i++
		case line[i] == mark && mark == '\'' && i+1 < len(line) && line[i+1] == mark:
			i++
		case line[i] == mark:
			return i
		}
	}
	return -1
}

func (q quotation) links(line []byte, base int) []Link {
	var links []Link
	for i := q.start; i < q.end; i++ {
		if line[i] != '[' && line[i] != '!' {
			continue
		}
		l, _, n := wikilink(line[i:q.end])
		if n == 0 {
			continue
		}
		l.Kind, l.quote = Property, q.mark
		if target, ok := unquote(l.raw, q.mark); ok {
			l.Target = target
			l.Start += base + i
			l.End += base + i
			links = append(links, l)
		}
		i += n - 1
	}
	return links
}

// unquote takes the escapes of a quoted value away. Of those with a backslash
// it knows \" and \\; a file name needs no other.
func unquote(s string, mark byte) (string, bool) {
	if mark == '\'' {
		return strings.ReplaceAll(s, "''", "'"), true
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			if i++; i == len(s) || s[i] != '"' && s[i] != '\\' {
				return "", false
			}
		}
		b.WriteByte(s[i])
	}
	return b.String(), true
}

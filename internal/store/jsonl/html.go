package jsonl

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"io"
	"strconv"
	"strings"
	"sync"
)

//go:embed page.css
var pageCSS string

// policy lets the page show its own pictures in its own style, and do nothing
// else.
var policy = sync.OnceValue(func() string {
	sum := sha256.Sum256([]byte(pageCSS))
	return "default-src 'none'; img-src data:; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
})

// escaped makes text safe in HTML, between tags and in quotes. The plus sign is
// among the characters since old readers took it for another encoding.
var escaped = strings.NewReplacer("\x00", "\uFFFD", "&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;", "+", "&#43;")

// HTML writes a transcript as one page that needs nothing else: no script, no
// file, no network. Everything that was said is shown as text; only code blocks
// are set as such.
//
// The page is written by hand: the templates of the standard library reach every
// method of every type, and with them the whole program would be linked in.
func HTML(w io.Writer, r *Record) error {
	p := &page{bufio.NewWriter(w)}
	p.top(headerOf(r))
	for i, m := range r.Messages {
		p.entry(entryOf(i, m))
	}
	p.tags("</main>\n</body>\n</html>\n")
	return p.out.Flush()
}

// page writes HTML. The writer keeps the first error.
type page struct{ out *bufio.Writer }

// tags writes what is HTML already.
func (p *page) tags(s string) { p.out.WriteString(s) }

// put writes a piece of HTML in which each %% stands for one of the texts.
func (p *page) put(html string, texts ...string) {
	for _, text := range texts {
		before, after, _ := strings.Cut(html, "%%")
		p.tags(before)
		p.tags(escaped.Replace(text))
		html = after
	}
	p.tags(html)
}

func (p *page) top(h header) {
	p.put(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%%">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>%%</title>
<style>`, policy(), h.Title)
	p.tags(pageCSS)
	p.put("</style>\n</head>\n<body>\n<header>\n<h1>%%</h1>\n<dl>", h.Title)
	for _, f := range h.Facts {
		p.put("\n<dt>%%</dt><dd>%%</dd>", f.Name, f.Value)
	}
	p.tags("\n</dl>\n</header>\n<main>\n")
}

func (p *page) entry(e entry) {
	index := strconv.Itoa(e.Index)
	p.put(`<article class="%%" id="m%%">`+"\n", e.Class, index)
	p.put(`<h2>%%</h2> <span class="about"><a href="#m%%">#%%</a>`, e.Who, index, index)
	for _, about := range []string{e.Time, e.Model, e.Cost} {
		if about != "" {
			p.put(" · %%", about)
		}
	}
	p.tags("</span>")
	for _, note := range e.Notes {
		p.put("\n"+`<p class="note">%%</p>`, note)
	}
	for _, part := range e.Parts {
		p.part(part)
	}
	p.tags("\n</article>\n")
}

func (p *page) part(x part) {
	switch {
	case x.Prose:
		p.tags("\n" + `<div class="prose">`)
		for _, s := range x.Segments() {
			if s.Code {
				p.put("<pre>\n%%</pre>", s.Text)
			} else {
				p.put("<p>%%</p>", s.Text)
			}
		}
		p.tags("</div>")
	case x.Image != "":
		p.put("\n"+`<figure><figcaption>%%</figcaption><img alt="%%" src="%%"></figure>`, x.Title, x.Title, x.Image)
	case x.Text != "":
		failed := ""
		if x.Failed {
			failed = ` class="failed"`
		}
		p.put("\n<details"+failed+"><summary>%%</summary><pre>\n%%</pre></details>", x.Title, x.Text)
	default:
		p.put("\n"+`<p class="file">%%</p>`, x.Title)
	}
}

// segment is a piece of prose: text or a code block.
type segment struct {
	Text string
	Code bool
}

// Segments are the pieces of a part that is prose.
func (p part) Segments() []segment {
	var list []segment
	lines := strings.Split(p.Text, "\n")
	for start := 0; start < len(lines); {
		end := start
		for end < len(lines) && !openFence.MatchString(lines[end]) {
			end++
		}
		if text := strings.Trim(strings.Join(lines[start:end], "\n"), "\n"); text != "" {
			list = append(list, segment{Text: text})
		}
		if start = end; start == len(lines) {
			break
		}
		block, _, rest, _ := codeBlock(lines[start:])
		list = append(list, segment{Text: strings.Join(block, "\n"), Code: true})
		start = len(lines) - len(rest)
	}
	return list
}

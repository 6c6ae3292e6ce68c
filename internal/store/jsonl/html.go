package jsonl

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"strings"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

var page = template.Must(template.New("page").Parse(pageHTML))

// policy lets the page show its own pictures in its own style, and do nothing
// else.
var policy = func() string {
	sum := sha256.Sum256([]byte(pageCSS))
	return "default-src 'none'; img-src data:; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}()

// HTML writes a transcript as one page that needs nothing else: no script, no
// file, no network. Everything that was said is shown as text; only code blocks
// are set as such.
func HTML(w io.Writer, r *Record) error {
	out := bufio.NewWriter(w)
	top := struct {
		header
		Policy string
		Style  template.CSS
	}{headerOf(r), policy, template.CSS(pageCSS)}
	if err := page.ExecuteTemplate(out, "top", top); err != nil {
		return err
	}
	for i, m := range r.Messages {
		if err := page.ExecuteTemplate(out, "entry", entryOf(i, m)); err != nil {
			return err
		}
	}
	if err := page.ExecuteTemplate(out, "bottom", nil); err != nil {
		return err
	}
	return out.Flush()
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

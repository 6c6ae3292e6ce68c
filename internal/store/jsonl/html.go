package jsonl

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
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
// file, no network. Everything that was said is shown as text, exactly.
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

package server

import (
	_ "embed"
	"fmt"
	"html"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// stylePath is where the pages have their look from.
const stylePath = "/api/docs/style.css"

//go:embed docs.css
var style string

func showStyle(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	_, _ = w.Write([]byte(style))
}

// showDocs is the document as a page. It is written here, and not by a script in the
// browser, so that it needs nothing from elsewhere.
func (a *api) showDocs(w http.ResponseWriter, doc *huma.OpenAPI) {
	p := &page{schemas: doc.Components.Schemas.Map()}
	p.begin(doc.Info.Title)
	p.tag("h1", doc.Info.Title+" "+doc.Info.Version)
	p.tag("p", doc.Info.Description)
	p.tag("p", "Every request but those for the page and /healthz shows the token, as “Authorization: Bearer TOKEN”. The same document for programs is /api/openapi.json.")
	groups := a.groups(doc)
	p.raw("<nav>")
	for _, g := range groups {
		p.tag("h4", g.name)
		p.raw("<ul>")
		for _, op := range g.operations {
			p.raw(fmt.Sprintf(`<li><a href="#%s"><span class="method">%s</span> <code>%s</code></a></li>`,
				html.EscapeString(op.OperationID), html.EscapeString(op.Method), html.EscapeString(op.Path)))
		}
		p.raw("</ul>")
	}
	p.raw("</nav>\n")
	for _, g := range groups {
		p.tag("h2", g.name)
		for _, op := range g.operations {
			p.operation(op)
		}
	}
	p.types()
	p.raw("</body></html>\n")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte(p.String()))
}

// group is the routes of one kind.
type group struct {
	name       string
	operations []*huma.Operation
}

// groups are the routes in the order in which they were added.
func (a *api) groups(doc *huma.OpenAPI) (list []group) {
	for _, t := range a.told {
		at := doc.Paths[t.op.Path]
		op := map[string]*huma.Operation{http.MethodGet: at.Get, http.MethodPost: at.Post, http.MethodPut: at.Put}[t.op.Method]
		i := slices.IndexFunc(list, func(g group) bool { return g.name == op.Tags[0] })
		if i < 0 {
			list, i = append(list, group{name: op.Tags[0]}), len(list)
		}
		list[i].operations = append(list[i].operations, op)
	}
	return list
}

// page is HTML that is being written. What comes from outside of this file passes
// through tag or is escaped.
type page struct {
	strings.Builder
	schemas map[string]*huma.Schema
}

func (p *page) raw(s string) { p.WriteString(s) }

func (p *page) tag(name, text string) {
	fmt.Fprintf(p, "<%s>%s</%s>\n", name, html.EscapeString(text), name)
}

func (p *page) begin(title string) {
	p.raw(`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>`)
	p.raw(html.EscapeString(title))
	p.raw("</title><link rel=\"stylesheet\" href=\"" + stylePath + "\"></head><body>\n")
}

func (p *page) operation(op *huma.Operation) {
	fmt.Fprintf(p, `<h3 id="%s"><a href="#%[1]s"><span class="method">%s</span> %s</a></h3>`,
		html.EscapeString(op.OperationID), html.EscapeString(op.Method), html.EscapeString(op.Path))
	p.tag("p", op.Summary+". "+op.Description)
	if len(op.Parameters) > 0 {
		p.raw("<table>")
		for _, param := range op.Parameters {
			must := ""
			if param.Required {
				must = ", required"
			}
			p.raw("<tr>")
			p.tag("td", param.Name)
			p.tag("td", fmt.Sprint(param.Schema.Type, " in the ", param.In, must))
			p.tag("td", param.Description)
			p.raw("</tr>")
		}
		p.raw("</table>")
	}
	if op.RequestBody != nil {
		p.shape("takes", op.RequestBody.Content)
	}
	var refused []string
	for _, status := range sorted(op.Responses) {
		if status < "400" {
			p.shape("answers "+status, op.Responses[status].Content)
		} else {
			refused = append(refused, status)
		}
	}
	if len(refused) > 0 {
		p.raw(`<p class="label">`)
		p.raw(html.EscapeString("refuses with " + strings.Join(refused, ", ")))
		p.raw("</p>")
	}
}

// shape shows what a body is like.
func (p *page) shape(label string, content map[string]*huma.MediaType) {
	p.raw("<p>" + html.EscapeString(label))
	for _, media := range sorted(content) {
		if s := content[media].Schema; s.Ref != "" {
			p.raw(" <code>" + kind(s) + "</code>")
		} else {
			p.raw(" " + html.EscapeString(media))
		}
	}
	p.raw("</p>\n")
}

// types shows the shapes that bodies are made of.
func (p *page) types() {
	p.tag("h2", "shapes")
	for _, n := range sorted(p.schemas) {
		fmt.Fprintf(p, `<h3 id="%s">%[1]s</h3><table>`, html.EscapeString(n))
		s := p.schemas[n]
		for _, field := range sorted(s.Properties) {
			optional := ""
			if !slices.Contains(s.Required, field) {
				optional = "?"
			}
			p.raw("<tr>")
			p.tag("td", field+optional)
			p.raw("<td>" + kind(s.Properties[field]) + "</td>")
			p.tag("td", s.Properties[field].Description)
			p.raw("</tr>")
		}
		p.raw("</table>\n")
	}
}

// kind is a type in words, as HTML.
func kind(s *huma.Schema) string {
	switch {
	case s == nil:
		return "anything"
	case s.Ref != "":
		return fmt.Sprintf(`<a href="#%s">%[1]s</a>`, html.EscapeString(name(s.Ref)))
	case len(s.AnyOf) > 0:
		kinds := make([]string, len(s.AnyOf))
		for i, one := range s.AnyOf {
			kinds[i] = kind(one)
		}
		return strings.Join(kinds, " or ")
	case s.Type == huma.TypeArray:
		return "list of " + kind(s.Items)
	case len(s.Enum) > 0:
		words := make([]string, len(s.Enum))
		for i, v := range s.Enum {
			words[i] = fmt.Sprint(v)
		}
		return html.EscapeString(strings.Join(words, " | "))
	case s.Type == "":
		return "anything"
	}
	if values, ok := s.AdditionalProperties.(*huma.Schema); ok {
		return "map to " + kind(values)
	}
	k := s.Type
	if s.Format != "" {
		k += " (" + s.Format + ")"
	}
	if s.Nullable {
		k += " or null"
	}
	return html.EscapeString(k)
}

func name(ref string) string { return ref[strings.LastIndex(ref, "/")+1:] }

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// showPage is the page of a server that has been given none.
func (s *Server) showPage(w http.ResponseWriter, _ *http.Request) {
	p := &page{}
	p.begin("Redline")
	p.tag("h1", "Redline "+s.Version)
	p.tag("p", "An agent for a folder of documents whose every change can be seen, accepted, rejected and taken back.")
	p.raw(`<p>This server has its <a href="/api/docs">API</a> and no page.</p></body></html>` + "\n")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte(p.String()))
}

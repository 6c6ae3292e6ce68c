package server

import (
	"encoding/json"
	"iter"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"redline/internal/wire"
)

// tokenScheme is the name by which the document calls the token.
const tokenScheme = "token"

// config is how the routes are described.
func (s *Server) config() huma.Config {
	schemas := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	schemas.RegisterTypeAlias(reflect.TypeFor[problem](), reflect.TypeFor[wire.Error]())
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title:       "Redline",
				Version:     s.Version,
				Description: "An agent for a folder of documents whose every change can be seen, accepted, rejected and taken back. Bodies are JSON; an answer that is no success has the body {error, message, details}.",
			},
			Components: &huma.Components{
				Schemas: schemas,
				SecuritySchemes: map[string]*huma.SecurityScheme{tokenScheme: {
					Type: "http", Scheme: "bearer", Description: "What the server told when it started, as \"Authorization: Bearer TOKEN\".",
				}},
			},
		},
		Formats: map[string]huma.Format{"application/json": {Unmarshal: json.Unmarshal, Marshal: huma.DefaultJSONFormat.Marshal}},
	}
}

// plain is a route that is described, but has a handler of its own.
type plain struct {
	route
	media  string       // of its answer
	answer reflect.Type // nil: no more is said
	takes  []*huma.Param
	public bool
}

// describe adds a route to the document.
func (a *api) describe(p plain) {
	op := a.operation(p.route, reflect.TypeFor[struct{}]())
	answer := op.Responses[strconv.Itoa(op.DefaultStatus)]
	answer.Description = http.StatusText(op.DefaultStatus)
	schemas := a.OpenAPI().Components.Schemas
	media := &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString}}
	if p.answer != nil {
		media.Schema = schemas.Schema(p.answer, true, "")
	}
	answer.Content = map[string]*huma.MediaType{p.media: media}
	if p.media == "" {
		answer.Content = nil
	}
	op.Parameters = p.takes
	if p.public {
		op.Security = nil
		op.Errors = []int{http.StatusForbidden}
	}
	refused := &huma.MediaType{Schema: schemas.Schema(reflect.TypeFor[wire.Error](), true, "")}
	for _, status := range op.Errors {
		op.Responses[strconv.Itoa(status)] = &huma.Response{
			Description: http.StatusText(status),
			Content:     map[string]*huma.MediaType{"application/json": refused},
		}
	}
	a.OpenAPI().AddOperation(op)
}

// orNull says in the document which objects can be null: pointers that are always
// there. The library that makes the document does not.
func (a *api) orNull() {
	schemas := a.OpenAPI().Components.Schemas
	for name, s := range schemas.Map() {
		t := schemas.TypeFromRef("#/components/schemas/" + name)
		for field := range fields(t) {
			key, rest, _ := strings.Cut(field.Tag.Get("json"), ",")
			if p := s.Properties[key]; p != nil && p.Ref != "" && field.Type.Kind() == reflect.Pointer && !strings.Contains(rest, "omit") {
				s.Properties[key] = &huma.Schema{AnyOf: []*huma.Schema{{Ref: p.Ref}, {Type: "null"}}, Description: p.Description}
			}
		}
	}
}

func fields(t reflect.Type) iter.Seq[reflect.StructField] {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			if !yield(t.Field(i)) {
				return
			}
		}
	}
}

func inPath(name string) *huma.Param {
	return &huma.Param{Name: name, In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString}}
}

func inQuery(name, kind, doc string) *huma.Param {
	return &huma.Param{Name: name, In: "query", Description: doc, Schema: &huma.Schema{Type: kind}}
}

// otherRoutes describes the routes that have handlers of their own, and adds those that
// show the document.
func (a *api) otherRoutes() {
	a.group = "streams"
	a.describe(plain{route: route{at: "GET /api/agent/jobs/{id}/stream", summary: "The events of a job as they happen (SSE)", refuses: []int{http.StatusBadRequest},
		says: "The id of an event is its cursor: a reader that sends it as Last-Event-ID goes on behind it. Transient frames have no id. A frame of type reload means that frames were lost: read the job anew."},
		media: "text/event-stream", takes: []*huma.Param{inPath("id"), inQuery("cursor", huma.TypeInteger, "of the newest event that is known")}})
	a.describe(plain{route: route{at: "GET /api/agent/sessions/{id}/ws", summary: "Talk with a session both ways (WebSocket)", status: http.StatusSwitchingProtocols, refuses: []int{http.StatusBadRequest},
		says: "Commands in, the events of all jobs of the session out."},
		takes: []*huma.Param{inPath("id"), inQuery("lines", huma.TypeBoolean, "each event also as the line of JSONL that it is")}})
	if a.Models != nil {
		a.modelRoutes()
	}
	a.group = "server"
	a.describe(plain{route: route{at: "GET /healthz", summary: "Whether the server works"}, media: "application/json", answer: reflect.TypeFor[wire.Health](), public: true})
	if a.Metrics != nil {
		a.describe(plain{route: route{at: "GET /metrics", summary: "Figures for Prometheus"}, media: "text/plain"})
	}
	a.describe(plain{route: route{at: "GET /", summary: "The page"}, media: "text/html", public: true})
	a.describe(plain{route: route{at: "GET /api/openapi.json", summary: "This document"}, media: "application/json"})
	a.describe(plain{route: route{at: "GET /api/docs", summary: "This document, to read"}, media: "text/html"})
	a.describe(plain{route: route{at: "GET " + stylePath, summary: "How it looks"}, media: "text/css", public: true})

	document := sync.OnceValues(func() ([]byte, error) { return json.MarshalIndent(a.OpenAPI(), "", " ") })
	a.mux.HandleFunc("GET /api/openapi.json", func(w http.ResponseWriter, r *http.Request) {
		body, err := document()
		if err != nil {
			a.fault(err).write(w)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	})
	a.mux.HandleFunc("GET /api/docs", a.showDocs)
	a.mux.HandleFunc("GET "+stylePath, showStyle)
}

// modelRoutes describes what Options.Models answers.
func (a *api) modelRoutes() {
	a.group = "models"
	limited := []int{http.StatusTooManyRequests, http.StatusUnprocessableEntity}
	a.describe(plain{route: route{at: "POST /api/llm/chat-with-tools", summary: "One answer of a model, with tools", refuses: limited}, media: "application/json"})
	a.describe(plain{route: route{at: "POST /api/llm/v1/stream", summary: "One answer of a model, piece by piece, for programs that have Redline as their model", refuses: limited}, media: "text/event-stream"})
}

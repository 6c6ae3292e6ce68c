package server

import (
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

// schemaPrefix is where the document has its shapes.
const schemaPrefix = "#/components/schemas/"

// config is how the routes are described.
func (s *Server) config() huma.Config {
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title:       "Redline",
				Version:     s.Version,
				Description: "An agent for a folder of documents whose every change can be seen, accepted, rejected and taken back. Bodies are JSON; an answer that is no success has the body {error, message, details}.",
			},
			Components: &huma.Components{
				Schemas: newSchemas(),
				SecuritySchemes: map[string]*huma.SecurityScheme{tokenScheme: {
					Type: "http", Scheme: "bearer", Description: "What the server told when it started, as \"Authorization: Bearer TOKEN\".",
				}},
			},
		},
		Formats: map[string]huma.Format{"application/json": {Unmarshal: readBody, Marshal: huma.DefaultJSONFormat.Marshal}},
	}
}

func newSchemas() huma.Registry {
	schemas := huma.NewMapRegistry(schemaPrefix, huma.DefaultSchemaNamer)
	schemas.RegisterTypeAlias(reflect.TypeFor[problem](), reflect.TypeFor[wire.Error]())
	return schemas
}

// told is a route as the document tells of it.
type told struct {
	route
	op     *huma.Operation
	media  string       // of its answer; "": it has none
	answer reflect.Type // nil: no more is said
	public bool         // no token is needed
}

// describe adds a route to the document that has a handler of its own.
func (a *api) describe(t told, takes ...*huma.Param) {
	op := a.operation(t.route)
	op.Parameters = takes
	t.op = &op
	a.told = append(a.told, t)
}

// document is all routes with what they take and answer. It is made when somebody asks
// for it: to make its shapes takes longer than to make the routes.
func (a *api) document() *huma.OpenAPI {
	doc, components := *a.OpenAPI(), *a.OpenAPI().Components
	components.Schemas = newSchemas()
	doc.Components, doc.Paths, doc.OnAddOperation = &components, nil, nil
	for name := range a.OpenAPI().Components.Schemas.Map() {
		components.Schemas.Schema(a.OpenAPI().Components.Schemas.TypeFromRef(schemaPrefix+name), true, name)
	}
	for _, t := range a.told {
		op := *t.op
		t.complete(&op, components.Schemas)
		doc.AddOperation(&op)
	}
	sharpen(components.Schemas)
	return &doc
}

// complete adds what only the document has.
func (t told) complete(op *huma.Operation, schemas huma.Registry) {
	op.Summary, op.Description = t.summary, t.says
	answer := &huma.Response{Description: http.StatusText(op.DefaultStatus)}
	if t.media != "" {
		answer.Content = map[string]*huma.MediaType{t.media: {Schema: &huma.Schema{Type: huma.TypeString}}}
	}
	if t.answer != nil {
		answer.Content[t.media].Schema = schemas.Schema(t.answer, true, "")
	}
	op.Responses = map[string]*huma.Response{strconv.Itoa(op.DefaultStatus): answer}
	refused := map[string]*huma.MediaType{"application/json": {Schema: schemas.Schema(reflect.TypeFor[wire.Error](), true, "")}}
	for _, status := range t.refusals(op) {
		op.Responses[strconv.Itoa(status)] = &huma.Response{Description: http.StatusText(status), Content: refused}
	}
	if !t.public {
		op.Security = []map[string][]string{{tokenScheme: {}}}
	}
}

// refusals are the statuses of the errors that a route may answer.
func (t told) refusals(op *huma.Operation) []int {
	if t.public {
		return []int{http.StatusForbidden}
	}
	list := append([]int{http.StatusUnauthorized, http.StatusForbidden, http.StatusInternalServerError, http.StatusServiceUnavailable}, t.refuses...)
	if op.Method != http.MethodGet {
		list = append(list, http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity)
	}
	if strings.Contains(op.Path, "{") {
		list = append(list, http.StatusNotFound)
	}
	return list
}

// closed are the types whose values are a closed set.
var closed = map[reflect.Type][]any{
	reflect.TypeFor[wire.JobStatus](): {wire.JobQueued, wire.JobRunning, wire.JobWaitingForUser, wire.JobAwaitingApproval, wire.JobAwaitingReview,
		wire.JobCompleted, wire.JobFailed, wire.JobCancelled, wire.JobInterrupted},
	reflect.TypeFor[wire.SessionState](): {wire.SessionActive, wire.SessionArchived},
	reflect.TypeFor[wire.State](): {wire.Idle, wire.Running, wire.WaitingForUser, wire.AwaitingApproval, wire.AwaitingReview,
		wire.Done, wire.Failed, wire.Cancelled},
}

// sharpen says what the library does not see in the types: which objects can be null
// (pointers that are always there), and the words of closed sets.
func sharpen(schemas huma.Registry) {
	for name, s := range schemas.Map() {
		for _, field := range reflect.VisibleFields(schemas.TypeFromRef(schemaPrefix + name)) {
			key, rest, _ := strings.Cut(field.Tag.Get("json"), ",")
			p := s.Properties[key]
			if p == nil {
				continue
			}
			if p.Ref != "" && field.Type.Kind() == reflect.Pointer && !strings.Contains(rest, "omit") {
				s.Properties[key] = &huma.Schema{AnyOf: []*huma.Schema{{Ref: p.Ref}, {Type: "null"}}, Description: p.Description}
			}
			if set := closed[field.Type]; set != nil {
				p.Enum = set
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
	a.describe(told{route: route{at: "GET /api/agent/jobs/{id}/stream", summary: "The events of a job as they happen (SSE)", refuses: []int{http.StatusBadRequest},
		says: "The id of an event is its cursor: a reader that sends it as Last-Event-ID goes on behind it. Transient frames have no id. A frame of type reload means that frames were lost: read the job anew."},
		media: "text/event-stream"}, inPath("id"), inQuery("cursor", huma.TypeInteger, "of the newest event that is known"))
	a.describe(told{route: route{at: "GET /api/agent/sessions/{id}/ws", summary: "Talk with a session both ways (WebSocket)", status: http.StatusSwitchingProtocols, refuses: []int{http.StatusBadRequest},
		says: "Commands in, the events of all jobs of the session out (JobEvent)."}},
		inPath("id"), inQuery("lines", huma.TypeBoolean, "each event also as the line of JSONL that it is"))
	if a.Models != nil {
		a.modelRoutes()
	}
	a.group = "server"
	a.describe(told{route: route{at: "GET /healthz", summary: "Whether the server works"}, media: "application/json", answer: reflect.TypeFor[wire.Health](), public: true})
	if a.Metrics != nil {
		a.describe(told{route: route{at: "GET /metrics", summary: "Figures for Prometheus"}, media: "text/plain"})
	}
	a.describe(told{route: route{at: "GET /", summary: "The page"}, media: "text/html", public: true})
	a.describe(told{route: route{at: "GET /api/openapi.json", summary: "This document"}, media: "application/json"})
	a.describe(told{route: route{at: "GET /api/docs", summary: "This document, to read"}, media: "text/html"})
	a.describe(told{route: route{at: "GET " + stylePath, summary: "How it looks"}, media: "text/css", public: true})

	document := sync.OnceValue(a.document)
	a.mux.HandleFunc("GET /api/openapi.json", func(w http.ResponseWriter, _ *http.Request) { a.write(w, http.StatusOK, document()) })
	a.mux.HandleFunc("GET /api/docs", func(w http.ResponseWriter, _ *http.Request) { a.showDocs(w, document()) })
	a.mux.HandleFunc("GET "+stylePath, showStyle)
}

// modelRoutes describes what Options.Models answers.
func (a *api) modelRoutes() {
	a.group = "models"
	a.describe(told{route: route{at: "POST /api/llm/chat-with-tools", summary: "One answer of a model, with tools", refuses: []int{http.StatusTooManyRequests}}, media: "application/json"})
	a.describe(told{route: route{at: "POST /api/llm/v1/stream", summary: "One answer of a model, piece by piece, for programs that have Redline as their model", refuses: []int{http.StatusTooManyRequests}}, media: "application/x-ndjson"})
	a.describe(told{route: route{at: "GET /api/llm/usage", summary: "What the programs that use the models have used",
		says: "A program sees its own figures; who has the server's token sees those of all."}, media: "application/json", answer: reflect.TypeFor[wire.ClientUsages]()})
}

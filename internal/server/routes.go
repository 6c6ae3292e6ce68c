package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"redline/internal/wire"
)

// bodyTime is how long a body may take to arrive.
const bodyTime = 30 * time.Second

// maxID is the length that an id may have, in bytes.
const maxID = 300

// api is the routes with types, while they are made.
type api struct {
	*Server
	huma.API
	mux   *http.ServeMux
	group string // of the routes that are added next, in the document
	told  []told // all of them, in their order
	added *huma.Operation
}

// route says what a route is, for the document and for its answers.
type route struct {
	at      string // method and path
	summary string
	says    string                                 // more about it; ""
	status  int                                    // of its answer; 0: 200
	refuses []int                                  // besides what every route may answer
	first   func(huma.Context, func(huma.Context)) // asked before the route; nil: nobody
}

// routes are the routes with types.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	a := &api{Server: s, mux: mux, API: humago.New(mux, s.config())}
	a.UseMiddleware(known)
	a.OpenAPI().OnAddOperation = append(a.OpenAPI().OnAddOperation, func(_ *huma.OpenAPI, op *huma.Operation) { a.added = op })
	a.sessionRoutes()
	a.jobRoutes()
	a.reviewRoutes()
	a.turnRoutes()
	a.documentRoutes()
	a.folderRoutes()
	a.otherRoutes()
	mux.HandleFunc("/", s.nothing(s.mux, mux))
	return s.whole(mux)
}

// plainRoutes are the routes outside of the API, and those that others answer.
func (s *Server) plainRoutes() {
	s.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		s.write(w, http.StatusOK, wire.Health{Status: "ok", Version: s.Version})
	})
	if s.Metrics != nil {
		s.mux.Handle("GET /metrics", s.Metrics)
	}
	if s.Models != nil {
		s.mux.Handle("/api/llm/", s.Models)
	}
	nothing := s.nothing(s.mux)
	if s.Page == nil {
		s.mux.HandleFunc("GET /{$}", s.showPage)
		s.mux.HandleFunc("/", nothing)
		return
	}
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if reads(r) {
			s.Page.ServeHTTP(w, r)
		} else {
			nothing(w, r)
		}
	})
}

// Public tells whether a request may be answered to everybody: the page and the health
// of the server have nothing of the folders in them.
func Public(r *http.Request) bool {
	if r.URL.Path == stylePath {
		return true
	}
	return r.URL.Path != "/metrics" && r.URL.Path != "/api" && !strings.HasPrefix(r.URL.Path, "/api/")
}

// known lets only ids through that something can have: none of them is a path, and
// none has to be shown in an error.
func known(ctx huma.Context, next func(huma.Context)) {
	for _, p := range ctx.Operation().Parameters {
		if p.In == "path" && !goodID(ctx.Param(p.Name)) {
			_, w := humago.Unwrap(ctx)
			fail(http.StatusNotFound, "not_found", "nothing has this id").write(w)
			return
		}
	}
	next(ctx)
}

func goodID(id string) bool {
	return id != "" && len(id) <= maxID && id[0] != '.' && utf8.ValidString(id) &&
		!strings.ContainsFunc(id, func(r rune) bool { return r == '/' || r == '\\' || unicode.IsControl(r) })
}

// add adds a route: what it takes is checked by its type, what it answers is written
// as JSON, and its errors by the table of statuses.
func add[I, O any](a *api, r route, handle func(context.Context, *I) (O, error)) {
	type answer struct{ Body func(huma.Context) }
	op := a.operation(r)
	if r.first != nil {
		op.Middlewares = huma.Middlewares{r.first}
	}
	huma.Register(a.API, op, func(ctx context.Context, in *I) (*answer, error) {
		out, err := handle(ctx, in)
		return &answer{func(c huma.Context) {
			_, w := humago.Unwrap(c)
			if err != nil {
				a.refuse(err).write(w)
				return
			}
			a.write(w, op.DefaultStatus, out)
		}}, nil
	})
	a.told = append(a.told, told{route: r, op: a.added, media: "application/json", answer: reflect.TypeFor[O]()})
}

// operation is a route for the library that checks requests. What only the document
// needs is added with it.
func (a *api) operation(r route) huma.Operation {
	method, path, _ := strings.Cut(r.at, " ")
	if r.status == 0 {
		r.status = http.StatusOK
	}
	return huma.Operation{
		OperationID:     strings.ToLower(method) + operationID.Replace(path),
		Method:          method,
		Path:            path,
		Tags:            []string{a.group},
		DefaultStatus:   r.status,
		MaxBodyBytes:    -1, // the guard limits bodies
		BodyReadTimeout: bodyTime,
	}
}

var operationID = strings.NewReplacer("/api", "", "/", "-", "{", "", "}", "", ".", "-")

// buffers are those of answers that were written; large ones are not kept.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

const keptBuffer = 1 << 20

// write writes an answer as JSON, in one piece: what cannot be written is a fault that
// is told as one.
func (s *Server) write(w http.ResponseWriter, status int, answer any) {
	b := buffers.Get().(*bytes.Buffer)
	defer func() {
		if b.Cap() <= keptBuffer {
			b.Reset()
			buffers.Put(b)
		}
	}()
	if err := json.NewEncoder(b).Encode(answer); err != nil {
		s.fault(err).write(w)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
}

// nothing answers what no route is for: 405 if the path has one for another method.
func (s *Server) nothing(muxes ...*http.ServeMux) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var allowed []string
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut} {
			probe := &http.Request{Method: method, URL: r.URL, Host: r.Host}
			for _, mux := range muxes {
				if _, pattern := mux.Handler(probe); strings.HasPrefix(pattern, method) {
					allowed = append(allowed, method)
					break
				}
			}
		}
		if len(allowed) == 0 {
			fail(http.StatusNotFound, "not_found", "there is no such route; GET /api/openapi.json lists them").write(w)
			return
		}
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		fail(http.StatusMethodNotAllowed, codeMethod, "the route takes %s", strings.Join(allowed, ", ")).write(w)
	}
}

// whole answers a request also if its handler breaks down.
func (s *Server) whole(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if p := recover(); p == http.ErrAbortHandler {
				panic(p)
			} else if p != nil {
				s.fault(fmt.Errorf("panic: %v", p)).write(w)
			}
		}()
		h.ServeHTTP(w, r)
	})
}

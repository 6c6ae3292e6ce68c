package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"

	"redline/llm"
)

// Config is what a server needs. Where a function returns an error that is an
// *llm.Failure, the client is told its words, class and time to wait; of other
// errors it learns only that it was refused.
type Config struct {
	// Authorise says whose token it is. Tokens must be compared in constant
	// time, as FixedTokens does. nil: nobody is let in.
	Authorise func(ctx context.Context, token string) (account string, err error)
	// Resolve finds a model by its name, provider/model. nil: there are none.
	Resolve func(ctx context.Context, account, name string) (llm.Provider, llm.Model, error)
	// Quota may refuse a request before the model is asked. nil: all may ask.
	Quota func(ctx context.Context, account string, model llm.Model) error
	// Track is told every request that reached a model, once, before the client
	// learns that it ended. Several may be told at once. nil: nobody is told.
	Track func(Record)

	MaxBody       int64 // bytes of a request; 0: 32 MiB
	MaxConcurrent int   // requests of one account at the same time; 0: 8
}

const (
	sending   = time.Minute // how long a request may take to arrive
	receiving = time.Minute // how long a client may take to read what waits for it
)

// Handler answers POST requests at Path and ChatPath. Under another root, put it
// behind http.StripPrefix. It sets its own deadlines for reading and writing, also
// where the http.Server has some: an answer may take as long as the model does.
func Handler(c Config) http.Handler {
	if c.MaxBody == 0 {
		c.MaxBody = 32 << 20
	}
	if c.MaxConcurrent == 0 {
		c.MaxConcurrent = 8
	}
	return &server{Config: c, running: map[string]int{}}
}

type server struct {
	Config
	mu      sync.Mutex
	running map[string]int // requests by account
}

// errorAnswer is how a request is refused.
type errorAnswer struct {
	Error errorBody `json:"error"`
}

type errorBody struct {
	Class   llm.Class `json:"class"`
	Message string    `json:"message"`
	Retry   bool      `json:"retry"`
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// Also for those who are refused: net/http reads what they send before it
	// answers them. It ends when the request has come. Not every connection has
	// deadlines.
	http.NewResponseController(w).SetReadDeadline(time.Now().Add(sending))
	form := events
	if r.URL.Path == ChatPath {
		form = chat
	}
	account, err := s.admit(r)
	if err == nil {
		err = s.enter(account)
	}
	if err != nil {
		refuse(w, err, form)
		return
	}
	defer s.leave(account)
	task, err := s.prepare(w, r, account, form)
	if err != nil {
		refuse(w, err, form)
		return
	}
	form.answer(s, w, r, task)
}

// form is how requests and answers are written.
type form struct {
	question func(data []byte) (question, error)
	answer   func(s *server, w http.ResponseWriter, r *http.Request, t task)
	refusal  func(f *llm.Failure) any
}

// events is the form of this package's own clients.
var events = form{
	question: func(data []byte) (q question, err error) {
		err = json.Unmarshal(data, &q)
		return q, err
	},
	answer:  (*server).answer,
	refusal: func(f *llm.Failure) any { return errorAnswer{errorBody{f.Class, f.Message, f.Retry}} },
}

func invalid(status int, format string, args ...any) *llm.Failure {
	return &llm.Failure{Class: llm.ClassInvalidRequest, Status: status, Message: fmt.Sprintf(format, args...)}
}

// admit looks at the head of a request and says whose it is.
func (s *server) admit(r *http.Request) (account string, err error) {
	if r.URL.Path != Path && r.URL.Path != ChatPath {
		return "", invalid(http.StatusNotFound, "there is nothing here: POST to %s or %s", Path, ChatPath)
	}
	if r.Method != http.MethodPost {
		return "", invalid(http.StatusMethodNotAllowed, "use POST")
	}
	unknown := &llm.Failure{Class: llm.ClassAuth, Message: "the token is missing, wrong or no longer valid: send Authorization: Bearer with a valid one"}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" || s.Authorise == nil {
		return "", unknown
	}
	if account, err = s.Authorise(r.Context(), token); err != nil {
		return "", told(err, unknown)
	}
	if got, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); got != "application/json" {
		return "", invalid(http.StatusUnsupportedMediaType, "send application/json")
	}
	return account, nil
}

// told is what the client may know of an error.
func told(err error, otherwise *llm.Failure) *llm.Failure {
	var f *llm.Failure
	if errors.As(err, &f) {
		return f
	}
	return otherwise
}

// enter takes one of the account's places.
func (s *server) enter(account string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running[account] >= s.MaxConcurrent {
		return &llm.Failure{
			Class: llm.ClassRateLimit, Retry: true, RetryAfter: time.Second,
			Message: fmt.Sprintf("%d requests are running already, and no more are allowed at once: wait for one to end", s.MaxConcurrent),
		}
	}
	s.running[account]++
	return nil
}

func (s *server) leave(account string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running[account]--; s.running[account] == 0 {
		delete(s.running, account)
	}
}

// task is a request that may be put to a model.
type task struct {
	account  string
	provider llm.Provider
	req      llm.Request
}

// prepare reads a request, finds its model and asks for the quota.
func (s *server) prepare(w http.ResponseWriter, r *http.Request, account string, form form) (task, error) {
	q, err := s.read(w, r, form)
	if err != nil {
		return task{}, err
	}
	unknown := invalid(http.StatusNotFound, "there is no model %q here", q.Model)
	if s.Resolve == nil {
		return task{}, unknown
	}
	provider, model, err := s.Resolve(r.Context(), account, q.Model)
	if err != nil {
		return task{}, told(err, unknown)
	}
	if s.Quota != nil {
		if err := s.Quota(r.Context(), account, model); err != nil {
			return task{}, told(err, &llm.Failure{Class: llm.ClassRateLimit, Message: "the quota is used up"})
		}
	}
	q.Request.Model = model
	return task{account, provider, q.Request}, nil
}

func (s *server) read(w http.ResponseWriter, r *http.Request, form form) (question, error) {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.MaxBody))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return question{}, &llm.Failure{Class: llm.ClassContextTooLarge, Message: fmt.Sprintf("the request is larger than %d bytes: send fewer or smaller messages", s.MaxBody)}
	}
	if err != nil {
		return question{}, &llm.Failure{Class: llm.ClassNetwork, Status: http.StatusRequestTimeout, Message: "the request did not arrive in full", Retry: true}
	}
	q, err := form.question(data)
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind) && kind.Field != "":
		return question{}, invalid(0, "the request is not understood: %s cannot be a JSON value of the kind %s", kind.Field, kind.Value)
	case errors.As(err, &kind):
		return question{}, invalid(0, "the request is not understood: it is an object, not a JSON value of the kind %s", kind.Value)
	case err != nil:
		return question{}, invalid(0, "the request is not understood: %v", err)
	}
	if len(q.Messages) == 0 {
		return question{}, invalid(0, "the request has no messages")
	}
	if _, err := llm.ParseLevel(string(q.Thinking)); err != nil {
		return question{}, invalid(0, "%v", err)
	}
	return q, nil
}

// refuse answers a request with an error.
func refuse(w http.ResponseWriter, err error, form form) {
	f := told(err, &llm.Failure{Class: llm.ClassOverloaded, Message: "the server failed", Retry: true})
	status := f.Status
	if status < 400 || status > 599 {
		status = statusOf(f.Class)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	switch {
	case status == http.StatusMethodNotAllowed:
		h.Set("Allow", http.MethodPost)
	case status == http.StatusUnauthorized:
		h.Set("WWW-Authenticate", "Bearer")
	}
	if f.RetryAfter > 0 {
		h.Set("Retry-After", fmt.Sprint(int64((f.RetryAfter+time.Second-1)/time.Second)))
	}
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(sending + receiving)) // what is still to come is read first
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(form.refusal(f)) // a client that is gone needs no answer
}

func statusOf(c llm.Class) int {
	switch c {
	case llm.ClassAuth:
		return http.StatusUnauthorized
	case llm.ClassRateLimit:
		return http.StatusTooManyRequests
	case llm.ClassOverloaded:
		return http.StatusServiceUnavailable
	case llm.ClassContextTooLarge:
		return http.StatusRequestEntityTooLarge
	case llm.ClassNetwork:
		return http.StatusBadGateway
	case llm.ClassTimeout:
		return http.StatusGatewayTimeout
	}
	return http.StatusBadRequest
}

package llmtest

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// answer is what a service sent, as on the wire.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// answer reads a recorded answer.
func (s suite) answer(t testing.TB, name string) answer {
	t.Helper()
	path := filepath.Join(s.Dir, "answers", name+".http")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("the recorded answer is missing: %v; record it, or give the reason in Skip", err)
	}
	res, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(data)), nil)
	if err != nil {
		t.Fatalf("%s is no HTTP answer (status line, headers, blank line, body): %v", path, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return answer{res.StatusCode, res.Header, body}
}

// withCRLF is the same answer with the other line ends that server-sent events
// may have.
func (a answer) withCRLF() answer {
	if strings.HasPrefix(a.header.Get("Content-Type"), "text/event-stream") {
		plain := bytes.ReplaceAll(a.body, []byte("\r\n"), []byte("\n"))
		a.body = bytes.ReplaceAll(plain, []byte("\n"), []byte("\r\n"))
	}
	return a
}

func (a answer) writeHead(w http.ResponseWriter) {
	for name, values := range a.header {
		w.Header()[name] = values
	}
	w.WriteHeader(a.status)
}

// handler answers a request. The server has read its body, so that it learns
// when the client leaves; it can be read again.
type handler func(w http.ResponseWriter, r *http.Request)

func whole(a answer) handler {
	return func(w http.ResponseWriter, _ *http.Request) {
		a.writeHead(w)
		w.Write(a.body)
	}
}

func byteByByte(a answer) handler {
	return func(w http.ResponseWriter, _ *http.Request) {
		a.writeHead(w)
		flush := w.(http.Flusher).Flush
		for i := range a.body {
			w.Write(a.body[i : i+1])
			flush()
		}
	}
}

// request is what a server was sent.
type request struct {
	method string
	url    string // as the client wrote it
	header http.Header
	body   []byte
}

// server answers all requests with one handler and remembers them.
type server struct {
	*httptest.Server
	mu   sync.Mutex
	seen []request
}

func serve(t testing.TB, h handler) *server {
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // a client that leaves while it sends is not remembered in full
		s.mu.Lock()
		s.seen = append(s.seen, request{r.Method, r.RequestURI, r.Header.Clone(), body})
		s.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		h(w, r)
	}))
	t.Cleanup(func() {
		s.CloseClientConnections() // so that Close does not wait for one that was forgotten
		s.Close()
	})
	return s
}

func (s *server) requests() []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]request(nil), s.seen...)
}

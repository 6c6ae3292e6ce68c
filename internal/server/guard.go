package server

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"redline/internal/wire"
)

// Guard lets requests through to the routes that may be: it checks, in this order, the
// Host, the Origin (with what browsers say in Sec-Fetch-Site), the path and the method,
// the token, and the type and size of a body. It does not look at Referer, which pages
// can leave out, nor at what proxies say about where a request comes from.
type Guard struct {
	// Token is what a request shows, as "Authorization: Bearer TOKEN".
	Token string
	// Hosts are names by which the server may be called, besides those of loopback:
	// without a port they stand for any.
	Hosts []string
	// Port is the one that the server listens on; 0: any.
	Port int
	// TLS: the server is called by https.
	TLS bool
	// Public tells whether a request needs no token: the page itself, but none of its
	// data.
	Public func(*http.Request) bool
	// Anyone: who reaches the listener needs no token, because only the user can.
	Anyone bool
	// Clients tells whether a token is that of a program which may use the models, and
	// nothing else. nil: there are none.
	Clients func(token string) bool
	// MaxBody is how many bytes a body may have; 0: 8 MB.
	MaxBody int64

	mu      sync.Mutex
	tickets map[[sha256.Size]byte]bool // of links that have not been used
	cookie  string
}

const (
	defaultMaxBody = 8 << 20
	ticketPath     = "/open"
	modelsPath     = "/api/llm/"
)

// NewToken is a random token.
func NewToken() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // it never fails
	return hex.EncodeToString(b[:])
}

// Wrap makes the routes those of the guard.
func (g *Guard) Wrap(routes http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		harden(w.Header())
		if len(r.TransferEncoding) > 0 {
			// If it has a length too, somebody between may take its rest for a request.
			w.Header().Set("Connection", "close")
		}
		if err := g.admit(r); err != nil {
			switch err.status {
			case http.StatusUnauthorized:
				w.Header().Set("WWW-Authenticate", "Bearer")
			case http.StatusMethodNotAllowed:
				w.Header().Set("Allow", "GET, HEAD, POST, PUT")
			}
			err.write(w)
			return
		}
		if r.URL.Path == ticketPath {
			g.enter(w, r)
			return
		}
		limit := g.MaxBody
		if limit <= 0 {
			limit = defaultMaxBody
		}
		if r.ContentLength > limit {
			w.Header().Set("Connection", "close")
			fail(http.StatusRequestEntityTooLarge, "body_too_large", "the body has %d bytes, and may have %d", r.ContentLength, limit).write(w)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, limit)
		routes.ServeHTTP(w, r)
	})
}

// harden sets the headers that every answer has.
func harden(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'self'; img-src 'self' data: blob:; style-src 'self'; script-src 'self'; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
}

// admit says why a request is refused, or nil.
func (g *Guard) admit(r *http.Request) *refusal {
	switch {
	case !g.ours(r.Host):
		return fail(http.StatusMisdirectedRequest, "foreign_host", "the server is not called %q; use http://127.0.0.1 and its port", r.Host)
	case foreign(r) || !g.sameOrigin(r):
		return fail(http.StatusForbidden, "foreign_origin", "the request comes from another page")
	case r.URL.Host != "" || !strings.HasPrefix(r.URL.Path, "/"):
		return fail(http.StatusBadRequest, "bad_target", "the server is no proxy: ask for a path")
	case !plain(r.URL):
		return fail(http.StatusNotFound, wire.CodeNotFound, "there is nothing at this path; paths of documents belong into the query")
	case !slices.Contains(methods, r.Method):
		return fail(http.StatusMethodNotAllowed, "method_not_allowed", "no route has this method")
	case r.URL.Path == ticketPath:
		return nil // it has a check of its own
	case !g.known(r) && !(g.Public != nil && reads(r) && g.Public(r)):
		return fail(http.StatusUnauthorized, "unauthorized", "show the token as \"Authorization: Bearer TOKEN\"; the server told it when it started")
	}
	return checkBody(r)
}

func reads(r *http.Request) bool { return r.Method == http.MethodGet || r.Method == http.MethodHead }

// known tells whether a request shows the token, or has the cookie of the page.
func (g *Guard) known(r *http.Request) bool {
	if g.Anyone {
		return true
	}
	if given := r.Header.Values("Authorization"); len(given) > 0 {
		token, ok := bearer(given)
		return ok && (same(token, g.Token) || g.Clients != nil && ofModels(r) && g.Clients(token))
	}
	g.mu.Lock()
	cookie := g.cookie
	g.mu.Unlock()
	for _, c := range r.CookiesNamed(g.cookieName()) {
		if cookie != "" && same(c.Value, cookie) {
			return true
		}
	}
	return false
}

// bearer is the token of a header that is there once.
func bearer(given []string) (token string, ok bool) {
	if len(given) != 1 {
		return "", false
	}
	scheme, token, _ := strings.Cut(given[0], " ")
	return token, strings.EqualFold(scheme, "Bearer")
}

// ofModels tells whether a request is about the models alone. Paths that could be read
// in two ways have been refused.
func ofModels(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, modelsPath) }

// cookieName has the port in it: browsers do not tell servers of one host apart.
func (g *Guard) cookieName() string {
	if g.Port == 0 {
		return "redline"
	}
	return "redline_" + strconv.Itoa(g.Port)
}

// same compares two secrets in a time that tells nothing about them.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return b != "" && subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// Ticket is the path and query of a link that can be used once: a browser that opens
// it gets the cookie of the page.
func (g *Guard) Ticket() string {
	ticket := NewToken()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.tickets == nil {
		g.tickets = map[[sha256.Size]byte]bool{}
	}
	g.tickets[sha256.Sum256([]byte(ticket))] = true
	return ticketPath + "?ticket=" + ticket
}

// enter takes a ticket, and gives the cookie for it.
func (g *Guard) enter(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		fail(http.StatusMethodNotAllowed, "method_not_allowed", "open the link in a browser").write(w)
		return
	}
	key := sha256.Sum256([]byte(r.URL.Query().Get("ticket")))
	g.mu.Lock()
	valid := g.tickets[key]
	delete(g.tickets, key)
	if valid && g.cookie == "" {
		g.cookie = NewToken()
	}
	cookie := g.cookie
	g.mu.Unlock()
	if !valid {
		fail(http.StatusForbidden, "used_link", "the link has been used, or never was one; start the server again for a new one").write(w)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: g.cookieName(), Value: cookie, Path: "/", HttpOnly: true, Secure: g.TLS, SameSite: http.SameSiteStrictMode})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// refusal is an answer that is no success.
type refusal struct {
	status int
	*wire.Error
}

func fail(status int, code, format string, args ...any) *refusal {
	return &refusal{status, wire.Errorf(code, format, args...)}
}

// GetStatus is the HTTP status.
func (e *refusal) GetStatus() int { return e.status }

func (e *refusal) write(w http.ResponseWriter) {
	body, err := json.Marshal(e.Error)
	if err != nil {
		body = []byte(`{"error":"internal","message":"the error cannot be written","details":{}}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(e.status)
	_, _ = w.Write(append(body, '\n'))
}

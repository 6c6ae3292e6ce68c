package server_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"redline/internal/server"
)

const token = "0123456789abcdef"

// routes says yes to all.
var routes = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte("DATA")) })

func newGuard() *server.Guard {
	return &server.Guard{Token: token, Port: 8090, Hosts: []string{"notes.example"}, MaxBody: 100, Public: func(r *http.Request) bool { return r.URL.Path == "/" }}
}

func request(method, target string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, target, strings.NewReader("{}"))
	r.Host = "127.0.0.1:8090"
	if method != http.MethodGet {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		switch name := headers[i]; name {
		case "Host":
			r.Host = headers[i+1]
		case "-":
			r.Header.Del(headers[i+1])
		default:
			r.Header.Set(name, headers[i+1])
		}
	}
	return r
}

func TestGuard(t *testing.T) {
	bearer := []string{"Authorization", "Bearer " + token}
	with := func(more ...string) []string { return append(append([]string(nil), bearer...), more...) }
	for _, c := range []struct {
		name, method, target string
		headers              []string
		status               int
	}{
		{"with the token", "GET", "/api/x", bearer, 200},
		{"scheme in lower case", "GET", "/api/x", []string{"Authorization", "bearer " + token}, 200},
		{"localhost", "GET", "/api/x", with("Host", "localhost:8090"), 200},
		{"IPv6", "GET", "/api/x", with("Host", "[::1]:8090"), 200},
		{"another loopback address", "GET", "/api/x", with("Host", "127.9.9.9:8090"), 200},
		{"a name that was set", "GET", "/api/x", with("Host", "notes.example"), 200},
		{"the page needs no token", "GET", "/", nil, 200},
		{"own origin", "POST", "/api/x", with("Origin", "http://127.0.0.1:8090"), 200},
		{"typed address", "GET", "/", []string{"Sec-Fetch-Site", "none"}, 200},
		{"a link elsewhere", "GET", "/", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 200},

		{"no token", "GET", "/api/x", nil, 401},
		{"a wrong one", "GET", "/api/x", []string{"Authorization", "Bearer nope"}, 401},
		{"its beginning", "GET", "/api/x", []string{"Authorization", "Bearer " + token[:8]}, 401},
		{"and more", "GET", "/api/x", []string{"Authorization", "Bearer " + token + "x"}, 401},
		{"empty", "GET", "/api/x", []string{"Authorization", "Bearer "}, 401},
		{"basic", "GET", "/api/x", []string{"Authorization", "Basic " + token}, 401},
		{"in the query", "GET", "/api/x?token=" + token, nil, 401},
		{"said to be local", "GET", "/api/x", []string{"X-Forwarded-For", "127.0.0.1"}, 401},
		{"a post to the page", "POST", "/", nil, 401},
		{"a cookie that was never given", "GET", "/api/x", []string{"Cookie", "redline="}, 401},

		{"foreign host", "GET", "/api/x", with("Host", "evil.example:8090"), 421},
		{"foreign host of the page", "GET", "/", []string{"Host", "evil.example"}, 421},
		{"a host that begins like ours", "GET", "/api/x", with("Host", "127.0.0.1.evil.example:8090"), 421},
		{"a host with a user", "GET", "/api/x", with("Host", "localhost@evil.example"), 421},
		{"a mapped address", "GET", "/api/x", with("Host", "[::ffff:7f00:1]:8090"), 421},
		{"a port with junk", "GET", "/api/x", with("Host", "[::1]:8090x"), 421},
		{"another port", "GET", "/api/x", with("Host", "127.0.0.1:9999"), 421},
		{"no port", "GET", "/api/x", with("Host", "127.0.0.1"), 421},
		{"any address", "GET", "/api/x", with("Host", "0.0.0.0:8090"), 421},

		{"foreign origin", "POST", "/api/x", with("Origin", "https://evil.example"), 403},
		{"no origin", "POST", "/api/x", with("Origin", "null"), 403},
		{"an empty origin", "GET", "/api/x", with("Origin", ""), 403},
		{"another scheme", "POST", "/api/x", with("Origin", "https://127.0.0.1:8090"), 403},
		{"another port", "POST", "/api/x", with("Origin", "http://127.0.0.1:8091"), 403},
		{"a file", "POST", "/api/x", with("Origin", "file://"), 403},
		{"an origin that begins like ours", "POST", "/api/x", with("Origin", "http://127.0.0.1:8090.evil.example"), 403},
		{"same site", "POST", "/api/x", with("Sec-Fetch-Site", "same-site"), 403},
		{"cross site", "GET", "/api/x", with("Sec-Fetch-Site", "cross-site"), 403},
		{"preflight", "OPTIONS", "/api/x", []string{"Origin", "https://evil.example"}, 403},

		{"a form", "POST", "/api/x", with("Content-Type", "application/x-www-form-urlencoded"), 415},
		{"plain text", "POST", "/api/x", with("Content-Type", "text/plain; charset=application/json"), 415},
		{"no type", "POST", "/api/x", with("-", "Content-Type"), 415},
		{"compressed", "POST", "/api/x", with("Content-Encoding", "gzip"), 415},
		{"with a charset", "POST", "/api/x", with("Content-Type", "application/json; charset=utf-8"), 200},
	} {
		w := httptest.NewRecorder()
		newGuard().Wrap(routes).ServeHTTP(w, request(c.method, c.target, c.headers...))
		if w.Code != c.status {
			t.Errorf("%s: %d, want %d: %s", c.name, w.Code, c.status, w.Body)
		}
		if w.Code != 200 {
			var body struct{ Error, Message string }
			if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || body.Error == "" || body.Message == "" || strings.Contains(w.Body.String(), "DATA") || strings.Contains(w.Body.String(), token) {
				t.Errorf("%s: body %s", c.name, w.Body)
			}
		}
		if w.Header().Get("Access-Control-Allow-Origin") != "" || w.Header().Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(w.Header().Get("Content-Security-Policy"), "script-src 'self'") {
			t.Errorf("%s: headers %v", c.name, w.Header())
		}
	}
}

func TestBodyLimit(t *testing.T) {
	r := httptest.NewRequest("POST", "/api/x", strings.NewReader(strings.Repeat("x", 101)))
	r.Host = "127.0.0.1:8090"
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	newGuard().Wrap(routes).ServeHTTP(w, r)
	if w.Code != 413 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestTicket: a link gives the cookie once; the cookie is as good as the token, for the
// page's own requests.
func TestTicket(t *testing.T) {
	g := newGuard()
	h := g.Wrap(routes)
	link := g.Ticket()
	open := func() *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, request("GET", link))
		return w
	}
	w := open()
	cookies := w.Result().Cookies()
	if w.Code != 303 || w.Header().Get("Location") != "/" || len(cookies) != 1 {
		t.Fatalf("%d %v", w.Code, w.Header())
	}
	c := cookies[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Value == token {
		t.Errorf("cookie %+v", c)
	}
	if again := open(); again.Code != 403 || len(again.Result().Cookies()) != 0 {
		t.Errorf("the link works twice: %d", again.Code)
	}
	ask := func(headers ...string) int {
		r := request("POST", "/api/x", headers...)
		r.AddCookie(c)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code
	}
	if got := ask("Origin", "http://127.0.0.1:8090"); got != 200 {
		t.Errorf("the page's own request: %d", got)
	}
	if got := ask("Origin", "https://evil.example"); got != 403 {
		t.Errorf("a foreign page with the cookie: %d", got)
	}
	if got := ask("Authorization", "Bearer nope"); got != 401 {
		t.Errorf("a wrong token beside the cookie: %d", got)
	}
}

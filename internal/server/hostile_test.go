package server_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"redline/internal/server"
)

// hostileServer is a real one with a guard, on a real connection.
func hostileServer(t *testing.T, f server.Folder) (address string, stop func()) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	guard := &server.Guard{Token: token, Port: l.Addr().(*net.TCPAddr).Port, Public: server.Public, MaxBody: 10_000}
	s := server.New(server.Options{Folders: []server.Folder{f}})
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, l, guard, nil) }()
	return l.Addr().String(), func() {
		cancel()
		if err := <-served; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	}
}

// sent sends bytes over a connection of their own and returns the first answer, or nil
// if the connection was closed without one. {host}, {port} and {token} are the server's.
func sent(t *testing.T, address, raw string) (*http.Response, string) {
	t.Helper()
	_, port, _ := net.SplitHostPort(address)
	raw = strings.NewReplacer("{host}", address, "{port}", port, "{token}", token).Replace(raw)
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Minute)) // so that a fault ends the test
	go func() { _, _ = io.WriteString(conn, raw) }()
	method, _, _ := strings.Cut(raw, " ")
	r, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		return nil, ""
	}
	body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	return r, string(body)
}

// lines is a request: its head, and a body behind an empty line if it has one.
func lines(head ...string) string {
	return strings.Join(head, "\r\n") + "\r\n\r\n"
}

const (
	getJob  = "GET /api/agent/jobs/job_1 HTTP/1.1"
	postRun = "POST /api/agent/run HTTP/1.1"
	host    = "Host: {host}"
	auth    = "Authorization: Bearer {token}"
	asJSON  = "Content-Type: application/json"
	prompt  = `{"session_id":"s1","instruction":"HOSTILE"}`
)

// run is a request for a job, with more headers.
func run(more ...string) string {
	return lines(append([]string{postRun, host, auth, asJSON, fmt.Sprintf("Content-Length: %d", len(prompt))}, more...)...) + prompt
}

// job is a request for what is in a job, with a Host of its own.
func job(name string) string { return lines(getJob, "Host: "+name, auth, "Connection: close") }

const closed = 0 // without an answer

// hostileRequests are refused, with one of the statuses, and do nothing.
var hostileRequests = []struct {
	name, raw string
	status    []int
}{
	{"host of another site", job("evil.example:{port}"), []int{421}},
	{"host that begins like ours", job("127.0.0.1.evil.example:{port}"), []int{421}},
	{"host with a user", job("localhost@evil.example"), []int{400, 421}},
	{"host with a user before ours", job("evil@127.0.0.1:{port}"), []int{400, 421}},
	{"host of every address", job("0.0.0.0:{port}"), []int{421}},
	{"host in one number", job("2130706433:{port}"), []int{421}},
	{"host in hex", job("0x7f000001:{port}"), []int{421}},
	{"host in octal", job("0177.0.0.1:{port}"), []int{421}},
	{"host in short", job("127.1:{port}"), []int{421}},
	{"host with a dot behind", job("localhost.:{port}"), []int{421}},
	{"host with a zone", job("[::1%25lo]:{port}"), []int{400, 421}},
	{"mapped host", job("[::ffff:127.0.0.1]:{port}"), []int{421}},
	{"mapped host, and junk", job("[::ffff:7f00:1]:{port}x"), []int{421}},
	{"bracketed name", job("[localhost]:{port}"), []int{421}},
	{"bracketed IPv4", job("[127.0.0.1]:{port}"), []int{421}},
	{"another port", job("127.0.0.1:1"), []int{421}},
	{"port with a zero before", job("127.0.0.1:0{port}"), []int{421}},
	{"port with a sign", job("127.0.0.1:+{port}"), []int{421}},
	{"no port", job("127.0.0.1"), []int{421}},
	{"an empty port", job("127.0.0.1:"), []int{421}},
	{"an empty host", job(""), []int{400, 421}},
	{"no host", lines(getJob, auth), []int{400}},
	{"no host in HTTP/1.0", lines("GET /api/agent/jobs/job_1 HTTP/1.0", auth), []int{421}},
	{"two hosts", lines(getJob, host, "Host: evil.example", auth), []int{400}},
	{"two hosts in one", job("{host}, evil.example"), []int{400, 421}},
	{"the host of a proxy", lines(getJob, "Host: evil.example", "X-Forwarded-Host: {host}", auth), []int{421}},
	{"foreign host of a change", strings.Replace(run(), "Host: {host}", "Host: evil.example:{port}", 1), []int{421}},
	{"foreign host of the stream", lines("GET /api/agent/jobs/job_1/events?cursor=0 HTTP/1.1", "Host: evil.example", "Accept: text/event-stream", auth), []int{421}},
	{"foreign host of the page", lines("GET / HTTP/1.1", "Host: evil.example"), []int{421}},
	{"address for a proxy", lines("GET http://evil.example/api/agent/jobs/job_1 HTTP/1.1", host, auth), []int{421}},
	{"our address for a proxy, host of another", lines("GET http://{host}/api/agent/jobs/job_1 HTTP/1.1", "Host: evil.example", auth), []int{400}},
	{"a secure address for a proxy", lines("GET https://{host}/api/agent/jobs/job_1 HTTP/1.1", host, auth), []int{400}},

	{"foreign origin", run("Origin: https://evil.example"), []int{403}},
	{"no origin", run("Origin: null"), []int{403}},
	{"empty origin", run("Origin: "), []int{403}},
	{"two origins", run("Origin: http://{host}", "Origin: https://evil.example"), []int{403}},
	{"origin with another scheme", run("Origin: https://{host}"), []int{403}},
	{"origin with another port", run("Origin: http://127.0.0.1:1"), []int{403}},
	{"origin by another name", run("Origin: http://localhost:{port}"), []int{403}},
	{"origin that begins like ours", run("Origin: http://{host}.evil.example"), []int{403}},
	{"origin with a user", run("Origin: http://{host}@evil.example"), []int{403}},
	{"origin with a path", run("Origin: http://{host}/"), []int{403}},
	{"a file", run("Origin: file://"), []int{403}},
	{"an extension", run("Origin: chrome-extension://abcdefgh"), []int{403}},
	{"same site", run("Sec-Fetch-Site: same-site"), []int{403}},
	{"cross site", run("Sec-Fetch-Site: cross-site"), []int{403}},
	{"cross site, twice", run("Sec-Fetch-Site: none", "Sec-Fetch-Site: cross-site"), []int{403}},
	{"a form that navigates", run("Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"), []int{403}},
	{"an image of another page", lines(getJob, host, auth, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: image"), []int{403}},
	{"a frame of another page", lines("GET / HTTP/1.1", host, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"), []int{403}},
	{"data for another page", lines(getJob, host, auth, "Origin: https://evil.example"), []int{403}},
	{"preflight", lines("OPTIONS /api/agent/run HTTP/1.1", host, "Origin: https://evil.example", "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization,content-type"), []int{403}},
	{"preflight of a private network", lines("OPTIONS /api/agent/run HTTP/1.1", host, "Origin: https://evil.example", "Access-Control-Request-Private-Network: true"), []int{403}},

	{"no token", lines(getJob, host), []int{401}},
	{"no token for a change", strings.Replace(run(), auth, "X-Forwarded-For: 127.0.0.1", 1), []int{401}},
	{"token in the query", lines("GET /api/agent/jobs/job_1?token={token}&access_token={token} HTTP/1.1", host), []int{401}},
	{"token in another header", lines(getJob, host, "X-Token: {token}", "X-Api-Key: {token}", "Proxy-Authorization: Bearer {token}"), []int{401}},
	{"token as a cookie", lines(getJob, host, "Cookie: redline={token}; redline_{port}={token}; token={token}"), []int{401}},
	{"empty cookie", lines(getJob, host, "Cookie: redline_{port}="), []int{401}},
	{"token as basic", lines(getJob, host, "Authorization: Basic {token}"), []int{401}},
	{"token without a scheme", lines(getJob, host, "Authorization: {token}"), []int{401}},
	{"the beginning of the token", lines(getJob, host, "Authorization: Bearer 01234567"), []int{401}},
	{"more than the token", lines(getJob, host, "Authorization: Bearer {token}x"), []int{401}},
	{"an empty token", lines(getJob, host, "Authorization: Bearer "), []int{401}},
	{"two tokens", lines(getJob, host, "Authorization: Bearer x", auth), []int{401}},
	{"the token twice", lines(getJob, host, auth, auth), []int{401}},
	{"token of 60 KB", lines(getJob, host, "Authorization: Bearer "+strings.Repeat("A", 60_000)), []int{401, 431}},
	{"token of 1 MB", lines(getJob, host, "Authorization: Bearer "+strings.Repeat("A", 1<<20)), []int{431, closed}},
	{"a list without a token", lines("GET /api/agent/sessions HTTP/1.1", host), []int{401}},
	{"configuration without a token", lines("GET /api/config HTTP/1.1", host), []int{401}},
	{"metrics without a token", lines("GET /metrics HTTP/1.1", host), []int{401}},
	{"debugging", lines("GET /debug/pprof/ HTTP/1.1", host), []int{404}},
	{"a link that never was", lines("GET /open?ticket={token} HTTP/1.1", host), []int{403}},
	{"a link without a ticket", lines("GET /open HTTP/1.1", host), []int{403}},
	{"a link by POST", strings.Replace(run(), "/api/agent/run", "/open?ticket=x", 1), []int{405}},

	{"socket without a token", socketOf(), []int{401}},
	{"socket with the token in the query", strings.Replace(socketOf(), "/ws", "/ws?token={token}", 1), []int{401}},
	{"socket with the token as a protocol", socketOf("Sec-WebSocket-Protocol: {token}"), []int{401}},
	{"socket of another page", socketOf(auth, "Origin: https://evil.example"), []int{403}},
	{"socket of no page", socketOf(auth, "Origin: null"), []int{403}},
	{"socket with an empty origin", socketOf(auth, "Origin: "), []int{403}},
	{"socket of a foreign host", strings.Replace(socketOf(auth), "Host: {host}", "Host: evil.example", 1), []int{421}},
	{"socket by POST", strings.Replace(socketOf(auth, asJSON), "GET", "POST", 1), []int{405}},

	{"change by GET", lines("GET /api/agent/run?session_id=s1&instruction=HOSTILE HTTP/1.1", host, auth), []int{404, 405}},
	{"change by HEAD", lines("HEAD /api/agent/run?session_id=s1&instruction=HOSTILE HTTP/1.1", host, auth), []int{404, 405}},
	{"another method in a header", lines("GET /api/agent/run?instruction=HOSTILE HTTP/1.1", host, auth, "X-HTTP-Method-Override: POST"), []int{404, 405}},
	{"PATCH", strings.Replace(run(), "POST", "PATCH", 1), []int{404, 405}},
	{"DELETE", lines("DELETE /api/agent/run HTTP/1.1", host, auth), []int{404, 405}},
	{"TRACE", lines("TRACE /api/agent/run HTTP/1.1", host, auth), []int{405}},
	{"CONNECT to a path", lines("CONNECT /api/agent/run HTTP/1.1", host, auth, asJSON), []int{400, 405}},
	{"CONNECT elsewhere", lines("CONNECT evil.example:443 HTTP/1.1", "Host: evil.example:443", auth), []int{400, 405, 421}},
	{"CONNECT to ourselves", lines("CONNECT {host} HTTP/1.1", host, auth), []int{400, 405}},
	{"a method of no one", strings.Replace(run(), "POST", "FOO", 1), []int{405}},
	{"a method in lower case", strings.Replace(run(), "POST", "post", 1), []int{400, 405}},
	{"OPTIONS of the server", lines("OPTIONS * HTTP/1.1", host), []int{400, 401}},

	{"a form", strings.Replace(run(), "application/json", "application/x-www-form-urlencoded", 1), []int{415}},
	{"a form with parts", strings.Replace(run(), "application/json", "multipart/form-data; boundary=x", 1), []int{415}},
	{"text", strings.Replace(run(), "application/json", "text/plain; charset=application/json", 1), []int{415}},
	{"XML", strings.Replace(run(), "application/json", "application/xml", 1), []int{415}},
	{"nearly JSON", strings.Replace(run(), "application/json", "application/json5", 1), []int{415}},
	{"JSON in another charset", strings.Replace(run(), "application/json", "application/json; charset=utf-7", 1), []int{415}},
	{"two types", run("Content-Type: text/plain"), []int{415}},
	{"no type", strings.Replace(run(), asJSON, "X: y", 1), []int{415}},
	{"compressed", run("Content-Encoding: gzip"), []int{415}},
	{"compressed twice", run("Content-Encoding: identity", "Content-Encoding: gzip"), []int{415}},
	{"a body that is too long", lines(postRun, host, auth, asJSON, "Content-Length: 10001") + strings.Repeat("x", 10001), []int{413}},
	{"a body that says it is", lines(postRun, host, auth, asJSON, "Content-Length: 99999999999"), []int{413}},
	{"a body that waits to be asked for", lines(postRun, host, auth, asJSON, "Content-Length: 99999999999", "Expect: 100-continue"), []int{413}},
	{"a body in pieces that is too long", lines(postRun, host, auth, asJSON, "Transfer-Encoding: chunked") + "4e20\r\n{\"instruction\":\"" + strings.Repeat("x", 20_000-16) + "\r\n0\r\n\r\n", []int{413}},
	{"a body in pieces of no length", lines(postRun, host, auth, asJSON, "Transfer-Encoding: chunked") + "zz\r\n", []int{400}},
	{"another encoding", run("Transfer-Encoding: gzip"), []int{400, 501}},
	{"two lengths", run("Content-Length: 1"), []int{400}},
	{"a negative length", lines(postRun, host, auth, asJSON, "Content-Length: -1"), []int{400}},
	{"a length in hex", lines(postRun, host, auth, asJSON, "Content-Length: 0x10"), []int{400}},
	{"another expectation", run("Expect: 200-ok"), []int{417}},
	{"an empty body", lines(postRun, host, auth, asJSON, "Content-Length: 0"), []int{400, 422}},
	{"two values", lines(postRun, host, auth, asJSON, "Content-Length: 4") + "{}{}", []int{400, 422}},
	{"half a value", lines(postRun, host, auth, asJSON, "Content-Length: 15") + `{"session_id":"`, []int{400, 422}},
	{"a deep value", lines(postRun, host, auth, asJSON, "Content-Length: 9998") + strings.Repeat("[", 4999) + strings.Repeat("]", 4999), []int{400, 422}},

	{"markup as an id", lines("GET /api/agent/jobs/%3Cscript%3Ealert(1)%3C%2Fscript%3E HTTP/1.1", host, auth), []int{404}},
	{"dots as an id", lines("GET /api/agent/sessions/.. HTTP/1.1", host, auth), []int{404}},
	{"encoded dots", lines("GET /api/agent/sessions/%2e%2e/run HTTP/1.1", host, auth), []int{404}},
	{"encoded slash", lines("GET /api/agent/checkpoints/%2e%2e%2fstate.json HTTP/1.1", host, auth), []int{404}},
	{"absolute id", lines("GET /api/agent/sessions/%2fetc%2fpasswd HTTP/1.1", host, auth), []int{404}},
	{"backslashes", lines("GET /api/agent/sessions/..%5c..%5cx HTTP/1.1", host, auth), []int{404}},
	{"bare backslashes", lines(`GET /static/..\..\x HTTP/1.1`, host), []int{400, 404}},
	{"zero byte", lines("GET /api/agent/jobs/a%00b HTTP/1.1", host, auth), []int{404}},
	{"line ends in an id", lines("GET /api/agent/jobs/a%0d%0aSet-Cookie:%20x=y HTTP/1.1", host, auth), []int{404}},
	{"no UTF-8", lines("GET /api/agent/jobs/%ff%fe HTTP/1.1", host, auth), []int{404}},
	{"two slashes", lines("GET //api/agent/jobs/job_1 HTTP/1.1", host, auth), []int{400, 404}},
	{"another site as a path", lines("GET //evil.example/%2e%2e HTTP/1.1", host), []int{400, 404}},
	{"another site behind dots", lines("GET /..//evil.example/ HTTP/1.1", host), []int{400, 404}},
	{"another site behind a backslash", lines("GET /%5cevil.example/ HTTP/1.1", host), []int{404}},
	{"a file of the folder", lines("GET /.git/config HTTP/1.1", host), []int{404}},
	{"a file of the system", lines("GET /../../../../etc/passwd HTTP/1.1", host), []int{404}},
	{"a path that breaks off", lines("GET /api/% HTTP/1.1", host, auth), []int{400}},
	{"no path", lines("GET api/agent/jobs/job_1 HTTP/1.1", host, auth), []int{400}},

	{"bare line ends and junk", "GET / HTTP/1.1\nHost: {host}\n\x01\x02\n\n", []int{400}},
	{"an address of 1 MB", lines("GET /"+strings.Repeat("a", 1<<20)+" HTTP/1.1", host), []int{431, closed}},
	{"a header of 2 MB", lines("GET / HTTP/1.1", host, "X: "+strings.Repeat("A", 2<<20)), []int{431, closed}},
	{"50,000 headers", lines("GET / HTTP/1.1", host, strings.Repeat("X: y\r\n", 50_000)+"Z: z"), []int{431, closed}},
	{"HTTP/0.9", "GET /\r\n", []int{400}},
	{"HTTP/2 at once", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", []int{400, 421, 505, closed}},
	{"HTTP/9", lines("GET / HTTP/9.9", host), []int{400, 505}},
	{"a space before the colon", lines("GET / HTTP/1.1", host, "Transfer-Encoding : chunked"), []int{400}},
	{"a folded header", lines("GET / HTTP/1.1", host, "X: a", " Authorization: Bearer {token}"), []int{400, 200}},
	{"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", []int{400, closed}},
}

func socketOf(more ...string) string {
	return lines(append([]string{"GET /api/agent/sessions/s1/ws HTTP/1.1", host, "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="}, more...)...)
}

// TestHostile: none of these does anything or tells anything, and the server lives on.
func TestHostile(t *testing.T) {
	p := newTape()
	address, stop := hostileServer(t, p.parts())
	defer stop()
	for _, q := range hostileRequests {
		r, body := sent(t, address, q.raw)
		if r == nil {
			if !slices.Contains(q.status, closed) {
				t.Errorf("%s: closed without an answer", q.name)
			}
			continue
		}
		if !slices.Contains(q.status, r.StatusCode) {
			t.Errorf("%s: %s, want one of %v: %.200s", q.name, r.Status, q.status, body)
		}
		if strings.Contains(body, "VAULT-TEXT") || strings.Contains(body, token) || strings.Contains(body, "HOSTILE") || strings.Contains(body, "<script") {
			t.Errorf("%s: the answer tells %.200s", q.name, body)
		}
		h := r.Header
		if h.Get("Access-Control-Allow-Origin") != "" || len(h.Values("Set-Cookie")) > 0 || h.Get("Location") != "" {
			t.Errorf("%s: headers %v", q.name, h)
		}
		// What is no HTTP, or too long, is answered before any handler is asked.
		if ours := h.Get("Content-Type") == "application/json" || r.StatusCode == 200; ours {
			if h.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(h.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
				t.Errorf("%s: headers %v", q.name, h)
			}
		} else if r.StatusCode != 400 && r.StatusCode != 431 && r.StatusCode != 501 && r.StatusCode != 505 && r.StatusCode != 417 && !strings.HasPrefix(q.raw, "HEAD") {
			t.Errorf("%s: %s is no answer of ours: %v", q.name, r.Status, h)
		}
		if did := p.said(); len(did) > 0 {
			t.Fatalf("%s: the engine was asked: %v", q.name, did)
		}
	}
	if r, body := sent(t, address, job("{host}")); r == nil || r.StatusCode != 200 || !strings.Contains(body, "VAULT-TEXT") {
		t.Errorf("the user's own request: %v %s", r, body)
	}
}

// TestOwnRequests: what the user's own programs and pages send is let through.
func TestOwnRequests(t *testing.T) {
	p := newTape()
	address, stop := hostileServer(t, p.parts())
	defer stop()
	for _, q := range []struct {
		name, raw string
		status    int
	}{
		{"a program", job("{host}"), 200},
		{"by name", job("localhost:{port}"), 200},
		{"by name in capitals", job("LOCALHOST:{port}"), 200},
		{"by IPv6", job("[::1]:{port}"), 200},
		{"by HTTP/1.0", lines("GET /api/agent/jobs/job_1 HTTP/1.0", host, auth), 200},
		{"the page", lines("GET / HTTP/1.1", host), 200},
		{"the page with the address of another server", lines("GET /?server=ws://evil.example/&api=http://evil.example HTTP/1.1", host), 200},
		{"the page by a link elsewhere", lines("GET / HTTP/1.1", host, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"), 200},
		{"the health", lines("GET /healthz HTTP/1.1", host), 200},
		{"a change", run("Connection: close"), 202},
		{"a change of the page", run("Origin: http://{host}", "Sec-Fetch-Site: same-origin", "Connection: close"), 202},
		{"a change with a charset", strings.Replace(run(), "json\r\n", "json; charset=UTF-8\r\n", 1), 202},
		{"a change from a link elsewhere", run("Referer: https://evil.example/x"), 202},
		{"a change in pieces", lines(postRun, host, auth, asJSON, "Transfer-Encoding: chunked") + fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(prompt), prompt), 202},
		{"a socket", socketOf(auth), 101},
		{"a socket of the page", socketOf(auth, "Origin: http://{host}"), 101},
	} {
		if r, body := sent(t, address, q.raw); r == nil || r.StatusCode != q.status || strings.Contains(body, "evil.example") {
			t.Errorf("%s: %v %s", q.name, r, body)
		}
	}
}

// TestSmuggled: what follows a body with two lengths is no request.
func TestSmuggled(t *testing.T) {
	p := newTape()
	address, stop := hostileServer(t, p.parts())
	defer stop()
	within := run()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	raw := lines("POST /api/agent/nothing HTTP/1.1", host, auth, asJSON, fmt.Sprintf("Content-Length: %d", len(within)+5), "Transfer-Encoding: chunked") + "0\r\n\r\n" + within
	_, _ = io.WriteString(conn, strings.NewReplacer("{host}", address, "{token}", token).Replace(raw))
	answers, _ := io.ReadAll(conn)
	if n := strings.Count(string(answers), "HTTP/1.1 "); n > 1 {
		t.Errorf("%d answers: %s", n, answers)
	}
	if diff := cmp.Diff([]string(nil), p.said()); diff != "" {
		t.Error(diff)
	}
}

package llm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"redline/llm"
)

const key = "sk-very-secret-1234"

// through is a network for tests.
type through func(*http.Request) (*http.Response, error)

func (f through) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func respond(r *http.Request, status int, body io.Reader, header ...string) *http.Response {
	h := http.Header{}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(body), Request: r}
}

func client(t *testing.T, e llm.Endpoint) *http.Client {
	t.Helper()
	c, err := e.Client()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// post sends a request as a protocol would and reads the answer to its end.
func post(ctx context.Context, c *http.Client, url, body string) (status int, answer string, err error) {
	req, err := http.NewRequestWithContext(ctx, "POST", url, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	res, err := c.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	return res.StatusCode, string(data), err
}

func TestSecretIsNeverShown(t *testing.T) {
	e := llm.Endpoint{
		BaseURL: "http://user:hunter22@host/v1", Key: key, Proxy: "http://user:proxypass@proxy",
		Headers: map[string]string{"X-Api-Key": "other-secret", "X-Plain": "plain"},
	}
	c := client(t, e)
	var shown strings.Builder
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "% x", "%d", "%t", "%10s", "%.3s"} {
		for _, v := range []any{e.Key, &e.Key, e, &e, []llm.Secret{key}, map[string]llm.Secret{"k": key}, struct{ Key llm.Secret }{key}, c, c.Transport} {
			fmt.Fprintf(&shown, verb+"\n", v)
		}
	}
	fmt.Fprintln(&shown, e.Key, e, fmt.Errorf("failed: %v %w", e.Key, errors.New(e.Key.String())))
	for _, h := range []slog.Handler{slog.NewTextHandler(&shown, nil), slog.NewJSONHandler(&shown, nil)} {
		slog.New(h).Info("x", "key", e.Key, "endpoint", e, "keys", []llm.Secret{key}, "group", slog.GroupValue(slog.Any("k", e.Key)))
	}
	for _, v := range []any{e.Key, &e.Key, struct{ Key llm.Secret }{key}, map[string]llm.Secret{"k": key}} {
		data, err := json.Marshal(v)
		if err != nil {
			t.Error(err)
		}
		shown.Write(data)
	}
	for _, secret := range []string{key, fmt.Sprintf("%x", key), fmt.Sprintf("%X", key), fmt.Sprintf("% x", key), key[:3], "other-secret", "hunter22", "proxypass"} {
		if strings.Contains(shown.String(), secret) {
			t.Errorf("%q is shown in\n%s", secret, shown.String())
		}
	}
	if !strings.Contains(shown.String(), "[secret]") {
		t.Error("nothing was shown at all")
	}
	if e.Key.Reveal() != key {
		t.Error("Reveal does not")
	}
}

func TestScrub(t *testing.T) {
	e := llm.Endpoint{
		BaseURL: "https://me:hunter22@host/v1", Key: key, Proxy: "http://me:proxypass@proxy",
		Headers: map[string]string{"Authorization": "Bearer token-abc", "x-api-KEY": key + "-longer", "Cookie": "abc", "X-Title": "Redline"},
	}
	for _, tt := range []struct{ text, want string }{
		{"nothing here", "nothing here"},
		{"key " + key + ", again " + key, "key [secret], again [secret]"},
		{key + "-longer", "[secret]"},
		{"token-abc and Bearer token-abc", "[secret] and [secret]"},
		{"hunter22 proxypass", "[secret] [secret]"},
		{"abc is too short, Redline is no secret", "abc is too short, Redline is no secret"},
	} {
		if got := e.Scrub(tt.text); got != tt.want {
			t.Errorf("Scrub(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
	odd := llm.Endpoint{Key: "a+b/c=d e"}
	if got := odd.Scrub("https://host/x?key=" + url.QueryEscape("a+b/c=d e") + "&y=1"); got != "https://host/x?key=[secret]&y=1" {
		t.Errorf("escaped in a URL: %s", got)
	}
	none := llm.Endpoint{Headers: map[string]string{"Authorization": ""}}
	if got := none.Scrub("abc"); got != "abc" {
		t.Errorf("without secrets: %q", got)
	}
}

func TestScrubFailure(t *testing.T) {
	e := llm.Endpoint{Key: key}
	if err := e.ScrubFailure(nil); err != nil {
		t.Errorf("nothing became %v", err)
	}
	original := &llm.Failure{Class: llm.ClassAuth, Message: "wrong key " + key, Code: key, Status: 401}
	var f *llm.Failure
	if !errors.As(e.ScrubFailure(original), &f) {
		t.Fatal("it is no Failure")
	}
	if d := cmp.Diff(&llm.Failure{Class: llm.ClassAuth, Message: "wrong key [secret]", Code: "[secret]", Status: 401}, f); d != "" {
		t.Error(d)
	}
	if original.Code != key {
		t.Error("the failure given was changed")
	}
	if !errors.As(e.ScrubFailure(errors.New("dial "+key)), &f) || f.Class != llm.ClassNetwork || f.Message != "dial [secret]" {
		t.Errorf("another error became %+v", f)
	}
}

func TestClientSendsHeaders(t *testing.T) {
	var got http.Header
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { got = r.Header }))
	defer server.Close()
	e := llm.Endpoint{Headers: map[string]string{"X-Title": "Redline", "Authorization": "mine"}, Proxy: "direct"}
	if status, _, err := post(t.Context(), client(t, e), server.URL, "{}"); err != nil || status != 200 {
		t.Fatal(status, err)
	}
	if got.Get("X-Title") != "Redline" || got.Get("Authorization") != "mine" {
		t.Errorf("headers %v", got)
	}
}

func TestClientRedirects(t *testing.T) {
	for _, tt := range []struct {
		name, from, to string
		asked          int
		status         int
	}{
		{"another path", "https://host/v1", "https://host/v2", 2, 200},
		{"into TLS", "http://host/v1", "https://host/v1", 2, 200},
		{"another host", "https://host/v1", "https://evil/v1", 1, 307},
		{"another port", "https://host/v1", "https://host:8443/v1", 1, 307},
		{"a host below", "https://host/v1", "https://a.host/v1", 1, 307},
		{"out of TLS", "https://host/v1", "http://host/v1", 1, 307},
		{"round and round", "https://host/v1", "https://host/v1", 4, 307},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var asked []string
			e := llm.Endpoint{Through: through(func(r *http.Request) (*http.Response, error) {
				asked = append(asked, r.URL.String()+" "+r.Header.Get("Authorization"))
				if r.URL.String() == tt.from {
					return respond(r, 307, strings.NewReader(""), "Location", tt.to), nil
				}
				return respond(r, 200, strings.NewReader("")), nil
			})}
			status, _, err := post(t.Context(), client(t, e), tt.from, "{}")
			if err != nil || status != tt.status || len(asked) != tt.asked {
				t.Errorf("status %d, error %v, asked %q; want status %d after %d", status, err, asked, tt.status, tt.asked)
			}
		})
	}
}

// slow answers when the context ends: never.
func slow(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// drip is a body that says a word every pause, and after them nothing.
type drip struct {
	ctx   context.Context
	pause time.Duration
	words int
}

func (d *drip) Read(p []byte) (int, error) {
	if d.words == 0 {
		<-d.ctx.Done()
		return 0, d.ctx.Err()
	}
	d.words--
	select {
	case <-time.After(d.pause):
		return copy(p, "word "), nil
	case <-d.ctx.Done():
		return 0, d.ctx.Err()
	}
}

func TestClientTimes(t *testing.T) {
	dripping := func(pause time.Duration, words int) through {
		return func(r *http.Request) (*http.Response, error) {
			return respond(r, 200, &drip{r.Context(), pause, words}), nil
		}
	}
	for _, tt := range []struct {
		name    string
		e       llm.Endpoint
		answer  string
		failure string
		took    time.Duration
	}{
		{"no answer", llm.Endpoint{Through: through(slow)}, "", "no answer within 10m0s", 10 * time.Minute},
		{"no answer, as given", llm.Endpoint{Through: through(slow), Head: 3 * time.Second}, "", "no answer within 3s", 3 * time.Second},
		{"a pause", llm.Endpoint{Through: dripping(time.Second, 2)}, "word word ", "the answer paused for too long", 5*time.Minute + 2*time.Second},
		{"a pause, as given", llm.Endpoint{Through: dripping(time.Second, 2), Idle: 2 * time.Second}, "word word ", "the answer paused for too long", 4 * time.Second},
		{"a slow drip is no pause", llm.Endpoint{Through: dripping(time.Second, 100), Idle: 2 * time.Second, Head: time.Second}, strings.Repeat("word ", 100), "the answer paused for too long", 102 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				_, answer, err := post(t.Context(), client(t, tt.e), "http://host", "{}")
				var f *llm.Failure
				if !errors.As(err, &f) || f.Class != llm.ClassTimeout || !f.Retry || f.Message != tt.failure {
					t.Errorf("error %v, want a timeout: %s", err, tt.failure)
				}
				if took := time.Since(began); answer != tt.answer || took != tt.took {
					t.Errorf("%q after %s, want %q after %s", answer, took, tt.answer, tt.took)
				}
			})
		})
	}
}

// TestClientCancel: what the caller ends is no failure of ours.
func TestClientCancel(t *testing.T) {
	for _, network := range []through{slow, func(r *http.Request) (*http.Response, error) {
		return respond(r, 200, &drip{ctx: r.Context()}), nil
	}} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			_, _, err := post(ctx, client(t, llm.Endpoint{Through: network}), "http://host", "{}")
			var f *llm.Failure
			if !errors.Is(err, context.Canceled) || errors.As(err, &f) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestClientEndsItsContext: the context of a request is over when the answer is
// closed, so that nothing of it stays behind.
func TestClientEndsItsContext(t *testing.T) {
	var inner context.Context
	e := llm.Endpoint{Through: through(func(r *http.Request) (*http.Response, error) {
		inner = r.Context()
		return respond(r, 200, strings.NewReader("ok")), nil
	})}
	if _, _, err := post(t.Context(), client(t, e), "http://host", "{}"); err != nil {
		t.Fatal(err)
	}
	if inner.Err() == nil {
		t.Error("the context goes on")
	}
	e.Through = through(func(r *http.Request) (*http.Response, error) {
		inner = r.Context()
		return nil, errors.New("refused")
	})
	if _, _, err := post(t.Context(), client(t, e), "http://host", "{}"); err == nil || inner.Err() == nil {
		t.Errorf("error %v, context %v", err, inner.Err())
	}
}

func TestTrace(t *testing.T) {
	for _, tt := range []struct {
		name    string
		network through
		want    llm.Exchange
	}{
		{"an answer that repeats the key", func(r *http.Request) (*http.Response, error) {
			time.Sleep(time.Second)
			sent, err := io.ReadAll(r.Body)
			return respond(r, 401, strings.NewReader("wrong key "+key+" in "+string(sent))), err
		}, llm.Exchange{Status: 401, Answer: []byte("wrong key [secret] in {\"k\":\"[secret]\"}"), Took: time.Second}},
		{"no connection", func(r *http.Request) (*http.Response, error) {
			return nil, errors.New("cannot dial with " + key)
		}, llm.Exchange{Err: "cannot dial with [secret]"}},
		{"no answer in time", slow, llm.Exchange{Err: "the model did not answer in time: no answer within 1m0s", Took: time.Minute}},
		{"cut in the middle", func(r *http.Request) (*http.Response, error) {
			return respond(r, 200, io.MultiReader(strings.NewReader("half"), errReader{errors.New("reset by " + key)})), nil
		}, llm.Exchange{Status: 200, Answer: []byte("half"), Err: "reset by [secret]"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var heard []llm.Exchange
				e := llm.Endpoint{
					Key: key, Through: tt.network, Head: time.Minute,
					Headers: map[string]string{"X-Custom": "with " + key, "X-Token": "tok"},
					Trace:   func(x llm.Exchange) { heard = append(heard, x) },
				}
				began := time.Now()
				post(t.Context(), client(t, e), "http://host/v1?key="+key, `{"k":"`+key+`"}`)
				tt.want.Method, tt.want.URL, tt.want.Began = "POST", "http://host/v1?key=[secret]", began
				tt.want.Request = []byte(`{"k":"[secret]"}`)
				tt.want.Headers = http.Header{"Authorization": {"[secret]"}, "X-Custom": {"with [secret]"}, "X-Token": {"[secret]"}}
				if tt.want.Answer == nil {
					tt.want.Answer = []byte{}
				}
				if d := cmp.Diff([]llm.Exchange{tt.want}, heard); d != "" {
					t.Error(d)
				}
			})
		})
	}
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }

// TestTraceWhenLeft: an answer that is closed before its end is told as well,
// also if that happens while it is read.
func TestTraceWhenLeft(t *testing.T) {
	var mu sync.Mutex
	var heard []llm.Exchange
	e := llm.Endpoint{
		Trace: func(x llm.Exchange) { mu.Lock(); heard = append(heard, x); mu.Unlock() },
		Through: through(func(r *http.Request) (*http.Response, error) {
			return respond(r, 200, io.MultiReader(strings.NewReader("first"), &drip{ctx: r.Context()})), nil
		}),
	}
	res, err := client(t, e).Get("http://host")
	if err != nil {
		t.Fatal(err)
	}
	var reading sync.WaitGroup
	read := make(chan struct{})
	reading.Go(func() {
		buf := make([]byte, 100)
		res.Body.Read(buf)
		close(read)
		res.Body.Read(buf)
	})
	<-read
	res.Body.Close()
	res.Body.Close()
	reading.Wait()
	if len(heard) != 1 || string(heard[0].Answer) != "first" {
		t.Errorf("heard %+v", heard)
	}
}

// TestTraceSendsTheWholeRequest: what is traced is also what arrives.
func TestTraceSendsTheWholeRequest(t *testing.T) {
	body := strings.Repeat("0123456789", 100_000)
	var got bytes.Buffer
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(&got, r.Body) }))
	defer server.Close()
	var traced int
	e := llm.Endpoint{Proxy: "direct", Trace: func(x llm.Exchange) { traced = len(x.Request) }}
	if _, _, err := post(t.Context(), client(t, e), server.URL, body); err != nil {
		t.Fatal(err)
	}
	if got.String() != body || traced != len(body) {
		t.Errorf("%d bytes arrived, %d were traced, of %d", got.Len(), traced, len(body))
	}
}

func TestProxy(t *testing.T) {
	var asked string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.Method + " " + r.URL.String()
		io.WriteString(w, "from the proxy")
	}))
	defer proxy.Close()
	status, answer, err := post(t.Context(), client(t, llm.Endpoint{Proxy: proxy.URL}), "http://models.invalid/v1", "{}")
	if err != nil || status != 200 || answer != "from the proxy" || asked != "POST http://models.invalid/v1" {
		t.Errorf("status %d, answer %q, error %v; the proxy was asked %q", status, answer, err, asked)
	}
	for _, tt := range []struct{ proxy, want string }{
		{"host:3128", "the proxy is not a URL such as http://host:3128"},
		{"http://me:proxy%pass@host", "the proxy is not a URL such as http://host:3128"},
		{"ftp://me:proxypass@host", "a proxy cannot be reached by ftp: use http, https, socks5 or socks5h"},
	} {
		if _, err := (llm.Endpoint{Proxy: tt.proxy}).Client(); err == nil || err.Error() != tt.want {
			t.Errorf("proxy %s: error %v", tt.proxy, err)
		}
	}
}

// TestClientsShareConnections: endpoints of one server use the same connection by turns.
func TestClientsShareConnections(t *testing.T) {
	var opened atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	for range 5 {
		client, err := llm.Endpoint{BaseURL: server.URL}.Client()
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Get(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	if n := opened.Load(); n != 1 {
		t.Errorf("%d connections were opened", n)
	}
}

package llm

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// Endpoint is how a server is reached. Zero values are sensible.
type Endpoint struct {
	BaseURL string            // "": that of the provider
	Key     Secret            // "": none is sent
	Headers map[string]string // sent with every request
	Head    time.Duration     // how long the answer may take to begin; 0: 10 minutes
	Idle    time.Duration     // how long it may pause; 0: 5 minutes
	Proxy   string            // URL of a proxy; "": as the environment says; "direct": none
	Trace   func(Exchange)    // hears every exchange when it has ended, without secrets
	Through http.RoundTripper // instead of the network, for tests
}

// Format prints where the endpoint is, and no more: its headers may be secret.
func (e Endpoint) Format(f fmt.State, _ rune) { io.WriteString(f, "endpoint "+e.Scrub(e.BaseURL)) }

// LogValue is what Format prints.
func (e Endpoint) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(e)) }

// Secret is a text that is never shown: printed, logged or written as JSON it is
// a placeholder. A struct that keeps one in an unexported field must print
// itself: package fmt does not ask the values of such fields.
type Secret string

const hidden = "[secret]"

func (s Secret) String() string               { return hidden }
func (s Secret) GoString() string             { return hidden }
func (s Secret) Format(f fmt.State, _ rune)   { io.WriteString(f, hidden) }
func (s Secret) LogValue() slog.Value         { return slog.StringValue(hidden) }
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(hidden) }
func (s Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// Reveal is the text itself, for the one header that needs it.
func (s Secret) Reveal() string { return string(s) }

// Exchange is one request and its answer as they went over the wire.
type Exchange struct {
	Method, URL string
	Request     []byte
	Headers     http.Header // of the request
	Status      int         // 0: no answer
	Answer      []byte
	Err         string
	Began       time.Time
	Took        time.Duration
}

// Scrub takes the endpoint's secrets out of a text.
func (e Endpoint) Scrub(s string) string {
	for _, secret := range e.secrets() {
		s = strings.ReplaceAll(s, secret, hidden)
	}
	return s
}

// secrets are the key, the values of headers that look like one and the
// passwords in URLs, the longest first: one may be part of another.
func (e Endpoint) secrets() []string {
	list := []string{string(e.Key)}
	for name, value := range e.Headers {
		if secretHeader(name) {
			_, bare, _ := strings.Cut(value, " ") // after "Bearer"
			list = append(list, value, bare)
		}
	}
	for _, address := range []string{e.BaseURL, e.Proxy} {
		if u, err := url.Parse(address); err == nil && u.User != nil {
			password, _ := u.User.Password()
			list = append(list, password)
		}
	}
	for _, s := range list {
		list = append(list, url.QueryEscape(s), url.PathEscape(s))
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return slices.DeleteFunc(slices.Compact(list), func(s string) bool {
		return len(s) <= 3 // would blank out ordinary text
	})
}

func secretHeader(name string) bool {
	return containsAny(strings.ToLower(name), []string{"authorization", "key", "token", "secret", "cookie"})
}

// ScrubFailure takes the endpoint's secrets out of an error's words; a server
// may have repeated them.
func (e Endpoint) ScrubFailure(err error) error {
	if err == nil {
		return nil
	}
	f := *failureOf(err)
	f.Message, f.Code = e.Scrub(f.Message), e.Scrub(f.Code)
	return &f
}

// Client returns an HTTP client that keeps to the endpoint's times and proxy,
// adds its headers and tells its trace. It does not follow redirects to other
// hosts or out of TLS, which would carry the key there.
func (e Endpoint) Client() (*http.Client, error) {
	through := e.Through
	if through == nil {
		var err error
		if through, err = transport(e.Proxy); err != nil {
			return nil, err
		}
	}
	return &http.Client{Transport: carrier{e, through}, CheckRedirect: sameHost}, nil
}

// idlePerHost is how many connections to a model's server wait for the next request:
// sessions side by side use them by turns.
const idlePerHost = 32

// transports are shared by all endpoints of a proxy, so that a program with many
// sessions does not hold connections for each.
var transports = struct {
	sync.Mutex
	by map[string]*http.Transport
}{by: map[string]*http.Transport{}}

func transport(through string) (*http.Transport, error) {
	transports.Lock()
	defer transports.Unlock()
	if t := transports.by[through]; t != nil {
		return t, nil
	}
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.WriteBufferSize = 64 << 10 // most requests go out in one piece
	t.MaxIdleConnsPerHost = idlePerHost
	switch through {
	case "":
	case "direct":
		t.Proxy = nil
	default:
		proxy, err := url.Parse(through)
		if err != nil || proxy.Host == "" {
			return nil, errors.New("the proxy is not a URL such as http://host:3128")
		}
		if !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, proxy.Scheme) {
			return nil, fmt.Errorf("a proxy cannot be reached by %s: use http, https, socks5 or socks5h", proxy.Scheme)
		}
		t.Proxy = http.ProxyURL(proxy)
	}
	transports.by[through] = t
	return t, nil
}

func sameHost(req *http.Request, via []*http.Request) error {
	from := via[0].URL
	if len(via) > 3 || req.URL.Host != from.Host || from.Scheme == "https" && req.URL.Scheme != "https" {
		return http.ErrUseLastResponse
	}
	return nil
}

// carrier carries requests for an endpoint.
type carrier struct {
	Endpoint
	through http.RoundTripper
}

var errIdle = &Failure{Class: ClassTimeout, Message: "the answer paused for too long", Retry: true}

func (c carrier) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	req = req.Clone(ctx)
	for name, value := range c.Headers {
		req.Header.Set(name, value)
	}
	var seen *recorder
	if c.Trace != nil {
		seen = c.record(req)
	}
	head := orDefault(c.Head, 10*time.Minute)
	waiting := time.AfterFunc(head, func() {
		cancel(&Failure{Class: ClassTimeout, Message: fmt.Sprintf("no answer within %s", head), Retry: true})
	})
	res, err := c.through.RoundTrip(req)
	waiting.Stop()
	if err != nil {
		err = causeOf(ctx, err)
		cancel(nil)
		seen.end(err)
		return nil, err
	}
	seen.status(res.StatusCode)
	res.Body = &body{ReadCloser: res.Body, ctx: ctx, cancel: cancel, idle: orDefault(c.Idle, 5*time.Minute), seen: seen}
	return res, nil
}

// causeOf prefers our own reason for a cancelled request to "context canceled".
func causeOf(ctx context.Context, err error) error {
	var f *Failure
	if errors.As(context.Cause(ctx), &f) {
		return f
	}
	return err
}

func orDefault(d, other time.Duration) time.Duration {
	if d == 0 {
		return other
	}
	return d
}

// body is an answer that may not pause for long.
type body struct {
	io.ReadCloser
	ctx    context.Context
	cancel context.CancelCauseFunc
	idle   time.Duration
	seen   *recorder
}

func (b *body) Read(p []byte) (int, error) {
	timer := time.AfterFunc(b.idle, func() { b.cancel(errIdle) })
	n, err := b.ReadCloser.Read(p)
	timer.Stop()
	b.seen.answer(p[:n])
	switch {
	case err == io.EOF:
		b.seen.end(nil)
	case err != nil:
		err = causeOf(b.ctx, err)
		b.seen.end(err)
	}
	return n, err
}

func (b *body) Close() error {
	err := b.ReadCloser.Close()
	b.cancel(nil)
	b.seen.end(nil)
	return err
}

// recorder gathers an Exchange. A nil one records nothing. A body may be closed
// while it is read, hence the lock.
type recorder struct {
	mu sync.Mutex
	Exchange
	e     Endpoint
	ended bool
}

func (c carrier) record(req *http.Request) *recorder {
	r := &recorder{e: c.Endpoint, Exchange: Exchange{Method: req.Method, URL: c.Scrub(req.URL.String()), Began: time.Now(), Headers: http.Header{}}}
	for name, values := range req.Header {
		for _, value := range values {
			if secretHeader(name) {
				value = hidden
			}
			r.Headers.Add(name, c.Scrub(value))
		}
	}
	if req.Body != nil {
		data, err := io.ReadAll(req.Body)
		req.Body.Close()
		req.Body = io.NopCloser(io.MultiReader(bytes.NewReader(data), failing{err}))
		r.Request = []byte(c.Scrub(string(data)))
	}
	return r
}

// failing is a reader that ends with an error, or with io.EOF if there is none.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return 0, io.EOF
}

func (r *recorder) status(code int) {
	if r != nil {
		r.Status = code
	}
}

func (r *recorder) answer(p []byte) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.ended {
		r.Answer = append(r.Answer, p...)
	}
}

// end tells the trace, once.
func (r *recorder) end(err error) {
	if r != nil && r.finish(err) {
		r.e.Trace(r.Exchange)
	}
}

// finish reports whether this is the first end.
func (r *recorder) finish(err error) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return false
	}
	r.ended = true
	if err != nil {
		r.Err = r.e.Scrub(err.Error())
	}
	r.Answer = []byte(r.e.Scrub(string(r.Answer)))
	r.Took = time.Since(r.Began)
	return true
}

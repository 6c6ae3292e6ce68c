package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
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

// Secret is a text that is never shown: printed, logged or written as JSON it is
// a placeholder.
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

// secrets are the key and the values of headers that look like one.
func (e Endpoint) secrets() []string {
	var list []string
	if len(e.Key) > 3 { // a shorter one would blank out ordinary text
		list = append(list, string(e.Key))
	}
	for name, value := range e.Headers {
		if secretHeader(name) && len(value) > 3 {
			list = append(list, value)
		}
	}
	return list
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
// hosts, which would carry the key there.
func (e Endpoint) Client() (*http.Client, error) {
	through := e.Through
	if through == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		switch e.Proxy {
		case "":
		case "direct":
			t.Proxy = nil
		default:
			proxy, err := url.Parse(e.Proxy)
			if err != nil || proxy.Host == "" {
				return nil, fmt.Errorf("the proxy %q is not a URL such as http://host:3128", e.Scrub(e.Proxy))
			}
			t.Proxy = http.ProxyURL(proxy)
		}
		through = t
	}
	return &http.Client{Transport: carrier{e, through}, CheckRedirect: sameHost}, nil
}

func sameHost(req *http.Request, via []*http.Request) error {
	if len(via) > 3 || req.URL.Host != via[0].URL.Host {
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
		seen.end(0, err)
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
	if err != nil && err != io.EOF {
		err = causeOf(b.ctx, err)
		b.seen.failed(err)
	}
	return n, err
}

func (b *body) Close() error {
	err := b.ReadCloser.Close()
	b.cancel(nil)
	b.seen.end(-1, nil)
	return err
}

// recorder gathers an Exchange. A nil one records nothing.
type recorder struct {
	Exchange
	e     Endpoint
	ended bool
}

func (c carrier) record(req *http.Request) *recorder {
	r := &recorder{e: c.Endpoint, Exchange: Exchange{Method: req.Method, URL: c.Scrub(req.URL.String()), Began: time.Now(), Headers: http.Header{}}}
	for name, values := range req.Header {
		if secretHeader(name) {
			values = []string{hidden}
		}
		r.Headers[name] = values
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
	if r != nil {
		r.Answer = append(r.Answer, p...)
	}
}

func (r *recorder) failed(err error) {
	if r != nil {
		r.Err = r.e.Scrub(err.Error())
	}
}

func (r *recorder) end(status int, err error) {
	if r == nil || r.ended {
		return
	}
	r.ended = true
	if status >= 0 {
		r.Status = status
	}
	if err != nil {
		r.failed(err)
	}
	r.Answer = []byte(r.e.Scrub(string(r.Answer)))
	r.Took = time.Since(r.Began)
	r.e.Trace(r.Exchange)
}

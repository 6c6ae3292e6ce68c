package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"redline/internal/wire"
)

// Options are how a server is reached.
type Options struct {
	Token string // "": none is shown
	// Dial reaches the server; nil: over the network, or the socket that the address
	// names.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Client talks to one server. It may be used by several goroutines at once.
type Client struct {
	address string // as it was given, for errors
	base    string // scheme and host
	token   string
	http    *http.Client
}

// New makes a client for a server at an http or https URL, or at a unix socket
// ("unix:PATH"). Nothing is sent yet.
func New(address string, o Options) (*Client, error) {
	c := &Client{address: address, token: o.Token}
	transport := &http.Transport{DialContext: o.Dial, MaxIdleConnsPerHost: 2, IdleConnTimeout: 30 * time.Second}
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		if path == "" {
			return nil, fmt.Errorf("%q names no socket: write unix:PATH", address)
		}
		c.base = "http://localhost"
		if o.Dial == nil {
			transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, "unix", path)
			}
		}
	} else {
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return nil, fmt.Errorf("%q is no address of a server: write http://HOST:PORT, https://HOST:PORT or unix:PATH", address)
		}
		if u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.Trim(u.Path, "/") != "" {
			return nil, fmt.Errorf("%q is more than the address of a server: leave out all that is behind the port, and what is before the host", address)
		}
		c.base = u.Scheme + "://" + u.Host
		if o.Dial == nil {
			transport.Proxy = http.ProxyFromEnvironment
			transport.DialContext = (&net.Dialer{Timeout: 10 * time.Second}).DialContext
		}
	}
	c.http = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // the token is for this server alone
	}}
	return c, nil
}

// Address is that of the server, as it was given.
func (c *Client) Address() string { return c.address }

// Close gives up the connections that are not in use.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Unreachable is that a server does not answer.
type Unreachable struct {
	Address string
	Err     error
}

func (e *Unreachable) Error() string {
	return fmt.Sprintf("the server at %s does not answer: %v", e.Address, e.Err)
}

func (e *Unreachable) Unwrap() error { return e.Err }

// unreachable is an error of the transport, without the method and the URL that
// net/http writes before it.
func (c *Client) unreachable(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return &Unreachable{c.address, err}
}

// request makes a request with a body of JSON, or without one.
func (c *Client) request(ctx context.Context, method, path string, in any) (*http.Request, error) {
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(data)
	}
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, err
	}
	if method != http.MethodGet {
		r.Header.Set("Content-Type", "application/json")
	}
	c.show(r.Header)
	return r, nil
}

// show shows the token.
func (c *Client) show(h http.Header) {
	if c.token != "" {
		h.Set("Authorization", "Bearer "+c.token)
	}
}

// call sends a request and reads the answer into out, which may be nil.
func (c *Client) call(ctx context.Context, method, path string, in, out any) error {
	r, err := c.request(ctx, method, path, in)
	if err != nil {
		return err
	}
	answer, err := c.http.Do(r)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return c.unreachable(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode >= 300 {
		return c.refused(answer)
	}
	if out == nil {
		_, err = io.Copy(io.Discard, answer.Body) // so that the connection can be used again
	} else {
		err = json.NewDecoder(answer.Body).Decode(out)
	}
	if err != nil {
		return fmt.Errorf("%s %s: the answer of the server at %s cannot be read: %w", method, path, c.address, err)
	}
	return nil
}

// refused is why the server did not do what it was asked for.
func (c *Client) refused(answer *http.Response) error {
	const most = 1 << 20
	data, err := io.ReadAll(io.LimitReader(answer.Body, most))
	e := &wire.Error{}
	if err != nil || json.Unmarshal(data, e) != nil || e.Code == "" {
		return wire.Errorf(wire.CodeInternal, "what answers at %s is no server of Redline, or one of another version: %s", c.address, answer.Status)
	}
	if e.Details == nil {
		e.Details = map[string]any{}
	}
	return e
}

// get asks for something.
func get[T any](ctx context.Context, c *Client, path string) (out T, err error) {
	return out, c.call(ctx, http.MethodGet, path, nil, &out)
}

// post has something done. A body that is nil is left out.
func post[T any](ctx context.Context, c *Client, path string, in any) (out T, err error) {
	return out, c.call(ctx, http.MethodPost, path, in, &out)
}

// order has something done that has no answer but that it was done.
func (c *Client) order(ctx context.Context, path string, in any) error {
	return c.call(ctx, http.MethodPost, path, in, nil)
}

// Ping asks whether a server is there.
func (c *Client) Ping(ctx context.Context) error {
	return c.call(ctx, http.MethodGet, "/healthz", nil, nil)
}

// Folders lists what the server works on.
func (c *Client) Folders(ctx context.Context) ([]wire.FolderInfo, error) {
	list, err := get[wire.FolderList](ctx, c, "/api/folders")
	return list.Folders, err
}

// part is a part of a path.
func part(s string) string { return url.PathEscape(s) }

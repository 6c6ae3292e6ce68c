package app_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"redline/llm"
	"redline/llm/app"
	"redline/llm/llmtest"
)

// pipes is a listener without a network, so that its time is that of the test.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p pipes) Close() error   { close(p.closed); return nil }
func (p pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

// run serves c and returns what connects to it.
func run(t *testing.T, c app.Config) (dial func() net.Conn) {
	p := pipes{make(chan net.Conn), make(chan struct{})}
	server := &http.Server{Handler: app.Handler(c), Protocols: new(http.Protocols)}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetUnencryptedHTTP2(true)
	ended := make(chan error)
	go func() { ended <- server.Serve(p) }()
	t.Cleanup(func() {
		server.Close()
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return func() net.Conn {
		ours, theirs := net.Pipe()
		p.conns <- theirs
		t.Cleanup(func() { ours.Close() })
		return ours
	}
}

// only is a server for everybody with one model.
func only(p llm.Provider) app.Config {
	return app.Config{
		Authorise: func(context.Context, string) (string, error) { return "anna", nil },
		Resolve:   func(context.Context, string, string) (llm.Provider, llm.Model, error) { return p, large, nil },
	}
}

const head = "POST /v1/stream HTTP/1.1\r\nHost: server\r\nAuthorization: Bearer t\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"

// TestClientThatDoesNotRead: an answer that nobody reads does not hold the model
// for ever.
func TestClientThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		endless := emits(func(ctx context.Context, e *llm.Emitter) error {
			for ctx.Err() == nil {
				e.Text(0, "word ")
			}
			return ctx.Err()
		})
		tracked := make(chan app.Record, 1)
		c := only(endless)
		c.Track = func(r app.Record) { tracked <- r }
		conn := run(t, c)()
		body := `{"model":"our/fast","messages":[{"role":"user","content":"Talk."}]}`
		if _, err := fmt.Fprintf(conn, head, len(body), body); err != nil {
			t.Fatal(err)
		}
		r := <-tracked // nothing is read from the connection
		if r.Stop != llm.StopAborted || r.Took != time.Minute {
			t.Errorf("stop reason %q after %s, want %q after a minute", r.Stop, r.Took, llm.StopAborted)
		}
	})
}

// TestClientThatDoesNotSend: a request that stops halfway does not hold the
// server for ever, whether it is known whose it is or not.
func TestClientThatDoesNotSend(t *testing.T) {
	for token, want := range map[string]string{"t": "408 Request Timeout", "wrong": "401 Unauthorized"} {
		synctest.Test(t, func(t *testing.T) {
			c := only(says("ok"))
			c.Authorise = app.FixedTokens(map[llm.Secret]string{"t": "anna"})
			conn, began := run(t, c)(), time.Now()
			stops := strings.Replace(fmt.Sprintf(head, 100, `{"model":`), "Bearer t", "Bearer "+token, 1)
			if _, err := io.WriteString(conn, stops); err != nil {
				t.Fatal(err)
			}
			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began); res.Status != want || took != time.Minute {
				t.Errorf("token %q: %s after %s, want %s after a minute", token, res.Status, took, want)
			}
		})
	}
}

// TestLongSilence: a model may think for an hour before it goes on, whatever
// carries its answer.
func TestLongSilence(t *testing.T) {
	thinks := emits(func(ctx context.Context, e *llm.Emitter) error {
		e.Text(0, "Hm. ")
		time.Sleep(time.Hour)
		e.Text(0, "Yes.")
		e.Stop(llm.StopEnd)
		return ctx.Err()
	})
	for name, choose := range map[string]func(*http.Protocols){
		"HTTP/1": func(p *http.Protocols) { p.SetHTTP1(true) },
		"HTTP/2": func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dial := run(t, only(thinks))
				through := &http.Transport{
					DialContext: func(context.Context, string, string) (net.Conn, error) { return dial(), nil },
					Protocols:   new(http.Protocols),
				}
				choose(through.Protocols)
				defer through.CloseIdleConnections()
				client, err := app.New(llm.Endpoint{BaseURL: "http://server", Key: "t", Idle: 2 * time.Hour, Through: through})
				if err != nil {
					t.Fatal(err)
				}
				m := llmtest.Check(t, client.Stream(t.Context(), asking("Well?")))
				if m.Text() != "Hm. Yes." || m.Stop() != llm.StopEnd {
					t.Errorf("%q, stop reason %q: %v", m.Text(), m.Stop(), m.Reply.Failure)
				}
			})
		})
	}
}

package app_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"redline/llm"
	"redline/llm/app"
	"redline/llm/llmtest"
)

// TestRefusals sends the requests in testdata/refusals.txtar and compares the
// answers, which -update renews. The server takes 300 bytes.
func TestRefusals(t *testing.T) {
	const file = "testdata/refusals.txtar"
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	server, tracked := serve(t, says("ok"), func(c *app.Config) { c.MaxBody = 300 })
	for i := 0; i+1 < len(a.Files); i += 2 {
		t.Run(filepath.Dir(a.Files[i].Name), func(t *testing.T) {
			got := exchange(t, server, a.Files[i].Data)
			if *llmtest.Update {
				a.Files[i+1].Data = got
			}
			if d := cmp.Diff(string(a.Files[i+1].Data), string(got)); d != "" {
				t.Errorf("answer (-want +got):\n%s", d)
			}
		})
	}
	if *llmtest.Update {
		if err := os.WriteFile(file, txtar.Format(a), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	server.Close()
	tracked.noMore(t) // nothing of it reached a model
}

// exchange sends a request as it is written and returns the answer.
func exchange(t *testing.T, server *httptest.Server, written []byte) []byte {
	t.Helper()
	head, body, _ := bytes.Cut(written, []byte("\n\n"))
	req, err := http.ReadRequest(bufio.NewReader(io.MultiReader(bytes.NewReader(head), strings.NewReader("\n\n"))))
	if err != nil {
		t.Fatal(err)
	}
	req.URL.Scheme, req.URL.Host, req.RequestURI = "http", server.Listener.Addr().String(), ""
	req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(body)), -1
	res, err := server.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var out bytes.Buffer
	fmt.Fprintln(&out, res.Status)
	for _, name := range []string{"Allow", "Content-Type", "Retry-After", "Www-Authenticate"} {
		if v := res.Header.Get(name); v != "" {
			fmt.Fprintf(&out, "%s: %s\n", name, v)
		}
	}
	fmt.Fprintln(&out)
	if _, err := io.Copy(&out, res.Body); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestQuota: a refusal keeps its words and its time; other errors keep theirs to
// the server.
func TestQuota(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want llm.Failure
	}{
		"a failure": {
			fmt.Errorf("quota: %w", &llm.Failure{Class: llm.ClassRateLimit, Message: "5 dollars a day are used up: come back tomorrow", Retry: true, RetryAfter: 1500 * time.Millisecond}),
			llm.Failure{Class: llm.ClassRateLimit, Status: 429, Message: "5 dollars a day are used up: come back tomorrow", Retry: true, RetryAfter: 2 * time.Second},
		},
		"its own status": {
			&llm.Failure{Class: llm.ClassRateLimit, Status: 402, Message: "pay first"},
			llm.Failure{Class: llm.ClassRateLimit, Status: 402, Message: "pay first"},
		},
		"another error": {
			errors.New("connect to db-7.internal"),
			llm.Failure{Class: llm.ClassRateLimit, Status: 429, Message: "the quota is used up"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			server, tracked := serve(t, says("ok"), func(conf *app.Config) {
				conf.Quota = func(_ context.Context, account string, m llm.Model) error {
					if account != "anna" || m.ID != large.ID {
						t.Errorf("asked for the quota of %s for %s", account, m.Name())
					}
					return c.err
				}
			})
			m := llmtest.Check(t, open(t, server, "token-of-anna").Stream(t.Context(), asking("Hello?")))
			if d := cmp.Diff(&c.want, m.Reply.Failure); d != "" {
				t.Errorf("failure (-want +got):\n%s", d)
			}
			tracked.noMore(t)
		})
	}
}

// TestConcurrentRequests: an account has so many places and no more; those of
// others are their own, and a place is free again when its request has ended.
func TestConcurrentRequests(t *testing.T) {
	entered, proceed := make(chan struct{}), make(chan struct{})
	waits := emits(func(_ context.Context, e *llm.Emitter) error {
		entered <- struct{}{}
		<-proceed
		e.Text(0, "ok")
		e.Stop(llm.StopEnd)
		return nil
	})
	server, _ := serve(t, waits, func(c *app.Config) { c.MaxConcurrent = 2 })
	anna, ben := open(t, server, "token-of-anna"), open(t, server, "token-of-ben")
	ended := make(chan llm.Message, 3)
	ask := func(client llm.Provider) {
		go func() { ended <- llmtest.Check(t, client.Stream(t.Context(), asking("Hello?"))) }()
		<-entered
	}
	ask(anna)
	ask(anna)
	third := llmtest.Check(t, anna.Stream(t.Context(), asking("Hello?")))
	if f := third.Reply.Failure; f == nil || f.Class != llm.ClassRateLimit || !f.Retry || f.RetryAfter != time.Second || f.Status != 429 {
		t.Errorf("the third request: %+v", f)
	}
	ask(ben)
	close(proceed)
	for range 3 {
		if m := <-ended; m.Text() != "ok" {
			t.Errorf("answered %q: %v", m.Text(), m.Reply.Failure)
		}
	}
	ask(anna)
	<-ended
}

func TestFixedTokens(t *testing.T) {
	authorise := app.FixedTokens(map[llm.Secret]string{"one": "anna", "two": "anna", "three": "ben", "": "nobody"})
	var got []string
	for _, token := range []string{"one", "two", "three", "", "on", "onee", "ONE", "anna"} {
		account, err := authorise(t.Context(), token)
		if (err == nil) != (account != "") {
			t.Errorf("%q: account %q, error %v", token, account, err)
		}
		got = append(got, account)
	}
	if want := []string{"anna", "anna", "ben", "", "", "", "", ""}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestNobodyByDefault: a server without rules lets nobody in, and one that takes
// any token still wants one.
func TestNobodyByDefault(t *testing.T) {
	for authorization, c := range map[string]app.Config{"Bearer anything": {}, "Bearer": only(says("ok"))} {
		server := httptest.NewServer(app.Handler(c))
		defer server.Close()
		got := exchange(t, server, fmt.Appendf(nil, "POST /v1/stream HTTP/1.1\nHost: server\nAuthorization: %s\nContent-Type: application/json\n\n"+
			`{"model": "our/fast", "messages": [{"role": "user", "content": "Hello?"}]}`, authorization))
		if !bytes.HasPrefix(got, []byte("401 ")) {
			t.Errorf("%q was answered\n%s", authorization, got)
		}
	}
}

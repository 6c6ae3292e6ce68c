package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"redline/llm"
	"redline/llm/anthropic"
	"redline/llm/app"
	"redline/llm/google"
)

// TestServersKeyStaysThere: the model's service repeats the key that the server
// sent, in its refusal or in the middle of an answer. The client does not get it.
func TestServersKeyStaysThere(t *testing.T) {
	const key = "sk-of-the-server-77"
	for name, c := range map[string]struct {
		open   func(llm.Endpoint) (llm.Provider, error)
		repeat func(w http.ResponseWriter, sent string)
	}{
		"anthropic, refused": {anthropic.New, refusing(`{"type":"error","error":{"type":"authentication_error","message":%s}}`)},
		"anthropic, halfway": {anthropic.New, func(w http.ResponseWriter, sent string) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":%s}}\n\n", quoted(sent))
		}},
		"google, refused": {google.New, refusing(`{"error":{"code":401,"status":"UNAUTHENTICATED","message":%s}}`)},
		"app, refused":    {app.New, refusing(`{"error":{"class":"auth","message":%s}}`)},
		"app, halfway": {app.New, func(w http.ResponseWriter, sent string) {
			w.Header().Set("Content-Type", "application/x-ndjson")
			fmt.Fprintf(w, `{"type":"restart","failure":{"class":"overloaded","message":%[1]s},"reply":{"failure":{"class":"overloaded","message":%[1]s}}}`+"\n", quoted(sent))
			fmt.Fprintf(w, `{"type":"done","reply":{"stopReason":"error","failure":{"class":"auth","message":%s}}}`+"\n", quoted(sent))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				c.repeat(w, fmt.Sprint("you sent ", r.Header, r.URL))
			}))
			defer service.Close()
			upstream, err := c.open(llm.Endpoint{BaseURL: service.URL, Key: key, Proxy: "direct"})
			if err != nil {
				t.Fatal(err)
			}
			server, _ := serve(t, upstream, nil)
			got := exchange(t, server, []byte("POST /v1/stream HTTP/1.1\nHost: server\nAuthorization: Bearer token-of-anna\nContent-Type: application/json\n\n"+
				`{"model": "our/fast", "messages": [{"role": "user", "content": "Hello?"}]}`))
			if bytes.Contains(got, []byte(key)) {
				t.Errorf("the client was sent the key:\n%s", got)
			}
			if !bytes.Contains(got, []byte("you sent")) || !bytes.Contains(got, []byte("[secret]")) {
				t.Errorf("the service's words did not arrive, so this proves nothing:\n%s", got)
			}
		})
	}
}

func refusing(body string) func(http.ResponseWriter, string) {
	return func(w http.ResponseWriter, sent string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, body, quoted(sent))
	}
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// TestClientPrintsNoToken: neither the provider nor its errors show the token.
func TestClientPrintsNoToken(t *testing.T) {
	const token = "token-of-anna"
	client, err := app.New(llm.Endpoint{BaseURL: "https://models.example.com", Key: token})
	if err != nil {
		t.Fatal(err)
	}
	_, err = app.New(llm.Endpoint{BaseURL: "models.example.com/" + token, Key: token})
	for _, shown := range []string{fmt.Sprintf("%v %+v %#v", client, client, client), fmt.Sprint(err)} {
		if strings.Contains(shown, token) || !strings.Contains(shown, "models.example.com") {
			t.Errorf("shown as %s", shown)
		}
	}
}

package app_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"redline/llm"
	"redline/llm/app"
	"redline/llm/llmtest"
)

// TestBaseURL: what cannot be a server's address is refused at once.
func TestBaseURL(t *testing.T) {
	for _, base := range []string{"", "models.example.com", "ftp://models.example.com", "http://", "://"} {
		if _, err := app.New(llm.Endpoint{BaseURL: base}); err == nil {
			t.Errorf("%q was accepted", base)
		}
	}
}

// TestOddServers: whatever a server sends, the client makes a proper stream of
// it. What the suite has in its recorded answers is not repeated here.
func TestOddServers(t *testing.T) {
	const start = `{"type":"start","reply":{"provider":"acme","api":"openai-chat","model":"large"}}` + "\n"
	const stop = `{"type":"done","reply":{"provider":"acme","model":"large","stopReason":"stop"}}` + "\n"
	for name, c := range map[string]struct {
		body    string
		text    string
		class   llm.Class // "": it ends well
		message string    // a part of the failure's
	}{
		"nothing":                      {"", "", llm.ClassNetwork, "cut off"},
		"no start":                     {`{"type":"text_delta","delta":"Hi"}` + "\n" + stop, "Hi", "", ""},
		"blocks out of order":          {start + `{"type":"text_delta","index":9,"delta":"a"}` + "\n" + `{"type":"text_end","index":4}` + "\n" + `{"type":"text_delta","index":-1,"delta":"b"}` + "\n" + stop, "ab", "", ""},
		"arguments without a call":     {start + `{"type":"toolcall_delta","index":0,"delta":"{}"}` + "\n" + stop, "", "", ""},
		"empty events":                 {start + `{"type":"route"}` + "\n{}\nnull\n" + `{"type":"start"}` + "\n" + `{"type":"text_delta","delta":"Hi"}` + "\n" + stop, "Hi", "", ""},
		"events behind the last":       {start + stop + `{"type":"text_delta","delta":"more"}` + "\n" + "not JSON\n", "", "", ""},
		"a start that has ended":       {`{"type":"start","reply":{"stopReason":"stop","failure":{"class":"auth","message":"x"}}}` + "\n" + `{"type":"text_delta","delta":"Hi"}` + "\n", "Hi", llm.ClassNetwork, "cut off"},
		"an end without a reply":       {start + `{"type":"done"}` + "\n", "", llm.ClassNetwork, "empty"},
		"an end without a reason":      {start + `{"type":"done","reply":{}}` + "\n", "", llm.ClassNetwork, "unknown reason"},
		"an unknown reason":            {start + `{"type":"done","reply":{"stopReason":"bored"}}` + "\n", "", llm.ClassNetwork, `"bored"`},
		"an error without a failure":   {start + `{"type":"done","reply":{"stopReason":"error"}}` + "\n", "", llm.ClassNetwork, "does not say why"},
		"an unknown class":             {start + `{"type":"done","reply":{"stopReason":"error","failure":{"class":"tired","message":"prompt is too long"}}}` + "\n", "", llm.ClassContextTooLarge, "prompt is too long"},
		"a failure of a good answer":   {start + `{"type":"done","reply":{"stopReason":"stop","failure":{"class":"auth","message":"x"}}}` + "\n", "", "", ""},
		"aborted by the server":        {start + `{"type":"text_delta","delta":"Hi"}` + "\n" + `{"type":"done","reply":{"stopReason":"aborted"}}` + "\n", "Hi", llm.ClassNetwork, "gave the answer up"},
		"not events":                   {"[1, 2]\n", "", llm.ClassNetwork, "a line is no event"},
		"wrong types":                  {start + `{"type":"text_delta","index":"first"}` + "\n", "", llm.ClassNetwork, "a line is no event"},
		"a line that never ends":       {start + `{"type":"text_delta","delta":"` + strings.Repeat("x", 17<<20), "", llm.ClassNetwork, "longer than"},
		"calls with nothing but stops": {start + `{"type":"toolcall_start","index":0}` + "\n" + `{"type":"toolcall_end","index":0}` + "\n" + stop, "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/x-ndjson; charset=utf-8")
				fmt.Fprint(w, c.body)
			}))
			defer server.Close()
			m := llmtest.Check(t, open(t, server, "t").Stream(t.Context(), asking("Hello?")))
			if m.Text() != c.text {
				t.Errorf("text %q, want %q", m.Text(), c.text)
			}
			switch f := m.Reply.Failure; {
			case c.class == "" && f != nil:
				t.Errorf("failed: %v", f)
			case c.class != "" && (f == nil || f.Class != c.class || !strings.Contains(f.Message, c.message)):
				t.Errorf("failure %+v, want class %q saying %q", f, c.class, c.message)
			}
		})
	}
}

// TestNotAServer: the address is that of something else.
func TestNotAServer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<h1>Welcome to the hotel's network</h1>")
	}))
	defer server.Close()
	m := llmtest.Check(t, open(t, server, "t").Stream(t.Context(), asking("Hello?")))
	if f := m.Reply.Failure; f == nil || f.Retry || !strings.Contains(f.Message, "check the base URL") {
		t.Errorf("failure %+v", f)
	}
}

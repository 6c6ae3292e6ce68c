package google_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/llm"
	"redline/llm/google"
	"redline/llm/llmtest"
)

// service is a Gemini that gives one answer after the other and keeps what it
// was asked.
type service struct {
	answers []string // bodies; one that begins with "HTTP " has a status line before it
	urls    []string
	asked   [][]byte
}

func (s *service) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	s.urls, s.asked = append(s.urls, req.URL.String()), append(s.asked, body)
	answer := s.answers[min(len(s.asked), len(s.answers))-1]
	res := &http.Response{StatusCode: http.StatusOK, Header: http.Header{}}
	if rest, ok := strings.CutPrefix(answer, "HTTP "); ok {
		status, body, _ := strings.Cut(rest, "\n")
		if err := json.Unmarshal([]byte(status), &res.StatusCode); err != nil {
			return nil, err
		}
		answer = body
	}
	res.Body = io.NopCloser(strings.NewReader(answer))
	return res, nil
}

// ask sends a request and returns the message that the service answers with.
func (s *service) ask(t *testing.T, req llm.Request) llm.Message {
	t.Helper()
	p, err := google.New(llm.Endpoint{Key: "key-1234", Through: s})
	if err != nil {
		t.Fatal(err)
	}
	return llmtest.Check(t, p.Stream(t.Context(), req))
}

// sent returns a field of the newest request as JSON.
func (s *service) sent(t *testing.T, field string) string {
	t.Helper()
	var body map[string]json.RawMessage
	if err := json.Unmarshal(s.asked[len(s.asked)-1], &body); err != nil {
		t.Fatal(err)
	}
	return string(body[field])
}

// sameJSON compares two JSON texts.
func sameJSON(t *testing.T, what, want, got string) {
	t.Helper()
	if d := cmp.Diff(lines(t, want), lines(t, got)); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func lines(t *testing.T, text string) []string {
	t.Helper()
	if text == "" {
		return nil
	}
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.Split(out.String(), "\n")
}

// parts is an event with parts of an answer.
func parts(list string) string {
	return `data: {"candidates":[{"content":{"role":"model","parts":[` + list + `]}}],"responseId":"r1"}` + "\n\n"
}

// finish is an event that ends an answer.
func finish(reason string) string {
	return `data: {"candidates":[{"finishReason":"` + reason + `"}],"responseId":"r1"}` + "\n\n"
}

var ok = parts(`{"text":"ok"}`) + finish("STOP")

func hello(m llm.Model) llm.Request {
	return llm.Request{Model: m, Messages: []llm.Message{llm.User("Hello.")}}
}

package openai

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"redline/llm"
)

// complaint is an error as OpenAI writes it, and as compatible servers do.
type complaint struct {
	Message  string    `json:"message"`
	Type     string    `json:"type"`
	Code     looseText `json:"code"` // OpenRouter, vLLM and llama.cpp: the HTTP status
	Metadata struct {
		Raw looseText `json:"raw"` // OpenRouter: the words of the provider behind it
	} `json:"metadata"`
}

// words are the provider's own, the most precise last.
func (c complaint) words() string {
	if raw := string(c.Metadata.Raw); raw != "" && !strings.Contains(c.Message, raw) {
		return strings.TrimSpace(c.Message + ": " + raw)
	}
	return c.Message
}

// code is the one for programs; some servers have only a type.
func (c complaint) code() string {
	if c.Code != "" && c.status() == 0 {
		return string(c.Code)
	}
	return c.Type
}

// status is the HTTP status that a server gives as code, or 0.
func (c complaint) status() int {
	var n int
	if json.Unmarshal([]byte(c.Code), &n) != nil || n < 400 || n > 599 {
		return 0
	}
	return n
}

// refusal is the failure that an answer with an error's status tells.
func refusal(res *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(res.Body, 1<<20)) // what came of it will do
	c := readComplaint(body)
	if to := res.Header.Get("Location"); res.StatusCode < 400 && c.Message == "" {
		c.Message = "the server refers to " + to + ", which is not followed; check the base URL"
	}
	return llm.HTTPFailure(res.StatusCode, res.Header, c.code(), c.words())
}

// readComplaint finds the error in the body of an answer: {"error": {…}} of
// OpenAI, {"error": "…"} of Ollama, {"message": …} of vLLM and Mistral,
// {"detail": …} of FastAPI, or a list of one of them. Of other bodies, such as
// the web pages of proxies, nothing is taken.
func readComplaint(body []byte) complaint {
	body = bytes.TrimSpace(body)
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var outer struct {
		Error   json.RawMessage `json:"error"`
		Detail  looseText       `json:"detail"`
		Message looseText       `json:"message"`
		Type    string          `json:"type"`
		Code    looseText       `json:"code"`
	}
	if decode(body, &outer) != nil {
		return complaint{}
	}
	if present(outer.Error) {
		return complaintOf(outer.Error)
	}
	c := complaint{Message: string(outer.Message), Type: outer.Type, Code: outer.Code}
	if c.Message == "" {
		c.Message = string(outer.Detail)
	}
	return c
}

// complaintOf reads the value of "error", an object or a text.
func complaintOf(raw json.RawMessage) complaint {
	var c complaint
	if decode(raw, &c) != nil || c.Message == "" {
		var text looseText
		_ = text.UnmarshalJSON(raw) // it never fails
		c.Message = string(text)
	}
	return c
}

// present reports whether an optional value of JSON is there.
func present(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// interruption is the failure that an error in the middle of an answer tells.
// The request was accepted, so unless the words say otherwise the server is to
// blame, and it may work another time.
func interruption(c complaint) error {
	status := c.status()
	if status == 0 {
		status = http.StatusInternalServerError
		if strings.Contains(c.Type, "invalid_request") {
			status = http.StatusBadRequest
		}
	}
	f := llm.HTTPFailure(status, nil, c.code(), c.words())
	f.Status = c.status()
	return f
}

// looseText is a text, or any other JSON taken as text.
type looseText string

func (t *looseText) UnmarshalJSON(data []byte) error {
	var s string
	switch {
	case string(data) == "null":
	case json.Unmarshal(data, &s) == nil:
		*t = looseText(s)
	default:
		*t = looseText(data)
	}
	return nil
}

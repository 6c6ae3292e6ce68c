package llm

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Class sorts the failures of a model by what can be done about them.
type Class string

const (
	ClassAuth            Class = "auth"              // the key is missing, wrong or not allowed
	ClassRateLimit       Class = "rate_limit"        // too many requests, or no credit left
	ClassOverloaded      Class = "overloaded"        // the server cannot answer now
	ClassContextTooLarge Class = "context_too_large" // the conversation does not fit into the model
	ClassInvalidRequest  Class = "invalid_request"   // the request will never be accepted
	ClassNetwork         Class = "network"           // not reached, or cut off in the middle
	ClassTimeout         Class = "timeout"           // no answer in time
)

// Failure is how a model failed. It arrives as the last event of a stream; it
// is an error as well, for those who need one.
type Failure struct {
	Class      Class         `json:"class"`
	Message    string        `json:"message"`          // the provider's words
	Status     int           `json:"status,omitempty"` // of HTTP
	Code       string        `json:"code,omitempty"`   // the provider's own
	Retry      bool          `json:"retry"`            // the same request may succeed later
	RetryAfter time.Duration `json:"retryAfterNs,omitempty"`
}

func (f *Failure) Error() string {
	words := f.Message
	if words == "" {
		words = "no reason given"
	}
	if f.Status != 0 {
		return fmt.Sprintf("%s (HTTP %d): %s", f.Class.words(), f.Status, words)
	}
	return fmt.Sprintf("%s: %s", f.Class.words(), words)
}

func (c Class) words() string {
	switch c {
	case ClassAuth:
		return "the model refused the key"
	case ClassRateLimit:
		return "the model's rate limit is reached"
	case ClassOverloaded:
		return "the model is overloaded"
	case ClassContextTooLarge:
		return "the conversation is too large for the model"
	case ClassInvalidRequest:
		return "the model refused the request"
	case ClassNetwork:
		return "the connection to the model failed"
	case ClassTimeout:
		return "the model did not answer in time"
	}
	return "the model failed"
}

// HTTPFailure sorts a refusal by its status, its code and its words. Words
// decide where servers disagree: many say "context too large" with a 400, some
// with a 500. For an error in the middle of an answer the status is 0 or 200.
func HTTPFailure(status int, header http.Header, code, message string) *Failure {
	f := &Failure{Message: strings.TrimSpace(message), Status: status, Code: code, RetryAfter: retryAfter(header)}
	if f.Message == "" {
		f.Message = http.StatusText(status)
	}
	lower := strings.ToLower(code + " " + message)
	switch {
	case containsAny(lower, contextWords) && status != http.StatusTooManyRequests:
		f.Class = ClassContextTooLarge
	case status == http.StatusRequestEntityTooLarge:
		f.Class = ClassContextTooLarge
	case status == http.StatusPaymentRequired || containsAny(lower, creditWords):
		f.Class = ClassRateLimit
	case status == http.StatusUnauthorized || status == http.StatusForbidden || containsAny(lower, authWords):
		f.Class = ClassAuth
	case status == http.StatusTooManyRequests || containsAny(lower, rateWords):
		f.Class, f.Retry = ClassRateLimit, true
	case status == http.StatusRequestTimeout || status == http.StatusGatewayTimeout || containsAny(lower, timeoutWords):
		f.Class, f.Retry = ClassTimeout, true
	case status >= 500 || status == http.StatusConflict || containsAny(lower, overloadWords):
		f.Class, f.Retry = ClassOverloaded, true
	case status < 300 && !strings.Contains(lower, "invalid"): // the request was accepted, so it is not at fault
		f.Class, f.Retry = ClassOverloaded, true
	default:
		f.Class = ClassInvalidRequest
	}
	return f
}

// What providers and servers say, in lower case.
var (
	contextWords = []string{
		"context_length_exceeded", "context length", "context window", "maximum context", "prompt is too long", "too many tokens",
		"exceeds the maximum number of tokens", "input token count", "exceed_context_size", "exceeds the available context size",
		"request_too_large", "reduce the length of", "input is too long", "context size has been exceeded", "exceed context limit",
	}
	authWords     = []string{"invalid_api_key", "invalid api key", "api key not valid", "api_key_invalid", "authentication_error", "permission_error", "unauthenticated"}
	creditWords   = []string{"insufficient_quota", "insufficient balance", "credit balance", "billing_error"}
	rateWords     = []string{"rate_limit", "rate limit", "too many requests", "resource_exhausted"}
	timeoutWords  = []string{"timeout_error", "deadline_exceeded"}
	overloadWords = []string{"overloaded", "server_error", "internal error", "internal server error", "unavailable"}
)

func containsAny(s string, words []string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// retryAfter reads Retry-After (seconds or a date) and the millisecond form
// that some providers send beside it.
func retryAfter(h http.Header) time.Duration {
	const year = 365 * 24 * time.Hour // more would not fit
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return time.Duration(min(ms*float64(time.Millisecond), float64(year)))
	}
	v := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(v, 64); err == nil && s > 0 {
		return time.Duration(min(s*float64(time.Second), float64(year)))
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

// failureOf sorts an error that no provider has sorted. The failure is the
// caller's own.
func failureOf(err error) *Failure {
	var f *Failure
	if errors.As(err, &f) {
		own := *f
		return &own
	}
	var timeout net.Error
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout() {
		return &Failure{Class: ClassTimeout, Message: err.Error(), Retry: true}
	}
	return &Failure{Class: ClassNetwork, Message: err.Error(), Retry: true}
}

package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
)

// CallResult is a tool's result in the form that is the same for all providers.
type CallResult struct {
	ID     string          `json:"tool_call_id"`
	Name   string          `json:"name"`
	OK     bool            `json:"ok"`
	Result json.RawMessage `json:"result"` // an object; null if not OK
	Error  json.RawMessage `json:"error"`  // null if OK; else an object with at least a message
}

// Canonical is the result of a call in that form. Result is Details if they are
// an object, and otherwise the output, as {"output": …}. Error is Details if
// they are an object, with the output as its message unless they have one.
func Canonical(call Call, r Result, err error) CallResult {
	r = finish(r, err, errors.Is(err, context.Canceled))
	c := CallResult{ID: call.ID, Name: call.Name, OK: !r.IsError}
	details := r.Block(call).Details
	var members map[string]json.RawMessage
	isObject := bytes.HasPrefix(details, []byte("{")) && json.Unmarshal(details, &members) == nil
	switch {
	case c.OK && isObject:
		c.Result = details
	case c.OK:
		c.Result = object("output", r.Output)
	case !isObject || len(members) == 0:
		c.Error = object("message", r.Output)
	case members["message"] == nil:
		message := object("message", r.Output)
		c.Error = append(append(bytes.TrimSuffix(details, []byte("}")), ','), message[1:]...)
	default:
		c.Error = details
	}
	return c
}

func object(name, text string) json.RawMessage {
	b := append(appendString([]byte("{"), name), ':')
	return append(appendString(b, text), '}')
}

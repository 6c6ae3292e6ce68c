package toolset_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/internal/ops"
	"redline/internal/toolset"
	"redline/llm"
	"redline/tool"
)

func noDesk(context.Context) *ops.Desk { return nil }

func asItIs(_ *ops.Desk, err error) error { return err }

func sendMessage(t *testing.T, send toolset.Send) tool.Set {
	t.Helper()
	made, err := toolset.SendMessage(noDesk, send, asItIs)
	if err != nil {
		t.Fatal(err)
	}
	set, err := tool.NewSet(made)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func call(arguments string) llm.ToolCall {
	return llm.ToolCall{ID: "1", Name: "send_message", Arguments: json.RawMessage(arguments)}
}

// TestSendMessage: what is sent, and what the model is told; a message without
// words and one without end are refused, and nothing is sent.
func TestSendMessage(t *testing.T) {
	long := strings.Repeat("é", toolset.MessageCap)
	for _, c := range []struct{ arguments, sent, told string }{
		{`{"message":"Half done."}`, "normal Half done.", "Sent."},
		{`{"message":"Half done.","priority":"high"}`, "high Half done.", "Sent."},
		{`{"message":" two\nlines "}`, "normal  two\nlines ", "Sent."},
		{fmt.Sprintf(`{"message":%q}`, long), "normal " + long, "Sent."},
		{fmt.Sprintf(`{"message":%q}`, long+"!"), "", "expected at most 10000 characters, got 10001; send the gist"},
		{`{"message":" \n\t"}`, "", "expected a message, got only blanks"},
		{`{"message":""}`, "", "message: "},
		{`{}`, "", "message: missing"},
		{`{"message":"Now!","priority":"urgent"}`, "", "priority: "},
	} {
		sent := ""
		set := sendMessage(t, func(_ context.Context, message, priority string) error {
			sent = priority + " " + message
			return nil
		})
		r := tool.Run(t.Context(), set, call(c.arguments), nil)
		if sent != c.sent {
			t.Errorf("%.60s: sent %.60q, want %.60q", c.arguments, sent, c.sent)
		}
		if !strings.Contains(r.Output, c.told) || r.IsError == (c.sent != "") {
			t.Errorf("%.60s: the model is told %q, want %q", c.arguments, r.Output, c.told)
		}
	}
}

// TestSendMessageDetails: what was sent is in the result, for the session file
// and for screens.
func TestSendMessageDetails(t *testing.T) {
	set := sendMessage(t, func(context.Context, string, string) error { return nil })
	r := tool.Run(t.Context(), set, call(`{"message":"Half done."}`), nil)
	got, err := json.Marshal(r.Details)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(`{"message":"Half done.","priority":"normal"}`, string(got)); d != "" {
		t.Error(d)
	}
}

// TestSendMessageFails: with nobody there, or when it cannot be sent, the model is
// told what else it can do.
func TestSendMessageFails(t *testing.T) {
	broken := func(context.Context, string, string) error { return errors.New("the line is cut") }
	for words, send := range map[string]toolset.Send{"nobody who could read it": nil, "was not sent: the line is cut": broken} {
		r := tool.Run(t.Context(), sendMessage(t, send), call(`{"message":"Half done."}`), nil)
		if !r.IsError || !strings.Contains(r.Output, words) {
			t.Errorf("the model is told %q, want %q", r.Output, words)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancelling := func(ctx context.Context, _, _ string) error { cancel(); return ctx.Err() }
	if r := tool.Run(ctx, sendMessage(t, cancelling), call(`{"message":"Half done."}`), nil); r.Code() != tool.CodeAborted {
		t.Errorf("an aborted call ended with the code %q", r.Code())
	}
}

// TestSendMessageIsHarmless: it is offered in every mode, and keeps its order.
func TestSendMessageIsHarmless(t *testing.T) {
	made, err := toolset.SendMessage(noDesk, nil, asItIs)
	if err != nil {
		t.Fatal(err)
	}
	if !tool.IsReadOnly(made) || tool.RunsBeside(made) {
		t.Error("messages are not read-only, or out of order")
	}
	if spec := made.Spec(); strings.Contains(spec.Description, "{{") || !strings.Contains(spec.Description, "10000 characters") {
		t.Errorf("the description: %s", spec.Description)
	}
}

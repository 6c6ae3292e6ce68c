package toolset

import (
	"context"
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"redline/internal/ops"
	"redline/tool"
)

//go:embed send_message.md
var sendMessageText string

// MessageCap is how many characters a message may have.
const MessageCap = 10_000

// The priorities of messages.
const (
	PriorityNormal = "normal"
	PriorityHigh   = "high" // must not be missed
)

// Send shows the user a message, and returns when it is on its way.
type Send func(ctx context.Context, message, priority string) error

type sendMessageArgs struct {
	Message  string `json:"message" jsonschema:"what the user shall read, as plain text or Markdown" min:"1"`
	Priority string `json:"priority,omitempty" jsonschema:"high for what must not be missed" enum:"normal,high" default:"normal"`
}

// Check refuses a message that says nothing, and one that nobody would read to
// its end.
func (a *sendMessageArgs) Check() error {
	if strings.TrimSpace(a.Message) == "" {
		return tool.Problem{Path: "message", Message: "expected a message, got only blanks"}
	}
	if n := utf8.RuneCountInString(a.Message); n > MessageCap {
		return tool.Problem{Path: "message", Message: fmt.Sprintf("expected at most %d characters, got %d; send the gist, or several messages, or write a document and name it", MessageCap, n)}
	}
	return nil
}

type sendMessageResult struct {
	Message  string `json:"message"`
	Priority string `json:"priority"`
}

// SendMessage makes the tool by which a model tells the user something in the
// middle of its work, which any toolset can have. Messages of one answer are sent
// in their order. Without send it says that there is nobody; fail writes that in
// the shape of the contract.
func SendMessage(desk Desk, send Send, fail func(*ops.Desk, error) error) (tool.Tool, error) {
	text := strings.ReplaceAll(strings.TrimSpace(sendMessageText), "{{most}}", strconv.Itoa(MessageCap))
	info := tool.Info{Name: "send_message", Label: "Message", Description: text, ReadOnly: true, InOrder: true}
	return tool.New(info, func(ctx context.Context, args sendMessageArgs, _ tool.Update) (tool.Result, error) {
		ctx, desk := desk.At(ctx)
		if send == nil {
			return tool.Result{}, fail(desk, unsent("there is nobody who could read it"))
		}
		if err := send(ctx, args.Message, args.Priority); err != nil {
			if ctx.Err() != nil {
				return tool.Result{}, ctx.Err()
			}
			return tool.Result{}, fail(desk, unsent(fmt.Sprintf("the message was not sent: %v", err)))
		}
		return tool.Result{Output: "Sent.", Details: sendMessageResult(args)}, nil
	})
}

func unsent(words string) *ops.Error {
	return &ops.Error{Code: ops.NobodyToAsk, Message: words, Suggestions: []string{"Say it in your last words."}}
}

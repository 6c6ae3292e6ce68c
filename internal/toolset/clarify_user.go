package toolset

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"redline/internal/ops"
	"redline/tool"
)

//go:embed clarify_user.md
var clarifyUserText string

// NoAnswer is the answer of a user who skipped a question.
const NoAnswer = "no_user_answer"

// Ask asks the user one question and waits for the answer. A user who does not
// want to answer gives NoAnswer, or nothing.
type Ask func(ctx context.Context, question string) (answer string, err error)

type clarifyUserArgs struct {
	Question string `json:"question" jsonschema:"the question, one only, complete in itself" min:"1"`
}

// Check refuses a question that is nothing but blanks.
func (a *clarifyUserArgs) Check() error {
	if strings.TrimSpace(a.Question) == "" {
		return tool.Problem{Path: "question", Message: "expected a question, got only blanks"}
	}
	return nil
}

type clarifyUserResult struct {
	Question string `json:"question"`
	Answer   string `json:"answer"` // NoAnswer if the user skipped it
}

// ClarifyUser makes the tool by which a model asks the user, which every toolset
// has. Without ask it says that there is nobody; fail writes that in the shape of
// the contract.
func ClarifyUser(desk Desk, ask Ask, fail func(*ops.Desk, error) error) (tool.Tool, error) {
	asking := make(chan struct{}, 1) // holds a token while a question waits for its answer
	info := tool.Info{Name: "clarify_user", Label: "Ask the user", Description: strings.TrimSpace(clarifyUserText), ReadOnly: true, InOrder: true}
	return tool.New(info, func(ctx context.Context, args clarifyUserArgs, _ tool.Update) (tool.Result, error) {
		ctx, desk := desk.At(ctx)
		if ask == nil {
			return tool.Result{}, fail(desk, unanswered("there is nobody who could answer"))
		}
		select {
		case asking <- struct{}{}:
			defer func() { <-asking }()
		case <-ctx.Done():
			return tool.Result{}, ctx.Err()
		}
		answer, err := ask(ctx, args.Question)
		if ctx.Err() != nil {
			return tool.Result{}, ctx.Err()
		}
		if err != nil {
			return tool.Result{}, fail(desk, unanswered(fmt.Sprintf("the question was not answered: %v", err)))
		}
		if answer = strings.TrimSpace(answer); answer == "" {
			answer = NoAnswer
		}
		r := clarifyUserResult{args.Question, answer}
		if answer == NoAnswer {
			return tool.Result{Output: desk.Tell(NoAnswer + ": the user skipped the question. Decide as you think best, and say what you assumed."), Details: r}, nil
		}
		return tool.Result{Output: answer, Details: r}, nil
	})
}

func unanswered(words string) *ops.Error {
	return &ops.Error{Code: ops.NobodyToAsk, Message: words, Suggestions: []string{ops.FactOf(ops.NobodyToAsk).Suggestion}}
}

package project

import (
	"context"
	_ "embed"
	"strings"

	"redline/internal/ops"
	"redline/tool"
)

//go:embed clarify_user.md
var clarifyUserText string

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

func (s *set) clarifyUser() (tool.Tool, error) {
	return newTool(s, tool.Info{Name: "clarify_user", Label: "Ask the user", Description: clarifyUserText, ReadOnly: true},
		func(ctx context.Context, args clarifyUserArgs, _ tool.Update) (tool.Result, error) {
			ctx, desk := s.desk.At(ctx)
			if s.ask == nil {
				return tool.Result{}, fail(desk, refusal(ops.NobodyToAsk, "", "there is nobody who could answer"))
			}
			// One question at a time: the next one waits until this is answered.
			select {
			case s.asking <- struct{}{}:
				defer func() { <-s.asking }()
			case <-ctx.Done():
				return tool.Result{}, ctx.Err()
			}
			answer, err := s.ask(ctx, args.Question)
			if ctx.Err() != nil {
				return tool.Result{}, ctx.Err()
			}
			if err != nil {
				return tool.Result{}, fail(desk, refusal(ops.NobodyToAsk, "", "the question was not answered: %v", err))
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

package console

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"redline/internal/wire"
)

// answer answers a question of the model.
func (r *run) answer(ctx context.Context, q *wire.Question) error {
	reply := wire.Command{Type: wire.CommandClarify, QuestionID: q.ID, Answer: wire.NoAnswer}
	if !r.o.Ask {
		r.screen.line("? " + questionText(q))
		r.screen.line("  not answered: there is no terminal to ask at (--json takes answers)")
		return r.reply(ctx, reply)
	}
	c, settled, err := r.attend(ctx, func(ctx context.Context) (wire.Command, error) {
		r.screen.line(r.screen.colors.bold("? " + questionText(q)))
		line, err := r.keys.line(ctx, "your answer (empty: skip)> ")
		if line = strings.TrimSpace(line); line != "" {
			reply.Answer = chosen(q, line)
		}
		return reply, err
	})
	if settled || err != nil && !gone(err) {
		return err
	}
	return r.reply(ctx, c)
}

// reply sends an answer. That it is no longer wanted is no error.
func (r *run) reply(ctx context.Context, c wire.Command) error {
	err := r.conv.Do(ctx, c)
	if s := r.conv.Status(); err != nil && s.Question == nil && s.Approval == nil {
		return nil
	}
	return err
}

func questionText(q *wire.Question) string {
	text := Clean(q.Text)
	for i, o := range q.Options {
		text += fmt.Sprintf("\n  %d  %s", i+1, oneLine(o))
	}
	return text
}

// chosen is the answer that a number stands for, or else what was typed.
func chosen(q *wire.Question, typed string) string {
	if n, err := strconv.Atoi(typed); err == nil && n >= 1 && n <= len(q.Options) {
		return q.Options[n-1]
	}
	return typed
}

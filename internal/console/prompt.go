package console

import (
	"context"
	"errors"
	"strings"

	"redline/internal/wire"
)

// What stands before a line that is typed: a request, or an answer.
const (
	promptSign = "redline> "
	answerSign = "your answer> "
)

// Prompt reads requests and commands line by line until the user leaves, and
// returns where the conversation stands. Errors are told, and the prompt goes on;
// the ones it returns are those of ctx and of the terminal.
func (c *Console) Prompt(ctx context.Context, conv Conversation) (wire.Status, error) {
	c.screen.line(c.screen.colors.dim("Type a request, or /help. Ctrl-D leaves."))
	if s := conv.Status(); s.Asks() {
		c.screen.line(c.screen.colors.bold(waits(s)))
		c.about(s.Waiting)
	}
	interrupted := false
	for {
		sign := promptSign
		if conv.Status().Asks() {
			sign = answerSign
		}
		text, err := c.readRequest(ctx, sign)
		switch {
		case gone(err):
			return conv.Status(), nil
		case errors.Is(err, errInterrupt) && interrupted:
			return conv.Status(), nil
		case errors.Is(err, errInterrupt):
			interrupted = true
			c.screen.line(c.screen.colors.dim("Ctrl-C again, Ctrl-D or /quit leaves."))
			continue
		case err != nil:
			return conv.Status(), err
		}
		interrupted = false
		switch {
		case text == "":
			continue
		case strings.HasPrefix(text, "/"):
			err = c.command(ctx, conv, text)
		default:
			_, err = c.request(ctx, conv, text)
		}
		switch {
		case errors.Is(err, errQuit):
			return conv.Status(), nil
		case ctx.Err() != nil:
			return conv.Status(), ctx.Err()
		case c.screen.err != nil:
			return conv.Status(), c.screen.err
		case err != nil && !errors.Is(err, errInterrupt):
			c.screen.line(c.screen.colors.red("✗ ") + Clean(err.Error()))
		}
	}
}

// readRequest reads what the user wants, without blanks around it. A line that
// ends in a backslash goes on in the next one, and so does everything between two
// """.
func (c *Console) readRequest(ctx context.Context, sign string) (string, error) {
	const quotes = `"""`
	line, err := c.keys.line(ctx, sign)
	if err != nil {
		return "", err
	}
	line = strings.TrimSpace(line)
	block, quoted := strings.CutPrefix(line, quotes)
	if quoted {
		line = block
	}
	text := ""
	for {
		more := false
		if quoted {
			before, _, ended := strings.Cut(line, quotes)
			text += before
			more = !ended
		} else {
			before, goesOn := strings.CutSuffix(line, `\`)
			text += before
			more = goesOn
		}
		if !more {
			return strings.TrimSpace(text), nil
		}
		text += "\n"
		if line, err = c.keys.line(ctx, "... "); err != nil {
			return "", err
		}
	}
}

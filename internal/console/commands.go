package console

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"redline/internal/wire"
)

// errQuit: the user leaves the prompt.
var errQuit = errors.New("quit")

// command is what is typed at the prompt with a slash before it.
type command struct {
	name, help string
	run        func(c *Console, ctx context.Context, conv Conversation) error
}

// commands are in the order of /help, which is one of them.
func commands() []command {
	return []command{
		{"help", "this list", (*Console).help},
		{"review", "decide about the changes that wait", (*Console).reviewOpen},
		{"diff", "show the changes that wait, or those of the last request", (*Console).diffOpen},
		{"accept", "accept all that waits", (*Console).acceptOpen},
		{"reject", "reject all that waits", (*Console).rejectOpen},
		{"undo", "take back the last request's changes", (*Console).undo},
		{"redo", "bring them back", (*Console).redo},
		{"status", "where the conversation stands", (*Console).status},
		{"quit", "leave (so does Ctrl-D)", func(*Console, context.Context, Conversation) error { return errQuit }},
	}
}

func (c *Console) command(ctx context.Context, conv Conversation, text string) error {
	name, rest, _ := strings.Cut(strings.TrimPrefix(text, "/"), " ")
	for _, known := range commands() {
		if !strings.EqualFold(known.name, name) {
			continue
		}
		if strings.TrimSpace(rest) != "" {
			return fmt.Errorf("/%s takes nothing behind it", known.name)
		}
		return known.run(c, ctx, conv)
	}
	if near := c.meant(name); near != "" {
		return fmt.Errorf("there is no /%s; did you mean /%s?", name, near)
	}
	return fmt.Errorf("there is no /%s; /help lists what there is", name)
}

// meant is the command that a name was probably meant to be: one that begins so, or
// a near one; "" if there is none.
func (c *Console) meant(name string) string {
	var names []string
	for _, known := range commands() {
		if name != "" && strings.HasPrefix(known.name, strings.ToLower(name)) {
			return known.name
		}
		names = append(names, known.name)
	}
	if c.o.Nearest == nil {
		return ""
	}
	return c.o.Nearest(name, names)
}

func (c *Console) help(context.Context, Conversation) error {
	for _, known := range commands() {
		c.screen.line(fmt.Sprintf("/%-7s %s", known.name, known.help))
	}
	c.screen.line(`A line that ends in \ goes on in the next one; """ begins and ends a text of several lines.` +
		"\nCtrl-C interrupts a request, and at the prompt clears the line.")
	return nil
}

// open are the turns that wait; it is told if there are none.
func (c *Console) open(ctx context.Context) ([]wire.Turn, error) {
	if c.o.Reviews == nil {
		return nil, errors.New("there are no reviews here")
	}
	turns, err := c.o.Reviews.Open(ctx)
	if err == nil && len(turns) == 0 {
		c.screen.line("Nothing waits for a decision.")
	}
	return turns, err
}

func (c *Console) reviewOpen(ctx context.Context, _ Conversation) error {
	turns, err := c.open(ctx)
	if err != nil || len(turns) == 0 {
		return err
	}
	_, err = c.Review(ctx, c.o.Reviews, turns)
	return err
}

func (c *Console) diffOpen(ctx context.Context, _ Conversation) error {
	turns, err := c.open(ctx)
	if err != nil {
		return err
	}
	if len(turns) == 0 && c.last != nil {
		turns = []wire.Turn{*c.last}
	}
	for i := range turns {
		c.wholeDiff(&turns[i])
	}
	return nil
}

func (c *Console) acceptOpen(ctx context.Context, _ Conversation) error {
	return c.decideOpen(ctx, accept)
}

func (c *Console) rejectOpen(ctx context.Context, _ Conversation) error {
	return c.decideOpen(ctx, reject)
}

func (c *Console) decideOpen(ctx context.Context, verdict string) error {
	turns, err := c.open(ctx)
	if err != nil || len(turns) == 0 {
		return err
	}
	_, err = c.decide(ctx, c.o.Reviews, wire.Decision{All: verdict, AsOne: oversized(turns...)}, nil)
	return err
}

func (c *Console) undo(ctx context.Context, _ Conversation) error {
	return c.travel(ctx, "taken back", Undoer.Undo)
}

func (c *Console) redo(ctx context.Context, _ Conversation) error {
	return c.travel(ctx, "brought back", Undoer.Redo)
}

func (c *Console) travel(ctx context.Context, word string, move func(Undoer, context.Context, string) (wire.Report, error)) error {
	u, ok := c.o.Reviews.(Undoer)
	if !ok {
		return errors.New("nothing can be undone here")
	}
	report, err := move(u, ctx, "")
	if err != nil {
		return err
	}
	if len(report.Files) == 0 {
		c.screen.line("There was nothing to change.")
	}
	c.tellFiles(report.Files, word)
	for _, path := range report.Outside {
		c.screen.line("– " + oneLine(path) + ": changed by a command, and not kept; it stays as it is")
	}
	return nil
}

func (c *Console) status(ctx context.Context, conv Conversation) error {
	s := conv.Status()
	c.screen.line("session " + Clean(s.Session) + ": " + strings.ReplaceAll(string(s.State), "_", " "))
	if text := ending(s); text != "" {
		c.screen.line(text)
	}
	if s.Waiting != nil {
		c.screen.line("asked: " + oneLine(s.Waiting.Question))
		c.about(s.Waiting)
	}
	if c.o.Reviews == nil {
		return nil
	}
	turns, err := c.o.Reviews.Open(ctx)
	if err != nil {
		return err
	}
	for i := range turns {
		c.screen.line(banner(&turns[i]))
	}
	return nil
}

// about tells what a question is about.
func (c *Console) about(w *wire.Waiting) {
	if w != nil && w.Message != "" {
		c.screen.line(c.screen.colors.dim(cut(fmt.Sprintf("for: %s (%s done)", oneLine(w.Message), count(w.Calls, "call")), 4*c.screen.width)))
	}
}

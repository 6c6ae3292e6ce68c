package console

import (
	"cmp"
	"context"
	"io"
	"iter"
	"os"

	"golang.org/x/term"

	"redline/internal/wire"
)

// Conversation is what is talked to.
//
// It is idle at the beginning, or its first event is its state. Of every run there
// is a state event that says that it is on and one that says that it is over; the
// latter is its last event. A question or an approval may be
// answered once its event is heard.
type Conversation interface {
	// Do carries a command out. It returns when a message is taken, not when it is
	// answered.
	Do(ctx context.Context, c wire.Command) error
	// Events yields what happens after the event with the cursor after, and follows
	// until ctx ends.
	Events(ctx context.Context, after int) iter.Seq2[wire.Event, error]
	Status() wire.Status
}

// Reviews is where decisions about changes are made.
type Reviews interface {
	// Open returns the turns that wait for a decision, oldest first.
	Open(ctx context.Context) ([]wire.Turn, error)
	Decide(ctx context.Context, d wire.Decision) (wire.Decided, error)
	// Split divides a hunk: the first part gets the first old and the first added
	// lines.
	Split(ctx context.Context, hunk string, old, added int) (first, second string, err error)
}

// Editor is what Reviews may be able to do besides: put the user's own text in
// place of the new lines of a hunk.
type Editor interface {
	Edit(ctx context.Context, hunk, text string) error
}

// Undoer is what Reviews may be able to do besides: take back a turn and bring it
// back; "" is the newest.
type Undoer interface {
	Undo(ctx context.Context, turn string) (wire.Report, error)
	Redo(ctx context.Context, turn string) (wire.Report, error)
}

// Options are what a Console reads and writes.
type Options struct {
	In       io.Reader // is read only where Ask is set, or by Prompt
	Out, Err io.Writer
	Terminal bool // Out is a terminal that understands escape sequences
	Color    bool
	Width    int  // of the terminal, in columns; 0: 80
	Ask      bool // somebody sits at In who can be asked

	// Interrupts are the Ctrl-C of a terminal that is not read key by key. The
	// first one ends the run, the second one stops waiting for that. May be nil.
	Interrupts <-chan os.Signal

	Reviews Reviews             // nil: changes are shown, and not asked about
	Getenv  func(string) string // for VISUAL, EDITOR and TERM; nil: os.Getenv

	// Nearest is the one of some names that a misspelt one was meant to be, or "". It
	// may be nil.
	Nearest func(name string, names []string) string
}

// Detect fills Options from the streams and the environment. Colours are off with
// NO_COLOR, and everything but plain text with TERM=dumb.
func Detect(in io.Reader, out, err io.Writer, getenv func(string) string) Options {
	o := Options{In: in, Out: out, Err: err, Getenv: getenv}
	dumb := getenv("TERM") == "dumb"
	o.Terminal = isTerminal(out) && !dumb && obeys(out.(*os.File))
	o.Color = o.Terminal && getenv("NO_COLOR") == ""
	o.Ask = isTerminal(in) && (isTerminal(out) || isTerminal(err))
	if f, ok := out.(*os.File); ok && o.Terminal {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil {
			o.Width = w
		}
	}
	return o
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Console shows a conversation to people. It serves one conversation, from one
// goroutine.
type Console struct {
	o      Options
	show   renderer
	screen *screen // where questions are asked
	keys   *keyboard
	seen   int        // the cursor of the last event
	last   *wire.Turn // the changes that were told last
}

// New returns a Console.
func New(o Options) *Console {
	o.Width = cmp.Or(o.Width, 80)
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	c := &Console{o: o}
	if o.Terminal {
		c.screen = &screen{w: o.Out, width: o.Width, colors: palette(o.Color)}
		c.show = &terminal{screen: c.screen}
	} else {
		c.screen = &screen{w: o.Err, width: o.Width, plain: true}
		c.show = &plain{out: o.Out, err: c.screen}
	}
	c.keys = newKeyboard(o.In, c.screen, o.Interrupts, o.Getenv("TERM") == "dumb")
	return c
}

package ops

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"redline/internal/ledger"
	"redline/internal/workspace"
)

// Desk is a folder as one turn works on it. It may be used by several
// goroutines; calls that write go one after the other.
type Desk struct {
	folder *workspace.Folder
	turn   *ledger.Turn
	policy *workspace.Policy
	told   *Told
	links  bool
}

// Options are how a desk behaves.
type Options struct {
	Policy *workspace.Policy // nil: workspace.ForDocuments
	// LeaveLinks moves documents without changing the links that point to them.
	LeaveLinks bool
	// Told is shared by the desks of a session. Nil: a new one.
	Told *Told
}

// New opens a desk for a turn.
func New(folder *workspace.Folder, turn *ledger.Turn, o Options) *Desk {
	d := &Desk{folder: folder, turn: turn, policy: o.Policy, told: o.Told, links: !o.LeaveLinks}
	if d.policy == nil {
		d.policy = workspace.ForDocuments()
	}
	if d.told == nil {
		d.told = new(Told)
	}
	return d
}

// Turn is the turn that the desk writes in.
func (d *Desk) Turn() *ledger.Turn { return d.turn }

// Told remembers what tools have told a model that is no text of a document:
// errors, warnings, notes about what was left out. Such words must not come back
// as content. The zero Told is ready.
type Told struct {
	mu    sync.Mutex
	words []string
}

const (
	shortest   = 24  // bytes; shorter words may well be in a document
	remembered = 500 // messages
)

// Say remembers words and returns them.
func (t *Told) Say(words string) string {
	trimmed := strings.TrimSpace(words)
	if len(trimmed) < shortest {
		return words
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.words = append(t.words, trimmed)
	if len(t.words) > remembered {
		t.words = append([]string(nil), t.words[len(t.words)-remembered:]...)
	}
	return words
}

// in finds words that were told in a content.
func (t *Told) in(content string) (string, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, w := range t.words {
		if strings.Contains(content, w) {
			return w, true
		}
	}
	return "", false
}

// Tell remembers words of a tool that are no text of a document, and returns them.
func (d *Desk) Tell(words string) string { return d.told.Say(words) }

// checkContent refuses content that is a message of a tool, unless the document
// has these words already.
func (d *Desk) checkContent(name, content string, before []byte) error {
	words, ok := d.told.in(content)
	if !ok || strings.Contains(string(before), words) {
		return nil
	}
	first, _, _ := strings.Cut(words, "\n")
	return errorf(ToolMessage, name, "the content holds a message of a tool (%q), not text of the document; nothing was written", first)
}

// approval marks a context in which the user has agreed to what policy asks about.
type approval struct{}

// Approved returns a context for calls that the user, or the mode, has allowed:
// what the policy would ask about is done.
func Approved(ctx context.Context) context.Context { return context.WithValue(ctx, approval{}, true) }

func approved(ctx context.Context) bool { yes, _ := ctx.Value(approval{}).(bool); return yes }

// resolve turns a name from a model into a path.
func (d *Desk) resolve(ctx context.Context, name string, access workspace.Access) (workspace.Path, error) {
	p, err := d.folder.Resolve(name, d.policy, access)
	if workspace.Asks(err) && approved(ctx) {
		return p, nil
	}
	if err != nil {
		return p, AsError(err)
	}
	return p, nil
}

// Asks tells whether a change of the path needs the user's agreement, by policy.
func (d *Desk) Asks(name string) bool {
	_, err := d.folder.Resolve(name, d.policy, workspace.Writing)
	return workspace.Asks(err)
}

// retry does work again that failed because somebody else was writing. It waits
// a moment in between, and not for long.
func retry(ctx context.Context, work func() error) error {
	rest := 20 * time.Millisecond
	for attempt := 1; ; attempt++ {
		err := work()
		if err == nil || attempt == 5 || workspace.CodeOf(err) != workspace.Locked {
			return err
		}
		t := time.NewTimer(rest)
		select {
		case <-t.C:
			rest *= 2
		case <-ctx.Done():
			t.Stop()
			return errors.Join(err, ctx.Err())
		}
	}
}

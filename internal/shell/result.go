package shell

import (
	"fmt"
	"strings"
	"time"
)

// Result is what became of a command.
type Result struct {
	Stdout, Stderr string // valid UTF-8; if too long, head and tail around a line that says how many bytes were left out
	Truncated      bool
	ExitCode       int           // 128+n for signal n
	Duration       time.Duration // until the shell exited or was told to
	TimedOut       bool
	Aborted        bool

	// Left are the commands of descendants that were still running when the shell
	// exited or was told to, and were ended. Running are those that could not be:
	// they belong to another user, or hang in the kernel.
	Left, Running []string
}

// Text is the result for a model.
func (r Result) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "stdout:\n%s\nstderr:\n%s\nexit code: %d",
		strings.TrimSuffix(r.Stdout, "\n"), strings.TrimSuffix(r.Stderr, "\n"), r.ExitCode)
	after := r.Duration.Round(time.Millisecond)
	if r.Duration > time.Second {
		after = r.Duration.Round(100 * time.Millisecond)
	}
	switch {
	case r.TimedOut:
		fmt.Fprintf(&b, "\ntimed out after %v, and was ended", after)
	case r.Aborted:
		fmt.Fprintf(&b, "\naborted after %v, and was ended", after)
	}
	list := func(title string, commands []string) {
		if len(commands) > 0 {
			fmt.Fprintf(&b, "\n%s:\n  %s", title, strings.Join(commands, "\n  "))
		}
	}
	list("was still running and was ended", r.Left)
	list("is still running and could not be ended", r.Running)
	return b.String()
}

const (
	maxNames = 20  // commands that a result names
	maxName  = 200 // bytes of one
)

// roster collects the commands of processes, each once.
type roster struct {
	names []string
	seen  map[string]bool
	more  int
}

func (r *roster) add(name string) {
	name = oneLine(name)
	switch {
	case r.seen[name]:
	case len(r.names) == maxNames:
		r.more++
	default:
		if r.seen == nil {
			r.seen = map[string]bool{}
		}
		r.seen[name] = true
		r.names = append(r.names, name)
	}
}

func (r *roster) list() []string {
	if r.more > 0 {
		return append(r.names, fmt.Sprintf("and %d more", r.more))
	}
	return r.names
}

// oneLine makes a command fit for a list.
func oneLine(name string) string {
	name = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(name, "\uFFFD"), func(c rune) bool { return c <= ' ' || c == 0x7f }), " ")
	if len(name) > maxName {
		name = name[:WholeRunes([]byte(name[:maxName]))] + "…"
	}
	return name
}

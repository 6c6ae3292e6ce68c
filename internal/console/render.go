package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"redline/internal/wire"
)

// renderer shows the events of a run.
type renderer interface {
	event(e wire.Event)
	// over shows how a run ended.
	over(s wire.Status)
}

// what is a call for people: "Read document notes/a.md".
func what(t *wire.Tool) string {
	name := t.Label
	if name == "" {
		name = t.Name
	}
	name = oneLine(name)
	if about := about(t); about != "" {
		name += " " + about
	}
	return name
}

// about are the files that a call names, or else its first argument that is a
// text.
func about(t *wire.Tool) string {
	switch n := len(t.Paths); {
	case n > 3:
		return fmt.Sprintf("%s, %s and %d more", oneLine(t.Paths[0]), oneLine(t.Paths[1]), n-2)
	case n > 0:
		clean := make([]string, n)
		for i, p := range t.Paths {
			clean[i] = oneLine(p)
		}
		return strings.Join(clean, ", ")
	}
	d := json.NewDecoder(bytes.NewReader(t.Args))
	if first, err := d.Token(); err != nil || first != json.Delim('{') {
		return ""
	}
	for d.More() {
		if _, err := d.Token(); err != nil { // the name
			return ""
		}
		var value any
		if err := d.Decode(&value); err != nil {
			return ""
		}
		if s, ok := value.(string); ok {
			return oneLine(s)
		}
	}
	return ""
}

// result is what a call came to, in a few words.
func result(t *wire.Tool) string {
	text := strings.TrimSpace(t.Output)
	first, rest, more := strings.Cut(text, "\n")
	if t.IsError && strings.HasSuffix(first, ":") { // what is wrong comes then
		second, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
		first += " " + strings.TrimPrefix(second, "- ")
	}
	switch {
	case !more || t.IsError:
		return strings.TrimPrefix(oneLine(first), "Done: ")
	default:
		return fmt.Sprintf("%d lines", max(t.Lines, strings.Count(text, "\n")+1))
	}
}

// toolLine is a call with what came of it, on one line of the screen.
func toolLine(s *screen, t *wire.Tool) string {
	mark := s.colors.green("✓")
	if t.IsError {
		mark = s.colors.red("✗")
	}
	room := s.width - columns("• ") - columns(" ✓ ")
	if s.plain {
		room = 1 << 20 // a log has no width
	}
	call := cut(what(t), max(room*2/3, room-columns(result(t))))
	short := cut(result(t), room-columns(call))
	return strings.TrimRight("• "+call+" "+mark+" "+s.colors.dim(short), " ")
}

// usage is what a run took: "3 steps, 5 calls, 1.2k tokens, $0.01, 2.1 s".
func usage(o *wire.Outcome) string {
	parts := []string{count(o.Steps, "step")}
	if o.Calls > 0 {
		parts = append(parts, count(o.Calls, "call"))
	}
	if tokens := o.Input + o.Output; tokens > 0 {
		parts = append(parts, thousands(tokens)+" tokens")
		if o.CostUSD != nil {
			parts = append(parts, dollars(*o.CostUSD))
		}
	}
	if o.Took >= 100*time.Millisecond {
		parts = append(parts, fmt.Sprintf("%.1f s", o.Took.Seconds()))
	}
	return strings.Join(parts, ", ")
}

func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

func thousands(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 999_950:
		return fmt.Sprintf("%.1fk", float64(n)/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

func dollars(d float64) string {
	if d > 0 && d < 0.01 {
		return fmt.Sprintf("$%.4f", d)
	}
	return fmt.Sprintf("$%.2f", d)
}

// isMessage tells whether an event is about a call whose message is told by
// itself.
func isMessage(e wire.Event) bool {
	return e.Tool != nil && e.Tool.Name == wire.MessageTool && !e.Tool.IsError
}

// sent is a message of the agent. One that must not be missed is marked.
func sent(s *screen, e wire.Event) string {
	text := strings.TrimSpace(Clean(e.Text))
	if e.Priority == wire.PriorityHigh {
		return s.colors.red("!") + " " + s.colors.bold(text)
	}
	return text
}

// waits says that the next thing that is said is an answer, and to what.
func waits(s wire.Status) string {
	if s.Waiting == nil {
		return "? Waits for your answer"
	}
	return "? Waits for your answer: " + oneLine(s.Waiting.Question)
}

// ending is how a run that was not done ended, in one line; "" if there is
// nothing to say.
func ending(s wire.Status) string {
	reason := oneLine(s.Reason)
	switch {
	case s.State == wire.Failed && reason != "":
		return "Failed: " + reason
	case s.State == wire.Failed:
		return "Failed."
	case s.Denied && reason == "":
		return "Action cancelled by user."
	case s.State == wire.Cancelled && reason == "":
		return "Interrupted."
	case s.State == wire.Cancelled:
		return reason
	}
	return ""
}

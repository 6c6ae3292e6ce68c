package outline

import (
	"fmt"
	"strings"
)

// AmbiguousError is a name that several headings have.
type AmbiguousError struct {
	Name  string
	Lines []int // of these headings, counted from 1
}

func (e *AmbiguousError) Error() string {
	lines := make([]string, len(e.Lines))
	for i, l := range e.Lines {
		lines[i] = fmt.Sprint(l)
	}
	return fmt.Sprintf("%d headings are called %q, on lines %s; say which line", len(e.Lines), e.Name, strings.Join(lines, ", "))
}

// NotFoundError is a name that no heading has.
type NotFoundError struct {
	Name    string
	Nearest []Heading // those that look most like it, best first
}

func (e *NotFoundError) Error() string {
	if len(e.Nearest) == 0 {
		return fmt.Sprintf("no heading is called %q", e.Name)
	}
	names := make([]string, len(e.Nearest))
	for i, h := range e.Nearest {
		names[i] = fmt.Sprintf("%q on line %d", h.Text, h.Line)
	}
	return fmt.Sprintf("no heading is called %q; the nearest: %s", e.Name, strings.Join(names, ", "))
}

// Find is the heading with a name: its exact text, or else the same but for
// case and blanks. "## Name" also says the level.
func Find(headings []Heading, name string) (Heading, error) {
	want, level := name, 0
	if marks := len(name) - len(strings.TrimLeft(name, "#")); marks > 0 && marks <= 6 && strings.HasPrefix(name[marks:], " ") {
		want, level = strings.TrimSpace(name[marks:]), marks
	}
	same := []func(h Heading) bool{
		func(h Heading) bool { return h.Text == name },
		func(h Heading) bool { return h.Text == want && (level == 0 || h.Level == level) },
		func(h Heading) bool { return fold(h.Text) == fold(want) && (level == 0 || h.Level == level) },
	}
	for _, is := range same {
		var found []Heading
		for _, h := range headings {
			if is(h) {
				found = append(found, h)
			}
		}
		switch {
		case len(found) == 1:
			return found[0], nil
		case len(found) > 1:
			e := &AmbiguousError{Name: name}
			for _, h := range found {
				e.Lines = append(e.Lines, h.Line)
			}
			return Heading{}, e
		}
	}
	return Heading{}, &NotFoundError{Name: name}
}

func fold(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

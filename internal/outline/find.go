package outline

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"redline/internal/text"
)

// AmbiguousError is a name that several headings have.
type AmbiguousError struct {
	Name  string
	Lines []int // of these headings, counted from 1
}

func (e *AmbiguousError) Error() string {
	lines := strings.Trim(strings.ReplaceAll(fmt.Sprint(e.Lines), " ", ", "), "[]")
	return fmt.Sprintf("%d headings are called %q, on lines %s; give a line instead", len(e.Lines), e.Name, lines)
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
		names[i] = fmt.Sprintf("%q on line %d", strings.Repeat("#", h.Level)+" "+h.Text, h.Line)
	}
	return fmt.Sprintf("no heading is called %q; the nearest: %s", e.Name, strings.Join(names, ", "))
}

// Find is the heading with a name: its exact text, or its text as the document
// writes it, or either but for case and blanks. "## Name" also says the level.
// The error is an *AmbiguousError or a *NotFoundError.
func Find(headings []Heading, name string) (Heading, error) {
	bare, level := unmark(name)
	fits := func(h Heading) bool { return level == 0 || h.Level == level }
	written := bare // as in a document, so that what is copied from one is found
	if list := Headings(text.FromString("# " + bare)); len(list) == 1 {
		written = list[0].Text
	}
	for _, is := range []func(h Heading) bool{
		func(h Heading) bool { return h.Text == name },
		func(h Heading) bool { return h.Text == bare && fits(h) },
		func(h Heading) bool { return h.Text == written && fits(h) },
		func(h Heading) bool { return fold(h.Text) == fold(bare) && fits(h) },
		func(h Heading) bool { return fold(h.Text) == fold(written) && fits(h) },
	} {
		var lines []int
		var found Heading
		for _, h := range headings {
			if is(h) {
				found, lines = h, append(lines, h.Line)
			}
		}
		switch {
		case len(lines) == 1:
			return found, nil
		case len(lines) > 1:
			return Heading{}, &AmbiguousError{Name: name, Lines: lines}
		}
	}
	return Heading{}, &NotFoundError{Name: name, Nearest: nearest(headings, written)}
}

// unmark takes the marks of a heading away and tells its level, 0 if it has no
// marks.
func unmark(name string) (string, int) {
	name = strings.TrimSpace(name)
	rest := strings.TrimLeft(name, "#")
	level := len(name) - len(rest)
	if level == 0 || level > 6 || !strings.HasPrefix(rest, " ") && !strings.HasPrefix(rest, "\t") {
		return name, 0
	}
	return strings.TrimSpace(rest), level
}

func fold(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// nearest are the headings that look most like name.
func nearest(headings []Heading, name string) []Heading {
	const most = 3
	type scored struct {
		Heading
		far int
	}
	var list []scored
	for _, h := range headings {
		if far, ok := distance(fold(h.Text), fold(name)); ok {
			list = append(list, scored{h, far})
		}
	}
	slices.SortStableFunc(list, func(a, b scored) int { return a.far - b.far })
	var out []Heading
	for _, s := range list[:min(len(list), most)] {
		out = append(out, s.Heading)
	}
	return out
}

// distance is how far apart two names are, and whether they are near at all:
// they have a few letters more or less, one is part of the other, or they
// share a word.
func distance(a, b string) (int, bool) {
	far := text.Distance(a, b)
	within := a != "" && b != "" && (strings.Contains(a, b) || strings.Contains(b, a))
	shared := slices.ContainsFunc(strings.Fields(a), func(word string) bool {
		return len(word) > 3 && slices.Contains(strings.Fields(b), word)
	})
	return far, within || shared || far <= max(2, utf8.RuneCountInString(b)/3)
}

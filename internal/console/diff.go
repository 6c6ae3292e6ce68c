package console

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"redline/internal/wire"
)

// Style is how a diff is shown.
type Style struct {
	Color bool
	Lines int    // at most so many lines, and not all of very long ones; 0: all
	More  string // what shows the rest, such as a command line
}

// Diff writes the changes of a turn for people, file by file: removed lines in
// red, added ones in green, and in lines that were changed the words that
// differ. It returns the first error of w.
func Diff(w io.Writer, t wire.Turn, s Style) error {
	b := bufio.NewWriter(w)
	d := drawing{w: b, colors: palette(s.Color), left: s.Lines, limited: s.Lines > 0}
	for i := range t.Files {
		if i > 0 && (!d.limited || d.left > 0) {
			fmt.Fprintln(b)
		}
		d.file(&t.Files[i])
	}
	if d.hidden > 0 {
		text := "… " + count(d.hidden, "more line")
		if s.More != "" {
			text += ": " + s.More
		}
		fmt.Fprintln(b, d.colors.dim(text))
	}
	return b.Flush()
}

// drawing is a diff that is being written.
type drawing struct {
	w       io.Writer
	colors  palette
	limited bool
	left    int // lines that may still be shown
	hidden  int // lines that were not
}

func (d *drawing) line(text string) {
	if d.limited && d.left == 0 {
		d.hidden++
		return
	}
	d.left--
	fmt.Fprintln(d.w, text)
}

func (d *drawing) file(f *wire.File) {
	d.line(d.colors.bold(summary(f)))
	for i := range f.Hunks {
		d.hunk(&f.Hunks[i])
	}
}

func (d *drawing) hunk(h *wire.Hunk) {
	if note := hunkNote(h); note != "" {
		d.line(d.colors.dim(note))
	}
	if len(h.Lines) > 0 && h.Kind == "text" {
		d.line(d.colors.paint("36", place(h)))
	}
	for i := range h.Lines {
		l := h.Lines[i]
		if d.limited {
			l.Spans = shorten(l.Spans)
		}
		d.line(d.colors.textLine(&l))
		if h.Lines[i].NoEnd {
			d.line(d.colors.dim(`\ no line end at the end of the file`))
		}
	}
}

// longestShown is how much is shown of a line where a diff is cut, in characters:
// whole paragraphs, but no file that is one line.
const longestShown = 2000

func shorten(spans []wire.Span) []wire.Span {
	left := longestShown
	for i, s := range spans {
		n := utf8.RuneCountInString(s.Text)
		if n <= left {
			left -= n
			continue
		}
		more := n - left
		for _, rest := range spans[i+1:] {
			more += utf8.RuneCountInString(rest.Text)
		}
		text := string([]rune(s.Text)[:left]) + "… and " + count(more, "more character")
		return append(slices.Clone(spans[:i]), wire.Span{Text: text, Changed: s.Changed})
	}
	return spans
}

// hunkNote says what the lines of a hunk do not show; "" if they show all.
func hunkNote(h *wire.Hunk) string {
	note := oneLine(h.Note)
	if h.Kind == "move" || h.Kind == "mkdir" {
		note = "" // as the line about the file says
	}
	if h.State == "pending" || h.State == "" {
		return note
	}
	if note != "" {
		note += ", "
	}
	return note + oneLine(h.State)
}

// place is where a hunk is, as unified diffs say it.
func place(h *wire.Hunk) string {
	if header, _, _ := strings.Cut(h.Patch, "\n"); strings.HasPrefix(header, "@@ ") {
		return oneLine(header)
	}
	for _, l := range h.Lines {
		if n := max(l.Before, l.After); n > 0 {
			return fmt.Sprintf("@@ line %d @@", n)
		}
	}
	return "@@"
}

// textLine is a line with its sign.
func (p palette) textLine(l *wire.Line) string {
	sign, color := " ", ""
	switch l.Type {
	case "added":
		sign, color = "+", "32"
	case "removed":
		sign, color = "-", "31"
	}
	if color == "" || !bool(p) {
		var b strings.Builder
		for _, s := range l.Spans {
			b.WriteString(s.Text)
		}
		return sign + cleanLine(b.String())
	}
	emphasis := partly(l.Spans)
	var b strings.Builder
	b.WriteString(p.paint(color, sign))
	for _, s := range l.Spans {
		code := color
		if s.Changed && emphasis {
			code += ";7" // words are emphasised by their background
		}
		b.WriteString(p.paint(code, cleanLine(s.Text)))
	}
	return b.String()
}

// cleanLine is a line of a file, cleaned; whatever it holds, it stays one line.
func cleanLine(s string) string { return Clean(strings.ReplaceAll(s, "\n", "␊")) }

// partly tells whether some words of a line are as they were: only then do the
// others stand out.
func partly(spans []wire.Span) bool {
	return slices.ContainsFunc(spans, func(s wire.Span) bool { return !s.Changed && strings.TrimSpace(s.Text) != "" })
}

// summary is what happened to a file, on one line.
func summary(f *wire.File) string {
	verb, isFolder := strings.CutPrefix(oneLine(f.Verb), "folder ")
	if verb == "modified" {
		verb = "edited"
	}
	name, sizes := oneLine(f.Path), ""
	if f.From != "" {
		name = oneLine(f.From) + " → " + name
	}
	if isFolder {
		name += "/"
	}
	if f.Added > 0 {
		sizes += fmt.Sprintf(" +%d", f.Added)
	}
	if f.Gone > 0 {
		sizes += fmt.Sprintf(" −%d", f.Gone)
	}
	return fmt.Sprintf("%-8s %s%s", verb, name, sizes)
}

// banner is what a turn changed, file by file.
func banner(t *wire.Turn) string {
	const most = 20
	title := "Changed " + count(len(t.Files), "file") + ":"
	if t.Staged() && t.Pending() {
		title = "Proposed changes to " + count(len(t.Files), "file") + ", not on disk yet:"
	}
	lines := []string{title}
	files := t.Files
	if len(files) > most+1 {
		files = files[:most]
	}
	for i := range files {
		lines = append(lines, "  "+summary(&files[i]))
	}
	if more := len(t.Files) - len(files); more > 0 {
		lines = append(lines, fmt.Sprintf("  … and %d more", more))
	}
	return strings.Join(lines, "\n")
}

package jsonl

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"
)

// Markdown writes a transcript. What was said is Markdown itself and stays so,
// as a quotation, with its HTML taken for text; thinking, calls and results are
// folded code blocks; images and files are named.
func Markdown(w io.Writer, r *Record) error {
	out := bufio.NewWriter(w) // it remembers its first error until Flush
	h := headerOf(r)
	fmt.Fprintf(out, "# %s\n\n", harmless(flat(h.Title)))
	for _, f := range h.Facts {
		fmt.Fprintf(out, "- %s: %s\n", f.Name, harmless(flat(f.Value)))
	}
	for i, m := range r.Messages {
		e := entryOf(i, m)
		fmt.Fprintf(out, "\n## %s\n", harmless(flat(e.Who)))
		if line := join(" · ", e.Time, e.Model, e.Cost); line != "" {
			fmt.Fprintf(out, "\n%s\n", harmless(flat(line)))
		}
		for _, note := range e.Notes {
			fmt.Fprintf(out, "\n**%s**\n", harmless(flat(note)))
		}
		for _, p := range e.Parts {
			writePart(out, p)
		}
	}
	return out.Flush()
}

func join(separator string, parts ...string) string {
	var kept []string
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, separator)
}

func writePart(out *bufio.Writer, p part) {
	switch {
	case p.Prose:
		out.WriteString("\n")
		quote(out, p.Text)
	case p.Text == "":
		fmt.Fprintf(out, "\n*%s*\n", harmless(flat(p.Title)))
	default:
		fmt.Fprintf(out, "\n<details><summary>%s</summary>\n\n", html.EscapeString(flat(p.Title)))
		for line := range fenced(p.Text, "") {
			fmt.Fprintf(out, "%s\n", line)
		}
		out.WriteString("\n</details>\n")
	}
}

// quote writes Markdown as a quotation, which nothing in it can leave. Its code
// blocks get fences of our own making, so that it is certain what is code; in
// everything else, HTML and links to scripts are disarmed.
func quote(out *bufio.Writer, text string) {
	last := ""
	write := func(line string) {
		last = line
		out.WriteString(strings.TrimRight("> "+line, " ") + "\n")
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for len(lines) > 0 {
		block, info, rest, ok := codeBlock(lines)
		if !ok {
			write(harmless(lines[0]))
			lines = lines[1:]
			continue
		}
		if last != "" {
			write("")
		}
		for line := range fenced(strings.Join(block, "\n"), info) {
			write(line)
		}
		if lines = rest; len(lines) > 0 && strings.TrimSpace(lines[0]) != "" {
			write("")
		}
	}
}

var openFence = regexp.MustCompile("^ {0,3}(`{3,}|~{3,})([^`]*)$")

// codeBlock takes a fenced code block off the lines, if one begins here. One
// that is never closed goes on to the end.
func codeBlock(lines []string) (block []string, info string, rest []string, ok bool) {
	m := openFence.FindStringSubmatch(lines[0])
	if m == nil {
		return nil, "", nil, false
	}
	for i, line := range lines[1:] {
		mark := strings.TrimSpace(line)
		if len(mark) >= len(m[1]) && strings.Trim(mark, m[1][:1]) == "" {
			return lines[1 : i+1], m[2], lines[i+2:], true
		}
	}
	return lines[1:], m[2], nil, true
}

var language = regexp.MustCompile(`^[\w+#.-]*`)

// fenced yields text as a code block with a fence longer than any in it.
func fenced(text, info string) func(yield func(string) bool) {
	longest, run := 2, 0
	for _, c := range text {
		if run++; c != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	return func(yield func(string) bool) {
		if !yield(fence + language.FindString(strings.TrimSpace(info))) {
			return
		}
		for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
			if !yield(line) {
				return
			}
		}
		yield(fence)
	}
}

var (
	markup  = strings.NewReplacer("&", "&amp;", "<", "&lt;")
	scripts = regexp.MustCompile(`(?i)(javascript|vbscript)\\?:`)
)

// harmless makes sure that Markdown has no HTML and no link to a script. With
// the ampersand gone, the colon cannot be written in another way either.
func harmless(line string) string {
	return scripts.ReplaceAllString(markup.Replace(line), "${1}%3A")
}

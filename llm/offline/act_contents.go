package offline

import (
	"fmt"
	"slices"
	"strings"
)

// contents puts a table of contents into a document, or renews the one it has.
func (w *work) contents(q Request) string {
	w.need(toEdit)
	p := w.target(q)
	d := w.read(p)[0]
	if d.failure == "" && len(tocLines(d, -1)) == 0 {
		return fmt.Sprintf("%s has no headings below its title, so there is nothing to list. I changed nothing.", p)
	}
	renewed := false
	outs := w.change(editing(p, func(d *document) []splice {
		list, was := withContents(d)
		renewed = was
		return list
	}))
	done := ""
	switch {
	case outs[0].same:
		done = fmt.Sprintf("The table of contents of %s is up to date. I changed nothing.", p)
	case outs[0].done() && renewed:
		done = fmt.Sprintf("Renewed the table of contents of %s.", outs[0].path)
	case outs[0].done():
		done = fmt.Sprintf("Added a table of contents to %s.", outs[0].path)
	}
	return report(done, outs)
}

// tocLines list the headings below the title, without the one of the table.
func tocLines(d *document, without int) []string {
	headings := d.headings()
	var list []heading
	for i, h := range headings {
		if h.text == "" || i == without || i == 0 && h.level == 1 && len(headings) > 1 && !slices.ContainsFunc(headings[1:], func(o heading) bool { return o.level == 1 }) {
			continue
		}
		list = append(list, h)
	}
	if len(list) == 0 || len(list) == 1 && list[0].level == 1 {
		return nil
	}
	top := 6
	for _, h := range list {
		top = min(top, h.level)
	}
	var lines []string
	used := map[string]int{}
	for _, h := range list {
		slug := anchor(h.text)
		n := used[slug]
		used[slug]++
		if n > 0 {
			slug = fmt.Sprintf("%s-%d", slug, n)
		}
		lines = append(lines, fmt.Sprintf("%s- [%s](#%s)", strings.Repeat("  ", h.level-top), plainHeading(h.text), slug))
	}
	return lines
}

// plainHeading is the text of a heading without links and brackets.
func plainHeading(s string) string {
	s = wikiLink.ReplaceAllString(s, "$1")
	return strings.NewReplacer("[", "", "]", "").Replace(markdownLink.ReplaceAllString(s, "$1"))
}

// withContents is the splice that adds or renews the table of contents.
func withContents(d *document) (list []splice, renewed bool) {
	headings := d.headings()
	for i, h := range headings {
		if !isContents(h) {
			continue
		}
		to := len(d.lines)
		if i+1 < len(headings) {
			to = headings[i+1].line
		}
		lines := append(append([]string{""}, tocLines(d, i)...), "")
		from := h.last + 1
		// What else stands in the section stays.
		end := from
		for end < to && (strings.TrimSpace(d.lines[end]) == "" || listItem.MatchString(d.lines[end])) {
			end++
		}
		if slices.Equal(d.lines[from:end], lines) {
			return nil, true
		}
		return []splice{{from, end, lines}}, true
	}
	at := d.frontMatter()
	if len(headings) > 0 && headings[0].level == 1 && strings.TrimSpace(strings.Join(d.lines[at:headings[0].line], "")) == "" {
		at = headings[0].last + 1
	}
	level := 2
	if len(headings) > 1 {
		level = max(2, min(usualLevel(d), headings[min(1, len(headings)-1)].level))
	}
	lines := append([]string{strings.Repeat("#", level) + " Contents", ""}, tocLines(d, -1)...)
	if at > 0 && strings.TrimSpace(d.lines[at-1]) != "" {
		if at < len(d.lines) && strings.TrimSpace(d.lines[at]) == "" {
			at++
		} else {
			lines = append([]string{""}, lines...)
		}
	}
	if at < len(d.lines) && strings.TrimSpace(d.lines[at]) != "" {
		lines = append(lines, "")
	}
	return []splice{{at, at, lines}}, false
}

// isContents tells whether a heading is that of a table of contents.
func isContents(h heading) bool {
	return slices.Contains([]string{"contents", "table of contents", "toc"}, strings.Join(termsOf(h.text), " "))
}

// anchor is the fragment by which a heading is linked to.
func anchor(text string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(plainHeading(text)) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-' || r == '_' || inWord(r):
			b.WriteRune(r)
		}
	}
	return b.String()
}

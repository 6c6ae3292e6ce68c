package offline

import (
	"fmt"
	"slices"
	"strings"
)

// tag adds a tag to the front matter of documents.
func (w *work) tag(q Request) string {
	w.need(toEdit)
	tag := strings.ReplaceAll(strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(q.Text), "#")), " ", "-")
	if tag == "" {
		return "Please say which tag: tag Rome with travel."
	}
	list := w.targets(q)
	if len(list) == 0 {
		list = []string{w.this()}
	}
	w.read(list...)
	var changes []change
	for _, p := range list {
		changes = append(changes, editing(p, func(d *document) []splice { return tagged(d, tag) }))
	}
	outs := w.change(changes...)
	done := ""
	if list := made(outs); len(list) > 0 {
		done = fmt.Sprintf("Added the tag %s to %s.", tag, listed(list, maxListed))
	} else if slices.ContainsFunc(outs, func(o outcome) bool { return o.same }) {
		done = fmt.Sprintf("%s has the tag %s already. I changed nothing.", listed(list, maxListed), tag)
	}
	return report(done, outs)
}

// tagged adds a tag to the front matter, which is made if there is none.
func tagged(d *document, tag string) []splice {
	if slices.ContainsFunc(d.tags(), func(t string) bool { return strings.EqualFold(t, tag) }) {
		return nil
	}
	n := d.frontMatter()
	if n == 0 {
		lines := []string{"---", "tags: [" + tag + "]", "---"}
		if len(d.lines) > 0 && strings.TrimSpace(d.lines[0]) != "" {
			lines = append(lines, "")
		}
		return []splice{{0, 0, lines}}
	}
	for i := 1; i < n-1; i++ {
		key, value, ok := strings.Cut(d.lines[i], ":")
		if !ok || !strings.EqualFold(key, "tags") {
			continue
		}
		value = strings.TrimSpace(value)
		switch {
		case value == "" && i+1 < n-1 && strings.HasPrefix(strings.TrimSpace(d.lines[i+1]), "- "):
			last := i + 1
			for last+1 < n-1 && strings.HasPrefix(strings.TrimSpace(d.lines[last+1]), "- ") {
				last++
			}
			return []splice{{last + 1, last + 1, []string{indentOf(d.lines[last]) + "- " + tag}}}
		case value == "" || value == "[]":
			return []splice{{i, i + 1, []string{key + ": [" + tag + "]"}}}
		case strings.HasSuffix(value, "]"):
			line := strings.TrimRight(d.lines[i], " \t")
			return []splice{{i, i + 1, []string{strings.TrimSuffix(line, "]") + ", " + tag + "]"}}}
		default:
			return []splice{{i, i + 1, []string{strings.TrimRight(d.lines[i], " \t") + ", " + tag}}}
		}
	}
	return []splice{{n - 1, n - 1, []string{"tags: [" + tag + "]"}}}
}

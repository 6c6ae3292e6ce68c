package offline

import (
	"fmt"
	"slices"
	"strings"
)

// tag adds a tag to the front matter of documents.
func (w *work) tag(q Request) string {
	w.need(toEdit)
	var tags []string
	for _, t := range strings.FieldsFunc(q.Text, func(r rune) bool { return r == '\n' || r == ',' }) {
		if t = strings.Join(strings.Fields(strings.TrimLeft(strings.TrimSpace(t), "#")), "-"); t != "" && !strings.ContainsAny(t, "[]{}\"':") {
			tags = append(tags, t)
		}
	}
	if len(tags) == 0 {
		return "Please say which tag: tag Rome with travel."
	}
	list := w.targets(q)
	if len(list) == 0 {
		list = []string{w.this()}
	}
	w.read(list...)
	var changes []change
	for _, p := range list {
		changes = append(changes, editing(p, func(d *document) []splice { return tagged(d, tags) }))
	}
	outs := w.change(changes...)
	done := ""
	if list := made(outs); len(list) > 0 {
		done = fmt.Sprintf("Added the tag %s to %s.", listed(tags, 5), listed(list, maxListed))
	} else if slices.ContainsFunc(outs, func(o outcome) bool { return o.same }) {
		done = fmt.Sprintf("%s has the tag %s already. I changed nothing.", listed(list, maxListed), listed(tags, 5))
	}
	return report(done, outs)
}

// tagged adds tags to the front matter, which is made if there is none.
func tagged(d *document, tags []string) []splice {
	tags = slices.DeleteFunc(slices.Clone(tags), func(tag string) bool {
		return slices.ContainsFunc(d.tags(), func(t string) bool { return strings.EqualFold(t, tag) })
	})
	if len(tags) == 0 {
		return nil
	}
	tag := strings.Join(tags, ", ")
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
			var items []string
			for _, t := range tags {
				items = append(items, indentOf(d.lines[last])+"- "+t)
			}
			return []splice{{last + 1, last + 1, items}}
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

package offline

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// tag adds a tag to the front matter of documents.
func (w *work) tag(q Request) string {
	list, tags, outs := w.changeTags(q, tagged)
	done := ""
	if list := made(outs); len(list) > 0 {
		done = fmt.Sprintf("Added the tag %s to %s.", listed(tags, 5), listed(list, maxListed))
		return report(done, outs)
	}
	if slices.ContainsFunc(outs, func(o outcome) bool { return o.same }) {
		done = fmt.Sprintf("%s has the tag %s already. I changed nothing.", listed(list, maxListed), listed(tags, 5))
	}
	return report(done, outs)
}

// untag takes a tag out of the front matter of documents.
func (w *work) untag(q Request) string {
	list, tags, outs := w.changeTags(q, untagged)
	done := ""
	if list := made(outs); len(list) > 0 {
		done = fmt.Sprintf("Removed the tag %s from %s.", listed(tags, 5), listed(list, maxListed))
		return report(done, outs)
	}
	if slices.ContainsFunc(outs, func(o outcome) bool { return o.same }) {
		done = fmt.Sprintf("The front matter of %s has no tag %s. I changed nothing.", listed(list, maxListed), listed(tags, 5))
	}
	return report(done, outs)
}

// changeTags makes an edit of tags in the documents of a request.
func (w *work) changeTags(q Request, edit func(d *document, tags []string) []splice) (list, tags []string, outs []outcome) {
	w.need(toEdit)
	for _, t := range strings.FieldsFunc(q.Text, func(r rune) bool { return r == '\n' || r == ',' }) {
		if t = strings.Join(strings.Fields(strings.TrimLeft(strings.TrimSpace(t), "#")), "-"); t != "" && !strings.ContainsAny(t, "[]{}\"':") {
			tags = append(tags, t)
		}
	}
	if len(tags) == 0 {
		end("Please say which tag: tag Rome with travel.")
	}
	if list = w.targets(q); len(list) == 0 {
		list = []string{w.this()}
	}
	w.read(list...)
	var changes []change
	for _, p := range list {
		changes = append(changes, editing(p, func(d *document) []splice { return edit(d, tags) }))
	}
	return list, tags, w.change(changes...)
}

var listedTag = regexp.MustCompile(`^(\s*-\s+)["'#]*(.*?)["']*\s*$`)

// untagged takes tags out of the front matter; every other one stays as it is
// written.
func untagged(d *document, tags []string) []splice {
	gone := func(tag string) bool {
		tag = strings.Trim(strings.TrimSpace(tag), `"'#`)
		return slices.ContainsFunc(tags, func(t string) bool { return strings.EqualFold(t, tag) })
	}
	var list []splice
	n := d.frontMatter()
	for i := 1; i < n-1; i++ {
		key, value, ok := strings.Cut(d.lines[i], ":")
		if !ok || !strings.EqualFold(key, "tags") {
			continue
		}
		if open, shut := strings.IndexByte(value, '['), strings.LastIndexByte(value, ']'); open >= 0 && shut > open {
			all := strings.Split(value[open+1:shut], ",")
			kept := slices.DeleteFunc(slices.Clone(all), gone)
			if len(kept) < len(all) {
				list = append(list, splice{i, i + 1, []string{key + ":" + value[:open+1] + strings.TrimSpace(strings.Join(kept, ",")) + value[shut:]}})
			}
			continue
		}
		if value = strings.TrimSpace(value); value != "" {
			all := strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })
			if kept := slices.DeleteFunc(slices.Clone(all), gone); len(kept) < len(all) {
				separator := " "
				if strings.Contains(value, ",") {
					separator = ", "
				}
				list = append(list, splice{i, i + 1, []string{strings.TrimRight(key+": "+strings.Join(kept, separator), " ")}})
			}
			continue
		}
		for i+1 < n-1 && strings.HasPrefix(strings.TrimSpace(d.lines[i+1]), "- ") {
			i++
			if m := listedTag.FindStringSubmatch(d.lines[i]); m != nil && gone(m[2]) {
				list = append(list, splice{i, i + 1, nil})
			}
		}
	}
	return list
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

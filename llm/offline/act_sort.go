package offline

import (
	"fmt"
	"slices"
	"strings"
)

// sort sorts the lists of a document, or its lines.
func (w *work) sort(q Request) string {
	w.need(toEdit)
	p := w.target(q)
	d := w.read(p)[0]
	from, to := 0, len(d.lines)
	if q.Heading != "" && d.failure == "" {
		at, ok := w.headingOf(d, q.Heading)
		if !ok {
			return fmt.Sprintf("%s has no heading “%s”%s. I changed nothing.", p, q.Heading, headingsOf(d))
		}
		list := d.headings()
		from, to = list[at].last+1, d.sectionEnd(list, at)
	}
	outs := w.change(editing(p, func(d *document) []splice { return sorted(d, from, min(to, len(d.lines))) }))
	done := ""
	switch {
	case outs[0].same:
		done = fmt.Sprintf("There is nothing to sort in %s, or it is sorted already. I changed nothing.", p)
	case outs[0].done():
		done = fmt.Sprintf("Sorted the list in %s.", outs[0].path)
	}
	return report(done, outs)
}

// sorted sorts every list between two lines; if there is none, the lines of the
// text themselves. What belongs to an item moves with it.
func sorted(d *document, from, to int) []splice {
	code := d.code()
	var list []splice
	found := false
	toc := map[int]bool{}
	for i, h := range d.headings() {
		if isContents(h) {
			for k := h.line; k < d.sectionEnd(d.headings(), i); k++ {
				toc[k] = true // has the order of the headings
			}
		}
	}
	for i := from; i < to; {
		if code[i] || toc[i] || !listItem.MatchString(d.lines[i]) || indentOf(d.lines[i]) != "" {
			i++
			continue
		}
		found = true
		end := i
		for end < to && !code[end] && strings.TrimSpace(d.lines[end]) != "" && (listItem.MatchString(d.lines[end]) || indentOf(d.lines[end]) != "") {
			end++
		}
		list = append(list, sortedBlock(d.lines, i, end)...)
		i = end
	}
	if found {
		return list
	}
	headings := d.headings()
	for i := max(from, d.frontMatter()); i < to; {
		end := i
		for end < to && !code[end] && strings.TrimSpace(d.lines[end]) != "" && !slices.ContainsFunc(headings, func(h heading) bool { return h.line <= end && end <= h.last }) {
			end++
		}
		if end-i > 1 {
			list = append(list, sortedBlock(d.lines, i, end)...)
		}
		i = max(end, i+1)
	}
	return list
}

func sortedBlock(lines []string, from, to int) []splice {
	var items [][]string
	for _, line := range lines[from:to] {
		if len(items) == 0 || indentOf(line) == "" {
			items = append(items, nil)
		}
		items[len(items)-1] = append(items[len(items)-1], line)
	}
	key := func(item []string) string {
		if m := todoItem.FindStringSubmatch(item[0]); m != nil {
			return folded(m[4])
		}
		if m := listItem.FindStringSubmatch(item[0]); m != nil {
			return folded(m[4])
		}
		return folded(item[0])
	}
	ordered := slices.Clone(items)
	slices.SortStableFunc(ordered, func(a, b []string) int { return strings.Compare(key(a), key(b)) })
	numbered := true
	for _, item := range items {
		numbered = numbered && numberMark.MatchString(item[0])
	}
	var out []string
	for i, item := range ordered {
		item = slices.Clone(item)
		if numbered { // the numbers stay in their places
			item[0] = numberMark.FindString(items[i][0]) + numberMark.ReplaceAllString(item[0], "")
		}
		out = append(out, item...)
	}
	if slices.Equal(out, lines[from:to]) {
		return nil
	}
	return []splice{{from, to, out}}
}

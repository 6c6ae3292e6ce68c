package offline

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

var (
	wikiLink     = regexp.MustCompile(`\[\[([^\]|#\n]+)(?:#[^\]|\n]*)?(?:\|[^\]\n]*)?\]\]`)
	markdownLink = regexp.MustCompile(`!?\[([^\]\n]*)\](?:\([^)\n]*\)|\[[^\]\n]*\])`)
	numberMark   = regexp.MustCompile(`^\d{1,9}[.)]\s+`)

	// unlinkable is what a link must not be put into: code, links, addresses, tags
	// of HTML.
	unlinkable = regexp.MustCompile("`+[^`]*`+|\\[\\[[^\\]\\n]*\\]\\]|!?\\[[^\\]\\n]*\\](?:\\([^)\\n]*\\)|\\[[^\\]\\n]*\\])?|<[^>\\n]*>|https?://\\S+|www\\.\\S+")
)

// link makes links of mentions, or puts a link to one document into another.
func (w *work) link(q Request) string {
	w.need(toEdit)
	if len(q.Docs) == 1 && q.This {
		return w.linkTwo(w.this(), w.find(q.Docs[0]))
	}
	if len(q.Docs) == 2 {
		return w.linkTwo(w.find(q.Docs[0]), w.find(q.Docs[1]))
	}
	targets := w.linkTargets(q)
	if len(targets) == 0 {
		return "There are no documents to link to."
	}
	list := w.targets(Request{Kind: q.Kind, Docs: q.Docs, This: q.This, Select: q.Select})
	if len(list) == 0 || q.Everywhere {
		list = slices.DeleteFunc(slices.Clone(w.list().files), func(f string) bool { return !isNote(f) })
	}
	outs, counts := w.changeLines(w.read(list...), func(d *document) ([]splice, int) { return w.linkedIn(d, targets) })
	if len(outs) == 0 {
		return "No document mentions the title of another one without a link. I changed nothing."
	}
	return w.tallyReport("Added", "link", outs, counts)
}

// linkTwo puts a link to the second document into the first: where it is mentioned,
// or at the end.
func (w *work) linkTwo(from, to string) string {
	link := w.linkTo(to)
	d := w.read(from)[0]
	if d.failure == "" && slices.ContainsFunc(linked(d), func(l string) bool {
		return strings.EqualFold(l, nameOf(to)) || strings.EqualFold(l, strings.TrimSuffix(to, extensionOf(to)))
	}) {
		return fmt.Sprintf("%s links to %s already. I changed nothing.", from, to)
	}
	outs := w.change(editing(from, func(d *document) []splice {
		if list, n := w.linkedIn(d, []string{to}); n > 0 {
			return list
		}
		return appended(d, "See also: "+link, false)
	}))
	done := ""
	if outs[0].done() {
		done = fmt.Sprintf("Added a link to %s to %s.", to, outs[0].path)
	}
	return report(done, outs)
}

// linkTargets are the documents whose titles become links.
func (w *work) linkTargets(q Request) []string {
	if q.Text != "" {
		if p, _ := w.lookUp(q.Text); p != "" {
			return []string{p}
		}
		end(w.noSuch(q.Text))
	}
	var list []string
	for _, f := range w.list().files {
		name := nameOf(f)
		lower := folded(name)
		if isNote(f) && utf8.RuneCountInString(name) > 2 && !dayName.MatchString(name) && lower != "readme" && lower != "index" && lower != "untitled" && !common[stem(lower)] {
			list = append(list, f)
		}
	}
	// Longer titles first: one may contain another.
	slices.SortStableFunc(list, func(a, b string) int { return len(nameOf(b)) - len(nameOf(a)) })
	return list
}

// linkedIn makes a link of the first mention of each of the documents.
func (w *work) linkedIn(d *document, targets []string) ([]splice, int) {
	lines := slices.Clone(d.lines)
	code := d.code()
	skip := map[int]bool{}
	for _, h := range d.headings() {
		for i := h.line; i <= h.last; i++ {
			skip[i] = true
		}
	}
	already := linked(d)
	n := 0
	for _, t := range targets {
		name := nameOf(t)
		if t == d.path || strings.EqualFold(name, nameOf(d.path)) || slices.ContainsFunc(already, func(l string) bool {
			return strings.EqualFold(l, name) || strings.EqualFold(l, strings.TrimSuffix(t, extensionOf(t)))
		}) {
			continue
		}
		for i, line := range lines {
			if code[i] || skip[i] || d.cut[i] {
				continue
			}
			from, to, ok := mention(line, name)
			if !ok {
				continue
			}
			lines[i] = line[:from] + w.linkAs(t, line[from:to]) + line[to:]
			n++
			break
		}
	}
	var list []splice
	for i := range lines {
		if lines[i] != d.lines[i] {
			list = append(list, splice{i, i + 1, []string{lines[i]}})
		}
	}
	return list, n
}

// linkAs is a link to a document that reads like the text it takes the place of.
func (w *work) linkAs(p, text string) string {
	link := w.linkTo(p)
	if link == "[["+text+"]]" {
		return link
	}
	target, _, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(link, "[["), "]]"), "|")
	return "[[" + target + "|" + text + "]]"
}

// mention is where a line has a title as whole words, outside of links and code. A
// title of one word must be written as it is, others may differ in case.
func mention(line, name string) (from, to int, ok bool) {
	closed := unlinkable.FindAllStringIndex(line, -1)
	for at := 0; at < len(line); {
		i, size := indexOf(line[at:], name, !strings.Contains(name, " "))
		if i < 0 {
			return 0, 0, false
		}
		from, to = at+i, at+i+size
		inside := slices.ContainsFunc(closed, func(c []int) bool { return from < c[1] && c[0] < to })
		if !inside && wholeWord(line, from, to) && !hyphened(line, from, to) {
			return from, to, true
		}
		at = to
	}
	return 0, 0, false
}

package offline

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// merge puts documents together into one; the others go.
func (w *work) merge(q Request) string {
	w.need(toEdit)
	list := w.targets(q)
	for _, name := range w.apart(q.Docs) {
		w.certain(name) // the others go
	}
	if len(list) < 2 {
		return "Please name the documents that shall become one: merge Rome and Paris."
	}
	w.wholly(4)
	home, fresh := w.mergeHome(q, list)
	rest := slices.DeleteFunc(slices.Clone(list), func(p string) bool { return p == home })
	if !fresh {
		w.read(append(slices.Clone(rest), home)...) // in one step
	}
	var parts []string
	for _, d := range w.read(rest...) {
		if d.failure != "" || !d.whole {
			return fmt.Sprintf("I could not read all of %s, so I merged nothing.", d.path)
		}
		parts = append(parts, section(d))
	}
	text := strings.Join(parts, "\n\n")
	into := editing(home, func(d *document) []splice { return appended(d, text, false) })
	if fresh {
		w.need(toCreate)
		into = creating(home, "# "+nameOf(home)+"\n\n"+text+"\n", "")
	}
	outs := w.change(into)
	if !outs[0].done() {
		return report("", outs)
	}
	done := fmt.Sprintf("Merged %s into %s", listed(rest, maxListed), outs[0].path)
	if !w.hands.able(w.replay, toDelete) {
		return fmt.Sprintf("%s. The tools that are offered cannot delete files, so %s is still there.", done, listed(rest, maxListed))
	}
	var gone []change
	for _, p := range rest {
		gone = append(gone, deleting(p))
	}
	outs = w.change(gone...)
	w.spoken = home
	if list := made(outs); len(list) > 0 {
		return report(fmt.Sprintf("%s, and deleted %s.", done, listed(list, maxListed)), outs)
	}
	return report(done+".", outs)
}

// mergeHome is the document that others are merged into: the first one, or a new
// one.
func (w *work) mergeHome(q Request, list []string) (home string, fresh bool) {
	if q.Title == "" {
		return list[0], false
	}
	q.Docs, q.This = nil, false
	home = w.newPath(q)
	if there := w.taken(home); there != "" {
		return there, false
	}
	return home, true
}

// section is the text of a document as a section of another one: below its title,
// with its headings a level further down.
func section(d *document) string {
	code := d.code()
	headings := d.headings()
	title := d.title()
	skip := -1
	if len(headings) > 0 && headings[0].level == 1 {
		skip = headings[0].last
	}
	deeper := map[int]bool{}
	for _, h := range headings {
		if h.line == h.last && h.level < 6 {
			deeper[h.line] = true
		}
	}
	var lines []string
	for i := d.frontMatter(); i < len(d.lines); i++ {
		switch {
		case skip >= 0 && i <= skip && i >= headings[0].line:
		case deeper[i] && !code[i]:
			lines = append(lines, "#"+strings.TrimLeft(d.lines[i], " "))
		default:
			lines = append(lines, d.lines[i])
		}
	}
	body := strings.Trim(strings.Join(lines, "\n"), "\n")
	if body == "" {
		return "## " + title
	}
	return "## " + title + "\n\n" + body
}

// split makes a document of each section of one; the document keeps what stands
// before them, and links to them.
func (w *work) split(q Request) string {
	w.need(toCreate, toEdit)
	p := w.target(q)
	d := w.read(p)[0]
	if d.failure != "" || !d.whole {
		return fmt.Sprintf("I could not read all of %s, so I split nothing.", p)
	}
	headings := d.headings()
	level := q.Level
	if level == 0 {
		level = repeatedLevel(headings)
	}
	var at []int
	for i, h := range headings {
		if h.level == level && h.text != "" {
			at = append(at, i)
		}
	}
	if len(at) < 2 {
		return fmt.Sprintf("%s has not several headings of one level, so there is nothing to split.", p)
	}
	w.wholly(3)
	if len(at) >= w.changesLeft() {
		return fmt.Sprintf("%s has %d sections, which are more than I may make documents of for one message. I changed nothing.", p, len(at))
	}
	changes, cuts := w.cutUp(d, headings, at)
	outs := w.change(changes...)
	parts := made(outs)
	if len(parts) < len(changes) {
		return report(fmt.Sprintf("Created %s; %s stays as it is.", listed(parts, maxListed), p), outs)
	}
	more := w.change(editing(p, func(now *document) []splice {
		if now.text() != d.text() {
			return nil // somebody has written to it since
		}
		return tidied(now, cuts)
	}))
	w.spoken = p
	return report(fmt.Sprintf("Split %s into %d documents: %s.", p, len(parts), listed(parts, maxListed)), append(outs, more...))
}

// cutUp makes documents of sections, and takes these out of the document they are
// in: the first one leaves a list of links.
func (w *work) cutUp(d *document, headings []heading, at []int) (changes []change, cuts []splice) {
	var links []string
	used := map[string]bool{}
	for _, i := range at {
		h := headings[i]
		to := d.sectionEnd(headings, i)
		name := strings.TrimSuffix(nameFor(h.text), ".md")
		target := path.Join(folderOf(d.path), name+".md")
		for k := 2; used[folded(target)] || w.taken(target) != ""; k++ {
			target = path.Join(folderOf(d.path), fmt.Sprintf("%s %d.md", name, k))
		}
		used[folded(target)] = true
		changes = append(changes, creating(target, raised(d, h, to), ""))
		links = append(links, "- [["+nameOf(target)+"]]")
		cuts = append(cuts, splice{h.line, to, nil})
	}
	cuts[0].lines = append(links, "")
	return changes, cuts
}

// tidied leaves no blank line at the end of a document that loses its last
// sections.
func tidied(d *document, cuts []splice) []splice {
	if cuts[len(cuts)-1].to == len(d.lines) {
		one := joined(d, cuts)
		one.lines = one.lines[:lastText(one.lines)]
		return []splice{one}
	}
	return cuts
}

// repeatedLevel is the topmost level that several headings have.
func repeatedLevel(list []heading) int {
	counts := map[int]int{}
	for _, h := range list {
		counts[h.level]++
	}
	for level := 1; level <= 6; level++ {
		if counts[level] > 1 {
			return level
		}
	}
	return 2
}

// raised is a section as a document of its own: its heading is the title.
func raised(d *document, h heading, to int) string {
	code := d.code()
	up := h.level - 1
	lines := []string{"# " + h.text}
	for i := h.last + 1; i < to; i++ {
		line := d.lines[i]
		if m := hashHeading.FindStringSubmatch(line); m != nil && !code[i] && up > 0 && len(m[1]) > up {
			line = strings.TrimLeft(line, " ")[up:]
		}
		lines = append(lines, line)
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n"
}

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
	for _, name := range q.Docs {
		w.certain(name) // the others go
	}
	if len(list) < 2 {
		return "Please name the documents that shall become one: merge Rome and Paris."
	}
	home := list[0]
	fresh := ""
	if q.Title != "" {
		q.Docs, q.This = nil, false
		if fresh = w.newPath(q); w.taken(fresh) != "" {
			home, fresh = w.taken(fresh), ""
			list = append([]string{home}, slices.DeleteFunc(list, func(p string) bool { return p == home })...)
		}
	}
	docs := w.read(list...)
	for _, d := range docs {
		if d.failure != "" || !d.whole {
			return fmt.Sprintf("I could not read all of %s, so I merged nothing.", d.path)
		}
	}
	var outs []outcome
	rest := list
	if fresh != "" {
		w.need(toCreate)
		var parts []string
		for _, d := range docs {
			parts = append(parts, section(d))
		}
		outs = w.change(creating(fresh, "# "+nameOf(fresh)+"\n\n"+strings.Join(parts, "\n\n")+"\n", ""))
		home = fresh
	} else {
		rest = list[1:]
		var parts []string
		for _, d := range docs[1:] {
			parts = append(parts, section(d))
		}
		outs = w.change(editing(home, func(d *document) []splice { return appended(d, strings.Join(parts, "\n\n"), false) }))
	}
	if !outs[0].done() {
		return report("", outs)
	}
	done := fmt.Sprintf("Merged %s into %s.", listed(list, maxListed), outs[0].path)
	if fresh == "" {
		done = fmt.Sprintf("Merged %s into %s.", listed(rest, maxListed), outs[0].path)
	}
	if !w.hands.able(w.replay, toDelete) {
		return inOne(done, fmt.Sprintf("The tools that are offered cannot delete files, so %s is still there.", listed(rest, maxListed)))
	}
	var gone []change
	for _, p := range rest {
		gone = append(gone, deleting(p))
	}
	outs = w.change(gone...)
	w.spoken = home
	if list := made(outs); len(list) > 0 {
		done = inOne(done, fmt.Sprintf("%s went to the trash.", listed(list, maxListed)))
		if !w.hasTrash() {
			done = fmt.Sprintf("%s I deleted %s.", strings.Split(done, ". ")[0]+".", listed(list, maxListed))
		}
	}
	return report(done, outs)
}

func (w *work) hasTrash() bool { _, ok := w.hands.(documentHands); return ok }

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
	var changes []change
	var links []string
	var cuts []splice
	used := map[string]bool{}
	for _, i := range at {
		h := headings[i]
		to := d.sectionEnd(headings, i)
		name := strings.TrimSuffix(nameFor(h.text), ".md")
		target := path.Join(folderOf(p), name+".md")
		for k := 2; used[folded(target)] || w.taken(target) != ""; k++ {
			target = path.Join(folderOf(p), fmt.Sprintf("%s %d.md", name, k))
		}
		used[folded(target)] = true
		changes = append(changes, creating(target, raised(d, h, to), ""))
		links = append(links, "- [["+nameOf(target)+"]]")
		cuts = append(cuts, splice{h.line, to, nil})
	}
	if len(changes) >= w.changesLeft() {
		return fmt.Sprintf("%s has %d sections, which are more than I may make documents of for one message. I changed nothing.", p, len(changes))
	}
	outs := w.change(changes...)
	parts := made(outs)
	if len(parts) < len(changes) {
		return report(fmt.Sprintf("Created %s; %s stays as it is.", listed(parts, maxListed), p), outs)
	}
	cuts[0].lines = append(links, "")
	if cuts[len(cuts)-1].to == len(d.lines) && len(cuts) == 1 {
		cuts[0].lines = links
	}
	more := w.change(editing(p, func(now *document) []splice {
		if now.text() != d.text() {
			return nil
		}
		return tidied(now, cuts)
	}))
	w.spoken = p
	return report(fmt.Sprintf("Split %s into %d documents: %s.", p, len(parts), listed(parts, maxListed)), append(outs, more...))
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

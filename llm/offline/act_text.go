package offline

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

func (w *work) append(q Request) string {
	body := bodyOf(q)
	return w.add(q, "Added %s to %s.", body, func(d *document) []splice { return appended(d, body, q.List) })
}

func (w *work) prepend(q Request) string {
	body := bodyOf(q)
	return w.add(q, "Added %s at the beginning of %s.", body, func(d *document) []splice { return prepended(d, body) })
}

// add adds a text to all documents that a request is about, in one step.
func (w *work) add(q Request, said, body string, edit func(*document) []splice) string {
	w.need(toEdit)
	if strings.TrimSpace(body) == "" {
		return "There is nothing to add: please say which text, in quotation marks."
	}
	if words := w.offerNew(q); words != "" {
		return words
	}
	list := w.targets(q)
	if len(list) == 0 {
		if q.Select.Given() {
			return "No document fits that, so I changed nothing."
		}
		list = []string{w.this()}
	}
	w.read(list...)
	var changes []change
	for _, p := range list {
		changes = append(changes, editing(p, edit))
	}
	outs := w.change(changes...)
	done := ""
	if list := made(outs); len(list) > 0 {
		done = fmt.Sprintf(said, quoteShort(body), listed(list, maxListed))
	}
	return report(done, outs)
}

// offerNew asks whether to create the document that text shall be added to, if there
// is none of that name, and says what came of it; "" if there is one.
func (w *work) offerNew(q Request) string {
	if len(q.Docs) != 1 || !w.hands.able(w.replay, toCreate) || !w.hands.able(w.replay, toList) {
		return ""
	}
	if p, candidates := w.lookUp(q.Docs[0]); p != "" || len(candidates) > 0 {
		return ""
	}
	if !w.agrees(w.noSuch(q.Docs[0]) + " Shall I create it?") {
		return w.noSuch(q.Docs[0]) + " I changed nothing."
	}
	items := slices.Contains(termsOf(q.Docs[0]), "list") && isShort(q.Text)
	return w.create(Request{Kind: Create, Title: capitalised(q.Docs[0]), Text: q.Text, List: q.List || items})
}

// isShort tells whether a text is one line that is no sentence: what an item of a
// list is.
func isShort(text string) bool {
	text = strings.TrimSpace(text)
	return !strings.Contains(text, "\n") && !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "!") && !strings.HasSuffix(text, ":") &&
		!hashHeading.MatchString(text) && wordCount(text) <= 12
}

// addTo adds the text of a request at the end of a document.
func (w *work) addTo(p string, q Request) string {
	q.Docs, q.This, q.Everywhere, q.Select = []string{p}, false, false, Selection{}
	return w.append(q)
}

// quoteShort names a text in a sentence.
func quoteShort(s string) string {
	if lines := strings.Count(strings.Trim(s, "\n"), "\n") + 1; lines > 1 {
		return counted(lines, "line")
	}
	return "“" + shortly(s, 60) + "”"
}

// lastText is the number of lines without blank ones at the end.
func lastText(lines []string) int {
	n := len(lines)
	for n > 0 && strings.TrimSpace(lines[n-1]) == "" {
		n--
	}
	return n
}

// appended adds a text at the end: to the list that is there, if it is items, or as
// a paragraph.
func appended(d *document, body string, items bool) []splice {
	return placed(d, 0, len(d.lines), body, items)
}

// prose tells that a document has paragraphs with an empty line between them.
func prose(d *document) bool {
	if markdown(d.path) {
		return true
	}
	return strings.EqualFold(path.Ext(d.path), ".txt") && strings.Contains(strings.TrimSpace(d.text()), "\n\n")
}

// placed adds a text at the end of the lines from to to.
func placed(d *document, from, to int, body string, items bool) []splice {
	lines := strings.Split(strings.Trim(body, "\n"), "\n")
	last := from + lastText(d.lines[from:to])
	marker := ""
	if last > from {
		marker = markerOf(d, from, last)
	}
	if marker != "" && !items && isShort(body) && !listItem.MatchString(body) {
		items, lines[0] = true, "- "+strings.TrimSpace(body)
		if todoItem.MatchString(d.lines[last-1]) {
			lines[0] = "- [ ] " + strings.TrimSpace(body)
		}
	}
	if marker != "" && (items || listItem.MatchString(lines[0])) {
		if items {
			for i, line := range lines {
				lines[i] = remarked(line, marker, i)
			}
		}
		return []splice{{last, last, lines}}
	}
	if last > from {
		// Blank lines at the end of the document stay there.
		if last < to {
			last++
		} else if prose(d) {
			lines = append([]string{""}, lines...)
		}
	}
	if last < len(d.lines) && strings.TrimSpace(d.lines[last]) != "" {
		lines = append(lines, "")
	}
	return []splice{{last, last, lines}}
}

// markerOf is the marker of the list item that the lines end with, indented lines
// below it being part of it; "" if they end with something else.
func markerOf(d *document, from, to int) string {
	code := d.code()
	if code[to-1] {
		return ""
	}
	for i := to - 1; i >= from; i-- {
		if m := listItem.FindStringSubmatch(d.lines[i]); m != nil {
			if m[1] == "" {
				return m[2] + m[3]
			}
			continue
		}
		if !strings.HasPrefix(d.lines[i], " ") && !strings.HasPrefix(d.lines[i], "\t") {
			return ""
		}
	}
	return ""
}

// remarked gives an item the marker of the list that it joins; numbers go on.
func remarked(line, marker string, i int) string {
	m := listItem.FindStringSubmatch(line)
	if m == nil || m[1] != "" {
		return line
	}
	var n int
	var sign string
	if k, _ := fmt.Sscanf(strings.TrimSpace(marker), "%d%1s", &n, &sign); k == 2 {
		return fmt.Sprintf("%d%s %s", n+1+i, sign, m[4])
	}
	return marker + m[4]
}

// prepended adds a text at the beginning, behind the front matter.
func prepended(d *document, body string) []splice {
	lines := strings.Split(strings.Trim(body, "\n"), "\n")
	at := d.frontMatter()
	if at > 0 {
		if at < len(d.lines) && strings.TrimSpace(d.lines[at]) == "" {
			at++
		} else {
			lines = append([]string{""}, lines...)
		}
	}
	if at < len(d.lines) && strings.TrimSpace(d.lines[at]) != "" {
		item := listItem.MatchString(d.lines[at]) && listItem.MatchString(lines[len(lines)-1])
		if !item {
			lines = append(lines, "")
		}
	}
	return []splice{{at, at, lines}}
}

func (w *work) insert(q Request) string {
	w.need(toEdit)
	if strings.TrimSpace(q.Text) == "" {
		return "There is nothing to insert: please say which text, in quotation marks."
	}
	if q.Heading == "" {
		return w.append(q)
	}
	p := w.withHeading(q)
	d := w.read(p)[0]
	body := bodyOf(q)
	if d.failure != "" {
		return report("", []outcome{{path: p, failure: d.failure}})
	}
	at, ok := w.headingOf(d, q.Heading)
	if !ok {
		if !w.agrees(fmt.Sprintf("%s has no heading “%s”%s. Shall I add it?", p, q.Heading, headingsOf(d))) {
			return fmt.Sprintf("%s has no heading “%s”%s. I changed nothing.", p, q.Heading, headingsOf(d))
		}
		return w.addSection(Request{Kind: AddSection, Docs: []string{p}, Heading: q.Heading, Text: q.Text, List: q.List})
	}
	want := d.headings()[at].text
	outs := w.change(editing(p, func(d *document) []splice {
		for i, h := range d.headings() {
			if h.text == want {
				return underHeading(d, i, body, q.List)
			}
		}
		return nil
	}))
	done := ""
	if outs[0].done() {
		done = fmt.Sprintf("Inserted %s under “%s” in %s.", quoteShort(body), want, outs[0].path)
	}
	return report(done, outs)
}

// underHeading adds a text at the end of what stands under a heading, before the
// next one.
func underHeading(d *document, at int, body string, items bool) []splice {
	list := d.headings()
	to := len(d.lines)
	if at+1 < len(list) {
		to = list[at+1].line
	}
	from := list[at].last + 1
	if items || listItem.MatchString(firstLine(strings.Trim(body, "\n"))) {
		// The list of the section may have text behind it.
		for end := to; end > from; end-- {
			if markerOf(d, from, end) != "" {
				return placed(d, from, end, body, items)
			}
		}
	}
	if lastText(d.lines[from:to]) > 0 {
		return placed(d, from, to, body, items)
	}
	lines := append([]string{""}, strings.Split(strings.Trim(body, "\n"), "\n")...)
	if from < to { // there is an empty line already
		from, lines = from+1, lines[1:]
	}
	if from < len(d.lines) && strings.TrimSpace(d.lines[from]) != "" {
		lines = append(lines, "")
	}
	return []splice{{from, from, lines}}
}

// headingsOf names the headings of a document, for a sentence.
func headingsOf(d *document) string {
	var list []string
	for _, h := range d.headings() {
		if h.text != "" && !slices.Contains(list, h.text) {
			list = append(list, h.text)
		}
	}
	if len(list) == 0 {
		return ""
	}
	return " (it has " + listed(list, 6) + ")"
}

// headingOf is the heading that a text means. Where several fit equally well the
// user is asked.
func (w *work) headingOf(d *document, text string) (int, bool) {
	list := d.headings()
	want := strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(text), "#"))
	terms := termsOf(want)
	for _, fits := range []func(s string) bool{
		func(s string) bool { return s == want },
		func(s string) bool { return folded(s) == folded(want) },
		func(s string) bool { return len(terms) > 0 && slices.Equal(termsOf(s), terms) },
		func(s string) bool {
			return slices.Equal(stems(plainTerms(s)), stems(plainTerms(want))) && len(plainTerms(want)) > 0
		},
		func(s string) bool { return hasAll(termsOf(s), terms) },
		func(s string) bool { return near(folded(s), folded(want)) },
	} {
		var at []int
		var names []string
		for i, h := range list {
			if fits(h.text) {
				at, names = append(at, i), append(names, fmt.Sprintf("%s (line %d)", h.text, h.line+1))
			}
		}
		if len(at) == 1 {
			return at[0], true
		}
		if len(at) > 1 {
			i, ok := w.choose(fmt.Sprintf("Which heading of %s do you mean?", d.path), names)
			if !ok {
				end(fmt.Sprintf("%s has the heading “%s” more than once: %s. I changed nothing: say which one it is.", d.path, text, either(names)))
			}
			return at[i], true
		}
	}
	return 0, false
}

// withHeading is the document that an insertion is about: the one that is named,
// or the only one with such a heading.
func (w *work) withHeading(q Request) string {
	if len(q.Docs) > 0 || q.This || w.open != "" || w.spoken != "" {
		return w.target(q)
	}
	var list []string
	for _, h := range w.search(q.Heading).hits {
		for _, line := range h.lines {
			m := hashHeading.FindStringSubmatch(line)
			if m != nil && folded(m[2]) == folded(q.Heading) && !slices.Contains(list, h.path) {
				list = append(list, h.path)
			}
		}
	}
	switch len(list) {
	case 0:
		return w.this()
	case 1:
		return list[0]
	}
	i, ok := w.choose(fmt.Sprintf("Which document do you mean, with the heading “%s”?", q.Heading), list)
	if !ok {
		end(fmt.Sprintf("Several documents have the heading “%s”: %s. I changed nothing: say which one it is.", q.Heading, either(list)))
	}
	return list[i]
}

func (w *work) addSection(q Request) string {
	w.need(toEdit)
	p := w.target(q)
	body := strings.Trim(bodyOf(q), "\n")
	title := strings.TrimSpace(strings.TrimLeft(q.Heading, "#"))
	if title == "" {
		return "Please say what the heading of the section shall be."
	}
	outs := w.change(editing(p, func(d *document) []splice {
		level := q.Level
		if level == 0 {
			level = usualLevel(d)
		}
		text := strings.Repeat("#", level) + " " + title
		if body != "" {
			text += "\n\n" + body
		}
		return appended(d, text, false)
	}))
	done := ""
	if outs[0].done() {
		done = fmt.Sprintf("Added the section “%s” to %s.", title, outs[0].path)
	}
	return report(done, outs)
}

// usualLevel is the level that sections of a document have.
func usualLevel(d *document) int {
	counts := map[int]int{}
	for i, h := range d.headings() {
		if i > 0 || h.level > 1 {
			counts[h.level]++
		}
	}
	best := 2
	for level := 6; level >= 1; level-- {
		if counts[level] > 0 && counts[level] >= counts[best] {
			best = level
		}
	}
	return best
}

// headingIn is the heading that a request names, the document it is in, and its
// place among the headings; or why there is none.
func (w *work) headingIn(q Request) (p string, h heading, at int, refusal string) {
	p = w.withHeading(q)
	d := w.read(p)[0]
	if d.failure != "" {
		return p, h, 0, report("", []outcome{{path: p, failure: d.failure}})
	}
	at, ok := w.headingOf(d, q.Heading)
	if !ok {
		return p, h, 0, fmt.Sprintf("%s has no heading “%s”%s. I changed nothing.", p, q.Heading, headingsOf(d))
	}
	return p, d.headings()[at], at, ""
}

func (w *work) removeSection(q Request) string {
	w.need(toEdit)
	p, want, at, refusal := w.headingIn(q)
	if refusal != "" {
		return refusal
	}
	outs := w.change(editing(p, func(d *document) []splice {
		list := d.headings()
		for i, h := range list {
			if h.text == want.text && h.level == want.level && (h.line == want.line || i == at) {
				return []splice{withoutEnd(d, splice{h.line, d.sectionEnd(list, i), nil})}
			}
		}
		return nil
	}))
	done := ""
	if outs[0].done() {
		done = fmt.Sprintf("Removed the section “%s” from %s.", want.text, outs[0].path)
	}
	return report(done, outs)
}

// withoutEnd takes the empty lines before the lines that go, where nothing is left
// behind them.
func withoutEnd(d *document, s splice) splice {
	if s.to == len(d.lines) {
		s.from = min(s.from, lastText(d.lines[:s.from]))
	}
	return s
}

package offline

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

func (w *work) replace(q Request) string {
	w.need(toEdit)
	if q.Old == "" {
		return "Please say which text shall be replaced, in quotation marks."
	}
	list, more := w.places(q, q.Old)
	change := func(exact bool) func(line string) (string, int) {
		return func(line string) (string, int) { return replaceIn(line, q.Old, q.New, q.Word, exact) }
	}
	docs := w.read(list...)
	exact := slices.ContainsFunc(docs, func(d *document) bool { return total(d, change(true)) > 0 })
	outs, counts := w.rewrite(docs, func(d *document) func(int, string) (string, int) {
		return func(_ int, line string) (string, int) { return change(exact)(line) }
	})
	return w.countReport(fmt.Sprintf("Replaced “%s” by “%s”", shortly(q.Old, 60), shortly(q.New, 60)), q.Old, list, outs, counts, more)
}

func (w *work) removeText(q Request) string {
	w.need(toEdit)
	old := q.Old
	if old == "" {
		old = q.Text
	}
	if old == "" {
		return "Please say which text shall be removed, in quotation marks."
	}
	list, more := w.places(q, old)
	outs, counts := w.changeLines(w.read(list...), func(d *document) ([]splice, int) { return removed(d, old, q.What) })
	what := ""
	if q.What != "" && q.What != "words" {
		what = "the " + q.What + " with "
	}
	return w.countReport(fmt.Sprintf("Removed %s“%s”", what, shortly(old, 60)), old, list, outs, counts, more)
}

// removed takes a text out of a document, or the line, sentence, paragraph or item
// that it is in. A line of which only a marker would stay goes as a whole.
func removed(d *document, old, what string) ([]splice, int) {
	if what != "" && what != "words" {
		return removedAround(d, old, what)
	}
	var list []splice
	n := 0
	for i, line := range d.lines {
		if d.cut[i] {
			continue
		}
		rest, k := replaceIn(line, old, "", false, true)
		if k == 0 {
			if rest, k = replaceIn(line, old, "", false, false); k == 0 {
				continue
			}
		}
		n += k
		if bareItem.MatchString(rest) {
			list = append(list, withoutGap(d, splice{i, i + 1, nil}))
			continue
		}
		list = append(list, splice{i, i + 1, []string{closeGap(line, rest)}})
	}
	return list, n
}

// removedAround removes what a text is in.
func removedAround(d *document, old, what string) ([]splice, int) {
	exact := strings.Contains(d.text(), old)
	var list []splice
	n := 0
	for i := 0; i < len(d.lines); i++ {
		at, _ := indexOf(d.lines[i], old, exact)
		if at < 0 || d.cut[i] {
			continue
		}
		n++
		from, to := i, i+1
		switch what {
		case "sentence":
			if rest := withoutSentence(d.lines[i], at); !bareItem.MatchString(rest) {
				list = append(list, splice{i, i + 1, []string{rest}})
				continue
			}
		case "paragraph":
			for from > d.frontMatter() && strings.TrimSpace(d.lines[from-1]) != "" && !hashHeading.MatchString(d.lines[from-1]) {
				from--
			}
			for to < len(d.lines) && strings.TrimSpace(d.lines[to]) != "" && !hashHeading.MatchString(d.lines[to]) {
				to++
			}
			if to < len(d.lines) && strings.TrimSpace(d.lines[to]) == "" {
				to++ // the empty line behind it
			}
		case "item":
			for from > 0 && !listItem.MatchString(d.lines[from]) && indentOf(d.lines[from]) != "" {
				from--
			}
			for to < len(d.lines) && strings.TrimSpace(d.lines[to]) != "" && len(indentOf(d.lines[to])) > len(indentOf(d.lines[from])) {
				to++
			}
		}
		if k := len(list); k > 0 && list[k-1].to > from {
			from = list[k-1].to
		}
		if from < to {
			list = append(list, withoutGap(d, splice{from, to, nil}))
			to = list[len(list)-1].to
		}
		i = to - 1
	}
	return list, n
}

// withoutGap takes an empty line with the lines that go, where two would be left
// one behind the other.
func withoutGap(d *document, s splice) splice {
	blank := func(i int) bool { return i < 0 || i >= len(d.lines) || strings.TrimSpace(d.lines[i]) == "" }
	if blank(s.from-1) && s.to < len(d.lines) && blank(s.to) {
		s.to++
	}
	return withoutEnd(d, s)
}

// withoutSentence is a line without the sentence at an offset.
func withoutSentence(line string, at int) string {
	marker := itemMark.FindString(line)
	start := len(marker)
	for _, s := range cutSentences(line[start:]) {
		from := strings.Index(line[start:], s) + start
		if at < from+len(s) {
			return strings.TrimRight(line[:from]+strings.TrimLeft(line[from+len(s):], " "), " ")
		}
		start = from + len(s)
	}
	return line
}

var itemMark = regexp.MustCompile(`^\s*(?:(?:[-*+>]|#{1,6}|\d+[.)])\s+)?(?:\[[ xX]\]\s+)?`)

// bareItem is a line with no text: blank, or only the marker of an item, a heading
// or a quote.
var bareItem = regexp.MustCompile(`^\s*(?:[-*+>]|#{1,6}|\d+[.)])?\s*(?:\[[ xX]\])?\s*[.,;]?\s*$`)

// closeGap takes out one of two blanks that have come together.
func closeGap(before, after string) string {
	if strings.Contains(before, "  ") {
		return after
	}
	indent := after[:len(after)-len(strings.TrimLeft(after, " \t"))]
	body := strings.ReplaceAll(strings.TrimLeft(after, " \t"), "  ", " ")
	for _, mark := range []string{".", ",", ";", ":", "!", "?"} {
		body = strings.ReplaceAll(body, " "+mark+" ", mark+" ")
		if strings.HasSuffix(body, " "+mark) {
			body = strings.TrimSuffix(body, " "+mark) + mark
		}
	}
	if before != strings.TrimLeft(before, " \t") {
		body = indent + body
	}
	return strings.TrimRight(body, " ")
}

// places are the documents that a text may be in: those that the request names,
// or those that have it. more tells that there are more than these.
func (w *work) places(q Request, text string) (list []string, more bool) {
	if !q.Everywhere {
		if list = w.targets(q); len(list) > 0 {
			return list, false
		}
		if q.Folder == "" && w.open != "" {
			return []string{w.open}, false
		}
	}
	f := w.hands.search(w.replay, text)
	if f.failure != "" {
		end("I could not search: " + f.failure + ".")
	}
	for _, h := range f.hits {
		if len(h.lines) > 0 {
			list = append(list, h.path)
		}
	}
	if q.Folder != "" {
		folder, ok := w.findFolder(q.Folder)
		if !ok {
			end(fmt.Sprintf("There is no folder “%s”.", q.Folder))
		}
		list = slices.DeleteFunc(list, func(p string) bool { return !below(p, folder) })
	}
	if !q.Everywhere && q.Folder == "" && len(list) > 1 {
		if !w.agrees(fmt.Sprintf("“%s” is in %s. Shall I change all of them?", shortly(text, 60), listed(list, 5))) {
			end(fmt.Sprintf("“%s” is in %s. I changed nothing: say in which document, or “everywhere”.", shortly(text, 60), listed(list, 5)))
		}
	}
	return list, f.more
}

// below tells whether a path is in a folder, at any depth; "" is the root.
func below(p, folder string) bool { return folder == "" || strings.HasPrefix(p, folder+"/") }

// total is how often a change would be made in a document.
func total(d *document, change func(string) (string, int)) int {
	n := 0
	for _, line := range d.lines {
		_, k := change(line)
		n += k
	}
	return n
}

// rewrite changes documents line by line. The counts are how often, for each
// document.
func (w *work) rewrite(docs []*document, change func(*document) func(i int, line string) (string, int)) ([]outcome, map[string]int) {
	return w.changeLines(docs, func(d *document) (list []splice, n int) {
		of := change(d)
		for i, line := range d.lines {
			if d.cut[i] {
				continue
			}
			if now, k := of(i, line); k > 0 && now != line {
				list = append(list, splice{i, i + 1, []string{now}})
				n += k
			}
		}
		return list, n
	})
}

func (w *work) changeLines(docs []*document, edit func(*document) ([]splice, int)) ([]outcome, map[string]int) {
	counts := map[string]int{}
	var changes []change
	for _, d := range docs {
		if d.failure == "" {
			if list, n := edit(d); len(list) == 0 || n == 0 {
				continue
			}
		}
		c := editing(d.path, func(d *document) []splice {
			list, n := edit(d)
			counts[d.path] = n
			return list
		})
		c.doc = d
		changes = append(changes, c)
	}
	return w.change(changes...), counts
}

// countReport says how often something was changed, and where.
func (w *work) countReport(what, old string, looked []string, outs []outcome, counts map[string]int, more bool) string {
	var parts []string
	sum := 0
	for _, o := range outs {
		if o.done() {
			sum += counts[o.path]
			parts = append(parts, fmt.Sprintf("%s (%d)", o.path, counts[o.path]))
		}
	}
	if len(outs) == 0 {
		if len(looked) == 1 {
			return fmt.Sprintf("“%s” is not in %s. I changed nothing.", shortly(old, 60), looked[0])
		}
		return fmt.Sprintf("“%s” is in none of the documents. I changed nothing.", shortly(old, 60))
	}
	done := ""
	switch {
	case len(parts) == 1:
		done = fmt.Sprintf("%s %s in %s.", what, times(sum), strings.Split(parts[0], " (")[0])
		for _, o := range outs {
			if o.done() {
				done = fmt.Sprintf("%s %s in %s.", what, times(sum), o.path)
			}
		}
	case len(parts) > 1:
		done = fmt.Sprintf("%s %s in %d documents: %s.", what, times(sum), len(parts), listed(parts, maxListed))
	}
	words := report(done, outs)
	if more && !strings.Contains(words, goOn) {
		words = inOne(words, "There may be more documents with it. To look for them, "+goOn)
	}
	return words
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// replaceIn replaces a text in a line. Where exact is false upper and lower case
// are the same, and the new text takes over a capital at the beginning.
func replaceIn(line, old, text string, word, exact bool) (string, int) {
	var b strings.Builder
	n, at := 0, 0
	for at < len(line) {
		i, size := indexOf(line[at:], old, exact)
		if i < 0 {
			break
		}
		from, to := at+i, at+i+size
		b.WriteString(line[at:from])
		if word && !wholeWord(line, from, to) {
			b.WriteString(line[from:to])
		} else {
			b.WriteString(cased(line[from:to], old, text))
			n++
		}
		at = to
	}
	b.WriteString(line[at:])
	return b.String(), n
}

// cased gives the new text the capitals that the old one had in this place.
func cased(was, old, text string) string {
	if was == old || text == "" {
		return text
	}
	if up := strings.ToUpper(was); up == was && strings.ToLower(was) != was && utf8.RuneCountInString(was) > 1 {
		return strings.ToUpper(text)
	}
	first, size := utf8.DecodeRuneInString(was)
	now, nowSize := utf8.DecodeRuneInString(text)
	_ = size
	if unicode.IsUpper(first) && unicode.IsLower(now) {
		return string(unicode.ToUpper(now)) + text[nowSize:]
	}
	return text
}

// indexOf is where old begins in s, and how many bytes it has there.
func indexOf(s, old string, exact bool) (int, int) {
	if exact {
		return strings.Index(s, old), len(old)
	}
	want := utf8.RuneCountInString(old)
	for i := range s {
		end, k := i, 0
		for k < want && end < len(s) {
			_, size := utf8.DecodeRuneInString(s[end:])
			end, k = end+size, k+1
		}
		if k == want && strings.EqualFold(s[i:end], old) {
			return i, end - i
		}
	}
	return -1, 0
}

// wholeWord tells whether the text between two offsets stands by itself.
func wholeWord(line string, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(line[:from])
	after, _ := utf8.DecodeRuneInString(line[to:])
	return !inWord(before) && !inWord(after)
}

func inWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)) || r == '_'
}

// protected are the parts of a line in which a name is not a name: code, addresses
// and the targets of links, which move with their files.
var protected = regexp.MustCompile("`+[^`]*`+|\\]\\([^)\\s]*(?:\\s+\"[^\"]*\")?\\)|<?https?://[^\\s>)]*>?|www\\.[^\\s>)]*|\\b[\\w.+-]+@[\\w-]+\\.[\\w.]+")

// renameIn renames a person or a place in a line: whole words, also in capitals.
func renameIn(line, old, name string) (string, int) {
	var b strings.Builder
	n, at := 0, 0
	part := func(s string, from int) {
		now, k := renameWords(line, s, from, old, name)
		b.WriteString(now)
		n += k
	}
	for _, m := range protected.FindAllStringIndex(line, -1) {
		part(line[at:m[0]], at)
		b.WriteString(line[m[0]:m[1]])
		at = m[1]
	}
	part(line[at:], at)
	return b.String(), n
}

// renameWords renames in a part of a line, which begins at an offset.
func renameWords(line, s string, start int, old, name string) (string, int) {
	var b strings.Builder
	n, at := 0, 0
	for {
		i, size := -1, 0
		for _, o := range []string{old, strings.ToUpper(old)} {
			if k := strings.Index(s[at:], o); k >= 0 && (i < 0 || k < i) {
				i, size = k, len(o)
			}
		}
		if i < 0 {
			break
		}
		from, to := at+i, at+i+size
		b.WriteString(s[at:from])
		if wholeWord(line, start+from, start+to) && !hyphened(line, start+from, start+to) {
			b.WriteString(cased(s[from:to], old, name))
			n++
		} else {
			b.WriteString(s[from:to])
		}
		at = to
	}
	return b.String() + s[at:], n
}

// hyphened tells whether a name is a part of another one: Anna of Anna-Lena.
func hyphened(line string, from, to int) bool {
	after, _ := utf8.DecodeRuneInString(strings.TrimPrefix(line[to:], "-"))
	before, _ := utf8.DecodeLastRuneInString(strings.TrimSuffix(line[:from], "-"))
	return strings.HasPrefix(line[to:], "-") && unicode.IsUpper(after) || strings.HasSuffix(line[:from], "-") && unicode.IsUpper(before)
}

// renameName renames a person or a place: in texts, in links, and in the names of
// documents.
func (w *work) renameName(q Request) string {
	w.need(toEdit)
	if q.Old == "" || q.New == "" {
		return "Please say who or what gets which new name: rename Anna to Anne everywhere."
	}
	if len(q.Docs) == 0 && !q.This {
		q.Everywhere = true
	}
	list, more := w.places(q, q.Old)
	movable := w.hands.able(w.replay, toMove)
	outs, counts := w.rewrite(w.read(list...), func(d *document) func(int, string) (string, int) {
		code := d.code()
		front := d.frontMatter()
		return func(i int, line string) (string, int) {
			if code[i] && i >= front {
				return line, 0
			}
			if !movable && w.isNamed(q.Old) {
				return renameBesideLinks(line, q.Old, q.New)
			}
			return renameIn(line, q.Old, q.New)
		}
	})
	words := ""
	if len(outs) > 0 {
		words = w.countReport(fmt.Sprintf("Renamed %s to %s", q.Old, q.New), q.Old, list, outs, counts, more)
	}
	if !q.Everywhere {
		if words == "" {
			return w.countReport("", q.Old, list, outs, counts, more)
		}
		return words
	}
	moved := w.renameFiles(q.Old, q.New, movable)
	if words == "" && moved == "" {
		return w.countReport("", q.Old, list, outs, counts, more)
	}
	return inOne(words, moved)
}

// isNamed tells whether a document has this name.
func (w *work) isNamed(name string) bool {
	return slices.ContainsFunc(w.list().files, func(f string) bool { return nameOf(f) == name })
}

// renameBesideLinks renames in a line, where the document keeps its old name: links
// still lead to it.
func renameBesideLinks(line, old, name string) (string, int) {
	var b strings.Builder
	n, at := 0, 0
	for _, m := range wikiLink.FindAllStringSubmatchIndex(line, -1) {
		before, k := renameIn(line[at:m[0]], old, name)
		b.WriteString(before)
		n += k
		link, alias, ok := strings.Cut(line[m[0]+2:m[1]-2], "|")
		shown, k := renameIn(alias, old, name)
		if !ok && path.Base(line[m[2]:m[3]]) == old {
			ok, shown, k = true, name, 1
		}
		n += k
		if ok {
			link += "|" + shown
		}
		b.WriteString("[[" + link + "]]")
		at = m[1]
	}
	rest, k := renameIn(line[at:], old, name)
	return b.String() + rest, n + k
}

// renameFiles renames the documents that are named after somebody.
func (w *work) renameFiles(old, name string, movable bool) string {
	var changes []change
	var named []string
	for _, f := range w.list().files {
		base := nameOf(f)
		now, n := renameWords(base, base, 0, old, name)
		if n == 0 {
			continue
		}
		named = append(named, f)
		changes = append(changes, moving(f, path.Join(folderOf(f), now+path.Ext(f))))
	}
	if len(changes) == 0 {
		return ""
	}
	if !movable {
		return fmt.Sprintf("The tools that are offered cannot rename files, so %s still has the old name.", listed(named, 5))
	}
	outs := w.change(changes...)
	done := ""
	if list := made(outs); len(list) > 0 {
		done = fmt.Sprintf("The document is now %s.", list[0])
		if len(list) > 1 {
			done = fmt.Sprintf("The documents are now %s.", listed(list, maxListed))
		}
	}
	return report(done, outs)
}

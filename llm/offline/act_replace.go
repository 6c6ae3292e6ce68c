package offline

import (
	"fmt"
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
	if q.What == "heading" {
		return w.replaceHeading(q)
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

// replaceHeading gives a heading other words; those of the text stay.
func (w *work) replaceHeading(q Request) string {
	q.Heading = q.Old
	p, want, at, refusal := w.headingIn(q)
	if refusal != "" {
		return refusal
	}
	outs := w.change(editing(p, func(d *document) []splice {
		for i, h := range d.headings() {
			if h.text != want.text || h.level != want.level || h.line != want.line && i != at {
				continue
			}
			from := strings.LastIndex(d.lines[h.line], h.text)
			if from < 0 {
				return nil
			}
			return []splice{{h.line, h.line + 1, []string{d.lines[h.line][:from] + q.New + d.lines[h.line][from+len(h.text):]}}}
		}
		return nil
	}))
	done := ""
	if outs[0].done() {
		done = fmt.Sprintf("Changed the heading “%s” to “%s” in %s.", want.text, q.New, outs[0].path)
	}
	return report(done, outs)
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
		q.Everywhere = q.Every
	}
	f := w.search(text)
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
	w.more = w.more || more && len(made(outs)) > 0
	if w.more && !strings.Contains(words, goOn) {
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

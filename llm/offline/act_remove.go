package offline

import (
	"fmt"
	"regexp"
	"strings"
)

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

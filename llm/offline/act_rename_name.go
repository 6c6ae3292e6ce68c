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
	w.wholly(6 + 2*btoi(strings.Contains(q.Old, " ")))
	pairs, alone := w.namePairs(q)
	movable := w.hands.able(w.replay, toMove)
	of := func(d *document) func(int, string) (string, int) {
		code, front := d.code(), d.frontMatter()
		return func(i int, line string) (string, int) {
			if code[i] && i >= front {
				return line, 0
			}
			return w.renameLine(line, pairs, movable)
		}
	}
	var files []change
	if q.Everywhere {
		files = w.namedAfter(pairs)
	}
	list, docs, more := w.named(q, pairs)
	var moved []outcome
	if movable && len(files) > 0 && affected(docs, of)+len(files) > w.changesLeft() {
		// There is no room for all: with the file first, links are right in those that
		// are left.
		moved = w.change(files...)
		list, docs, more = w.named(q, pairs)
	}
	outs, counts := w.rewrite(docs, of)
	kept := alone
	switch {
	case !movable && len(files) > 0:
		kept = fmt.Sprintf("The tools that are offered cannot rename files, so %s keeps its name.", listed(pathsOf(files), 5))
	case moved == nil && len(files) > 0:
		moved = w.change(files...)
	}
	return w.renameReport(q, list, outs, moved, counts, more, kept)
}

// named are the documents in which one of the names may be.
func (w *work) named(q Request, pairs [][2]string) (list []string, docs []*document, more bool) {
	for _, pair := range pairs {
		some, m := w.places(q, pair[0])
		more = more || m
		for _, p := range some {
			if !slices.Contains(list, p) {
				list = append(list, p)
			}
		}
	}
	return list, w.read(list...), more
}

// renameLine renames in a line: the whole name first, then its parts.
func (w *work) renameLine(line string, pairs [][2]string, movable bool) (string, int) {
	sum := 0
	for _, pair := range pairs {
		rename := renameIn
		if !movable && w.isNamed(pair[0]) {
			rename = renameBesideLinks
		}
		now, n := rename(line, pair[0], pair[1])
		line, sum = now, sum+n
	}
	return line, sum
}

// namePairs are the name and, if the user agrees, those of its parts that change as
// well and stand alone: Otmar, if Otmar Lisk becomes Otto Lisk. Of parts that stay,
// alone says so.
func (w *work) namePairs(q Request) (pairs [][2]string, alone string) {
	pairs = [][2]string{{q.Old, q.New}}
	olds, news := strings.Fields(q.Old), strings.Fields(q.New)
	if len(olds) < 2 || len(olds) != len(news) || !q.Everywhere {
		return pairs, ""
	}
	for i, old := range olds {
		if old == news[i] || !unicode.IsUpper([]rune(old)[0]) {
			continue
		}
		n := 0
		places, _ := w.places(q, old)
		for _, d := range w.read(places...) {
			n += total(d, func(line string) (string, int) {
				line, _ = renameIn(line, q.Old, "")
				return renameIn(line, old, news[i])
			})
		}
		switch {
		case n == 0:
		case w.agrees(fmt.Sprintf("“%s” stands alone %s. Shall I make “%s” of that as well?", old, times(n), news[i])):
			pairs = append(pairs, [2]string{old, news[i]})
		default:
			alone = inOne(alone, fmt.Sprintf("“%s” alone, %s, I left as it is.", old, times(n)))
		}
	}
	return pairs, alone
}

// renameReport says what has another name now.
func (w *work) renameReport(q Request, looked []string, outs, moved []outcome, counts map[string]int, more bool, kept string) string {
	named := ""
	switch files := made(moved); len(files) {
	case 0:
	case 1:
		named = fmt.Sprintf("The document is now %s.", files[0])
	default:
		named = fmt.Sprintf("The documents are now %s.", listed(files, maxListed))
	}
	if len(moved) > 0 {
		named = report(named, moved)
	}
	if len(outs) == 0 && named != "" {
		return inOne(named, kept)
	}
	words := w.countReport(fmt.Sprintf("Renamed %s to %s", q.Old, q.New), q.Old, looked, outs, counts, more)
	if strings.HasSuffix(words, goOn) {
		return inOne(named, kept, words)
	}
	return inOne(words, named, kept)
}

// affected is how many documents a change by lines would change.
func affected(docs []*document, change func(*document) func(int, string) (string, int)) int {
	n := 0
	for _, d := range docs {
		of := change(d)
		for i, line := range d.lines {
			if _, k := of(i, line); k > 0 {
				n++
				break
			}
		}
	}
	return n
}

func pathsOf(changes []change) []string {
	var list []string
	for _, c := range changes {
		list = append(list, c.path)
	}
	return list
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

// namedAfter renames the documents that are named after somebody.
func (w *work) namedAfter(pairs [][2]string) []change {
	var changes []change
	for _, f := range w.list().files {
		base, sum := nameOf(f), 0
		for _, pair := range pairs {
			now, n := renameWords(base, base, 0, pair[0], pair[1])
			base, sum = now, sum+n
		}
		if sum > 0 {
			changes = append(changes, moving(f, path.Join(folderOf(f), base+path.Ext(f))))
		}
	}
	return changes
}

package offline

import (
	"fmt"
	"slices"
	"strings"
)

func (w *work) findText(q Request) string {
	text := strings.TrimSpace(q.Text)
	if text == "" {
		return "Please say what to look for, in quotation marks."
	}
	if q.What == "names" {
		return w.findNames(text)
	}
	f := w.search(text)
	hits := f.hits
	if q.Folder != "" {
		folder, ok := w.findFolder(q.Folder)
		if !ok {
			return fmt.Sprintf("There is no folder “%s”.", q.Folder)
		}
		hits = slices.DeleteFunc(hits, func(h hit) bool { return !below(h.path, folder) })
	}
	if scope := w.targets(q); scope != nil {
		hits = slices.DeleteFunc(slices.Clone(hits), func(h hit) bool { return !slices.Contains(scope, h.path) })
		if len(hits) == 0 {
			return fmt.Sprintf("I found no “%s” in %s.", text, listed(scope, 3))
		}
	}
	for _, name := range matchingNames(w, text) {
		if q.Folder == "" && len(q.Docs) == 0 && !q.This && !q.Select.Given() && !slices.ContainsFunc(hits, func(h hit) bool { return h.path == name }) {
			hits = append(hits, hit{path: name})
		}
	}
	if len(hits) == 0 && w.listing == nil {
		w.list()
		for _, name := range matchingNames(w, text) {
			hits = append(hits, hit{path: name})
		}
	}
	if len(hits) == 0 {
		return fmt.Sprintf("I found “%s” in no document.", text)
	}
	if len(hits) == 1 {
		w.spoken = hits[0].path
	}
	var b strings.Builder
	fmt.Fprintf(&b, "“%s” is in %s:", text, counted(len(hits), "document"))
	for i, h := range hits {
		if i == 20 {
			fmt.Fprintf(&b, "\n… and %d more", len(hits)-i)
			break
		}
		b.WriteString("\n- " + h.path)
		if len(h.lines) > 0 {
			b.WriteString(": " + shortly(h.lines[0], 120))
		}
	}
	if f.more {
		b.WriteString("\nThere are more: look for something more exact.")
	}
	return b.String()
}

// findNames finds documents by a part of their names.
func (w *work) findNames(text string) string {
	list := slices.DeleteFunc(slices.Clone(w.list().files), func(f string) bool {
		return !strings.Contains(folded(nameOf(f)), folded(text)) && !hasAll(termsOf(nameOf(f)), plainTerms(text))
	})
	if len(list) == 0 {
		return fmt.Sprintf("No document has “%s” in its name.", text)
	}
	if len(list) == 1 {
		w.spoken = list[0]
	}
	words := fmt.Sprintf("“%s” is in the name of %s:", text, counted(len(list), "document"))
	for i, f := range list {
		if i == maxLines {
			return words + fmt.Sprintf("\n… and %d more", len(list)-i)
		}
		words += "\n- " + f
	}
	return words
}

// matchingNames are documents whose names have all the words of a text, where the
// listing is known already.
func matchingNames(w *work, text string) []string {
	if w.listing == nil {
		return nil
	}
	var list []string
	for _, f := range w.listing.files {
		if hasAll(termsOf(nameOf(f)), plainTerms(text)) {
			list = append(list, f)
		}
	}
	return list
}

func (w *work) listDocuments(q Request) string {
	if q.What == "folders" {
		return w.listFolders(q)
	}
	var list []string
	where := ""
	switch {
	case q.Select.Given():
		list = w.selected(q.Select)
		if len(list) == 1 && q.Folder == "" && q.Select == (Selection{Words: q.Select.Words}) && isNotes(list[0], q.Select.Words) {
			return w.readOut(Request{Kind: Read, Docs: list})
		}
	default:
		list = slices.Clone(w.list().files)
	}
	if q.Folder != "" {
		folder, ok := w.findFolder(q.Folder)
		if !ok {
			return fmt.Sprintf("There is no folder “%s”.%s", q.Folder, foldersThere(w))
		}
		if folder == "" {
			list = slices.DeleteFunc(list, func(f string) bool { return folderOf(f) != "" })
			where = " in the top folder"
		} else {
			list = slices.DeleteFunc(list, func(f string) bool { return !below(f, folder) })
			where = " in " + folder
		}
	}
	if len(list) == 0 {
		return fmt.Sprintf("There are no such documents%s.", where)
	}
	verb := "are"
	if len(list) == 1 {
		verb = "is"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "There %s %s%s:", verb, counted(len(list)+w.listing.more*btoi(q.Folder == "" && !q.Select.Given()), "document"), where)
	for i, f := range list {
		if i == maxLines {
			fmt.Fprintf(&b, "\n… and %d more", len(list)-i)
			break
		}
		b.WriteString("\n- " + f)
	}
	return b.String()
}

// isNotes tells that a document is called like what was asked for: "show my Rome
// notes" where there is a document Rome notes.
func isNotes(f, words string) bool {
	have, want := termsOf(nameOf(f)), termsOf(words)
	return len(have) == len(want)+1 && slices.Equal(have[:len(want)], want) && fillers[have[len(want)]]
}

func (w *work) listFolders(q Request) string {
	list := slices.Clone(w.list().folders)
	where := ""
	if q.Folder != "" {
		folder, ok := w.findFolder(q.Folder)
		if !ok {
			return fmt.Sprintf("There is no folder “%s”.%s", q.Folder, foldersThere(w))
		}
		list = slices.DeleteFunc(list, func(f string) bool { return f == folder || !below(f, folder) })
		if folder != "" {
			where = " in " + folder
		}
	}
	if len(list) == 0 {
		return fmt.Sprintf("There are no folders%s.", where)
	}
	verb := "are"
	if len(list) == 1 {
		verb = "is"
	}
	words := fmt.Sprintf("There %s %s%s:", verb, counted(len(list), "folder"), where)
	for i, f := range list {
		if i == maxLines {
			return words + fmt.Sprintf("\n… and %d more", len(list)-i)
		}
		words += "\n- " + f + "/"
	}
	return words
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func foldersThere(w *work) string {
	if list := w.list().folders; len(list) > 0 {
		return " There are " + listed(list, maxListed) + "."
	}
	return ""
}

func (w *work) readOut(q Request) string {
	if len(q.Docs) == 1 && w.hands.able(w.replay, toList) {
		if folder, ok := w.folderMeant(q.Docs[0]); ok {
			return w.listDocuments(Request{Kind: List, Folder: folder})
		}
	}
	list := w.targets(q)
	if len(list) == 0 {
		list = []string{w.this()}
	}
	var words []string
	w.read(list...)
	for _, p := range list {
		w.spoken = p
		words = append(words, w.show(p))
	}
	return strings.Join(words, "\n\n")
}

// show is the text of a document for the screen.
func (w *work) show(p string) string {
	d := w.read(p)[0]
	switch {
	case d.failure != "":
		return fmt.Sprintf("I could not read %s: %s.", p, d.failure)
	case d.blank():
		return fmt.Sprintf("%s is empty.", p)
	}
	lines := d.lines[:lastText(d.lines)]
	more := ""
	if len(lines) > 200 {
		more = fmt.Sprintf("\n… and %d more lines", len(lines)-200)
		lines = lines[:200]
	}
	if !d.whole {
		more = "\n… and more: the document is too long to be shown as a whole."
	}
	return p + ":\n\n" + strings.Join(lines, "\n") + more
}

func (w *work) outline(q Request) string {
	p := w.target(q)
	d := w.read(p)[0]
	w.spoken = p
	if d.failure != "" {
		return fmt.Sprintf("I could not read %s: %s.", p, d.failure)
	}
	list := d.headings()
	if len(list) == 0 {
		return fmt.Sprintf("%s has no headings.", p)
	}
	top := list[0].level
	for _, h := range list {
		top = min(top, h.level)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "The outline of %s:", p)
	for i, h := range list {
		if i == 2*maxLines {
			fmt.Fprintf(&b, "\n… and %d more", len(list)-i)
			break
		}
		fmt.Fprintf(&b, "\n%s- %s (line %d)", strings.Repeat("  ", h.level-top), h.text, h.line+1)
	}
	return b.String()
}

// count counts words, lines, headings, todos, documents, or mentions of a text.
func (w *work) count(q Request) string {
	what := q.What
	if what == "" || what == "mentions" {
		what = "documents"
		if q.Text != "" {
			what = "mentions"
		}
	}
	if what == "documents" {
		if q.Text != "" {
			q.Select.Mentions = q.Text
		}
		return w.countDocuments(q)
	}
	list := w.countScope(q, what)
	if len(list) == 0 {
		if what == "mentions" {
			return fmt.Sprintf("“%s” is in no document.", q.Text)
		}
		return "There is nothing to count in."
	}
	sum, cut := 0, false
	var parts []string
	for _, d := range w.read(list...) {
		if d.failure != "" {
			cut = true
			continue
		}
		cut = cut || !d.whole
		n := countIn(d, what, q)
		sum += n
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s (%d)", d.path, n))
		}
	}
	if len(list) == 1 {
		w.spoken = list[0]
	}
	noun := strings.TrimSuffix(what, "s")
	if what == "todos" {
		noun = openOrDone(q.Done) + " todo"
	}
	words := ""
	switch {
	case what == "mentions" && len(list) == 1:
		words = fmt.Sprintf("“%s” is %s in %s.", q.Text, times(sum), list[0])
	case what == "mentions":
		words = fmt.Sprintf("“%s” is mentioned %s: %s.", q.Text, times(sum), listed(parts, maxListed))
	case len(list) == 1:
		words = fmt.Sprintf("%s has %s.", list[0], counted(sum, noun))
	default:
		words = fmt.Sprintf("%s have %s in all.", counted(len(list), "document"), counted(sum, noun))
	}
	if cut {
		words += " Not all of the text could be read, so there may be more."
	}
	return words
}

func countIn(d *document, what string, q Request) int {
	switch what {
	case "lines":
		return len(d.lines)
	case "headings":
		return len(d.headings())
	case "todos":
		n := 0
		for _, t := range d.todos() {
			if t.done == q.Done {
				n++
			}
		}
		return n
	case "mentions":
		return total(d, func(line string) (string, int) { return replaceIn(line, q.Text, q.Text, q.Word, false) })
	}
	return wordCount(strings.Join(d.lines[d.frontMatter():], "\n"))
}

// countScope are the documents to count in.
func (w *work) countScope(q Request, what string) []string {
	if list := w.targets(q); len(list) > 0 {
		return list
	}
	if q.Folder == "" && !q.Everywhere && what != "mentions" && what != "todos" && (w.open != "" || w.spoken != "") {
		return []string{w.this()}
	}
	var list []string
	switch what {
	case "mentions":
		for _, h := range w.search(q.Text).hits {
			if len(h.lines) > 0 {
				list = append(list, h.path)
			}
		}
	case "todos":
		list, _ = w.withTodos(q.Done)
	default:
		list = w.selected(Selection{All: true})
	}
	if q.Folder != "" {
		folder, ok := w.findFolder(q.Folder)
		if !ok {
			end(fmt.Sprintf("There is no folder “%s”.", q.Folder))
		}
		list = slices.DeleteFunc(list, func(f string) bool { return !below(f, folder) })
	}
	return list
}

func (w *work) countDocuments(q Request) string {
	s := q.Select
	s.All = true
	if q.Folder != "" {
		s.Folder = q.Folder
	}
	list := w.selected(s)
	where := ""
	if s.Folder != "" {
		where = " in " + s.Folder
	}
	if s.Mentions != "" {
		where += " with “" + s.Mentions + "”"
	}
	n := len(list)
	if s == (Selection{All: true}) {
		n += w.listing.more
	}
	verb := "are"
	if n == 1 {
		verb = "is"
	}
	return fmt.Sprintf("There %s %s%s.", verb, counted(n, "document"), where)
}

package offline

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

func (w *work) tick(q Request) string   { return w.mark(q, true) }
func (w *work) untick(q Request) string { return w.mark(q, false) }

// found todo: where it is.
type placedTodo struct {
	doc *document
	todo
}

// mark ticks a todo, or takes the tick away.
func (w *work) mark(q Request, done bool) string {
	w.need(toEdit)
	if q.Text == "" && q.Select.All {
		return w.markAll(q, done)
	}
	if strings.TrimSpace(q.Text) == "" && q.Nth == 0 {
		return "Please say which todo, in quotation marks."
	}
	var list, fits []placedTodo
	if q.Nth != 0 {
		fits = w.nthTodo(q, !done)
	} else {
		list = w.todosFor(q, !done)
		fits = bestTodos(q.Text, list, !done)
	}
	word := "Ticked"
	if !done {
		word = "Unticked"
	}
	if len(fits) == 0 {
		if already := bestTodos(q.Text, list, done); len(already) == 1 {
			state := "done already"
			if !done {
				state = "open already"
			}
			return fmt.Sprintf("“%s” in %s is %s.", already[0].text, already[0].doc.path, state)
		}
		return fmt.Sprintf("I found no %s todo like “%s”. I changed nothing.", openOrDone(!done), shortly(q.Text, 60))
	}
	fit := fits[0]
	if len(fits) > 1 {
		var names []string
		for _, t := range fits {
			names = append(names, fmt.Sprintf("%s (%s, line %d)", shortly(t.text, 60), t.doc.path, t.line+1))
		}
		i, ok := w.choose("Which todo do you mean?", names)
		if !ok {
			return fmt.Sprintf("Several todos fit: %s. I changed nothing: say which one it is.", either(names))
		}
		fit = fits[i]
	}
	box := "x"
	if !done {
		box = " "
	}
	outs := w.change(editing(fit.doc.path, func(d *document) []splice {
		for _, t := range d.todos() {
			if t.text == fit.text && t.done == !done && (d != fit.doc || t.line == fit.line) {
				m := todoItem.FindStringSubmatch(d.lines[t.line])
				return []splice{{t.line, t.line + 1, []string{m[1] + box + m[3] + m[4]}}}
			}
		}
		return nil
	}))
	said := ""
	if outs[0].done() {
		said = fmt.Sprintf("%s “%s” in %s.", word, shortly(fit.text, 80), outs[0].path)
	}
	return report(said, outs)
}

// nthTodo is one of the todos of a document by its place among those that are open,
// or done.
func (w *work) nthTodo(q Request, done bool) []placedTodo {
	p := w.target(q)
	list := slices.DeleteFunc(todosOf(w.read(p)), func(t placedTodo) bool { return t.done != done })
	at := q.Nth - 1
	if q.Nth < 0 {
		at = len(list) + q.Nth
	}
	if at < 0 || at >= len(list) {
		end(fmt.Sprintf("%s has only %s. I changed nothing.", p, strings.Replace(counted(len(list), "todo"), " ", " "+openOrDone(done)+" ", 1)))
	}
	return list[at : at+1]
}

// markAll ticks all todos of documents.
func (w *work) markAll(q Request, done bool) string {
	paths := w.targets(Request{Kind: q.Kind, Docs: q.Docs, This: q.This})
	if len(paths) == 0 {
		paths, _ = w.withTodos(!done)
	}
	box, word := "x", "Ticked"
	if !done {
		box, word = " ", "Unticked"
	}
	outs, counts := w.changeLines(w.read(paths...), func(d *document) (list []splice, n int) {
		for _, t := range d.todos() {
			if t.done != done {
				m := todoItem.FindStringSubmatch(d.lines[t.line])
				list = append(list, splice{t.line, t.line + 1, []string{m[1] + box + m[3] + m[4]}})
			}
		}
		return list, len(list)
	})
	if len(outs) == 0 {
		return fmt.Sprintf("There are no %s todos%s. I changed nothing.", openOrDone(!done), scopeWords(q))
	}
	return w.tallyReport(word, "todo", outs, counts)
}

// tallyReport says how many things were done in which documents.
func (w *work) tallyReport(verb, noun string, outs []outcome, counts map[string]int) string {
	sum := 0
	for _, o := range outs {
		if o.done() {
			sum += counts[o.path]
		}
	}
	done := ""
	if list := made(outs); len(list) > 0 {
		done = fmt.Sprintf("%s %s in %s.", verb, counted(sum, noun), listed(list, maxListed))
	}
	return report(done, outs)
}

func openOrDone(done bool) string {
	if done {
		return "done"
	}
	return "open"
}

// todosFor are the todos that a request may mean: those of the documents it names,
// or else of those with its words in them, or of all.
func (w *work) todosFor(q Request, done bool) []placedTodo {
	list := w.targets(Request{Kind: q.Kind, Docs: q.Docs, This: q.This})
	if len(list) == 0 && w.open != "" {
		d := w.read(w.open)[0]
		if all := todosOf([]*document{d}); len(bestTodos(q.Text, all, done)) > 0 {
			return all
		}
	}
	if len(list) == 0 {
		for _, h := range w.search(strings.TrimSpace(q.Text)).hits {
			if slices.ContainsFunc(h.lines, todoItem.MatchString) {
				list = append(list, h.path)
			}
		}
	}
	if len(list) == 0 {
		list, _ = w.withTodos(done)
		// A word of the text leads to fewer documents, where there are many.
		if room := w.room(3); len(list) > room {
			list = list[:room]
		}
	}
	return todosOf(w.read(list...))
}

// withTodos are the documents with open todos, or with some that are done.
func (w *work) withTodos(done bool) (list []string, more bool) {
	box := "[ ] "
	if done {
		box = "[x] "
	}
	f := w.search(strings.TrimSpace(box))
	for _, h := range f.hits {
		if len(h.lines) > 0 {
			list = append(list, h.path)
		}
	}
	return list, f.more
}

func todosOf(docs []*document) []placedTodo {
	var list []placedTodo
	for _, d := range docs {
		for _, t := range d.todos() {
			list = append(list, placedTodo{d, t})
		}
	}
	return list
}

// bestTodos are the todos that a text means best; several if they do equally well.
func bestTodos(text string, list []placedTodo, done bool) []placedTodo {
	want := termsOf(text)
	plain := plainTerms(text)
	var best []placedTodo
	top := 0
	for _, t := range list {
		if t.done != done {
			continue
		}
		have := termsOf(t.text)
		score := 0
		switch {
		case strings.EqualFold(strings.TrimSpace(text), t.text):
			score = 7
		case slices.Equal(have, want):
			score = 6
		case strings.HasPrefix(strings.Join(have, " ")+" ", strings.Join(want, " ")+" "):
			score = 5
		case strings.Contains(" "+strings.Join(have, " ")+" ", " "+strings.Join(want, " ")+" "):
			score = 4
		case hasAll(have, plain):
			score = 3
		case hasPrefixes(have, plain):
			score = 2
		case nearAll(have, plain):
			score = 1
		}
		switch {
		case score == 0 || score < top:
		case score > top:
			best, top = []placedTodo{t}, score
		default:
			best = append(best, t)
		}
	}
	return best
}

// nearAll tells whether each of the words is there, or one that looks like it.
func nearAll(have, want []string) bool {
	for _, p := range want {
		if !slices.ContainsFunc(have, func(h string) bool { return h == p || near(h, p) || stem(h) == stem(p) }) {
			return false
		}
	}
	return len(want) > 0
}

// addTodo adds an open todo.
func (w *work) addTodo(q Request) string {
	items := todoLines(q)
	if len(items) == 0 {
		return "Please say what the todo is, in quotation marks."
	}
	p := w.todoHome(q)
	if p == "" {
		w.need(toCreate)
		content := "# Todo\n\n" + strings.Join(items, "\n") + "\n"
		outs := w.change(creating(path.Join(folderOf(w.open), "Todo.md"), content, ""))
		done := ""
		if outs[0].done() {
			done = fmt.Sprintf("There was no list of todos yet, so I created %s with %s.", outs[0].path, quoteShort(strings.TrimPrefix(strings.Join(items, "\n"), "- [ ] ")))
		}
		return report(done, outs)
	}
	w.need(toEdit)
	outs := w.change(editing(p, func(d *document) []splice { return withTodo(d, items) }))
	done := ""
	if outs[0].done() {
		done = fmt.Sprintf("Added the todo %s to %s.", quoteShort(strings.TrimPrefix(strings.Join(items, "\n"), "- [ ] ")), outs[0].path)
	}
	return report(done, outs)
}

func todoLines(q Request) []string {
	var items []string
	for _, line := range strings.Split(q.Text, "\n") {
		line = strings.TrimSpace(line)
		if m := todoItem.FindStringSubmatch(line); m != nil {
			line = m[4]
		} else if m := listItem.FindStringSubmatch(line); m != nil {
			line = m[4]
		}
		if line != "" {
			items = append(items, "- [ ] "+line)
		}
	}
	return items
}

// todoHome is the document that a new todo goes to, or "".
func (w *work) todoHome(q Request) string {
	if list := w.targets(q); len(list) > 0 {
		return list[0]
	}
	if w.open != "" && len(w.read(w.open)[0].todos()) > 0 {
		return w.open
	}
	files := w.list().files
	var named []string
	for _, f := range files {
		name := strings.Join(termsOf(nameOf(f)), " ")
		if isNote(f) && slices.Contains([]string{"todo", "todos", "to do", "to dos", "todo list", "to do list", "task", "tasks", "task list"}, name) {
			named = append(named, f)
		}
	}
	if len(named) == 0 { // or what is in a folder of that name
		for _, f := range files {
			if isNote(f) && slices.Contains([]string{"todo", "todos", "to do", "tasks"}, strings.Join(termsOf(path.Base(folderOf(f))), " ")) {
				named = append(named, f)
			}
		}
	}
	if len(named) == 0 {
		if list, _ := w.withTodos(false); len(list) > 0 {
			if len(list) == 1 {
				return list[0]
			}
			named = list
		} else {
			return w.open
		}
	}
	if len(named) == 1 {
		return named[0]
	}
	i, ok := w.choose("Which list shall the todo go to?", named)
	if !ok {
		end(fmt.Sprintf("There are several lists of todos: %s. I changed nothing: say which one it is.", either(named)))
	}
	return named[i]
}

// withTodo adds items behind the last todo of the list of todos: the one under a
// heading such as Todo, or else the last one.
func withTodo(d *document, items []string) []splice {
	headings := d.headings()
	from, to := 0, len(d.lines)
	under := -1
	for i, h := range headings {
		if slices.Contains([]string{"todo", "todos", "to do", "tasks", "open", "action items", "next steps"}, strings.Join(termsOf(h.text), " ")) && (i > 0 || h.level > 1) {
			under = i
			from, to = h.last+1, len(d.lines)
			if i+1 < len(headings) {
				to = headings[i+1].line
			}
			break
		}
	}
	last := -1
	for _, t := range d.todos() {
		if t.line >= from && t.line < to && indentOf(d.lines[t.line]) == "" {
			last = t.line
		}
	}
	if last < 0 && under >= 0 {
		return underHeading(d, under, strings.Join(items, "\n"), true)
	}
	if last < 0 {
		return appended(d, strings.Join(items, "\n"), true)
	}
	marker := "-"
	if m := listItem.FindStringSubmatch(d.lines[last]); m != nil && strings.ContainsAny(m[2], "-*+") {
		marker = m[2]
	}
	at := last + 1
	for at < to && strings.TrimSpace(d.lines[at]) != "" && indentOf(d.lines[at]) != "" {
		at++ // the item goes on
	}
	var lines []string
	for _, item := range items {
		lines = append(lines, marker+strings.TrimPrefix(item, "-"))
	}
	return []splice{{at, at, lines}}
}

func indentOf(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

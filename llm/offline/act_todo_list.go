package offline

import (
	"fmt"
	"slices"
	"strings"
)

// todoScope are the todos of the documents that a request names, or of all.
func (w *work) todoScope(q Request) (list []placedTodo, more bool) {
	if q.Everywhere || q.Select == (Selection{All: true}) {
		q.Select = Selection{}
		q.Everywhere = false
	}
	paths := w.targets(q)
	if len(paths) == 0 {
		paths, more = w.withTodos(q.Done)
		if q.Folder != "" {
			folder, ok := w.findFolder(q.Folder)
			if !ok {
				end(fmt.Sprintf("There is no folder “%s”.", q.Folder))
			}
			paths = slices.DeleteFunc(paths, func(p string) bool { return !below(p, folder) })
		}
		if q.Kind == CollectTodos {
			title := w.collectionPath(q)
			paths = slices.DeleteFunc(paths, func(p string) bool { return strings.EqualFold(p, title) })
		}
		if room := w.room(2); len(paths) > room {
			paths, more = paths[:room], true
		}
	}
	for _, t := range todosOf(w.read(paths...)) {
		if t.done == q.Done {
			list = append(list, t)
		}
	}
	return list, more
}

func (w *work) listTodos(q Request) string {
	list, more := w.todoScope(q)
	state := openOrDone(q.Done)
	if len(list) == 0 {
		return fmt.Sprintf("There are no %s todos%s.", state, scopeWords(q))
	}
	verb := "are"
	if len(list) == 1 {
		verb = "is"
	}
	words := fmt.Sprintf("There %s %s%s:", verb, strings.Replace(counted(len(list), "todo"), " ", " "+state+" ", 1), scopeWords(q))
	doc := ""
	for i, t := range list {
		if i == maxLines {
			words += fmt.Sprintf("\n… and %d more", len(list)-i)
			break
		}
		if t.doc.path != doc {
			doc = t.doc.path
			words += "\n" + doc
		}
		words += "\n- " + shortly(t.text, 160)
	}
	if more {
		words += "\n\nThere may be more in other documents: ask about a folder or a document."
	}
	return words
}

// maxLines is how many lines a list in an answer has.
const maxLines = 40

func scopeWords(q Request) string {
	switch {
	case len(q.Docs) > 0:
		return " in " + listed(q.Docs, 3)
	case q.Folder != "":
		return " in " + q.Folder
	}
	return ""
}

// collectionPath is the note that todos are collected in.
func (w *work) collectionPath(q Request) string {
	if slices.Contains([]string{"", "note", "document", "file", "list"}, folded(q.Title)) {
		q.Title = "Open todos"
		if q.Done {
			q.Title = "Done todos"
		}
	}
	q.Docs = nil
	q.Folder = ""
	p := w.newPath(q)
	if there := w.taken(p); there != "" {
		return there
	}
	// A note of that name elsewhere is the one that is meant.
	for _, f := range w.list().files {
		if strings.EqualFold(nameOf(f), nameOf(p)) {
			return f
		}
	}
	return p
}

// collectTodos writes all open todos into one note, with links to where they are.
func (w *work) collectTodos(q Request) string {
	home := w.collectionPath(q)
	there := w.taken(home) != ""
	list, more := w.todoScope(q)
	if len(list) == 0 {
		return fmt.Sprintf("There are no %s todos to collect. I changed nothing.", openOrDone(q.Done))
	}
	sources := map[string]bool{}
	var lines []string
	box := "- [ ] "
	if q.Done {
		box = "- [x] "
	}
	for _, t := range list {
		sources[t.doc.path] = true
		lines = append(lines, fmt.Sprintf("%s%s (%s)", box, t.text, w.linkTo(t.doc.path)))
	}
	var outs []outcome
	added := len(lines)
	if !there {
		w.need(toCreate)
		outs = w.change(creating(home, "# "+nameOf(home)+"\n\n"+strings.Join(lines, "\n")+"\n", ""))
	} else {
		w.need(toEdit)
		fresh := func(d *document) []string {
			return slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
				return slices.Contains(d.lines, line) || slices.Contains(d.lines, strings.Replace(line, "- [ ]", "- [x]", 1))
			})
		}
		added = len(fresh(w.read(home)[0]))
		if added == 0 {
			return fmt.Sprintf("%s has all %s already. I changed nothing.", home, counted(len(lines), "todo"))
		}
		outs = w.change(editing(home, func(d *document) []splice { return appended(d, strings.Join(fresh(d), "\n"), true) }))
	}
	done := ""
	if outs[0].done() {
		done = fmt.Sprintf("Collected %s from %s in %s.", counted(added, "todo"), counted(len(sources), "document"), outs[0].path)
	}
	if more {
		done = inOne(done, "There may be more in other documents.")
	}
	return report(done, outs)
}

// linkTo is a link to a document, by its name if no other document has it.
func (w *work) linkTo(p string) string {
	name := nameOf(p)
	for _, f := range w.list().files {
		if f != p && strings.EqualFold(nameOf(f), name) {
			return "[[" + strings.TrimSuffix(p, extensionOf(p)) + "|" + name + "]]"
		}
	}
	return "[[" + name + "]]"
}

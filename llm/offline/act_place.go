package offline

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

func (w *work) move(q Request) string {
	w.need(toMove)
	list := w.movables(q)
	if len(list) == 0 {
		if q.Select.Given() {
			return "No document fits that, so I moved nothing."
		}
		list = []string{w.this()}
	}
	if q.Folder == "" && q.New == "" {
		return "Please say where to: move Rome to travel."
	}
	var changes []change
	for _, p := range list {
		to := w.destination(q, p)
		if to != p {
			changes = append(changes, moving(p, to))
		}
	}
	if len(changes) == 0 {
		return fmt.Sprintf("%s is there already.", listed(list, maxListed))
	}
	return movedReport(changes, w.change(changes...))
}

// movables are the documents that shall move, or a folder by its name.
func (w *work) movables(q Request) []string {
	if q.Docs = w.apart(q.Docs); len(q.Docs) != 1 {
		return w.targets(q)
	}
	return []string{w.findAny(q.Docs[0])}
}

// findAny is a document, or a folder if no document has the name.
func (w *work) findAny(name string) string {
	if strings.HasSuffix(strings.TrimSpace(name), "/") {
		if folder, ok := w.findFolder(name); ok && folder != "" {
			return folder
		}
	}
	if folder, ok := w.folderMeant(name); ok {
		return folder
	}
	return w.find(name)
}

// certain is a document that is to go: a name that only resembles it is not enough.
func (w *work) certain(name string) string {
	p := w.findAny(name)
	list, way := matchBest(name, w.list().files)
	if way < guesses || !slices.Contains(list, p) || len(list) > 1 { // of several the user chose one
		return p
	}
	if !w.agrees(fmt.Sprintf("There is no document “%s”. Do you mean %s?", name, p)) {
		end(fmt.Sprintf("There is no document “%s”, only %s. I deleted nothing.", name, p))
	}
	return p
}

// destination is the path that a document gets.
func (w *work) destination(q Request, p string) string {
	inside(q.New, q.Folder)
	if q.Folder == "" {
		to := cleanPath(q.New)
		if strings.HasSuffix(q.New, "/") || slices.Contains(w.list().folders, to) {
			return path.Join(to, path.Base(p))
		}
		if fileExtension(to) == "" {
			if dir, ok := w.findFolder(q.New); ok {
				return path.Join(dir, path.Base(p))
			}
			to += path.Ext(p)
		}
		return to
	}
	folder, _ := w.findFolder(q.Folder)
	if q.New != "" {
		name := nameFor(q.New)
		if fileExtension(q.New) == "" {
			name = strings.TrimSuffix(name, ".md") + path.Ext(p)
		}
		return path.Join(folder, name)
	}
	return path.Join(folder, path.Base(p))
}

// movedReport says what went where.
func movedReport(changes []change, outs []outcome) string {
	var order []string
	to := map[string][]string{}
	single := ""
	n := 0
	for i, o := range outs {
		if !o.done() {
			continue
		}
		n++
		folder := folderOf(o.path)
		if to[folder] == nil {
			order = append(order, folder)
		}
		to[folder] = append(to[folder], changes[i].path)
		single = fmt.Sprintf("Moved %s to %s.", changes[i].path, o.path)
	}
	done := single
	if n > 1 {
		var parts []string
		for _, folder := range order {
			parts = append(parts, fmt.Sprintf("%s to %s", listed(to[folder], maxListed), folderName(folder)))
		}
		done = fmt.Sprintf("Moved %s: %s.", counted(n, "document"), strings.Join(parts, "; "))
	}
	return report(done, outs)
}

// folderName names a folder in a sentence.
func folderName(folder string) string {
	if folder == "" {
		return "the top folder"
	}
	return folder + "/"
}

func (w *work) rename(q Request) string {
	w.need(toMove)
	if q.New == "" {
		return "Please say the new name: rename Rome to Roma."
	}
	var p string
	if len(q.Docs) > 0 {
		p = w.findAny(q.Docs[0])
	} else {
		p = w.target(q)
	}
	to := path.Join(folderOf(p), nameFor(q.New))
	switch {
	case slices.Contains(w.list().folders, p):
		to = path.Join(folderOf(p), cleanPath(q.New))
	case strings.Contains(q.New, "/"):
		to = w.destination(Request{New: q.New}, p)
	case fileExtension(q.New) == "":
		to = strings.TrimSuffix(to, ".md") + path.Ext(p)
	}
	if to == p {
		return fmt.Sprintf("%s has that name already.", p)
	}
	outs := w.change(moving(p, to))
	done := ""
	if outs[0].done() {
		done = fmt.Sprintf("Renamed %s to %s.", p, outs[0].path)
	}
	return report(done, outs)
}

func (w *work) delete(q Request) string {
	w.need(toDelete)
	var list []string
	switch {
	case len(q.Docs) > 0:
		for _, name := range w.apart(q.Docs) {
			if p := w.certain(name); !slices.Contains(list, p) {
				list = append(list, p)
			}
		}
	case q.This:
		list = []string{w.thisOne(q)}
	case q.Select.Given():
		if list = w.selected(q.Select); len(list) == 0 {
			return "No document fits that, so I deleted nothing."
		}
		if allOf(w, list) && !q.Select.All {
			if !w.agrees(fmt.Sprintf("That would be all %d documents. Do you want to delete all of them?", len(list))) {
				return "That would be all documents, so I deleted nothing. If you want that, say: delete all documents"
			}
		}
	default:
		return "Please say which document shall be deleted."
	}
	var changes []change
	for _, p := range list {
		changes = append(changes, deleting(p))
	}
	outs := w.change(changes...)
	done := ""
	switch gone := made(outs); len(gone) {
	case 0:
	case 1:
		done = fmt.Sprintf("Deleted %s.", gone[0])
	default:
		done = fmt.Sprintf("Deleted %d documents: %s.", len(gone), listed(gone, maxListed))
	}
	return report(done, outs)
}

// allOf tells whether a list is all documents there are, of several.
func allOf(w *work, list []string) bool {
	n := 0
	for _, f := range w.list().files {
		if isNote(f) {
			n++
		}
	}
	return n > 1 && len(list) == n
}

package offline

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// documentHands work through create_document, edit_document and their like.
type documentHands struct{}

var documentTools = map[verb]string{
	toCreate: "create_document", toEdit: "edit_document", toMove: "move_document", toDelete: "delete_document", toFolder: "create_folder",
	toList: "list_documents",
}

func (documentHands) able(r *replay, v verb) bool { return r.offers(documentTools[v]) }

type arguments map[string]any

// list lists everything. Where that is more than one list shows, it lists folder by
// folder.
func (documentHands) list(r *replay) *listing {
	all := readListing(r.do(listCall("/", true))[0])
	if all.failure != "" || all.more == 0 {
		return all
	}
	top := readListing(r.do(listCall("/", false))[0])
	var calls []call
	for _, f := range top.folders[:min(len(top.folders), mostFolders)] {
		calls = append(calls, listCall(f, true))
	}
	for _, got := range r.do(calls...) {
		part := readListing(got)
		top.files, top.folders = append(top.files, part.files...), append(top.folders, part.folders...)
		top.more += part.more
	}
	slices.Sort(top.files)
	slices.Sort(top.folders)
	return top
}

// mostFolders is how many folders are listed one by one.
const mostFolders = 40

func listCall(folder string, recursive bool) call {
	return call{"list_documents", arguments{"folder": folder, "recursive": recursive}}
}

func readListing(got result) *listing {
	l := &listing{}
	if got.failed {
		_, l.failure = problem(got.output)
		return l
	}
	for line := range strings.Lines(got.output) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasSuffix(line, "/"):
			l.folders = append(l.folders, strings.TrimSuffix(line, "/"))
		case strings.HasSuffix(strings.ToLower(line), ".md"):
			l.files = append(l.files, line)
		default: // a note of the tool: no document ends like that
			fmt.Sscanf(line, "[list_documents: %d more", &l.more)
		}
	}
	return l
}

// beginningOnly is how a result ends that does not show all of a document.
const beginningOnly = "\n[read_document: only the beginning of "

var emptyDocument = regexp.MustCompile(`^\[[^\n]* is empty: there is no text in it\.\]$`)

func (documentHands) read(r *replay, paths []string) []*document {
	n := min(len(paths), r.reads)
	var calls []call
	for _, p := range paths[:n] {
		calls = append(calls, call{"read_document", arguments{"path": p}})
	}
	var list []*document
	for i, got := range r.do(calls...) {
		d := &document{path: paths[i]}
		switch {
		case got.failed:
			_, d.failure = problem(got.output)
		case emptyDocument.MatchString(got.output):
			d.whole = true
		default:
			text := got.output
			d.whole = true
			if at := strings.LastIndex(text, beginningOnly); at >= 0 && strings.HasSuffix(text, "]") && !strings.Contains(text[at+1:], "\n") {
				text, d.whole = text[:at+1], false
			}
			d.setText(text)
		}
		list = append(list, d)
	}
	for _, p := range paths[n:] {
		list = append(list, &document{path: p, failure: tooMany})
	}
	return list
}

// tooMany is the failure of a document for which there is no room.
const tooMany = "too many documents for one message"

func (documentHands) search(r *replay, text string) found {
	got := r.do(call{"search_documents", arguments{"query": text}})[0]
	if got.failed {
		_, words := problem(got.output)
		return found{failure: words}
	}
	var f found
	for line := range strings.Lines(got.output) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "  line ") && len(f.hits) > 0:
			last := &f.hits[len(f.hits)-1]
			_, words, _ := strings.Cut(line, ": ")
			last.lines = append(last.lines, words)
		case strings.HasPrefix(line, "[search_documents: "):
			f.more = strings.Contains(line, " are not shown: ")
		default:
			f.hits = append(f.hits, hit{path: line})
		}
	}
	return f
}

func (h documentHands) change(r *replay, changes []change) []outcome {
	outs := make([]outcome, len(changes))
	var calls []call
	var of []int // which change a call is for
	for i, c := range changes {
		outs[i].path = c.path
		call, failure := h.callFor(c)
		switch {
		case failure == nothing:
			outs[i].same = true
		case failure != "":
			outs[i].failure = failure
		case len(calls) >= r.changesLeft():
			outs[i].left = true
		default:
			calls, of = append(calls, call), append(of, i)
		}
	}
	r.changed += len(calls)
	for k, got := range r.do(calls...) {
		o, c := &outs[of[k]], changes[of[k]]
		if got.failed {
			code, words := problem(got.output)
			o.failure, o.stale = words, isStale(code, got.output)
			continue
		}
		o.path = documentPath(c, got.output)
	}
	return outs
}

// nothing stands for an edit that changes nothing.
const nothing = "nothing to change"

// callFor is the call that makes a change, or why there is none.
func (documentHands) callFor(c change) (call, string) {
	tool := documentTools[c.verb]
	switch c.verb {
	case toCreate:
		a := arguments{"name": strings.TrimSuffix(path.Base(c.path), ".md"), "folder": "/" + folderOf(c.path)}
		if c.content != "" {
			a["content"] = c.content
		}
		if c.template != "" {
			a["template"] = c.template
		}
		return call{tool, a}, ""
	case toMove:
		return call{tool, arguments{"from_path": c.path, "to_path": c.move}}, ""
	case toEdit:
		return documentEdit(c)
	}
	return call{tool, arguments{"path": c.path}}, ""
}

// documentEdit is the smallest edit that the tool can make: an insertion, or the
// whole text.
func documentEdit(c change) (call, string) {
	if c.doc.failure != "" {
		return call{}, c.doc.failure
	}
	list := c.edit(c.doc)
	a := arguments{"path": c.path}
	switch {
	case len(list) == 0:
		return call{}, nothing
	case len(c.doc.lines) == 0 && c.doc.whole:
		a["operation"], a["content"] = "append", c.doc.edited(list)
	case len(list) == 1 && list[0].inserts() && c.doc.whole:
		a["operation"], a["content"] = "insert", strings.Join(list[0].lines, "\n")+"\n"
		a["position"] = arguments{"line_number": list[0].from + 1}
	case len(list) == 1 && list[0].inserts() && list[0].from == len(c.doc.lines):
		// The end of a document that was not read to its end.
		a["operation"], a["content"] = "append", strings.Trim(strings.Join(list[0].lines, "\n"), "\n")
	case len(list) == 1 && list[0].inserts():
		a["operation"], a["content"] = "insert", strings.Join(list[0].lines, "\n")+"\n"
		a["position"] = arguments{"line_number": list[0].from + 1}
	case !c.doc.whole:
		return call{}, "it is too large to be read as a whole, and only additions are possible then"
	default:
		a["operation"], a["content"] = "replace", c.doc.edited(list)
	}
	return call{"edit_document", a}, ""
}

var (
	createdPath = regexp.MustCompile(`(?s)created (.+)\.$`)
)

// documentPath is where the document of a change is now, as the tool says.
func documentPath(c change, output string) string {
	switch c.verb {
	case toCreate:
		if m := createdPath.FindStringSubmatch(output); m != nil {
			return m[1]
		}
	case toMove:
		return movedTo(c, output)
	}
	return c.path
}

// movedTo takes the new path out of "Done: moved a.md to b.md. 2 links …".
func movedTo(c change, output string) string {
	rest, ok := strings.CutPrefix(output, "Done: moved "+c.path+" to ")
	if !ok {
		return c.move
	}
	for _, end := range []string{". ", "."} {
		if i := strings.Index(rest, end); i >= 0 && extensionOf(rest[:i]) != "" {
			return rest[:i]
		}
	}
	if i := strings.LastIndex(rest, ".md"); i >= 0 {
		return rest[:i+3]
	}
	return c.move
}

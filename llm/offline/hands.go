package offline

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"redline/llm"
)

// hands are the tools of one contract, as plans use them.
type hands interface {
	// able tells whether there is a tool for a kind of change.
	able(r *replay, v verb) bool
	list(r *replay) *listing
	// read reads documents as a whole, in one step or in as many as they need.
	read(r *replay, paths []string) []*document
	// search finds documents with a text in them, whatever the case.
	search(r *replay, text string) found
	// change makes all changes in one step. The outcomes are in the same order.
	change(r *replay, changes []change) []outcome
}

// verb is a kind of change.
type verb string

const (
	toCreate verb = "create"
	toEdit   verb = "edit"
	toMove   verb = "move"
	toDelete verb = "delete"
	toFolder verb = "folder"
	toList   verb = "list" // no change, but not always possible either
)

// listing is the documents and folders of the workspace, by path.
type listing struct {
	files   []string
	folders []string
	more    int    // that are not shown
	failure string // why there is none
}

// after is the listing after a change; nil if it has to be asked for.
func (l *listing) after(c change, o outcome) *listing {
	if l == nil || !o.done() || c.verb == toEdit {
		return l
	}
	if c.verb == toFolder || c.verb != toCreate && !slices.Contains(l.files, c.path) {
		return nil // a folder: more may have changed with it
	}
	files := slices.DeleteFunc(slices.Clone(l.files), func(f string) bool { return f == c.path || f == o.path })
	if c.verb != toDelete {
		files = append(files, o.path)
	}
	slices.Sort(files)
	folders := append(slices.Clone(l.folders), parentsOf([]string{o.path})...)
	slices.Sort(folders)
	return &listing{files: files, folders: slices.Compact(folders), more: l.more}
}

// found is what a search found.
type found struct {
	hits    []hit
	more    bool // than these
	failure string
}

// hit is a document that was found, and lines of it.
type hit struct {
	path  string
	lines []string
}

// change is one of these: a new document, an edit, a move, a deletion, a folder.
type change struct {
	path string
	verb verb

	content  string                   // of a new document
	template string                   // of a new document
	day      string                   // that it is created on
	doc      *document                // to be edited; nil: it is read
	edit     func(*document) []splice // nothing: it stays as it is
	move     string                   // the path it gets
}

func creating(path, content, template string) change {
	return change{path: path, verb: toCreate, content: content, template: template}
}

func editing(path string, edit func(*document) []splice) change {
	return change{path: path, verb: toEdit, edit: edit}
}

func moving(from, to string) change { return change{path: from, verb: toMove, move: to} }

func deleting(path string) change { return change{path: path, verb: toDelete} }

func makingFolder(path string) change { return change{path: path, verb: toFolder} }

// outcome is what came of a change.
type outcome struct {
	path    string // where the document is now
	failure string // why it was not made; "" if it was
	stale   bool   // the text was another one than was read
	left    bool   // not tried: there is no room for more changes
	same    bool   // there was nothing to change
}

func (o outcome) done() bool { return o.failure == "" && !o.left && !o.same }

// refuse notes why no call is made for a change, and tells whether there is a reason.
func (o *outcome) refuse(failure string) bool {
	switch failure {
	case "":
		return false
	case nothing:
		o.same = true
	default:
		o.failure, o.left = failure, failure == tooMany
	}
	return true
}

// kits are the contracts, by a tool that none of those behind has. Tools of another contract
// that come later get their line here.
var kits = []struct {
	tool   string
	hands  hands
	limits limits
}{
	{"read_document", documentHands{}, limits{steps: 9, edits: 20, reads: 200}},
	{"search_project", projectHands{}, limits{calls: 12, reads: 200}},
	{"read_file", vaultHands{}, limits{steps: 9, reads: 200}},
	{"read", codingHands{}, limits{steps: 50, reads: 200}},
}

// handsFor are the hands for the tools that are offered, or nil.
func handsFor(req llm.Request, c *conversation) (hands, *replay) {
	tools := req.Tools
	if req.ToolChoice == "none" {
		tools = nil
	}
	r := newReplay(c.after, tools)
	for _, k := range kits {
		if r.offers(k.tool) {
			r.limits = k.limits
			return k.hands, r
		}
	}
	return nil, r
}

// problem is the reason that a failed call gives, as a clause: without the code
// and what is suggested to a model.
func problem(output string) (code, words string) {
	first, _, _ := strings.Cut(strings.TrimSpace(output), "\n")
	if (result{first, true}).lost() {
		return "", "the call was cut off, so it may or may not have been made"
	}
	if m := failureLine.FindStringSubmatch(first); m != nil {
		code, first = m[1], m[2]
	}
	if m := sentenceEnd.FindStringIndex(first); m != nil {
		first = first[:m[0]]
	}
	first = strings.TrimRight(first, ". ")
	if r := []rune(first); len(r) > 200 {
		first = string(r[:200]) + "…"
	}
	if first == "" {
		first = "the tool gave no reason"
	}
	return code, first
}

var (
	failureLine = regexp.MustCompile(`^Error(?: \(([a-z_]+)\))?:\s*(.*)$`)
	sentenceEnd = regexp.MustCompile(`\. [A-Z]`)
)

// isStale tells whether a call failed because the text is not what was read.
func isStale(code, output string) bool {
	switch code {
	case "stale", "unseen", "conflict", "conflicted":
		return true
	}
	return code == "" && (strings.Contains(output, "read it again") || strings.Contains(output, "Read the file again"))
}

// cleanPath is a path as the tools write it: relative, with slashes.
func cleanPath(p string) string {
	p = strings.TrimLeft(path.Clean("/"+strings.ReplaceAll(strings.TrimSpace(p), `\`, "/")), "/")
	return p
}

// extensionOf is the extension of a document, with its dot, or "".
func extensionOf(p string) string {
	ext := path.Ext(p)
	if slices.Contains(textExtensions, strings.ToLower(ext)) {
		return ext
	}
	return ""
}

// fileExtension is the extension of a file of any kind: of "hosts.old", but not of
// "Mr. Dunne".
func fileExtension(name string) string {
	if documentFile(name) {
		return path.Ext(name)
	}
	return extensionOf(name)
}

// markdown tells whether a file is a text with headings and paragraphs.
func markdown(p string) bool {
	switch strings.ToLower(fileExtension(p)) {
	case "", ".md", ".markdown", ".mdx":
		return true
	}
	return false
}

// textExtensions are those of documents.
var textExtensions = []string{".md", ".markdown", ".txt"}

// isNote tells whether a file is a document, and not code or data.
func isNote(p string) bool { return extensionOf(p) != "" && !strings.HasPrefix(path.Base(p), ".") }

// nameOf is the name of a document: without folder and extension.
func nameOf(p string) string {
	base := path.Base(p)
	return strings.TrimSuffix(base, extensionOf(base))
}

// folderOf is the folder of a path, "" for the root.
func folderOf(p string) string {
	if dir := path.Dir(p); dir != "." {
		return dir
	}
	return ""
}

// parentsOf adds the folders on the way to files.
func parentsOf(files []string) []string {
	var list []string
	for _, f := range files {
		for dir := folderOf(f); dir != "" && !slices.Contains(list, dir); dir = folderOf(dir) {
			list = append(list, dir)
		}
	}
	slices.Sort(list)
	return list
}

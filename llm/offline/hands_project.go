package offline

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// projectHands work through search_project, read_file, list_files and
// propose_edits. There is no tool that moves or deletes a file.
type projectHands struct{}

func (projectHands) able(r *replay, v verb) bool {
	return v == toList && r.offers("list_files") || (v == toCreate || v == toEdit) && r.offers("propose_edits")
}

func (projectHands) list(r *replay) *listing {
	got := r.do(call{"list_files", arguments{}})[0]
	l := &listing{}
	if got.failed {
		_, l.failure = problem(got.output)
		return l
	}
	if strings.HasPrefix(got.output, "There are no files in ") {
		return l
	}
	for line := range strings.Lines(got.output) {
		line = strings.TrimSuffix(line, "\n")
		if n, _ := fmt.Sscanf(line, "[%d file", &l.more); n == 1 && strings.HasSuffix(line, "]") {
			continue
		}
		l.files = append(l.files, line)
	}
	l.folders = parentsOf(l.files)
	return l
}

// keptCalls are left for what comes behind reading: to propose, and to look once
// more. Where all documents can be read at the cost of the latter, they are.
const keptCalls = 2

func (h projectHands) read(r *replay, paths []string) []*document {
	n := min(len(paths), r.reads, r.room(keptCalls))
	if len(paths) <= r.room(1) {
		n = len(paths)
	}
	var list []*document
	var calls []call
	for i, p := range paths {
		d := &document{path: p}
		if i >= n {
			d.failure = tooMany
		} else {
			calls = append(calls, call{"read_file", arguments{"file_path": p, "end_line": allLines, "max_bytes": mostBytes}})
		}
		list = append(list, d)
	}
	for i, got := range r.do(calls...) {
		next := pageOf(list[i], got)
		for next > 0 && r.room(keptCalls) > 0 {
			next = pageOf(list[i], r.do(call{"read_file", arguments{"file_path": paths[i], "start_line": next, "end_line": allLines, "max_bytes": mostBytes}})[0])
		}
		list[i].whole = list[i].failure == "" && next == 0
	}
	return list
}

const (
	allLines  = 1000000
	mostBytes = 1 << 20 // that read_file shows at once
)

var (
	fileHead  = regexp.MustCompile(`(?s)^.*, (?:lines \d+ to \d+|line \d+) of \d+ \(base_file_hash (sha256:[0-9a-f]{64})[^\n]*\):$`)
	fileEmpty = regexp.MustCompile(`(?s)^.* is empty\. base_file_hash (sha256:[0-9a-f]{64})$`)
	fileRest  = regexp.MustCompile(`^\[Lines are left out here\. Read on with start_line (\d+)\.\]$`)
)

// pageOf adds the lines of a page to a document, and tells where the next one
// begins; 0 if there is none, -1 if the next line is too long to be shown.
func pageOf(d *document, got result) (next int) {
	if got.failed {
		_, d.failure = problem(got.output)
		return 0
	}
	if m := fileEmpty.FindStringSubmatch(got.output); m != nil {
		d.hash = m[1]
		return 0
	}
	head, _, found := strings.Cut(got.output, fmt.Sprintf("\n%6d\t", len(d.lines)+1))
	m := fileHead.FindStringSubmatch(head)
	if !found || m == nil {
		if strings.Contains(head, ", the beginning of line ") {
			return -1
		}
		d.failure = "its text could not be understood"
		return 0
	}
	d.hash = m[1]
	for line := range strings.SplitSeq(got.output[len(head)+1:], "\n") {
		text, ok := strings.CutPrefix(line, fmt.Sprintf("%6d\t", len(d.lines)+1))
		if !ok {
			if m := fileRest.FindStringSubmatch(line); m != nil {
				fmt.Sscan(m[1], &next)
			}
			break
		}
		d.lines = append(d.lines, text)
	}
	return next
}

var snippetHead = regexp.MustCompile(`^(.+), lines? \d+(?: to \d+)?:$`)
var snippetLine = regexp.MustCompile(`^ *\d+\t(.*)$`)

func (projectHands) search(r *replay, text string) found {
	got := r.do(call{"search_project", arguments{"query": text, "limit": 50}})[0]
	if got.failed {
		_, words := problem(got.output)
		return found{failure: words}
	}
	var f found
	at := -1
	for line := range strings.Lines(got.output) {
		line = strings.TrimSuffix(line, "\n")
		if m := snippetLine.FindStringSubmatch(line); m != nil && at >= 0 {
			if i, _ := indexOf(m[1], text, false); i >= 0 {
				f.hits[at].lines = append(f.hits[at].lines, strings.TrimSpace(m[1]))
			}
			continue
		}
		if m := snippetHead.FindStringSubmatch(line); m != nil {
			if at = slices.IndexFunc(f.hits, func(h hit) bool { return h.path == m[1] }); at < 0 {
				at = len(f.hits)
				f.hits = append(f.hits, hit{path: m[1]})
			}
			continue
		}
		f.more = f.more || strings.HasPrefix(line, "[There are more results.")
	}
	return f
}

// change proposes everything in one call: all of it is made, or nothing.
func (h projectHands) change(r *replay, changes []change) []outcome {
	outs := make([]outcome, len(changes))
	var edits []arguments
	var of []int
	for i, c := range changes {
		outs[i].path = c.path
		list, failure := h.editsFor(c)
		if !outs[i].refuse(failure) {
			edits, of = append(edits, list...), append(of, i)
		}
	}
	if len(edits) == 0 {
		return outs
	}
	r.changed++
	got := r.do(call{"propose_edits", arguments{"edits": edits}})[0]
	if !got.failed {
		return outs
	}
	code, words := problem(got.output)
	for _, i := range of {
		outs[i].failure, outs[i].stale = words, isStale(code, got.output)
	}
	return outs
}

// editsFor are the edits by lines that make a change, or why there are none.
func (projectHands) editsFor(c change) ([]arguments, string) {
	switch c.verb {
	case toCreate:
		return []arguments{{"file_path": c.path, "operation": "insert", "start_line": 1, "new_text": framed(c)}}, ""
	case toEdit:
	default:
		return nil, "there is no tool for that"
	}
	if c.doc.failure != "" {
		return nil, c.doc.failure
	}
	var list []arguments
	for _, s := range c.edit(c.doc) {
		a := arguments{"file_path": c.path, "start_line": s.from + 1}
		if c.doc.hash != "" {
			a["expected_hash"] = c.doc.hash
		}
		if len(s.lines) > 0 {
			a["new_text"] = strings.Join(s.lines, "\n") // the end of the last line is as it was
			if s.lines[len(s.lines)-1] == "" {
				a["new_text"] = strings.Join(s.lines, "\n") + "\n"
			}
		}
		switch {
		case s.inserts():
			a["operation"] = "insert"
		case len(s.lines) == 0:
			a["operation"], a["end_line"] = "delete", s.to
		default:
			a["operation"], a["end_line"] = "replace", s.to
		}
		list = append(list, a)
	}
	if len(list) == 0 {
		return nil, nothing
	}
	return list, ""
}

// frames are the built-in templates, for tools that have none.
var frames = map[string]string{
	"meeting-notes": "# {{title}}\n\nDate: {{date}}\nAttendees:\n\n## Agenda\n\n## Notes\n\n{{content}}\n\n## Decisions\n\n## Action items\n\n- [ ] \n",
	"journal":       "# {{title}}\n\n{{date}}\n\n{{content}}\n",
	"todo-list":     "# {{title}}\n\n{{content}}\n",
}

// framed is the content of a new document in its template.
func framed(c change) string {
	frame, ok := frames[c.template]
	if !ok {
		if c.content == "" {
			return "# " + nameOf(c.path) + "\n"
		}
		return strings.TrimSuffix(c.content, "\n") + "\n"
	}
	content := strings.Trim(c.content, "\n")
	if content == "" && c.template == "todo-list" {
		content = "- [ ] "
	}
	text := strings.NewReplacer("{{title}}", nameOf(c.path), "{{date}}", c.day, "{{content}}", content).Replace(frame)
	for strings.Contains(text, "\n\n\n") {
		text = strings.ReplaceAll(text, "\n\n\n", "\n\n")
	}
	return strings.TrimRight(text, "\n") + "\n"
}

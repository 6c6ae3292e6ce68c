package offline

import (
	"fmt"
	"regexp"
	"strings"
)

// vaultHands work through read_file, write_file, edit_file and list_files, and bash for
// what these cannot do. That has rm only where the user allows it.
type vaultHands struct{ codingHands }

func (vaultHands) able(r *replay, v verb) bool {
	switch v {
	case toCreate:
		return r.offers("write_file")
	case toEdit:
		return r.offers("edit_file")
	case toList:
		return r.offers("list_files")
	case toDelete:
		return r.offers("bash") && removes.MatchString(r.shell)
	}
	return r.offers("bash")
}

// removes finds rm among the commands that the description of bash lists.
var removes = regexp.MustCompile(`(: |, )rm[,.]`)

func (vaultHands) list(r *replay) *listing {
	got := r.do(call{"list_files", arguments{"recursive": true}})[0]
	l := &listing{}
	if got.failed {
		_, l.failure = problem(got.output)
		return l
	}
	if strings.HasPrefix(got.output, "There is nothing in ") {
		return l
	}
	for line := range strings.SplitSeq(got.output, "\n") {
		if n, _ := fmt.Sscanf(line, "[%d more.", &l.more); n == 1 && strings.HasSuffix(line, "]") {
			continue
		}
		if dir, ok := strings.CutSuffix(line, "/"); ok {
			l.folders = append(l.folders, dir)
		} else {
			l.files = append(l.files, line)
		}
	}
	return l
}

func (vaultHands) read(r *replay, paths []string) []*document {
	return r.readPages(paths, func(p string, from int) call {
		if from == 0 {
			return call{"read_file", arguments{"path": p}}
		}
		return call{"read_file", arguments{"path": p, "start_line": from}}
	}, tabbedPage, func(*document) {})
}

var (
	tabbedRest = regexp.MustCompile(`^\[These are the lines \d+ to \d+ of \d+\. Read on with start_line (\d+)\.\]$`)
	tabbedCut  = regexp.MustCompile(`^\[This is only the beginning of line \d+, which is longer than `)
)

// tabbedPage adds the lines of a page to a document, and tells where the next one
// begins, or 0.
func tabbedPage(d *document, got result) (next int) {
	if got.failed {
		_, d.failure = problem(got.output)
		return 0
	}
	if readEmpty.MatchString(got.output) {
		return 0
	}
	for line := range strings.SplitSeq(got.output, "\n") {
		text, ok := strings.CutPrefix(line, fmt.Sprintf("%6d\t", len(d.lines)+1))
		switch m := tabbedRest.FindStringSubmatch(line); {
		case ok:
			d.lines = append(d.lines, text)
		case m != nil:
			fmt.Sscan(m[1], &next)
			return next
		case tabbedCut.MatchString(line):
			d.failure = fmt.Sprintf("line %d is too long to be shown", len(d.lines))
			return 0
		default:
			d.failure = "its text could not be understood"
			return 0
		}
	}
	return 0
}

func (h vaultHands) change(r *replay, changes []change) []outcome {
	return changeBy(r, changes, h.callsFor)
}

// callsFor are the calls that make a change, or why there are none. All edits of a
// document are one call.
func (h vaultHands) callsFor(c change) ([]call, string) {
	calls, failure := h.codingHands.callsFor(c)
	if failure != "" || len(calls) == 0 || calls[0].name == "bash" {
		return calls, failure
	}
	if calls[0].name == "write" {
		return []call{{"write_file", arguments{"path": c.path, "content": argument(calls[0], "content")}}}, ""
	}
	var edits []arguments
	for _, e := range calls {
		edits = append(edits, arguments{"old_text": argument(e, "old_string"), "new_text": argument(e, "new_string")})
	}
	return []call{{"edit_file", arguments{"path": c.path, "edits": edits}}}, ""
}

func argument(c call, name string) any { return c.arguments.(arguments)[name] }

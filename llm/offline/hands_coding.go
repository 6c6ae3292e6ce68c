package offline

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

// codingHands work through read, edit and write, and bash for what these cannot do.
type codingHands struct{}

func (codingHands) able(r *replay, v verb) bool {
	switch v {
	case toCreate:
		return r.offers("write")
	case toEdit:
		return r.offers("edit")
	}
	return r.offers("bash")
}

// shellWord quotes a text for bash: whatever is in it, it is one word.
func shellWord(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// shellPath is a path as a word that no command takes for an option.
func shellPath(p string) string { return shellWord("./" + p) }

func bash(command string) call { return call{"bash", arguments{"command": command}} }

// notOurs are folders that nobody keeps documents in.
const notOurs = `\( -name .git -o -name .redline -o -name node_modules -o -name $'*\n*' \)`

const listCommand = `find . -mindepth 1 ` + notOurs + ` -prune -o -type d -exec printf '%s/\n' {} + -o -type f -print | LC_ALL=C sort | head -n 5000`

// ran is what a command wrote, and why it failed.
func ran(got result) (stdout, failure string) {
	_, rest, ok := strings.Cut("\n"+got.output, "\nstdout:\n")
	if got.failed || !ok {
		_, words := problem(got.output)
		return "", words
	}
	at := strings.LastIndex(rest, "\nexit code: ")
	if at < 0 {
		return "", "the command did not end"
	}
	code := 0
	fmt.Sscanf(rest[at:], "\nexit code: %d", &code)
	rest = rest[:at]
	if at = strings.LastIndex(rest, "\nstderr:\n"); at < 0 {
		return "", "the command did not end"
	}
	stdout = rest[:at]
	if code == 0 {
		return stdout, ""
	}
	words, _, _ := strings.Cut(strings.TrimSpace(rest[at+len("\nstderr:\n"):]), "\n")
	if words == "" {
		words = fmt.Sprintf("the command ended with %d", code)
	}
	return stdout, words
}

func (codingHands) list(r *replay) *listing {
	l := &listing{}
	stdout, failure := ran(r.do(bash(listCommand))[0])
	if failure != "" {
		l.failure = failure
		return l
	}
	for line := range strings.SplitSeq(stdout, "\n") {
		p, ok := strings.CutPrefix(line, "./")
		switch {
		case !ok:
		case strings.HasSuffix(p, "/"):
			l.folders = append(l.folders, strings.TrimSuffix(p, "/"))
		default:
			l.files = append(l.files, p)
		}
	}
	return l
}

func (h codingHands) read(r *replay, paths []string) []*document {
	return r.readPages(paths, func(p string, from int) call {
		if from == 0 {
			return call{"read", arguments{"file_path": p}}
		}
		return call{"read", arguments{"file_path": p, "offset": from}}
	}, numberedPage, func(d *document) {
		if d.failure == "" && len(d.cut) > 0 && r.offers("bash") {
			completeLines(d, r)
		}
	})
}

var (
	readWarning = regexp.MustCompile(`^WARNING: File has (\d+) lines?, showing (?:first|lines \d+ to) (\d+)\. [^\n]*\n\n`)
	readEmpty   = regexp.MustCompile(`(?s)^The file .* is empty \(0 lines\)\.$`)
	cutLine     = regexp.MustCompile(`… \[only the first \d+ characters of this line are shown\]$`)
)

// numberedPage adds the lines of a page to a document, and tells where the next
// one begins, or 0.
func numberedPage(d *document, got result) (next int) {
	if got.failed {
		_, d.failure = problem(got.output)
		return 0
	}
	text := got.output
	if readEmpty.MatchString(text) {
		return 0
	}
	if m := readWarning.FindStringSubmatch(text); m != nil {
		text = text[len(m[0]):]
		fmt.Sscan(m[2], &next)
		next++
	}
	for line := range strings.SplitSeq(text, "\n") {
		rest, ok := strings.CutPrefix(line, fmt.Sprintf("%6d", len(d.lines)+1))
		if !ok {
			d.failure = "its text could not be understood"
			return 0
		}
		rest = strings.TrimPrefix(rest, "  ")
		if m := cutLine.FindStringIndex(rest); m != nil {
			rest = rest[:m[0]]
			if d.cut == nil {
				d.cut = map[int]bool{}
			}
			d.cut[len(d.lines)] = true
		}
		d.lines = append(d.lines, rest)
	}
	return next
}

// completeLines gets the rest of lines that were too long to be shown.
func completeLines(d *document, r *replay) {
	command := "sed -n"
	var at []int
	for i := range d.lines {
		if d.cut[i] {
			command += fmt.Sprintf(" -e %dp", i+1)
			at = append(at, i)
		}
	}
	stdout, failure := ran(r.do(bash(command + " < " + shellPath(d.path)))[0])
	lines := strings.Split(stdout, "\n")
	if failure != "" || len(lines) != len(at) {
		return
	}
	for k, i := range at {
		line := strings.TrimSuffix(lines[k], "\r")
		if strings.HasPrefix(line, d.lines[i]) {
			d.lines[i] = line
			delete(d.cut, i)
		}
	}
}

var grepLine = regexp.MustCompile(`^\./(.+?):(\d+):(.*)$`)

func (codingHands) search(r *replay, text string) found {
	if !r.offers("bash") {
		return found{failure: "there is no tool that searches (restricted mode)"}
	}
	const most = 500
	command := fmt.Sprintf("grep -rIniF -m 5 --exclude-dir=.git --exclude-dir=.redline --exclude-dir=node_modules -e %s . | LC_ALL=C sort -t: -k1,1 -s | cut -c1-400 | head -n %d", shellWord(text), most)
	stdout, failure := ran(r.do(bash(command))[0])
	if failure != "" {
		return found{failure: failure}
	}
	var f found
	n := 0
	for line := range strings.SplitSeq(stdout, "\n") {
		m := grepLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		n++
		if k := len(f.hits); k == 0 || f.hits[k-1].path != m[1] {
			f.hits = append(f.hits, hit{path: m[1]})
		}
		last := &f.hits[len(f.hits)-1]
		last.lines = append(last.lines, strings.TrimSpace(m[3]))
	}
	f.more = n == most
	return f
}

func (h codingHands) change(r *replay, changes []change) []outcome {
	return changeBy(r, changes, h.callsFor)
}

// changeBy makes changes by the calls for each of them, all in one step.
func changeBy(r *replay, changes []change, callsFor func(change) ([]call, string)) []outcome {
	outs := make([]outcome, len(changes))
	var calls []call
	var of []int
	for i, c := range changes {
		outs[i].path = c.path
		list, failure := callsFor(c)
		outs[i].refuse(failure)
		for _, call := range list {
			calls, of = append(calls, call), append(of, i)
		}
	}
	r.changed += len(calls)
	for k, got := range r.do(calls...) {
		o, c := &outs[of[k]], changes[of[k]]
		words := ""
		if calls[k].name == "bash" {
			_, words = ran(got)
		} else if got.failed {
			_, words = problem(got.output)
			o.stale = isStale("", got.output)
		}
		if words != "" {
			o.failure = words
		} else if c.move != "" {
			o.path = c.move
		}
	}
	return outs
}

// callsFor are the calls that make a change, or why there are none.
func (codingHands) callsFor(c change) ([]call, string) {
	switch c.verb {
	case toCreate:
		return []call{{"write", arguments{"file_path": c.path, "content": framed(c)}}}, ""
	case toMove:
		from, to := shellPath(c.path), shellPath(c.move)
		return []call{bash(fmt.Sprintf("if [ -e %s ] || [ -L %s ]; then printf '%%s exists already\\n' %s >&2; exit 1; fi; mkdir -p %s && mv %s %s",
			to, to, shellWord(c.move), shellPath(path.Dir(c.move)), from, to))}, ""
	case toDelete:
		return []call{bash("rm -r " + shellPath(c.path))}, ""
	case toFolder:
		return []call{bash("mkdir -p " + shellPath(c.path))}, ""
	}
	if c.doc.failure != "" {
		return nil, c.doc.failure
	}
	list := c.edit(c.doc)
	if len(list) == 0 {
		return nil, nothing
	}
	if len(c.doc.lines) == 0 {
		return []call{{"write", arguments{"file_path": c.path, "content": strings.Join(list[0].lines, "\n") + "\n"}}}, ""
	}
	return editCalls(c.doc, list)
}

// editCalls are edits that replace texts which are in the document exactly once.
func editCalls(d *document, list []splice) ([]call, string) {
	const most = 8
	if len(list) > most {
		list = []splice{joined(d, list)}
	}
	lines := append([]string{}, d.lines...)
	var calls []call
	for i := len(list) - 1; i >= 0; i-- { // from the end, so that the numbers before stay right
		s := list[i]
		from, to, ok := window(lines, s)
		if !ok {
			return nil, "the place cannot be told from others like it"
		}
		for k := from; k < to; k++ {
			if d.cut[k] {
				return nil, fmt.Sprintf("line %d is too long to be shown", k+1)
			}
		}
		after := append(append(append([]string{}, lines[from:s.from]...), s.lines...), lines[s.to:to]...)
		calls = append(calls, call{"edit", arguments{
			"file_path": d.path, "old_string": strings.Join(lines[from:to], "\n"), "new_string": strings.Join(after, "\n"),
		}})
		lines = append(append(append([]string{}, lines[:from]...), after...), lines[to:]...)
	}
	return calls, ""
}

// joined is one splice that does what several do.
func joined(d *document, list []splice) splice {
	from, to := list[0].from, list[len(list)-1].to
	var lines []string
	at := from
	for _, s := range list {
		lines = append(append(lines, d.lines[at:s.from]...), s.lines...)
		at = s.to
	}
	return splice{from, to, lines}
}

// window is the smallest range of lines around a splice whose text is nowhere else.
func window(lines []string, s splice) (from, to int, ok bool) {
	from, to = s.from, s.to
	text := strings.Join(lines, "\n")
	if from == to || len(s.lines) == 0 { // a line beside it shows the place
		if from > 0 {
			from--
		} else if to < len(lines) {
			to++
		}
	}
	for before := true; ; before = !before {
		old := strings.Join(lines[from:to], "\n")
		if strings.TrimSpace(old) != "" && once(text, old) {
			return from, to, true
		}
		switch {
		case from == 0 && to == len(lines):
			return from, to, false
		case before && from > 0 || to == len(lines):
			from--
		default:
			to++
		}
	}
}

// once tells whether a text is in another exactly once.
func once(text, old string) bool {
	at := strings.Index(text, old)
	return at >= 0 && !strings.Contains(text[at+1:], old)
}

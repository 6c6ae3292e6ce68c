package offline

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"redline/llm"
)

// matchNames are the documents that a name could mean.
func matchNames(name string, files []string) []string {
	list, _ := matchBest(name, files)
	return list
}

// matchBest are the documents that a name could mean: those of the best way in
// which any of them fits.
func matchBest(name string, files []string) (list []string, way int) {
	for i, fits := range ways(name) {
		for _, f := range files {
			if fits(f, termsOf(nameOf(f))) {
				list = append(list, f)
			}
		}
		if len(list) > 0 {
			return preferNotes(list), i
		}
	}
	return nil, guesses
}

// ways are those in which a name can mean a document, the best ones first; have is
// the words of the document's name.
func ways(name string) []func(f string, have []string) bool {
	clean := cleanPath(name)
	bare := strings.TrimSuffix(clean, extensionOf(clean))
	terms, plain := termsOf(bare), plainTerms(bare)
	whole, joined := strings.Join(terms, " "), strings.Join(terms, "")
	return []func(f string, have []string) bool{
		func(f string, _ []string) bool { return f == clean },
		func(f string, _ []string) bool { return strings.EqualFold(f, clean) },
		func(f string, _ []string) bool { return extensionOf(clean) != "" && strings.HasSuffix(f, "/"+clean) },
		func(f string, _ []string) bool {
			f = strings.TrimSuffix(f, extensionOf(f))
			return f == bare || strings.HasSuffix(f, "/"+bare)
		},
		func(f string, _ []string) bool {
			f = folded(strings.TrimSuffix(f, extensionOf(f)))
			return f == folded(bare) || strings.HasSuffix(f, "/"+folded(bare))
		},
		func(_ string, have []string) bool {
			return whole != "" && (strings.Join(have, " ") == whole || strings.Join(have, "") == joined)
		},
		func(_ string, have []string) bool { return len(have) == len(terms) && hasAll(have, terms) },
		func(_ string, have []string) bool {
			return len(terms) > 0 && (slices.Equal(stems(have), stems(terms)) || slices.Equal(have, counting(terms)))
		},
		func(f string, _ []string) bool { return slices.Equal(plainTerms(nameOf(f)), plain) && len(plain) > 0 },
		func(_ string, have []string) bool { return hasAll(have, plain) },
		func(f string, _ []string) bool { return hasAll(termsOf(strings.TrimSuffix(f, extensionOf(f))), plain) },
		func(f string, have []string) bool { return described(f, have, stems(plain), 1) },
		func(f string, have []string) bool { return described(f, have, stems(plain), len(plain)-1) },
		// From here on not all of the words are there: see guesses.
		func(f string, _ []string) bool {
			return whole != "" && strings.HasPrefix(folded(path.Base(f)), folded(bare)) && !numeric(terms[len(terms)-1])
		},
		func(_ string, have []string) bool { return hasPrefixes(have, plain) },
		func(f string, _ []string) bool {
			return near(strings.Join(plainTerms(nameOf(f)), " "), strings.Join(plain, " "))
		},
		func(_ string, have []string) bool { return nearAll(have, plain) },
	}
}

// From byFolder on a name fits words of the folders as well, and from guesses on not
// all of its words are there.
const (
	byFolder = 10
	guesses  = 13
)

// described tells whether words are those of a document's path and day, "the April
// meeting": at most so many of them not in its name.
func described(f string, have, words []string, outside int) bool {
	name := append(stems(have), dayTerms(dateOfPath(f))...)
	in := 0
	for _, w := range words {
		if slices.Contains(name, w) {
			in++
		}
	}
	return in > 0 && len(words)-in <= outside && hasAll(append(name, stems(termsOf(path.Dir(f)))...), words)
}

// counting writes numbers in digits.
func counting(terms []string) []string {
	list := slices.Clone(terms)
	for i, t := range list {
		if n := numberWords[t]; n > 0 && i > 0 {
			list[i] = strconv.Itoa(n)
		}
	}
	return list
}

// dayTerms are the words that people have for a day.
func dayTerms(d date) []string {
	if d.month == 0 {
		return nil
	}
	month := strings.ToLower(d.month.String())
	list := []string{month, month[:3]}
	if d.day != 0 {
		list = append(list, strconv.Itoa(d.day), ordinal(d.day))
	}
	return list
}

// ordinal is a number as a rank: 3rd.
func ordinal(n int) string {
	suffix := "th"
	if n/10 != 1 && n%10 >= 1 && n%10 <= 3 {
		suffix = []string{"st", "nd", "rd"}[n%10-1]
	}
	return strconv.Itoa(n) + suffix
}

// folderMeant is the folder that a name means, where no document has it.
func (w *work) folderMeant(name string) (string, bool) {
	if _, way := matchBest(name, w.list().files); way < byFolder {
		return "", false
	}
	folder, ok := w.findFolder(strings.TrimPrefix(name, "folder "))
	return folder, ok && folder != ""
}

// preferNotes leaves out code and data where documents fit as well.
func preferNotes(list []string) []string {
	notes := slices.DeleteFunc(slices.Clone(list), func(f string) bool { return !isNote(f) })
	if len(notes) > 0 {
		return notes
	}
	return list
}

// find is the document that a name means. If there is none, or the user does not
// say which, it ends the request.
func (w *work) find(name string) string {
	p, candidates := w.lookUp(name)
	if p != "" {
		return p
	}
	if len(candidates) == 0 {
		end(w.noSuch(name))
	}
	i, ok := w.choose(fmt.Sprintf("Which document do you mean by “%s”?", name), candidates)
	if !ok {
		end(fmt.Sprintf("“%s” could be %s. I have changed nothing: say which one it is.", name, either(candidates)))
	}
	return candidates[i]
}

// lookUp is the one document that a name means, or those that it could mean.
func (w *work) lookUp(name string) (string, []string) {
	clean := cleanPath(name)
	if !w.hands.able(w.replay, toList) && path.Ext(clean) != "" {
		return clean, nil
	}
	l := w.list()
	list := matchNames(name, l.files)
	if len(list) == 0 && l.more > 0 {
		if terms := plainTerms(name); len(terms) > 0 {
			list = matchNames(name, pathsFound(w.search(terms[0]).hits))
		}
	}
	if len(list) == 0 && path.Ext(clean) != "" && !strings.HasPrefix(path.Ext(clean), ". ") && w.room(3) > 0 {
		// Files that are no documents are not listed everywhere.
		if d := w.read(clean)[0]; d.failure == "" {
			return clean, nil
		}
		return "", nil
	}
	if len(list) == 0 {
		list = w.byTitle(name)
	}
	if len(list) == 1 {
		return list[0], nil
	}
	return "", list
}

// byTitle finds documents whose heading or property title is the name.
func (w *work) byTitle(name string) []string {
	if strings.TrimSpace(name) == "" || w.room(3) == 0 {
		return nil
	}
	var list []string
	want := strings.Join(plainTerms(name), " ")
	for _, h := range w.search(strings.TrimSpace(name)).hits {
		for _, line := range h.lines {
			title, ok := strings.CutPrefix(strings.TrimSpace(line), "# ")
			if !ok {
				title, ok = strings.CutPrefix(strings.TrimSpace(line), "title:")
			}
			if ok && strings.Join(plainTerms(title), " ") == want && !slices.Contains(list, h.path) {
				list = append(list, h.path)
			}
		}
	}
	return list
}

func pathsFound(hits []hit) []string {
	var list []string
	for _, h := range hits {
		list = append(list, h.path)
	}
	return list
}

// noSuch says that there is no such document, and which there are.
func (w *work) noSuch(name string) string {
	if len(w.list().files) == 0 {
		return fmt.Sprintf("There is no document “%s”: there are no documents here yet.", name)
	}
	words := fmt.Sprintf("There is no document “%s”.", name)
	if close := nearest(name, w.list().files, 3); len(close) > 0 {
		verb := "are"
		if len(close) == 1 {
			verb = "is"
		}
		words += " The nearest " + verb + " " + listed(close, 3) + "."
	}
	return words
}

// findFolder is an existing folder, or "" and false.
func (w *work) findFolder(name string) (string, bool) {
	clean := cleanPath(name)
	if clean == "" {
		return "", true
	}
	folders := w.list().folders
	for _, fits := range []func(f string) bool{
		func(f string) bool { return f == clean },
		func(f string) bool { return strings.EqualFold(f, clean) },
		func(f string) bool {
			return folded(path.Base(f)) == folded(clean) || strings.HasSuffix(folded(f), "/"+folded(clean))
		},
		func(f string) bool { return slices.Equal(termsOf(path.Base(f)), termsOf(clean)) },
		func(f string) bool { return slices.Equal(stems(termsOf(path.Base(f))), stems(termsOf(clean))) },
	} {
		var list []string
		for _, f := range folders {
			if fits(f) {
				list = append(list, f)
			}
		}
		if len(list) > 1 {
			i, ok := w.choose(fmt.Sprintf("Which folder do you mean by “%s”?", name), list)
			if !ok {
				end(fmt.Sprintf("“%s” could be the folder %s. I have changed nothing: say which one it is.", name, either(list)))
			}
			return list[i], true
		}
		if len(list) == 1 {
			return list[0], true
		}
	}
	return clean, false
}

// stems takes the plural off words.
func stems(list []string) []string {
	var out []string
	for _, s := range list {
		out = append(out, stem(s))
	}
	return out
}

func stem(s string) string {
	switch n := len(s); {
	case n > 4 && strings.HasSuffix(s, "ies"):
		return s[:n-3] + "y"
	case n > 4 && (strings.HasSuffix(s, "ches") || strings.HasSuffix(s, "shes") || strings.HasSuffix(s, "sses") || strings.HasSuffix(s, "xes")):
		return s[:n-2]
	case n > 3 && strings.HasSuffix(s, "s") && !strings.HasSuffix(s, "ss") && !strings.HasSuffix(s, "us") && !strings.HasSuffix(s, "is"):
		return s[:n-1]
	}
	return s
}

// this is the document that "it" means.
func (w *work) this() string {
	if w.spoken != "" {
		return w.spoken
	}
	if w.open != "" {
		return w.open
	}
	list := w.earlier()
	switch len(list) {
	case 0:
		end("I do not know which document you mean: none is open, and we have not spoken of one. Please name it.")
	case 1:
		return list[0]
	}
	i, ok := w.choose("Which document do you mean?", list)
	if !ok {
		end("I do not know which document you mean: " + either(list) + ". Please name it.")
	}
	return list[i]
}

// thisOne is the document that "it" means, or "the second one" of those that the
// answer before listed.
func (w *work) thisOne(q Request) string {
	if q.Nth == 0 || q.Kind == Tick || q.Kind == Untick {
		return w.this()
	}
	var list []string
	if n := len(w.before); n > 0 && isLast(w.before[n-1]) {
		for line := range strings.SplitSeq(w.before[n-1].Text(), "\n") {
			item, _ := strings.CutPrefix(line, "- ")
			for _, f := range w.list().files {
				if line != item && (item == f || strings.HasPrefix(item, f+": ")) {
					list = append(list, f)
				}
			}
		}
	}
	at := q.Nth - 1
	if q.Nth < 0 {
		at = len(list) + q.Nth
	}
	if at < 0 || at >= len(list) {
		end("I do not know which document you mean: I have not just listed so many. Please name it.")
	}
	return list[at]
}

// earlier are the documents that the turn before was about, and that are still
// there: those that it changed, or else those that it read.
func (w *work) earlier() []string {
	var changed, read []string
	calls := map[string]llm.ToolCall{}
	reset := false
	for _, m := range w.before {
		if m.Role == llm.RoleUser {
			reset = true
		}
		for _, c := range m.ToolCalls() {
			calls[c.ID] = c
		}
		t, ok := m.ToolResult()
		if !ok || t.IsError {
			continue
		}
		paths, change := subjectsOf(calls[t.CallID], t.Output)
		if reset && len(paths) > 0 {
			changed, read, reset = nil, nil, false
		}
		if change {
			changed = append(changed, paths...)
		} else {
			read = append(read, paths...)
		}
	}
	list := changed
	if len(list) == 0 {
		list = read
	}
	if len(list) == 0 || !w.hands.able(w.replay, toList) {
		return list
	}
	there := w.list().files
	var out []string
	for _, p := range list {
		if slices.Contains(there, p) && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// targets are the documents that a request is about; nil if it names none.
func (w *work) targets(q Request) []string {
	q.Docs = w.apart(q.Docs)
	switch {
	case len(q.Docs) > 0:
		var list []string
		for _, name := range q.Docs {
			found := []string{}
			if folder, ok := w.folderFor(q.Kind, name); ok {
				found = w.selected(Selection{Folder: folder})
			} else {
				found = append(found, w.find(name))
			}
			for _, p := range found {
				if !slices.Contains(list, p) {
					list = append(list, p)
				}
			}
		}
		return list
	case q.This:
		return []string{w.thisOne(q)}
	case q.Select.Given():
		return w.selected(q.Select)
	case q.Everywhere:
		return w.selected(Selection{All: true})
	}
	return nil
}

// apart takes "Rome and Paris.md" for two names where no document has it for its own.
func (w *work) apart(names []string) []string {
	var list []string
	for _, name := range names {
		first, second, ok := strings.Cut(name, " and ")
		if ok && w.hands.able(w.replay, toList) {
			if _, whole := matchBest(name, w.list().files); whole >= guesses {
				if _, part := matchBest(first, w.list().files); part < guesses {
					list = append(list, first, second)
					continue
				}
			}
		}
		list = append(list, name)
	}
	return list
}

// folderFor is the folder that a name means in a request that can be about all of
// what is in one: "the todos in the meetings".
func (w *work) folderFor(kind Kind, name string) (string, bool) {
	switch kind {
	case Replace, RenameName, RemoveText, Count, ListTodos, CollectTodos, Tick, Untick, Tag, Untag, Link, Find:
		if !w.hands.able(w.replay, toList) {
			return "", false
		}
		if _, way := matchBest(name, w.list().files); way >= guesses {
			name = strings.Join(plainTerms(name), " ") // "the meeting notes"
		}
		return w.folderMeant(name)
	}
	return "", false
}

// target is the one document that a request is about: the one it names, or the
// open one, or the one that was spoken of.
func (w *work) target(q Request) string {
	if list := w.targets(q); len(list) > 0 {
		return list[0]
	}
	return w.this()
}

package ops

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"redline/internal/outline"
)

// way is the rule by which a link finds its document, the strictest first.
type way int

const (
	fromHere  way = iota // from the folder of the document that has the link
	fromSlash            // from the root, with a slash before it
	fromRoot             // from the root
	byEnding             // the end of a path
	byName               // a name, wherever it is
)

// places are the files that links can lead to.
//
// A wikilink finds its document as in Obsidian: from the root; else by its name
// or the end of its path, where documents below the linking one's folder come
// first, then short paths. "./" and "../" start at the linking document, "/" at
// the root. A Markdown link starts at the linking document; if nothing is there
// it is taken as a wikilink, as Obsidian does. ".md" may be left out, and case
// and the composition of characters do not matter unless two files differ in
// nothing else.
type places struct {
	paths map[string][]string // files by their folded path
	names map[string][]string // files by their folded name

	// After a move: what was before it, and what of that is gone. The maps above
	// hold the new places only.
	before *places
	gone   map[string]string
}

func newPlaces(size int) *places {
	return &places{paths: make(map[string][]string, size), names: make(map[string][]string, size)}
}

func (p *places) add(file string) {
	folded := fold(file)
	p.paths[folded] = append(p.paths[folded], file)
	name := path.Base(folded)
	p.names[name] = append(p.names[name], file)
}

// moved are the places when files have other paths.
func (p *places) moved(to map[string]string) *places {
	after := newPlaces(len(to))
	after.before, after.gone = p, to
	for _, file := range to {
		after.add(file)
	}
	return after
}

func (p *places) withPath(folded string) []string {
	if p.before == nil {
		return p.paths[folded]
	}
	return p.join(p.before.paths[folded], p.paths[folded])
}

func (p *places) withName(folded string) []string {
	if p.before == nil {
		return p.names[folded]
	}
	return p.join(p.before.names[folded], p.names[folded])
}

// join are the files of before that are not gone, and the new ones.
func (p *places) join(before, new []string) []string {
	isGone := func(file string) bool { _, ok := p.gone[file]; return ok }
	if new == nil && !slices.ContainsFunc(before, isGone) {
		return before
	}
	return append(slices.DeleteFunc(slices.Clone(before), isGone), new...)
}

// found is where a link leads.
type found struct {
	file    string
	way     way
	implied bool // its ".md" is left out
	tied    bool // another file would do as well; only the alphabet decides
}

// resolve finds the file that target names in a link of the document from.
func (p *places) resolve(kind outline.Kind, target, from string) (found, bool) {
	if target == "" || strings.HasSuffix(target, "/") {
		return found{}, false
	}
	for _, extension := range []string{"", ".md"} {
		if f, ok := p.lookup(kind, target+extension, from); ok {
			f.implied = extension != ""
			return f, true
		}
	}
	return found{}, false
}

func (p *places) lookup(kind outline.Kind, target, from string) (found, bool) {
	if rest, ok := strings.CutPrefix(target, "/"); ok {
		file, ok := p.at(path.Clean(rest))
		return found{file: file, way: fromSlash}, ok
	}
	dotted := strings.HasPrefix(target, "./") || strings.HasPrefix(target, "../")
	if dotted || !kind.IsWiki() {
		file, ok := p.at(path.Join(path.Dir(from), target))
		if ok || dotted {
			return found{file: file, way: fromHere}, ok
		}
	}
	f := found{way: fromRoot}
	if !strings.Contains(target, "/") {
		f.way = byName
	}
	var ok bool
	if f.file, ok = p.at(target); ok {
		return f, true
	}
	if f.way != byName {
		f.way = byEnding
	}
	f.file, f.tied = p.ending(target, from)
	return f, f.file != ""
}

// at is the file with a path, which is exact if two differ in case only.
func (p *places) at(file string) (string, bool) {
	list := p.withPath(fold(file))
	switch {
	case len(list) == 0:
		return "", false
	case slices.Contains(list, file):
		return file, true
	}
	return slices.Min(list), true
}

// ending is the best of the files whose path ends in target, and whether it has
// an equal.
func (p *places) ending(target, from string) (best string, tied bool) {
	tail := "/" + fold(target)
	below := path.Dir(from) + "/"
	if below == "./" {
		below = ""
	}
	better := func(a, b string) int {
		return cmp.Or(
			first(strings.HasPrefix(a, below), strings.HasPrefix(b, below)),
			utf8.RuneCountInString(a)-utf8.RuneCountInString(b),
			first(strings.HasSuffix("/"+a, "/"+target), strings.HasSuffix("/"+b, "/"+target)))
	}
	for _, file := range p.withName(path.Base(tail)) {
		if !strings.HasSuffix("/"+fold(file), tail) {
			continue
		}
		order := -1
		if best != "" {
			order = better(file, best)
		}
		if order < 0 || order == 0 && file < best {
			best = file
		}
		tied = order == 0 || tied && order > 0
	}
	return best, tied
}

// first orders the one of two for which something is true before the other.
func first(a, b bool) int {
	switch {
	case a && !b:
		return -1
	case b && !a:
		return 1
	}
	return 0
}

// unique tells whether no other file has the name of file.
func (p *places) unique(file string) bool { return len(p.withName(fold(path.Base(file)))) == 1 }

// fold makes names equal that differ in case or in how characters are composed.
func fold(name string) string {
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf {
			return strings.ToLower(norm.NFC.String(name))
		}
	}
	return strings.ToLower(name)
}

// isMarkdown tells whether a file is a document that can have links.
func isMarkdown(file string) bool {
	switch strings.ToLower(path.Ext(file)) {
	case ".md", ".markdown":
		return true
	}
	return false
}

// between is the way from the folder of one document to another document.
func between(from, to string) string {
	a, b := strings.Split(from, "/"), strings.Split(to, "/")
	for len(a) > 1 && len(b) > 1 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	return strings.Repeat("../", len(a)-1) + strings.Join(b, "/")
}

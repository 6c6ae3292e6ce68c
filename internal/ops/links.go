package ops

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"redline/internal/outline"
	"redline/internal/text"
	"redline/internal/workspace"
)

// relinked is a document whose links change because something moves.
type relinked struct {
	Path   workspace.Path // where the document is before the move
	Before []byte
	After  []byte
	Links  int // how many links differ
}

// relink computes what a move does to the links of a folder. all is every file
// of it before the move, moves the files that get another path.
//
// A link that leads to a document leads to the same document afterwards, and
// only bytes of targets change. That concerns links to what moves, links in what
// moves, and links that would be caught by the new name of something else. A link
// keeps its style: a bare name stays one while no other file has that name, else
// it gets the path from the root. A link that leads nowhere stays as it is; so
// does one that cannot name the new path, such as a wikilink and a "#".
func relink(ctx context.Context, all []workspace.Path, read func(workspace.Path) ([]byte, error), moves map[workspace.Path]workspace.Path) ([]relinked, error) {
	m := newMover(all, moves)
	var out []relinked
	for _, p := range slices.Concat(all, m.unlisted) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !isMarkdown(p.String()) {
			continue
		}
		data, err := read(p)
		if err != nil {
			if readable(err) {
				return nil, fmt.Errorf("links in %s: %w", p, err)
			}
			continue
		}
		if r, ok := m.document(p, data); ok {
			out = append(out, r)
		}
	}
	return out, nil
}

// readable tells whether a document that gave err is one that should have been
// read: not one that is gone or closed to us, for that cannot be changed either.
func readable(err error) bool {
	switch workspace.CodeOf(err) {
	case workspace.NotFound, workspace.IsDirectory, workspace.NotRegular, workspace.IsLink, workspace.DanglingLink,
		workspace.OutsideFolder, workspace.Permission, workspace.UnsupportedFile:
		return false
	}
	return true
}

// mover knows a folder before and after a move.
type mover struct {
	before, after *places
	to            map[string]string   // the new path of a file that moves
	touched       map[string]struct{} // folded names that appear or disappear somewhere
	unlisted      []workspace.Path    // what moves although the list of files does not show it
}

func newMover(all []workspace.Path, moves map[workspace.Path]workspace.Path) *mover {
	m := &mover{before: newPlaces(len(all)), to: make(map[string]string, len(moves)), touched: make(map[string]struct{}, 4*len(moves))}
	listed := make(map[workspace.Path]bool, len(moves))
	for _, p := range all {
		m.before.add(p.String())
		if _, ok := moves[p]; ok {
			listed[p] = true
		}
	}
	for p, q := range moves {
		if !listed[p] {
			m.unlisted = append(m.unlisted, p)
			m.before.add(p.String())
		}
		m.to[p.String()] = q.String()
		for _, name := range []string{fold(p.Base()), fold(q.Base())} {
			m.touched[name] = struct{}{}
			m.touched[strings.TrimSuffix(name, ".md")] = struct{}{}
		}
	}
	slices.SortFunc(m.unlisted, workspace.Path.Compare)
	m.after = m.before.moved(m.to)
	return m
}

// now is where a file is after the move.
func (m *mover) now(file string) string {
	if to, ok := m.to[file]; ok {
		return to
	}
	return file
}

// document changes the links of one document.
func (m *mover) document(p workspace.Path, data []byte) (relinked, bool) {
	concerns := m.concerns
	if _, ok := m.to[p.String()]; ok {
		concerns = func([]byte) bool { return true }
	}
	if !outline.Mentions(data, concerns) || text.Check(data) != nil {
		return relinked{}, false
	}
	r := relinked{Path: p, Before: data}
	at := 0
	for _, l := range outline.Links(text.New(data)) {
		if !concerns([]byte(path.Base(l.Target))) {
			continue
		}
		if s, ok := m.respell(l, p.String()); ok && s != string(data[l.Start:l.End]) {
			r.After = append(append(r.After, data[at:l.Start]...), s...)
			at = l.End
			r.Links++
		}
	}
	r.After = append(r.After, data[at:]...)
	return r, r.Links > 0
}

// concerns tells whether a name may be one that appears or disappears. It is asked
// for every link of the folder, so it allocates nothing for a common name.
func (m *mover) concerns(name []byte) bool {
	var buf [64]byte
	if len(name) > len(buf) {
		_, ok := m.touched[fold(string(name))]
		return ok
	}
	for i, c := range name {
		switch {
		case c >= utf8.RuneSelf:
			_, ok := m.touched[fold(string(name))]
			return ok
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		}
		buf[i] = c
	}
	_, ok := m.touched[string(buf[:len(name)])]
	return ok
}

// respell is what must stand in the place of the target of a link in the
// document from, if it must change.
func (m *mover) respell(l outline.Link, from string) (string, bool) {
	was, ok := m.before.resolve(l.Kind, l.Target, from)
	if !ok {
		return "", false
	}
	c := change{link: l, was: was, from: m.now(from), to: m.now(was.file), stays: m.now(from) == from}
	is, ok := m.after.resolve(l.Kind, l.Target, c.from)
	same := ok && is.file == c.to && is.way <= was.way && (was.tied || !is.tied)
	if same && path.Base(was.file) == path.Base(c.to) {
		return "", false
	}
	for _, target := range c.spellings(m.after) {
		if is, ok := m.after.resolve(l.Kind, target, c.from); !ok || is.file != c.to {
			continue
		}
		if s, ok := l.Spell(target); ok {
			return s, true
		}
	}
	return "", false
}

// change is a link that needs another target.
type change struct {
	link     outline.Link
	was      found  // what it led to before the move
	from, to string // its document and its target after the move
	stays    bool   // its document has not moved
}

// spellings are the targets that it can get, the one that is most like the old
// one first. Those behind are for names that would lead elsewhere.
func (c change) spellings(after *places) []string {
	short := c.to // without ".md" if the link had none
	if c.was.implied {
		short = trimMarkdown(short)
	}
	if path.Base(c.was.file) == path.Base(c.to) {
		short = path.Join(path.Dir(short), path.Base(c.link.Target)) // in the link's own case
	}
	var list []string
	if c.stays && path.Dir(c.was.file) == path.Dir(c.to) && c.was.way != byName {
		list = append(list, strings.TrimSuffix(c.link.Target, path.Base(c.link.Target))+path.Base(short))
	}
	near, far := between(c.from, short), between(c.from, c.to)
	if dot := strings.HasPrefix(c.link.Target, "./") || c.link.Kind.IsWiki(); dot && !strings.HasPrefix(near, "../") {
		near, far = "./"+near, "./"+far
	}
	switch c.was.way {
	case fromSlash:
		list = append(list, "/"+short, "/"+c.to)
	case byName:
		if after.unique(c.to) {
			list = append(list, path.Base(short), path.Base(c.to))
		}
		if c.link.Kind.IsWiki() {
			list = append(list, short, c.to)
		}
	case fromRoot, byEnding:
		list = append(list, short, c.to)
	}
	return append(list, near, far)
}

// trimMarkdown takes ".md" away, which a link need not name.
func trimMarkdown(file string) string {
	if ext := path.Ext(file); strings.EqualFold(ext, ".md") {
		return strings.TrimSuffix(file, ext)
	}
	return file
}

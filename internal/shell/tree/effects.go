package tree

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
)

// Kind is what is at a name.
type Kind string

// Nothing at all, a file, a folder or a symbolic link.
const (
	None  Kind = ""
	Plain Kind = "file"
	Dir   Kind = "dir"
	Link  Kind = "link"
)

// Effect is what became of one name, or of one thing that was moved.
type Effect struct {
	Name          string // relative to the root
	From          string // where it was moved from; nothing was at Name before. "": it was not moved
	Before, After Kind
	// Seen is the SHA-256 of the content that was overwritten; zero if nothing was.
	Seen [sha256.Size]byte
	// Data is the content of a file or the target of a link, if it is not what it was.
	Data    []byte
	Written bool
	Mode    fs.FileMode // the permission bits of a file
}

// Effects is what the script did, all in all: each name of the base is in one of
// them. What was made and removed again is not.
func (t *Tree) Effects() ([]Effect, error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	moved := t.moves()
	var out []Effect
	for _, name := range slices.Sorted(maps.Keys(t.nodes)) {
		if _, ok := moved[name]; ok && t.nodes[name].gone {
			continue // told by where it is now
		}
		e, err := t.effect(name, moved)
		if err != nil {
			return nil, fail("read", t.abs(name), err)
		}
		if e != nil {
			out = append(out, *e)
		}
	}
	return out, nil
}

// moves finds, for each name of base from which a file or link was moved to a place
// that was empty, where it is now.
func (t *Tree) moves() map[string]string {
	moved := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(t.nodes)) {
		n := t.nodes[name]
		if n.gone || n.origin == "" || n.origin == name || n.mode.IsDir() {
			continue
		}
		left := t.nodes[n.origin]
		if _, err := t.was(name); !errors.Is(err, fs.ErrNotExist) || left == nil || !left.gone {
			continue
		}
		if was, err := t.was(n.origin); err != nil || kindOf(was.Mode()) != n.kind() {
			continue // another thing was made there, and then moved
		}
		if _, taken := moved[n.origin]; !taken {
			moved[n.origin] = name
		}
	}
	return moved
}

// was is what base has at a name. A name below something that is no folder there, such
// as a link that the script has replaced by one, does not exist.
func (t *Tree) was(name string) (fs.FileInfo, error) {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if i, err := t.base.Lstat(dir); err == nil && !i.IsDir() {
			return nil, fs.ErrNotExist
		}
	}
	return t.base.Lstat(name)
}

func (t *Tree) effect(name string, moved map[string]string) (*Effect, error) {
	n := t.nodes[name]
	e := &Effect{Name: name, After: n.kind()}
	origin := name
	if n.origin != "" && moved[n.origin] == name {
		e.From, origin = n.origin, n.origin
	}
	was, err := t.was(origin)
	switch {
	case err == nil:
		e.Before = kindOf(was.Mode())
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if n.mode.IsRegular() && !n.gone {
		e.Mode = n.mode.Perm()
	}
	switch {
	case e.After == None || e.After == Dir:
	case n.source == origin && e.Before == Plain: // untouched
	case n.source != "":
		if e.Data, err = t.base.ReadFile(n.source); err != nil {
			return nil, err
		}
		e.Written = true
	case e.After == Link && e.From != "" && e.Before == Link:
	default:
		e.Data, e.Written = n.data, true
	}
	if e.Written && e.Before == Plain && n.origin == origin {
		e.Seen = n.seen
	}
	if e.unchanged(was) {
		return nil, nil
	}
	return e, nil
}

// unchanged tells whether nothing is different in the end.
func (e *Effect) unchanged(was fs.FileInfo) bool {
	if e.From != "" || e.Before != e.After {
		return false
	}
	switch e.After {
	case Plain:
		same := !e.Written || e.Seen == sha256.Sum256(e.Data)
		return same && e.Mode == was.Mode().Perm()
	case Link:
		return !e.Written
	}
	return true
}

func (n *node) kind() Kind {
	if n.gone {
		return None
	}
	return kindOf(n.mode)
}

func kindOf(m fs.FileMode) Kind {
	switch {
	case m.IsDir():
		return Dir
	case m&fs.ModeSymlink != 0:
		return Link
	}
	return Plain
}

package tree

import (
	"errors"
	"io/fs"
	"path"
	"strings"
)

// Rename gives a file or folder another name, as rename(2) does: a file at the new
// name is replaced, a folder there must be empty.
func (t *Tree) Rename(from, to string) error {
	p, err := t.resolve(from, false)
	if err != nil {
		return fail("rename", from, err)
	}
	q, err := t.resolve(to, false)
	if err != nil {
		return fail("rename", to, err)
	}
	if err := t.rename(p, q); err != nil {
		return fail("rename", to, err)
	}
	return nil
}

func (t *Tree) rename(p, q string) error {
	what, err := t.lstat(p)
	if err != nil {
		return err
	}
	for _, name := range []string{p, q} {
		if err := t.writable(name); err != nil {
			return err
		}
	}
	switch {
	case p == q:
		return nil
	case strings.HasPrefix(q, p+"/"):
		return ErrInside
	}
	if err := t.isFolder(path.Dir(q)); err != nil {
		return err
	}
	things, err := t.below(p)
	if err != nil {
		return err
	}
	nodes := make([]*node, len(things))
	for i, name := range things {
		if err := t.writable(q + strings.TrimPrefix(name, p)); err != nil {
			return err
		}
		if nodes[i], err = t.nodeOf(name); err != nil {
			return err
		}
	}
	// Last of all that can fail: what is replaced stays if the move is refused.
	if err := t.makeRoom(q, what.IsDir()); err != nil {
		return err
	}
	// Each thing gets a node at the new name and leaves one at the old.
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, name := range things {
		if err := t.put(q+strings.TrimPrefix(name, p), nodes[i]); err != nil {
			return err
		}
		if err := t.put(name, &node{gone: true, origin: name}); err != nil {
			return err
		}
	}
	return nil
}

// makeRoom checks what is at the new name of something, and removes it.
func (t *Tree) makeRoom(q string, forDir bool) error {
	there, err := t.lstat(q)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case there.IsDir() && !forDir:
		return ErrIsDir
	case !there.IsDir() && forDir:
		return ErrNotDir
	case there.IsDir():
		if list, err := t.readDir(q); err != nil || len(list) > 0 {
			return errors.Join(err, ErrNotEmpty)
		}
	case isSpecial(there):
		return ErrSpecial
	}
	return t.drop(q)
}

// isSpecial tells whether something is neither a file nor a folder nor a link.
func isSpecial(i fs.FileInfo) bool {
	return !i.Mode().IsRegular() && !i.IsDir() && i.Mode()&fs.ModeSymlink == 0
}

// below is a relative name and all that is in it, outer names first. A name that may
// not be written is an error: it can be neither moved nor removed.
func (t *Tree) below(rel string) ([]string, error) {
	if err := t.writable(rel); err != nil {
		return nil, err
	}
	i, err := t.lstat(rel)
	if err != nil {
		return nil, err
	}
	out := []string{rel}
	if !i.IsDir() {
		return out, nil
	}
	list, err := t.readDir(rel)
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		more, err := t.below(path.Join(rel, e.Name()))
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

// nodeOf is the node of a thing, or a new one with what base has there; of a folder
// without what is in it.
func (t *Tree) nodeOf(rel string) (*node, error) {
	if n := t.at(rel); n != nil {
		return n, nil
	}
	i, err := t.lstat(rel)
	if err != nil {
		return nil, err
	}
	n := &node{mode: i.Mode(), origin: rel, modified: i.ModTime()}
	switch {
	case i.Mode()&fs.ModeSymlink != 0:
		target, err := t.base.ReadLink(rel)
		if err != nil {
			return nil, err
		}
		n.data = []byte(target)
	case i.Mode().IsRegular():
		n.source, n.size = rel, i.Size()
	case isSpecial(i):
		return nil, ErrSpecial
	}
	return n, nil
}

// Remove removes a file, a link or an empty folder.
func (t *Tree) Remove(name string) error {
	rel, err := t.resolve(name, false)
	if err != nil {
		return fail("remove", name, err)
	}
	if err := t.remove(rel); err != nil {
		return fail("remove", name, err)
	}
	return nil
}

func (t *Tree) remove(rel string) error {
	i, err := t.lstat(rel)
	if err != nil {
		return err
	}
	if err := t.writable(rel); err != nil {
		return err
	}
	switch {
	case i.IsDir():
		if list, err := t.readDir(rel); err != nil || len(list) > 0 {
			return errors.Join(err, ErrNotEmpty)
		}
	case isSpecial(i):
		return ErrSpecial
	}
	return t.drop(rel)
}

// drop makes a name empty.
func (t *Tree) drop(rel string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dirs = map[string]bool{".": true} // one of them may be gone
	return t.put(rel, &node{gone: true, origin: rel})
}

// RemoveAll removes a file or folder with all that is in it.
func (t *Tree) RemoveAll(name string) error {
	rel, err := t.resolve(name, false)
	if err != nil {
		return fail("remove", name, err)
	}
	things, err := t.below(rel)
	if err != nil {
		return fail("remove", name, err)
	}
	for i := len(things) - 1; i >= 0; i-- {
		if err := t.remove(things[i]); err != nil {
			return fail("remove", t.abs(things[i]), err)
		}
	}
	return nil
}

// Copy makes a copy of a file at a name where nothing is, or over the file there. The
// content is not read until it is needed.
func (t *Tree) Copy(from, to string, perm fs.FileMode) error {
	source, err := t.regular(from)
	if err != nil {
		return fail("open", from, err)
	}
	target, err := t.resolve(to, true)
	if err != nil {
		return fail("open", to, err)
	}
	_, err = t.lstat(target)
	if err == nil || t.at(source) != nil || t.at(target) != nil {
		data, err := t.readFile(source)
		if err != nil {
			return fail("open", from, err)
		}
		return t.WriteFile(to, data, perm)
	}
	if err = t.writable(target); err == nil {
		err = t.isFolder(path.Dir(target))
	}
	if err != nil {
		return fail("open", to, err)
	}
	i, err := t.lstat(source)
	if err != nil {
		return fail("open", from, err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err = t.grow(i.Size()); err == nil {
		err = t.put(target, &node{mode: perm.Perm(), source: source, size: i.Size(), modified: t.now()})
	}
	if err != nil {
		return fail("open", to, err)
	}
	return nil
}

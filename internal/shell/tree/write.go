package tree

import (
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"
)

// put gives a relative name a node. The caller holds the lock.
func (t *Tree) put(rel string, n *node) error {
	if t.nodes[rel] == nil {
		if t.most > 0 && len(t.nodes) >= t.most {
			return ErrFull
		}
		dir := path.Dir(rel)
		if t.inside[dir] == nil {
			t.inside[dir] = map[string]bool{}
		}
		t.inside[dir][path.Base(rel)] = true
	}
	t.nodes[rel] = n
	if !n.mode.IsDir() || n.gone {
		delete(t.dirs, rel)
	}
	return nil
}

// grow asks for room. The caller holds the lock.
func (t *Tree) grow(bytes int64) error {
	if t.limit > 0 && t.written+bytes > t.limit {
		return ErrFull
	}
	t.written += bytes
	return nil
}

// writable tells whether something may be made, changed or removed at a relative
// name.
func (t *Tree) writable(rel string) error {
	if rel == "." {
		return fs.ErrPermission
	}
	if k, ok := t.base.(Keeper); ok {
		return k.Writable(rel)
	}
	return nil
}

// File is a file that was opened by OpenFile.
type File struct {
	tree   *Tree
	node   *node  // nil: /dev/null
	name   string // as it was opened
	offset int
	append bool
}

// OpenFile opens a file for writing, or for both: the flags are those of package os.
func (t *Tree) OpenFile(name string, flag int, perm fs.FileMode) (*File, error) {
	if name == null {
		return &File{tree: t}, nil
	}
	rel, err := t.resolve(name, true)
	if err == nil && strings.HasSuffix(name, "/") {
		err = ErrIsDir
	}
	if err == nil {
		err = t.writable(rel)
	}
	if err != nil {
		return nil, fail("open", name, err)
	}
	f := &File{tree: t, name: name, append: flag&os.O_APPEND != 0}
	if f.node, err = t.openNode(rel, flag, perm); err != nil {
		return nil, fail("open", name, err)
	}
	return f, nil
}

// Create opens a file for writing, and makes it if it is not there: at its end, or
// from the start, without what was in it.
func (t *Tree) Create(name string, atEnd bool) (*File, error) {
	if atEnd {
		return t.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	}
	return t.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
}

// openNode makes a node of a file, or finds the one that is there.
func (t *Tree) openNode(rel string, flag int, perm fs.FileMode) (*node, error) {
	i, err := t.lstat(rel)
	switch {
	case errors.Is(err, fs.ErrNotExist) && flag&os.O_CREATE != 0:
		if err := t.isFolder(path.Dir(rel)); err != nil {
			return nil, err
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		n := &node{mode: perm.Perm(), modified: t.now(), origin: t.emptied(rel)}
		return n, t.put(rel, n)
	case err != nil:
		return nil, err
	case i.IsDir():
		return nil, ErrIsDir
	case !i.Mode().IsRegular():
		return nil, ErrSpecial
	case flag&os.O_EXCL != 0:
		return nil, fs.ErrExist
	case i.Mode().Perm()&0o222 == 0:
		return nil, fs.ErrPermission
	}
	return t.ownNode(rel, i, flag&os.O_TRUNC != 0)
}

// emptied is rel if base has a file there that was removed, so that what comes now
// changes it. The caller holds the lock.
func (t *Tree) emptied(rel string) string {
	if n := t.nodes[rel]; n != nil && n.gone {
		return n.origin
	}
	return ""
}

// ownNode is a node with the content of a file in memory.
func (t *Tree) ownNode(rel string, i fs.FileInfo, truncate bool) (*node, error) {
	data, err := t.readFile(rel)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.nodes[rel]
	if n == nil {
		n = &node{mode: i.Mode().Perm(), origin: rel, source: rel, seen: sha256.Sum256(data)}
		if err := t.put(rel, n); err != nil {
			return nil, err
		}
	}
	if n.source != "" {
		if !truncate {
			if err := t.grow(int64(len(data))); err != nil {
				return nil, err
			}
		}
		n.data, n.source = data[:len(data):len(data)], ""
	}
	if truncate {
		n.data = nil
	}
	n.modified = t.now()
	return n, nil
}

// isFolder makes sure that a relative name is a folder.
func (t *Tree) isFolder(rel string) error {
	if t.knownDir(rel) {
		return nil
	}
	i, err := t.lstat(rel)
	switch {
	case err != nil:
		return err
	case !i.IsDir():
		return ErrNotDir
	}
	t.know(rel)
	return nil
}

// Write implements io.Writer.
func (f *File) Write(p []byte) (int, error) {
	if f.node == nil {
		return len(p), nil
	}
	t := f.tree
	t.mu.Lock()
	defer t.mu.Unlock()
	n := f.node
	if f.append {
		f.offset = len(n.data)
	}
	if more := f.offset + len(p) - len(n.data); more > 0 {
		if err := t.grow(int64(more)); err != nil {
			return 0, fail("write", f.name, err)
		}
	}
	for len(n.data) < f.offset {
		n.data = append(n.data, 0)
	}
	// Readers may hold the old bytes: what is overwritten is copied first.
	if f.offset < len(n.data) {
		n.data = append(n.data[:f.offset:f.offset], append(p[:len(p):len(p)], n.data[min(f.offset+len(p), len(n.data)):]...)...)
	} else {
		n.data = append(n.data, p...)
	}
	f.offset += len(p)
	n.modified = t.now()
	return len(p), nil
}

// Read implements io.Reader.
func (f *File) Read(p []byte) (int, error) {
	if f.node == nil {
		return 0, io.EOF
	}
	f.tree.mu.RLock()
	defer f.tree.mu.RUnlock()
	if f.offset >= len(f.node.data) {
		return 0, io.EOF
	}
	n := copy(p, f.node.data[f.offset:])
	f.offset += n
	return n, nil
}

// Close implements io.Closer.
func (f *File) Close() error { return nil }

// WriteFile gives a file new content; it is made if it is not there.
func (t *Tree) WriteFile(name string, data []byte, perm fs.FileMode) error {
	f, err := t.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return err
}

// Touch sets the time of a file or folder, or makes an empty file. The time counts
// for this script only.
func (t *Tree) Touch(name string, create bool) error {
	i, err := t.Stat(name)
	if errors.Is(err, fs.ErrNotExist) && create {
		_, err = t.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o644)
		return err
	}
	if err != nil || i.IsDir() || !i.Mode().IsRegular() {
		return err
	}
	rel, err := t.resolve(name, true)
	if err == nil {
		err = t.writable(rel)
	}
	if err == nil {
		err = t.touch(rel, i, t.now())
	}
	if err != nil {
		return fail("touch", name, err)
	}
	return nil
}

// Chtimes sets the time of a file; that of a folder stays as it is. It counts for this
// script only.
func (t *Tree) Chtimes(name string, modified time.Time) error {
	i, err := t.Stat(name)
	if err != nil || !i.Mode().IsRegular() {
		return err
	}
	rel, err := t.resolve(name, true)
	if err == nil {
		err = t.writable(rel)
	}
	if err == nil {
		err = t.touch(rel, i, modified)
	}
	if err != nil {
		return fail("touch", name, err)
	}
	return nil
}

func (t *Tree) touch(rel string, i fs.FileInfo, modified time.Time) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.nodes[rel]
	if n == nil {
		n = &node{mode: i.Mode().Perm(), origin: rel, source: rel, size: i.Size()}
		if err := t.put(rel, n); err != nil {
			return err
		}
	}
	n.modified = modified
	return nil
}

// Chmod sets the permission bits of a file.
func (t *Tree) Chmod(name string, mode fs.FileMode) error {
	rel, err := t.regular(name)
	if err == nil {
		err = t.writable(rel)
	}
	if err != nil {
		return fail("chmod", name, err)
	}
	i, err := t.lstat(rel)
	if err == nil && i.Mode().Perm() == mode.Perm() {
		return nil
	}
	if err == nil {
		err = t.touch(rel, i, i.ModTime())
	}
	if err != nil {
		return fail("chmod", name, err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.nodes[rel]
	n.mode = n.mode.Type() | mode.Perm()
	return nil
}

// Mkdir makes a folder.
func (t *Tree) Mkdir(name string) error {
	rel, err := t.resolve(name, false)
	if err != nil {
		return fail("mkdir", name, err)
	}
	if _, err := t.lstat(rel); err == nil {
		return fail("mkdir", name, fs.ErrExist)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fail("mkdir", name, err)
	}
	if err := t.writable(rel); err != nil {
		return fail("mkdir", name, err)
	}
	if err := t.isFolder(path.Dir(rel)); err != nil {
		return fail("mkdir", name, err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.put(rel, &node{mode: fs.ModeDir | 0o755, modified: t.now(), origin: t.emptied(rel)}); err != nil {
		return fail("mkdir", name, err)
	}
	return nil
}

// MkdirAll makes a folder and those on the way to it.
func (t *Tree) MkdirAll(name string) error {
	if i, err := t.Stat(name); err == nil {
		if i.IsDir() {
			return nil
		}
		return fail("mkdir", name, fs.ErrExist)
	}
	if _, err := t.Rel(name); err != nil {
		return fail("mkdir", name, err)
	}
	if err := t.MkdirAll(path.Dir(path.Clean(name))); err != nil {
		return err
	}
	return t.Mkdir(name)
}

// Symlink makes a symbolic link.
func (t *Tree) Symlink(target, name string) error {
	rel, err := t.resolve(name, false)
	if err == nil {
		err = t.writable(rel)
	}
	if err == nil {
		if _, there := t.lstat(rel); there == nil {
			err = fs.ErrExist
		} else {
			err = t.isFolder(path.Dir(rel))
		}
	}
	if err != nil {
		return fail("symlink", name, err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.put(rel, &node{mode: fs.ModeSymlink | 0o777, data: []byte(target), modified: t.now(), origin: t.emptied(rel)}); err != nil {
		return fail("symlink", name, err)
	}
	return nil
}

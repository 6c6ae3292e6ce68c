package tree

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// null is the name of the device that is always empty.
const null = "/dev/null"

// info is an fs.FileInfo.
type info struct {
	name     string
	size     int64
	mode     fs.FileMode
	modified time.Time
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return i.mode }
func (i info) ModTime() time.Time { return i.modified }
func (i info) IsDir() bool        { return i.mode.IsDir() }
func (i info) Sys() any           { return nil }

// info tells about a node. The caller holds the lock.
func (n *node) info(name string) fs.FileInfo {
	size := int64(len(n.data))
	if n.source != "" {
		size = n.size
	}
	return info{name: name, size: size, mode: n.mode, modified: n.modified}
}

// Lstat tells what is at a name, without following a link.
func (t *Tree) Lstat(name string) (fs.FileInfo, error) { return t.stat("lstat", name, false) }

// Stat tells what is at a name.
func (t *Tree) Stat(name string) (fs.FileInfo, error) { return t.stat("stat", name, true) }

func (t *Tree) stat(op, name string, follow bool) (fs.FileInfo, error) {
	if i, ok := t.special(name); ok {
		return i, nil
	}
	slash := strings.HasSuffix(name, "/")
	rel, err := t.resolve(name, follow || slash)
	if err != nil {
		return nil, fail(op, name, err)
	}
	i, err := t.lstat(rel)
	if err == nil && slash && !i.IsDir() {
		err = ErrNotDir
	}
	if err != nil {
		return nil, fail(op, name, err)
	}
	return i, nil
}

// special is a file that is not in the folder.
func (t *Tree) special(name string) (fs.FileInfo, bool) {
	if name == null {
		return info{name: "null", mode: fs.ModeDevice | fs.ModeCharDevice | 0o666}, true
	}
	if !strings.HasPrefix(name, tempDir) {
		return nil, false
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	data, ok := t.temp[name]
	return info{name: path.Base(name), size: int64(len(data)), mode: 0o600}, ok
}

// tempDir is where the files of Temp are.
const tempDir = "/dev/fd/"

// Temp keeps data under a name that ends with the script, and returns the name.
func (t *Tree) Temp(data []byte) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	name := fmt.Sprintf("%s%d", tempDir, 63+len(t.temp)) // never one of the streams, 0 to 2
	if err := t.grow(int64(len(data))); err != nil {
		return "", fail("open", name, err)
	}
	t.temp[name] = data
	return name, nil
}

func (t *Tree) lstat(rel string) (fs.FileInfo, error) {
	t.mu.RLock()
	if n := t.nodes[rel]; n != nil {
		defer t.mu.RUnlock()
		if n.gone {
			return nil, fs.ErrNotExist
		}
		return n.info(path.Base(rel)), nil
	}
	// What is in a folder with a node has a node, too: base may have something else
	// there.
	made := rel != "." && t.nodes[path.Dir(rel)] != nil
	t.mu.RUnlock()
	if made {
		return nil, fs.ErrNotExist
	}
	return t.base.Lstat(rel)
}

// ReadLink is what a symbolic link says.
func (t *Tree) ReadLink(name string) (string, error) {
	rel, err := t.resolve(name, false)
	if err == nil {
		var target string
		if target, err = t.readLink(rel); err == nil {
			return target, nil
		}
	}
	return "", fail("readlink", name, err)
}

func (t *Tree) readLink(rel string) (string, error) {
	n := t.at(rel)
	switch {
	case n == nil:
		return t.base.ReadLink(rel)
	case n.gone:
		return "", fs.ErrNotExist
	case n.mode&fs.ModeSymlink == 0:
		return "", fs.ErrInvalid
	}
	return string(n.data), nil
}

// ReadFile is the content of a file. The caller does not change it.
func (t *Tree) ReadFile(name string) ([]byte, error) {
	if _, ok := t.special(name); ok {
		return t.temporary(name), nil
	}
	rel, err := t.regular(name)
	if err == nil {
		var data []byte
		if data, err = t.readFile(rel); err == nil {
			return data, nil
		}
	}
	return nil, fail("open", name, err)
}

func (t *Tree) temporary(name string) []byte {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.temp[name]
}

// regular resolves the name of a file that is to be read.
func (t *Tree) regular(name string) (string, error) {
	rel, err := t.resolve(name, true)
	if err != nil {
		return "", err
	}
	i, err := t.lstat(rel)
	switch {
	case err != nil:
		return "", err
	case i.IsDir():
		return "", ErrIsDir
	case strings.HasSuffix(name, "/"):
		return "", ErrNotDir
	case !i.Mode().IsRegular():
		return "", ErrSpecial
	}
	return rel, nil
}

func (t *Tree) readFile(rel string) ([]byte, error) {
	t.mu.RLock()
	n := t.nodes[rel]
	switch {
	case n == nil:
		t.mu.RUnlock()
		return t.base.ReadFile(rel)
	case n.gone:
		t.mu.RUnlock()
		return nil, fs.ErrNotExist
	case n.source != "":
		source := n.source
		t.mu.RUnlock()
		return t.base.ReadFile(source)
	}
	defer t.mu.RUnlock()
	return n.data[:len(n.data):len(n.data)], nil
}

// Open opens a file for reading. It shows the file as it is now, whatever the script
// writes to it later.
func (t *Tree) Open(name string) (io.ReadCloser, error) {
	if _, ok := t.special(name); ok {
		return io.NopCloser(bytes.NewReader(t.temporary(name))), nil
	}
	rel, err := t.regular(name)
	if err != nil {
		return nil, fail("open", name, err)
	}
	if t.at(rel) == nil {
		f, err := t.base.Open(rel)
		if err != nil {
			return nil, fail("open", name, err)
		}
		return f, nil
	}
	data, err := t.readFile(rel)
	if err != nil {
		return nil, fail("open", name, err)
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

// ReadDir lists a folder, sorted by name. A link to a folder is followed.
func (t *Tree) ReadDir(name string) ([]fs.DirEntry, error) {
	rel, err := t.resolve(name, true)
	if err == nil {
		var list []fs.DirEntry
		if list, err = t.readDir(rel); err == nil {
			return list, nil
		}
	}
	return nil, fail("open", name, err)
}

func (t *Tree) readDir(rel string) ([]fs.DirEntry, error) {
	n := t.at(rel)
	var list []fs.DirEntry
	switch {
	case n != nil && n.gone:
		return nil, fs.ErrNotExist
	case n != nil && !n.mode.IsDir():
		return nil, ErrNotDir
	case n == nil:
		i, err := t.lstat(rel)
		if err != nil {
			return nil, err
		}
		if !i.IsDir() {
			return nil, ErrNotDir
		}
		if list, err = t.base.ReadDir(rel); err != nil {
			return nil, err
		}
	}
	return t.overlaid(rel, list), nil
}

// overlaid is a list of base with the nodes of the folder in it.
func (t *Tree) overlaid(rel string, list []fs.DirEntry) []fs.DirEntry {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if len(t.inside[rel]) == 0 {
		return list
	}
	list = slices.DeleteFunc(slices.Clone(list), func(e fs.DirEntry) bool { return t.nodes[path.Join(rel, e.Name())] != nil })
	for name := range t.inside[rel] {
		if n := t.nodes[path.Join(rel, name)]; !n.gone {
			list = append(list, fs.FileInfoToDirEntry(n.info(name)))
		}
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return list
}

// Package tree is a folder with changes that are not made yet.
//
// A script of the staged shell works on a [Tree]: it reads the folder through a
// [Base] and keeps what it writes, moves and removes in memory. Nothing else can be
// named: the folder is mounted at its own absolute path, and there is nothing around
// it. When the script has ended, [Tree.Effects] says what it did, all in all.
//
//	/home/ann/notes          the root of the tree
//	/home/ann/notes/a.md     of the base, or a node above it
//	/home                    does not exist
//	/dev/null                the one exception: empty to read, and forgets what is written
//
// Symbolic links are followed as long as they stay inside; one that leads out is a
// link to nothing.
package tree

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Base is the folder as it is without the changes: names are relative to it, with
// slashes, "." for the folder itself. It follows no symbolic link in any component.
// What a policy closes does not exist in it.
type Base interface {
	fs.FS
	fs.ReadFileFS
	fs.ReadDirFS  // sorted by name
	fs.ReadLinkFS // ReadLink and Lstat
}

// Keeper is a Base in which not every name may be written.
type Keeper interface {
	// Writable is nil if a file or folder of the name may be made, changed, moved or
	// removed.
	Writable(name string) error
}

// The errors beside those of package fs. All errors of a Tree are of the type
// *fs.PathError.
var (
	ErrIsDir    = errors.New("is a directory")
	ErrNotDir   = errors.New("not a directory")
	ErrNotEmpty = errors.New("directory not empty")
	ErrLoop     = errors.New("too many levels of symbolic links")
	ErrSpecial  = errors.New("not a regular file")
	ErrInside   = errors.New("cannot move a directory into itself")
	// ErrFull: the script writes more than the limit of the tree allows.
	ErrFull = errors.New("no space left: the command writes more than it may")
)

// Tree is a folder with changes. It may be used by several goroutines: the parts of
// a pipeline run side by side. All its names are absolute.
type Tree struct {
	base  Base
	root  string
	limit int64 // bytes that may be written
	most  int   // files and folders that may be changed
	now   func() time.Time

	mu      sync.RWMutex
	nodes   map[string]*node           // what differs from base, by name relative to the root
	inside  map[string]map[string]bool // the names of nodes in a folder
	dirs    map[string]bool            // relative names that are known to be folders, no links
	temp    map[string][]byte
	written int64
}

// node is what is at a name instead of what base has there.
type node struct {
	gone     bool
	mode     fs.FileMode       // type and permission bits
	data     []byte            // of a file without source, or the target of a link
	source   string            // the name in base of which the content is still that; "": data
	size     int64             // of the source
	origin   string            // the name in base that it was moved from, or where it was changed; "": it is new
	seen     [sha256.Size]byte // of the content at origin, once it was overwritten
	modified time.Time
}

// Options are the limits of a tree.
type Options struct {
	Limit int64 // bytes that a script may write; 0: no limit
	Most  int   // files and folders that a script may change; 0: no limit
	Now   func() time.Time
}

// New mounts a folder. root is where it is: absolute, with slashes.
func New(base Base, root string, o Options) *Tree {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Tree{base: base, root: path.Clean(root), limit: o.Limit, most: o.Most, now: o.Now,
		nodes: map[string]*node{}, inside: map[string]map[string]bool{}, dirs: map[string]bool{".": true}, temp: map[string][]byte{}}
}

// Root is the name of the folder.
func (t *Tree) Root() string { return t.root }

// Rel is a name relative to the root. What is not below that does not exist.
func (t *Tree) Rel(name string) (string, error) {
	clean := path.Clean(name)
	if clean == t.root {
		return ".", nil
	}
	below, ok := strings.CutPrefix(clean, strings.TrimSuffix(t.root, "/")+"/")
	if !ok || strings.ContainsRune(name, 0) {
		return "", fs.ErrNotExist
	}
	return below, nil
}

// abs is the opposite of Rel.
func (t *Tree) abs(rel string) string { return path.Join(t.root, rel) }

func fail(op, name string, err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// mostLinks is how many symbolic links one name may lead through.
const mostLinks = 40

// resolve is the relative name of what name means, without a link in any component;
// the last one is followed only if asked for. It need not exist.
func (t *Tree) resolve(name string, follow bool) (string, error) {
	rest, err := t.Rel(name)
	if err != nil {
		return "", err
	}
	if dir := path.Dir(rest); !follow && t.knownDir(dir) {
		return rest, nil
	}
	done := "."
	for links := 0; rest != "." && rest != ""; {
		head, tail, _ := strings.Cut(rest, "/")
		next := path.Join(done, head)
		last := tail == ""
		if last && !follow {
			return next, nil
		}
		if !last && t.knownDir(next) {
			done, rest = next, tail
			continue
		}
		info, err := t.lstat(next)
		switch {
		case err != nil && last && errors.Is(err, fs.ErrNotExist):
			return next, nil
		case err != nil:
			return "", err
		case info.Mode()&fs.ModeSymlink != 0:
			if links++; links > mostLinks {
				return "", ErrLoop
			}
			if rest, err = t.behind(next, tail); err != nil {
				return "", err
			}
			done = "."
			continue
		case !last && !info.IsDir():
			return "", ErrNotDir
		case info.IsDir():
			t.know(next)
		}
		done, rest = next, tail
	}
	return done, nil
}

// behind is the relative name that a link leads to, and the rest behind it.
func (t *Tree) behind(link, rest string) (string, error) {
	target, err := t.readLink(link)
	if err != nil {
		return "", err
	}
	if !path.IsAbs(target) {
		target = path.Join(t.abs(path.Dir(link)), target)
	}
	return t.Rel(path.Join(target, rest))
}

func (t *Tree) knownDir(rel string) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.dirs[rel]
}

func (t *Tree) know(dir string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dirs[dir] = true
}

// at is the node of a relative name, or nil.
func (t *Tree) at(rel string) *node {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.nodes[rel]
}

// changed tells whether anything differs from base.
func (t *Tree) changed() bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.nodes) > 0
}

// Changes is how many files and folders differ from the base.
func (t *Tree) Changes() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.nodes)
}

// Walk visits the folder dir and each one below it once; see [Walker]. Names are
// absolute, without links. A link to a folder is not followed, unless dir is one. If
// visit panics, so does Walk, in the goroutine of its caller.
func (t *Tree) Walk(ctx context.Context, dir string, visit func(worker int, dir string, entries []fs.DirEntry, read ReadFunc) (enter []fs.DirEntry, err error)) error {
	rel, err := t.resolve(dir, true)
	if err != nil {
		return fail("open", dir, err)
	}
	w, ok := t.base.(Walker)
	if !ok || t.changed() {
		return t.walk(ctx, rel, func(worker int, dir string, entries []fs.DirEntry, read ReadFunc) ([]fs.DirEntry, error) {
			return visit(worker, t.abs(dir), entries, read)
		})
	}
	var broken atomic.Value // of type breakdown
	err = w.Walk(ctx, rel, func(worker int, dir string, entries []fs.DirEntry, read ReadFunc) (enter []fs.DirEntry, err error) {
		defer func() {
			if p := recover(); p != nil {
				broken.Store(breakdown{p})
				err = errBroken
			}
		}()
		return visit(worker, t.abs(dir), entries, read)
	})
	if b, ok := broken.Load().(breakdown); ok {
		panic(b.reason)
	}
	return err
}

// breakdown is a panic in another goroutine.
type breakdown struct{ reason any }

var errBroken = errors.New("the visit of a folder broke down")

// ReadFunc reads a file of a folder that is being visited, into buf if it fits.
type ReadFunc = func(name string, buf []byte) ([]byte, error)

// Walker is a Base that goes through many files faster than one by one.
type Walker interface {
	// Walk visits the folder dir and each one below it once, from up to Workers
	// goroutines at the same time and in no order; worker tells which. visit returns
	// the folders to enter.
	Walk(ctx context.Context, dir string, visit func(worker int, dir string, entries []fs.DirEntry, read ReadFunc) (enter []fs.DirEntry, err error)) error
	Workers() int
}

// Workers is one more than the largest worker of a walk.
func (t *Tree) Workers() int {
	if w, ok := t.base.(Walker); ok {
		return w.Workers()
	}
	return 1
}

func (t *Tree) walk(ctx context.Context, dir string, visit func(worker int, dir string, entries []fs.DirEntry, read ReadFunc) ([]fs.DirEntry, error)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	entries, err := t.readDir(dir)
	if err != nil {
		return fail("open", t.abs(dir), err)
	}
	read := func(name string, _ []byte) ([]byte, error) { return t.readFile(path.Join(dir, name)) }
	enter, err := visit(0, dir, entries, read)
	if err != nil {
		return err
	}
	for _, e := range enter {
		if err := t.walk(ctx, path.Join(dir, e.Name()), visit); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

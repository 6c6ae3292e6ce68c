package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Folder is one opened folder. It is safe for use by several goroutines.
type Folder struct {
	root  *os.Root
	names []string // absolute names of the folder: resolved, and as it was opened

	// Step, if set before the folder is used, is called before each step of a
	// write that a crash could cut off. It is for tests.
	Step func(name string)

	own     ownWrites
	watches atomic.Int32 // how many are under way

	commit     chan struct{} // held by the one writer of this process
	lockFile   *os.File      // the folder's own descriptor, for flock
	closing    sync.Once
	closeError error
}

// Open opens an existing folder.
func Open(name string) (*Folder, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return nil, fmt.Errorf("open folder %s: %w", name, err)
	}
	resolved, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return nil, &Error{Code: NotFound, Path: name, Reason: "no such folder", Err: err}
	}
	if info, err := os.Stat(resolved); err != nil || !info.IsDir() {
		return nil, &Error{Code: NotDirectory, Path: name, Reason: "not a folder", Err: err}
	}
	root, err := os.OpenRoot(resolved)
	if err != nil {
		return nil, fmt.Errorf("open folder %s: %w", name, err)
	}
	lockFile, err := openLock(root)
	if err != nil {
		root.Close()
		return nil, fmt.Errorf("open folder %s: %w", name, err)
	}
	f := &Folder{
		root:     root,
		names:    slices.Compact([]string{filepath.ToSlash(resolved), filepath.ToSlash(abs)}),
		commit:   make(chan struct{}, 1),
		lockFile: lockFile,
	}
	return f, nil
}

func (f *Folder) step(name string) {
	if f.Step != nil {
		f.Step(name)
	}
}

// Name is the absolute name of the folder, links resolved.
func (f *Folder) Name() string { return filepath.FromSlash(f.names[0]) }

// Close releases the folder. Calling it again does nothing.
func (f *Folder) Close() error {
	f.closing.Do(func() { f.closeError = errors.Join(f.lockFile.Close(), f.root.Close()) })
	return f.closeError
}

// top opens the folder itself as a dir.
func (f *Folder) top() (*dir, error) {
	return openTop(f.root)
}

// dir opens the directory p without following a link.
func (f *Folder) dir(p Path) (*dir, error) {
	d, err := f.top()
	if err != nil {
		return nil, fail(p, err)
	}
	for _, name := range p.components() {
		sub, err := d.open(name)
		d.Close()
		if err != nil {
			return nil, fail(p, codeError(p, err))
		}
		d = sub
	}
	return d, nil
}

// codeError makes an Error of a bare Code.
func codeError(p Path, err error) error {
	if c, ok := err.(Code); ok {
		return &Error{Code: c, Path: p.String(), Reason: reasons[c]}
	}
	return err
}

var reasons = map[Code]string{
	IsLink:       "a symbolic link; give the name of the file it points to",
	IsDirectory:  "a folder, not a file",
	NotDirectory: "a file, not a folder",
	NotRegular:   "a device, pipe or socket, not a file",
}

// Path reads a path that may be absolute, as long as it is inside the folder.
// Only the spelling is looked at.
func (f *Folder) Path(name string) (Path, error) {
	if filepath.Separator == '\\' { // Windows: both separators are meant
		name = filepath.ToSlash(name)
	}
	if filepath.IsAbs(filepath.FromSlash(name)) || strings.HasPrefix(name, "/") {
		if rel, ok := f.relative(name); ok {
			if rel == "" {
				return Path{}, nil
			}
			return ParsePath(rel)
		}
	}
	return ParsePath(name)
}

// relative cuts the folder's name off an absolute path, by component. What is
// left still has to be parsed.
func (f *Folder) relative(abs string) (string, bool) {
	for _, name := range f.names {
		rest, ok := strings.CutPrefix(abs, name)
		if ok && (rest == "" || rest[0] == '/') {
			return strings.TrimLeft(rest, "/"), true
		}
	}
	return "", false
}

// Resolve turns a name from a person or a model into the path of the file it
// means. Links are followed as long as they stay inside, and the policy is
// asked about the name and about where it leads. The file need not exist.
//
// When the verdict is Ask, the path is returned together with an error that
// Asks recognises.
func (f *Folder) Resolve(name string, policy *Policy, a Access) (Path, error) {
	p, err := f.Path(name)
	if err != nil {
		return Path{}, err
	}
	if v, err := policy.Check(p, a); v == Deny {
		return Path{}, err
	}
	real, err := f.follow(p)
	if err != nil {
		return Path{}, err
	}
	v, err := policy.Check(real, a)
	if v == Allow {
		v, err = policy.Check(p, a)
	}
	switch v {
	case Deny:
		return Path{}, err
	case Ask:
		return real, &askError{err}
	}
	return real, nil
}

type askError struct{ error }

func (e *askError) Unwrap() error { return e.error }

// Asks tells whether err means that the user has to be asked first.
func Asks(err error) bool {
	var ask *askError
	return errors.As(err, &ask)
}

// maxLinks is how many links may lead to one file.
const maxLinks = 40

// follow replaces the links in p by where they lead. It opens nothing outside.
func (f *Folder) follow(p Path) (Path, error) {
	w := linkWalk{folder: f, todo: p.components()}
	defer w.close()
	if err := w.start(); err != nil {
		return Path{}, fail(p, err)
	}
	for len(w.todo) > 0 {
		if err := w.step(); err != nil {
			var e *Error
			if errors.As(err, &e) {
				e.Path = p.String()
			}
			return Path{}, fail(p, codeError(p, err))
		}
	}
	return Path{strings.Join(w.done, "/")}, nil
}

// linkWalk goes down a path and keeps the directories on the way open, for
// links that lead up again.
type linkWalk struct {
	folder  *Folder
	dirs    []*dir // dirs[i] is the directory that done[:i] names
	done    []string
	todo    []string
	linked  int // how many of todo come from the target of a link
	links   int
	missing bool // done names something that does not exist
}

func (w *linkWalk) start() error {
	top, err := w.folder.top()
	if err == nil {
		w.dirs = []*dir{top}
	}
	return err
}

func (w *linkWalk) close() {
	for _, d := range w.dirs {
		d.Close()
	}
}

func (w *linkWalk) up() error {
	if len(w.done) == 0 {
		return outsideByLink()
	}
	w.done = w.done[:len(w.done)-1]
	for len(w.dirs) > len(w.done)+1 {
		w.dirs[len(w.dirs)-1].Close()
		w.dirs = w.dirs[:len(w.dirs)-1]
	}
	return nil
}

func outsideByLink() error {
	return &Error{Code: OutsideFolder, Reason: "a link on the way leads out of the folder"}
}

func (w *linkWalk) step() error {
	name := w.todo[0]
	w.todo = w.todo[1:]
	fromLink := w.linked > 0
	w.linked = max(w.linked-1, 0)
	if name == ".." { // only the target of a link has it
		return w.up()
	}
	if w.missing {
		w.done = append(w.done, name)
		return nil
	}
	if len(w.dirs) <= len(w.done) {
		return NotDirectory
	}
	here := w.dirs[len(w.dirs)-1]
	info, err := here.lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		if same, ok := here.lookalike(name); ok {
			w.todo = append([]string{same}, w.todo...)
			return nil
		}
		if fromLink {
			return &Error{Code: DanglingLink, Reason: "a link to something that does not exist"}
		}
		w.missing = true
		w.done = append(w.done, name)
		return nil
	}
	switch {
	case err != nil:
		return err
	case info.Mode&fs.ModeSymlink != 0:
		return w.link(here, name)
	case info.IsDir() && len(w.todo) > 0:
		sub, err := here.open(name)
		if err != nil {
			return err
		}
		w.dirs = append(w.dirs, sub)
	}
	w.done = append(w.done, name)
	return nil
}

// link puts the components of the link's target before what is left to do.
func (w *linkWalk) link(here *dir, name string) error {
	if w.links++; w.links > maxLinks {
		return &Error{Code: DanglingLink, Reason: "too many links, or a circle of them"}
	}
	target, err := here.readlink(name)
	if err != nil {
		return err
	}
	target = filepath.ToSlash(target)
	if filepath.IsAbs(filepath.FromSlash(target)) || strings.HasPrefix(target, "/") {
		rel, ok := w.folder.relative(filepath.ToSlash(filepath.Clean(target)))
		if !ok {
			return outsideByLink()
		}
		target = rel
		for len(w.done) > 0 {
			if err := w.up(); err != nil {
				return err
			}
		}
	}
	var parts []string
	for part := range strings.SplitSeq(target, "/") {
		if part != "" && part != "." {
			parts = append(parts, part)
		}
	}
	w.todo = append(parts, w.todo...)
	w.linked += len(parts)
	return nil
}

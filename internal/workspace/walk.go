package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Entry is one name in a directory.
type Entry struct {
	Name    string
	Type    fs.FileMode // DirType, LinkType, or 0 for a plain file
	Ignored bool        // an ignore file hides it, or the folder it is in
}

// The types of entries that are not plain files.
const (
	DirType  = fs.ModeDir
	LinkType = fs.ModeSymlink
)

// IsDir tells whether the entry is a folder.
func (e Entry) IsDir() bool { return e.Type.IsDir() }

// IsLink tells whether the entry is a symbolic link. A walk does not follow it.
func (e Entry) IsLink() bool { return e.Type&fs.ModeSymlink != 0 }

// IsFile tells whether the entry is a plain file.
func (e Entry) IsFile() bool { return e.Type == 0 }

// WalkOptions say what a walk passes over. Devices, pipes and sockets are
// never visited.
type WalkOptions struct {
	Under    Path    // where to start; the zero value is the whole folder
	Policy   *Policy // what is closed for reading is not visited; nil visits all
	Unlisted bool    // also visit what the ignore files hide, marked as Ignored
	Depth    int     // how many levels to go down; 0 is all
	// Closed passes over folders that we may not read, instead of failing.
	Closed bool

	temporary bool // also visit our own temporary files
}

// Visited is a directory during its visit. Its methods may be called from
// several goroutines.
type Visited struct {
	Path    Path
	Entries []Entry // sorted by name
	Ignored bool    // an ignore file hides it
	dir     *dir
	job     job      // that led here
	below   *ignorer // for what is in it
}

// Child is the path of an entry.
func (v *Visited) Child(e Entry) Path { return v.Path.child(e.Name) }

// Stat tells about an entry.
func (v *Visited) Stat(e Entry) (Info, error) {
	info, err := v.dir.lstat(e.Name)
	if err != nil {
		p := v.Child(e)
		return Info{}, fail(p, codeError(p, err))
	}
	return info, nil
}

// Read reads an entry's file, into buf if it fits.
func (v *Visited) Read(e Entry, buf []byte) ([]byte, Info, error) {
	data, info, err := v.dir.read(e.Name, buf)
	if err != nil {
		p := v.Child(e)
		return nil, Info{}, fail(p, codeError(p, err))
	}
	return data, info, nil
}

// ReadHead reads an entry's file into buf, up to its length. The file goes on
// behind that if Info has a larger size.
func (v *Visited) ReadHead(e Entry, buf []byte) ([]byte, Info, error) {
	data, info, err := v.dir.readHead(e.Name, buf)
	if err != nil {
		p := v.Child(e)
		return nil, Info{}, fail(p, codeError(p, err))
	}
	return data, info, nil
}

// Open opens an entry's file for reading in parts. The caller closes it.
func (v *Visited) Open(e Entry) (*os.File, Info, error) {
	file, info, err := v.dir.openRead(e.Name)
	if err != nil {
		p := v.Child(e)
		return nil, Info{}, fail(p, codeError(p, err))
	}
	return file, info, nil
}

// Walk visits every directory once, from several goroutines at the same time
// and in no order. worker is 0 up to Workers()-1 and never the same in two
// calls at once, so that visit can keep a buffer for each. A directory that
// cannot be opened is skipped when it has gone meanwhile; any other error is
// returned once the walk has ended. An error from visit ends the walk; a folder
// that visit takes out of Entries is not entered.
func (f *Folder) Walk(ctx context.Context, o WalkOptions, visit func(worker int, v *Visited) error) error {
	return f.walk(&walk{ctx: ctx, options: o, visit: visit})
}

func (f *Folder) walk(w *walk) error {
	o := w.options
	if v, err := o.Policy.Check(o.Under, Reading); v == Deny {
		return err
	}
	start, err := f.dir(o.Under)
	if err != nil {
		return err
	}
	w.wake = sync.NewCond(&w.mu)
	w.push(job{dir: start, path: o.Under, ignore: f.ignorersAbove(o)})
	var wg sync.WaitGroup
	for i := range Workers() {
		wg.Go(func() { w.work(i) })
	}
	wg.Wait()
	if w.err != nil {
		return w.err
	}
	return errors.Join(w.skipped...)
}

// Workers is the number of goroutines of a walk.
func Workers() int { return max(2, runtime.GOMAXPROCS(0)) }

// Ignored tells whether an ignore file hides p, which need not exist, or a
// folder on the way to it.
func (f *Folder) Ignored(p Path, isDir bool) bool {
	var ig *ignorer
	at, names := Path{}, p.components()
	for i, name := range names {
		if d, err := f.dir(at); err == nil {
			ig = ig.below(at, d.ignoreRules(ignoreFiles))
			d.Close()
		}
		if ig.ignores(at, name, isDir || i < len(names)-1) {
			return true
		}
		at = at.child(name)
	}
	return false
}

// ignorersAbove collects the ignore files of the folders above the start.
func (f *Folder) ignorersAbove(o WalkOptions) *ignorer {
	var ig *ignorer
	at := Path{}
	for _, name := range o.Under.components() {
		if d, err := f.dir(at); err == nil {
			ig = ig.below(at, d.ignoreRules(ignoreFiles))
			d.Close()
		}
		at = at.child(name)
	}
	return ig
}

// job is a directory yet to be visited. Its handle is open if the queue was
// short, so that a deep tree does not hold every directory open.
type job struct {
	dir    *dir
	parent *dirRef
	path   Path
	ignore *ignorer
	hidden bool // by an ignore file
	depth  int
	stamp  Stamp // of the directory before it was listed, if the walk asks for known ones
}

// dirRef counts the jobs that still need a directory to open their own from.
type dirRef struct {
	dir  *dir
	uses atomic.Int32
}

func (r *dirRef) release() {
	if r != nil && r.uses.Add(-1) == 0 {
		r.dir.Close()
	}
}

type walk struct {
	ctx     context.Context
	options WalkOptions
	visit   func(int, *Visited) error
	// known tells what is in a directory that need not be listed nor visited, as
	// Visited has it. nil knows none.
	known func(job, *dir) (entries []Entry, below *ignorer, ok bool)

	mu      sync.Mutex
	wake    *sync.Cond
	queue   []job
	active  int
	err     error
	skipped []error
}

func (w *walk) push(jobs ...job) {
	w.mu.Lock()
	w.queue = append(w.queue, jobs...)
	w.mu.Unlock()
	w.wake.Broadcast()
}

// next takes the newest job, so that the walk goes deep before it goes wide.
func (w *walk) next() (job, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.queue) == 0 && w.active > 0 {
		w.wake.Wait()
	}
	if len(w.queue) == 0 {
		return job{}, false
	}
	j := w.queue[len(w.queue)-1]
	w.queue = w.queue[:len(w.queue)-1]
	w.active++
	return j, true
}

func (w *walk) done(err error) {
	w.mu.Lock()
	if err != nil && w.err == nil {
		w.err = err
	}
	w.active--
	w.mu.Unlock()
	w.wake.Broadcast()
}

func (w *walk) stopped() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err != nil
}

func (w *walk) skip(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.skipped = append(w.skipped, err)
}

func (w *walk) work(worker int) {
	for {
		j, ok := w.next()
		if !ok {
			return
		}
		w.done(w.do(worker, j))
	}
}

func (w *walk) do(worker int, j job) error {
	d, err := j.dir, error(nil)
	if d == nil {
		d, err = j.parent.dir.open(j.path.Base())
		j.parent.release()
	}
	if err == nil && w.stopped() {
		return d.Close()
	}
	if err == nil {
		err = w.ctx.Err()
		if err != nil {
			d.Close()
			return err
		}
	}
	if err == nil && w.known != nil {
		if info, err := d.lstat("."); err == nil {
			j.stamp = info.Stamp
			if dirs, below, ok := w.known(j, d); ok {
				ref := &dirRef{dir: d}
				ref.uses.Store(1)
				w.descend(ref, j, dirs, below)
				ref.release()
				return nil
			}
		}
	}
	var entries []fs.DirEntry
	if err == nil {
		if entries, err = d.entries(); err != nil {
			d.Close()
		}
	}
	if err != nil {
		closed := w.options.Closed && errors.Is(err, fs.ErrPermission)
		if !closed && !errors.Is(err, fs.ErrNotExist) && err != IsLink && err != NotDirectory { // gone or swapped meanwhile
			w.skip(fail(j.path, err))
		}
		return nil
	}
	return w.enter(worker, j, d, entries)
}

// enter visits d and queues the directories in it.
func (w *walk) enter(worker int, j job, d *dir, found []fs.DirEntry) error {
	ref := &dirRef{dir: d}
	ref.uses.Store(1)
	defer ref.release()

	ignore := j.ignore.below(j.path, d.ignoreRules(presentIn(found)))
	v := &Visited{Path: j.path, Entries: w.keep(j, ignore, found), Ignored: j.hidden, dir: d, job: j, below: ignore}
	if err := w.visit(worker, v); err != nil {
		return err
	}
	w.descend(ref, j, v.Entries, ignore)
	return nil
}

// descend queues the directories among the entries.
func (w *walk) descend(ref *dirRef, j job, entries []Entry, ignore *ignorer) {
	if w.options.Depth > 0 && j.depth+1 >= w.options.Depth {
		return
	}
	var jobs []job
	for _, e := range entries {
		if e.IsDir() {
			ref.uses.Add(1)
			jobs = append(jobs, job{parent: ref, path: j.path.child(e.Name), ignore: ignore, hidden: e.Ignored, depth: j.depth + 1})
		}
	}
	if len(jobs) > 0 {
		slices.Reverse(jobs)
		w.push(jobs...)
	}
}

// keep sorts the entries and leaves out what the options close.
func (w *walk) keep(j job, ignore *ignorer, found []fs.DirEntry) []Entry {
	entries := make([]Entry, 0, len(found))
	for _, e := range found {
		t := e.Type()
		if t != 0 && t != fs.ModeDir && t != fs.ModeSymlink || !w.options.temporary && isTempName(e.Name()) {
			continue
		}
		hidden := j.hidden || ignore.ignores(j.path, e.Name(), t == fs.ModeDir)
		if hidden && !w.options.Unlisted || !w.options.Policy.shows(j.path, e.Name()) {
			continue
		}
		entries = append(entries, Entry{e.Name(), t, hidden})
	}
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return entries
}

// presentIn is the part of ignoreFiles that a directory has.
func presentIn(found []fs.DirEntry) []string {
	var present []string
	for _, name := range ignoreFiles {
		if slices.ContainsFunc(found, func(e fs.DirEntry) bool { return e.Name() == name }) {
			present = append(present, name)
		}
	}
	return present
}

// ignoreRules reads ignore files of d; one that cannot be read hides nothing.
func (d *dir) ignoreRules(names []string) []ignoreRule {
	var rules []ignoreRule
	for _, name := range names {
		if data, _, err := d.read(name, nil); err == nil {
			rules = append(rules, parseIgnore(data)...)
		}
	}
	return rules
}

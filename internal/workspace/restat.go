package workspace

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Delta is what Restat found.
type Delta struct {
	Changed []Path // new, or with another stamp, or too fresh to tell
	Removed []Path
	Files   int // how many files there are
}

// Restat looks at every file and link that the options let through, brings c up
// to date and returns what differs. Files that did not change keep their hash.
//
// A folder whose own times are the same has the same names in it, and is not
// listed again; that its files are the same has to be seen at each of them.
func (f *Folder) Restat(ctx context.Context, c *StatCache, o WalkOptions) (Delta, error) {
	r := &restat{
		old: c, now: time.Now().UnixNano(), next: make(map[Path]*cachedDir, len(c.dirs)),
		scratch: make([]cachedDir, Workers()),
	}
	w := &walk{ctx: ctx, options: o, visit: r.visit, known: r.known}
	if o.Policy != c.by.Policy || o.Unlisted != c.by.Unlisted || o.temporary != c.by.temporary {
		r.anew = true
	}
	if err := f.walk(w); err != nil {
		return Delta{}, err
	}
	for p, old := range c.dirs {
		switch {
		case !p.Within(o.Under) && r.anew:
			again := *old
			again.listed = false
			r.next[p] = &again
		case !p.Within(o.Under):
			r.next[p] = old
		case r.next[p] != nil:
			r.removed(p, old, r.next[p].names)
		default:
			r.removed(p, old, nil)
		}
	}
	c.dirs, c.by = r.next, o
	slices.SortFunc(r.delta.Changed, Path.Compare)
	slices.SortFunc(r.delta.Removed, Path.Compare)
	return r.delta, nil
}

// restat is one look at everything.
type restat struct {
	old     *StatCache
	now     int64 // when it began, in nanoseconds
	anew    bool  // what was known was seen with other options
	scratch []cachedDir

	mu    sync.Mutex
	next  map[Path]*cachedDir
	delta Delta
}

// removed notes the names that are there no more.
func (r *restat) removed(p Path, old *cachedDir, names []string) {
	if len(names) == len(old.names) && (len(names) == 0 || &names[0] == &old.names[0]) {
		return
	}
	for _, name := range old.names {
		if _, ok := slices.BinarySearch(names, name); !ok {
			r.delta.Removed = append(r.delta.Removed, p.child(name))
		}
	}
}

func (r *restat) found(p Path, d *cachedDir, changed []Path) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.next[p] = d
	r.delta.Changed = append(r.delta.Changed, changed...)
	r.delta.Files += len(d.names)
}

// same tells whether a file is what it was, and all that has to be known of it is.
func (r *restat) same(was, is CachedFile) bool {
	if was.Info.Stamp != is.Info.Stamp || was.Info.Mode != is.Info.Mode || was.Racy {
		return false
	}
	return !was.Hash.IsZero() || r.old.Kept == nil || !r.old.Kept(is)
}

// known looks at the files of a folder that has the same names in it as before.
// A system that has no numbers for directories does not tell enough about them.
func (r *restat) known(j job, d *dir) ([]Entry, *ignorer, bool) {
	old := r.old.dirs[j.path]
	if r.anew || old == nil || !old.listed || old.racy || old.stamp != j.stamp || j.stamp.Inode == 0 || old.above != j.ignore || old.ignored != j.hidden {
		return nil, nil, false
	}
	next := old
	var changed []Path
	for i, name := range old.names {
		info, err := d.lstat(name)
		if err != nil || info.IsDir() {
			return nil, nil, false // gone meanwhile
		}
		was := &old.files[i]
		if r.same(*was, CachedFile{Info: info, Ignored: was.Ignored}) {
			continue
		}
		if slices.Contains(ignoreFiles, name) {
			return nil, nil, false // it may hide other files now
		}
		if next == old {
			again := *old
			again.files = slices.Clone(old.files)
			next = &again
		}
		next.files[i] = CachedFile{Info: info, Ignored: was.Ignored, Racy: info.Stamp.racy(r.now)}
		changed = append(changed, j.path.child(name))
	}
	r.found(j.path, next, changed)
	return next.dirs, next.below, true
}

// visit looks at the files of a folder that had to be listed.
func (r *restat) visit(worker int, v *Visited) error {
	old := r.old.dirs[v.Path]
	if old == nil {
		old = &cachedDir{}
	}
	d := &cachedDir{
		ignored: v.Ignored, listed: true, stamp: v.job.stamp, racy: v.job.stamp.racy(r.now), above: v.job.ignore, below: v.below,
	}
	buf := &r.scratch[worker]
	names, files := buf.names[:0], buf.files[:0]
	var changed []Path
	at := 0 // both lists are sorted: go along the old one
	for _, e := range v.Entries {
		if e.IsDir() {
			d.dirs = append(d.dirs, e)
			continue
		}
		info, err := v.Stat(e)
		if err != nil || info.IsDir() {
			continue // gone meanwhile
		}
		file := CachedFile{Info: info, Ignored: e.Ignored, Racy: info.Stamp.racy(r.now)}
		for at < len(old.names) && old.names[at] < e.Name {
			at++
		}
		if at < len(old.names) && old.names[at] == e.Name && r.same(old.files[at], file) {
			file.Hash = old.files[at].Hash
		} else {
			changed = append(changed, v.Child(e))
		}
		names, files = append(names, e.Name), append(files, file)
	}
	buf.names, buf.files = names, files
	d.names, d.files = old.names, old.files
	if !slices.Equal(names, old.names) {
		d.names = slices.Clone(names)
	}
	if len(changed) > 0 || !slices.Equal(files, old.files) {
		d.files = slices.Clone(files)
	}
	r.found(v.Path, d, changed)
	return nil
}

package workspace

import (
	"context"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"redline/internal/text"
)

// StatCache remembers what every file looked like, so that finding what has
// changed costs a look at each file and not a reading.
type StatCache struct {
	dirs map[Path]*cachedDir
}

type cachedDir struct {
	names   []string // sorted
	files   []CachedFile
	ignored bool
}

// All yields what the cache knows, in no order, for keeping it elsewhere.
func (c *StatCache) All() iter.Seq2[Path, CachedFile] {
	return func(yield func(Path, CachedFile) bool) {
		for dir, d := range c.dirs {
			for i, name := range d.names {
				if !yield(dir.child(name), d.files[i]) {
					return
				}
			}
		}
	}
}

// Fill makes the cache know what All once yielded. Files that have changed
// since show as changed in the next Restat.
func (c *StatCache) Fill(files map[Path]CachedFile) {
	c.dirs = map[Path]*cachedDir{}
	paths := slices.SortedFunc(maps.Keys(files), Path.Compare)
	for _, p := range paths {
		dir := p.Parent()
		d := c.dirs[dir]
		if d == nil {
			d = &cachedDir{ignored: true} // unless a file in it is listed
			c.dirs[dir] = d
		}
		d.ignored = d.ignored && files[p].Ignored
		d.names = append(d.names, p.Base())
		d.files = append(d.files, files[p])
	}
}

// Dirs yields the folders that have been looked at and that no ignore file
// hides, in no order.
func (c *StatCache) Dirs() iter.Seq[Path] {
	return func(yield func(Path) bool) {
		for p, d := range c.dirs {
			if !d.ignored && !yield(p) {
				return
			}
		}
	}
}

// CachedFile is what is known of one file.
type CachedFile struct {
	Info    Info
	Hash    text.Hash // zero until somebody read the file and told
	Ignored bool      // an ignore file hides it
	// Racy: the file was so fresh when it was looked at that a later change
	// might not show in its times. Its content has to be read again.
	Racy bool
}

// Delta is what Restat found.
type Delta struct {
	Changed []Path // new, or with another stamp, or too fresh to tell
	Removed []Path
	Files   int // how many files there are
}

// racyWindow is the coarsest clock of a file system that we trust.
const racyWindow = 20 * time.Millisecond

// Get is what is known of p.
func (c *StatCache) Get(p Path) (CachedFile, bool) {
	d := c.dirs[p.Parent()]
	if d == nil {
		return CachedFile{}, false
	}
	i, ok := slices.BinarySearch(d.names, p.Base())
	if !ok {
		return CachedFile{}, false
	}
	return d.files[i], true
}

// Refresh records what p was when it was read, whatever it was when it was last
// looked at.
func (c *StatCache) Refresh(p Path, info Info, hash text.Hash) {
	d := c.dirs[p.Parent()]
	if d == nil {
		return
	}
	if i, ok := slices.BinarySearch(d.names, p.Base()); ok {
		if d.files[i].Info.Stamp != info.Stamp {
			d.files[i].Racy = true // it moves: look again next time
		}
		d.files[i].Info, d.files[i].Hash = info, hash
	}
}

// Restat looks at every file and link that the options let through, brings c up
// to date and returns what differs. Files that did not change keep their hash.
func (f *Folder) Restat(ctx context.Context, c *StatCache, o WalkOptions) (Delta, error) {
	var mu sync.Mutex
	next := make(map[Path]*cachedDir, len(c.dirs))
	var delta Delta
	now := time.Now()
	err := f.Walk(ctx, o, func(_ int, v *Visited) error {
		d, changed := restatDir(v, c.dirs[v.Path], now)
		mu.Lock()
		defer mu.Unlock()
		next[v.Path] = d
		delta.Changed = append(delta.Changed, changed...)
		delta.Files += len(d.names)
		return nil
	})
	if err != nil {
		return Delta{}, err
	}
	for p, old := range c.dirs {
		if !p.Within(o.Under) {
			next[p] = old
			continue
		}
		d := next[p]
		for _, name := range old.names {
			if d == nil || !d.has(name) {
				delta.Removed = append(delta.Removed, p.child(name))
			}
		}
	}
	c.dirs = next
	slices.SortFunc(delta.Changed, Path.Compare)
	slices.SortFunc(delta.Removed, Path.Compare)
	return delta, nil
}

func (d *cachedDir) has(name string) bool {
	_, ok := slices.BinarySearch(d.names, name)
	return ok
}

func restatDir(v *Visited, old *cachedDir, now time.Time) (*cachedDir, []Path) {
	d := &cachedDir{ignored: v.Ignored, names: make([]string, 0, len(v.Entries)), files: make([]CachedFile, 0, len(v.Entries))}
	var changed []Path
	at := 0 // both lists are sorted: go along the old one
	for _, e := range v.Entries {
		if e.IsDir() {
			continue
		}
		info, err := v.Stat(e)
		if err != nil || info.IsDir() {
			continue // gone meanwhile
		}
		file := CachedFile{Info: info, Ignored: e.Ignored, Racy: now.UnixNano()-max(info.Stamp.Modified, info.Stamp.Changed) < int64(racyWindow)}
		for old != nil && at < len(old.names) && old.names[at] < e.Name {
			at++
		}
		same := false
		if old != nil && at < len(old.names) && old.names[at] == e.Name {
			was := old.files[at]
			if same = was.Info.Stamp == info.Stamp && was.Info.Mode == info.Mode && !was.Racy; same {
				file.Hash = was.Hash
			}
		}
		if !same {
			changed = append(changed, v.Child(e))
		}
		d.names = append(d.names, e.Name)
		d.files = append(d.files, file)
	}
	return d, changed
}

package workspace

import (
	"iter"
	"slices"
	"time"

	"redline/internal/text"
)

// StatCache remembers what every file looked like, so that finding what has
// changed costs a look at each file and not a reading.
//
// A copy of a StatCache is what it was when the copy was made, whatever Restat
// does to the other: they share the folders in which nothing has changed.
type StatCache struct {
	// Kept tells whether the content of a file is to be known. One of which
	// nobody has told the hash is then told as changed, however unchanged it
	// looks. nil: none.
	Kept func(CachedFile) bool

	dirs map[Path]*cachedDir
	by   WalkOptions // what the last look at all of it passed over
}

// cachedDir is a folder as it was at one look. It does not change once Restat has
// returned and what it told was refreshed.
type cachedDir struct {
	names   []string // of what is not a folder, sorted
	files   []CachedFile
	ignored bool

	// What follows is known only of a folder that this process has listed.
	listed bool
	dirs   []Entry // the folders in it
	stamp  Stamp   // before it was listed
	racy   bool    // so fresh then that a later change might not show in its times
	above  *ignorer
	below  *ignorer
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

// All yields what the cache knows, in no order.
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

// HasDir tells whether Dirs yields p.
func (c *StatCache) HasDir(p Path) bool {
	d := c.dirs[p]
	return d != nil && !d.ignored
}

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
// looked at. p must be one of those that the last Restat told as changed.
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

const (
	// racyWindow is the coarsest clock of a file system that we trust.
	racyWindow = 20 * time.Millisecond
	// coarseWindow is for file systems that count in seconds.
	coarseWindow = 2 * time.Second
)

// racy tells whether something that looked like s at a time, in nanoseconds,
// could have changed since without looking different.
func (s Stamp) racy(now int64) bool {
	window := racyWindow
	if s.Changed != 0 && s.Changed%int64(time.Second) == 0 {
		window = coarseWindow
	}
	return now-max(s.Modified, s.Changed) < int64(window)
}

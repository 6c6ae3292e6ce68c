package search

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"redline/internal/workspace"
)

// finds collects what is found, from several goroutines. With a limit it keeps
// the first hits by path, and one more as the proof that there are more; files
// behind those need not be searched. So the outcome is the same in whatever
// order the files come.
type finds struct {
	most int // hits to keep; 0 means all
	tell func(File)

	mu       sync.Mutex
	files    []File
	hits     int
	next     int // the number of hits at which files are dropped again
	searched atomic.Int64
	skipped  []Skipped
	bound    atomic.Pointer[workspace.Path] // the last file that matters
}

// add takes a file that was searched. Without hits it only counts.
func (f *finds) add(file File) {
	f.searched.Add(1)
	if len(file.Hits) == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.tell != nil {
		f.tell(file)
	}
	f.files = append(f.files, file)
	f.hits += len(file.Hits)
	if f.most > 0 && f.hits > max(f.most, f.next) {
		f.drop()
		f.next = 2 * f.hits
	}
}

// drop sorts the files and leaves out those behind the first most+1 hits.
func (f *finds) drop() {
	slices.SortFunc(f.files, func(a, b File) int { return a.Path.Compare(b.Path) })
	if f.most == 0 {
		return
	}
	hits := 0
	for i := range f.files {
		hits += len(f.files[i].Hits)
		if hits > f.most {
			last := f.files[i].Path // its place in files will be another's
			f.files, f.hits = f.files[:i+1], hits
			f.bound.Store(&last)
			return
		}
	}
}

// passed tells whether what is at p, a file or folder, does not matter any more.
func (f *finds) passed(p workspace.Path) bool {
	bound := f.bound.Load()
	return bound != nil && p.Compare(*bound) > 0
}

func (f *finds) skip(p workspace.Path, why Reason) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.skipped = append(f.skipped, Skipped{p, why})
}

// skipError notes a folder that cannot be opened.
func (f *finds) skipError(err error) {
	var e *workspace.Error
	if !errors.As(err, &e) {
		return
	}
	var p workspace.Path
	if p.UnmarshalText([]byte(e.Path)) == nil {
		f.skip(p, Unreadable)
	}
}

// result is what was found, once nothing is added any more.
func (f *finds) result() *Result {
	f.drop()
	r := &Result{Files: f.files, Searched: int(f.searched.Load()), Skipped: f.skipped}
	if f.most > 0 && f.hits > f.most {
		last := &r.Files[len(r.Files)-1]
		last.Hits = last.Hits[:len(last.Hits)-(f.hits-f.most)]
		last.More, r.More = true, true
		bound := last.Path
		r.Skipped = slices.DeleteFunc(r.Skipped, func(s Skipped) bool { return s.Path.Compare(bound) > 0 })
		if len(last.Hits) == 0 {
			r.Files = r.Files[:len(r.Files)-1]
		}
		r.Searched = 0
	}
	for _, file := range r.Files {
		r.More = r.More || file.More
	}
	slices.SortFunc(r.Skipped, func(a, b Skipped) int { return a.Path.Compare(b.Path) })
	return r
}

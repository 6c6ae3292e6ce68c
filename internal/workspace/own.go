package workspace

import (
	"context"
	"io/fs"
	"sync"

	"redline/internal/text"
)

// noHash stands for content that was not looked at.
var noHash text.Hash

// ownWrites remembers how this process left each file, so that the watcher can
// tell its echo from somebody else's work. It goes by what is on the disk, not
// by when the event comes.
type ownWrites struct {
	mu   sync.Mutex
	left map[Path]leftAs
}

type leftAs struct {
	gone  bool
	mode  fs.FileMode
	stamp Stamp
	hash  text.Hash // noHash: moved and not read, the stamp must do
}

func (o *ownWrites) set(p Path, l leftAs) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.left == nil {
		o.left = map[Path]leftAs{}
	}
	o.left[p] = l
}

func (o *ownWrites) wrote(p Path, info Info, hash text.Hash) {
	o.set(p, leftAs{mode: info.Mode.Type(), stamp: info.Stamp, hash: hash})
}

// moved records what is at p now that it was moved there, and all below it.
func (f *Folder) moved(p Path, info Info) {
	f.own.wrote(p, info, noHash)
	if !info.IsDir() || f.watches.Load() == 0 {
		return
	}
	// What cannot be looked at is told by the watch as somebody else's.
	_ = f.Walk(context.Background(), WalkOptions{Under: p, Unlisted: true}, func(_ int, v *Visited) error {
		for _, e := range v.Entries {
			if info, err := v.Stat(e); err == nil {
				f.own.wrote(v.Child(e), info, noHash)
			}
		}
		return nil
	})
}

func (o *ownWrites) removed(p Path) { o.set(p, leftAs{gone: true}) }

// forget drops p: it is no longer as this process left it.
func (o *ownWrites) forget(p Path) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.left, p)
}

func (o *ownWrites) get(p Path) (leftAs, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	l, ok := o.left[p]
	return l, ok
}

// isOwn tells whether p is still exactly as this process left it.
func (f *Folder) isOwn(p Path) bool {
	l, ok := f.own.get(p)
	if !ok {
		return false
	}
	info, err := f.Stat(p)
	switch {
	case l.gone:
		return CodeOf(err) == NotFound
	case err != nil || info.Mode.Type() != l.mode:
		return false
	case info.IsDir():
		return true
	case info.Stamp.Inode != l.stamp.Inode || info.Size != l.stamp.Size:
		return false
	case l.hash == noHash:
		return info.Stamp.sameContent(l.stamp)
	}
	s, err := f.Read(p)
	return err == nil && s.Hash == l.hash
}

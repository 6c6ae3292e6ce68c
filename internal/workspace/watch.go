package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Event is something that another program did to the folder.
type Event struct {
	Path   Path
	Exists bool // false: it is gone
	IsDir  bool
	// Rescan: events were lost, or come faster than they can be told. Anything
	// below Path may have changed.
	Rescan bool
}

// WatchOptions tune a watch.
type WatchOptions struct {
	Policy *Policy
	Quiet  time.Duration // how long a path must be quiet before it is told; 0 means 100 ms
}

const (
	defaultQuiet = 100 * time.Millisecond
	maxPending   = 10_000 // paths waiting to be told, before a rescan is asked for
)

// Watch tells what other programs change until ctx ends. What this Folder
// itself writes is left out: an event is its echo when the file on disk still
// has the inode, size and content that it was given, however late the event
// comes. The batches are sorted by path. tell is called from one goroutine.
func (f *Folder) Watch(ctx context.Context, o WatchOptions, tell func([]Event)) error {
	if o.Quiet == 0 {
		o.Quiet = defaultQuiet
	}
	fsw, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch %s: %w", f.Name(), err)
	}
	defer fsw.Close()
	f.watches.Add(1)
	defer f.watches.Add(-1)
	w := &watch{folder: f, options: o, fsw: fsw, watched: map[Path]bool{}, pending: map[Path]time.Time{}}
	if err := w.add(ctx, Path{}); err != nil {
		return err
	}
	return w.run(ctx, tell)
}

type watch struct {
	folder  *Folder
	options WatchOptions
	fsw     *fsnotify.Watcher
	watched map[Path]bool      // the directories that fsw watches
	pending map[Path]time.Time // when each path last moved
	lost    bool
}

// add watches the directory p and all below it. Files that are already there
// are events: they may have come before the watch did.
func (w *watch) add(ctx context.Context, p Path) error {
	var dirs, files []Path
	list, err := w.folder.List(ctx, WalkOptions{Under: p, Policy: w.options.Policy})
	if c := CodeOf(err); c == NotFound || c == NotDirectory || c == IsLink {
		return nil
	}
	dirs = append(dirs, p)
	for _, l := range list {
		if l.IsDir() {
			dirs = append(dirs, l.Path)
		} else {
			files = append(files, l.Path)
		}
	}
	for _, d := range dirs {
		if err := w.fsw.Add(w.name(d)); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if errors.Is(err, syscall.ENOSPC) {
				return fmt.Errorf("watch %s: the system's limit of watched folders is reached; raise fs.inotify.max_user_watches: %w", d, err)
			}
			return fmt.Errorf("watch %s: %w", d, err)
		}
		w.watched[d] = true
	}
	if !p.IsRoot() {
		for _, file := range append(files, dirs[1:]...) {
			w.pending[file] = time.Now()
		}
	}
	return nil
}

// drop ends the watches of a directory that has another name now, or is gone,
// and of those below it: the system would go on telling their old names.
func (w *watch) drop(p Path) {
	if !w.watched[p] {
		return
	}
	for d := range w.watched {
		if d.Within(p) {
			_ = w.fsw.Remove(w.name(d)) // gone already when the directory is
			delete(w.watched, d)
		}
	}
}

func (w *watch) name(p Path) string {
	return filepath.Join(w.folder.Name(), filepath.FromSlash(p.String()))
}

func (w *watch) run(ctx context.Context, tell func([]Event)) error {
	tick := time.NewTicker(w.options.Quiet / 2)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case e, ok := <-w.fsw.Events:
			if !ok {
				return nil
			}
			if err := w.note(ctx, e); err != nil {
				return err
			}
		case err, ok := <-w.fsw.Errors:
			if !ok {
				return nil
			}
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				return fmt.Errorf("watch %s: %w", w.folder.Name(), err)
			}
			w.lost = true
		case <-tick.C:
			if w.lost { // folders may have come of which nothing was told
				if err := w.add(ctx, Path{}); err != nil {
					return err
				}
			}
			if events := w.ripe(); len(events) > 0 {
				tell(events)
			}
		}
	}
}

// note remembers that a path moved.
func (w *watch) note(ctx context.Context, e fsnotify.Event) error {
	rel, err := filepath.Rel(w.folder.Name(), e.Name)
	if err != nil || rel == "." {
		return nil
	}
	p := Path{filepath.ToSlash(rel)}
	if isTempName(p.Base()) {
		return nil
	}
	if v, _ := w.options.Policy.Check(p, Reading); v == Deny {
		return nil
	}
	w.pending[p] = time.Now()
	if len(w.pending) > maxPending {
		w.lost = true
	}
	if e.Has(fsnotify.Rename) || e.Has(fsnotify.Remove) {
		w.drop(p)
	}
	if e.Has(fsnotify.Create) {
		if info, err := w.folder.Stat(p); err == nil && info.IsDir() {
			return w.add(ctx, p)
		}
	}
	return nil
}

// ripe takes out the paths that have been quiet long enough and makes events
// of those that others changed.
func (w *watch) ripe() []Event {
	if w.lost {
		w.lost = false
		clear(w.pending)
		return []Event{{Rescan: true, Exists: true, IsDir: true}}
	}
	var events []Event
	for p, last := range w.pending {
		if time.Since(last) < w.options.Quiet {
			continue
		}
		delete(w.pending, p)
		if w.folder.isOwn(p) {
			continue
		}
		w.folder.own.forget(p)
		info, err := w.folder.Stat(p)
		events = append(events, Event{Path: p, Exists: err == nil, IsDir: err == nil && info.IsDir()})
	}
	slices.SortFunc(events, func(a, b Event) int { return a.Path.Compare(b.Path) })
	return events
}

package workspace

import (
	"context"
	"errors"
	"io/fs"
	"slices"
)

// Found is what a double has at a path where something may have been done.
type Found struct {
	Path    Path
	Exists  bool
	Mode    fs.FileMode // type and permission bits
	Size    int64
	Ignored bool // an ignore file hides it, and all that is in it
	// Bare: of a folder, nothing is in it but what else was found.
	Bare bool
}

// gitFiles change with every commit, checkout, add or reset.
var gitFiles = [...]string{".git/HEAD", ".git/index", ".git/logs/HEAD", ".git/packed-refs"}

// GitStamps differ if git was at work in between.
type GitStamps [len(gitFiles)]Stamp

// unseen are the names that no command's changes are looked for in.
var unseen = Without(".git", ".redline")

// Seal remembers what the double looks like before a command uses it.
func (d *Double) Seal(ctx context.Context) error {
	if d.layer {
		return nil
	}
	copied, err := Open(d.name)
	if err != nil {
		return err
	}
	defer copied.Close()
	d.git = copied.GitStamps()
	_, err = copied.Restat(ctx, &d.before, WalkOptions{Unlisted: true, Closed: true, Policy: unseen})
	return err
}

// Changed is what may have been done to the double since it was sealed, by path, and
// whether git was at work. What is not found is as it was.
func (d *Double) Changed(ctx context.Context) (found []Found, git bool, err error) {
	if d.layer {
		found, git, err = d.inLayer()
	} else {
		found, git, err = d.inCopy(ctx)
	}
	slices.SortFunc(found, func(a, b Found) int { return a.Path.Compare(b.Path) })
	return found, git, err
}

// Read reads what was found at p: the content of a file, or the target of a link.
func (d *Double) Read(p Path) ([]byte, error) {
	info, err := d.root.Lstat(at(p))
	if err != nil {
		return nil, fail(p, err)
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := d.root.Readlink(at(p))
		return []byte(target), fail(p, err)
	case info.Mode().IsRegular():
		data, err := d.root.ReadFile(at(p))
		return data, fail(p, err)
	}
	return nil, &Error{Code: NotRegular, Path: p.String()}
}

// GitStamps are those of the files that tell whether git was at work.
func (f *Folder) GitStamps() (stamps GitStamps) {
	for i, name := range gitFiles {
		if info, err := f.Stat(MustPath(name)); err == nil {
			stamps[i] = info.Stamp
		}
	}
	return stamps
}

// inCopy compares the copy with what it was.
func (d *Double) inCopy(ctx context.Context) (found []Found, git bool, err error) {
	copied, err := Open(d.name)
	if errors.Is(err, NotFound) || errors.Is(err, fs.ErrNotExist) { // the command has deleted the folder it works in
		for p, file := range d.before.All() {
			found = append(found, Found{Path: p, Ignored: file.Ignored})
		}
		for p := range d.before.Dirs() {
			if !p.IsRoot() {
				found = append(found, Found{Path: p})
			}
		}
		return found, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	defer copied.Close()
	after := d.before // Restat leaves the other copy alone
	delta, err := copied.Restat(ctx, &after, WalkOptions{Unlisted: true, Closed: true, Policy: unseen})
	if err != nil {
		return nil, false, err
	}
	for _, p := range delta.Changed {
		if file, ok := after.Get(p); ok {
			found = append(found, Found{Path: p, Exists: true, Mode: file.Info.Mode, Size: file.Info.Size, Ignored: file.Ignored})
		}
	}
	for _, p := range delta.Removed {
		if !after.HasDir(p) {
			file, _ := d.before.Get(p)
			found = append(found, Found{Path: p, Ignored: file.Ignored})
		}
	}
	for p := range after.Dirs() {
		if !d.before.HasDir(p) {
			found = append(found, Found{Path: p, Exists: true, Mode: fs.ModeDir})
		}
	}
	for p := range d.before.Dirs() {
		_, file := after.Get(p)
		if !after.HasDir(p) && !file {
			found = append(found, Found{Path: p})
		}
	}
	return found, copied.GitStamps() != d.git, nil
}

// inLayer looks at all that is in the layer.
func (d *Double) inLayer() (found []Found, git bool, err error) {
	err = fs.WalkDir(d.root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		p := pathOf(name)
		switch {
		case err != nil && errors.Is(err, fs.ErrPermission):
			found = append(found, Found{Path: p, Exists: true, Mode: fs.ModeDir, Ignored: true}) // the command has closed it
			return fs.SkipDir
		case err != nil:
			return fail(p, err)
		case p.IsRoot():
			return nil
		}
		if verdict, _ := unseen.Check(p, Reading); verdict == Deny {
			git = git || d.gitIn(p, e)
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return fail(p, err)
		}
		if isWhiteout(info) {
			found = append(found, Found{Path: p})
			return nil
		}
		if !info.IsDir() && !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0 {
			return nil // a pipe or socket, which nobody keeps
		}
		f := Found{Path: p, Exists: true, Mode: info.Mode(), Size: info.Size(), Ignored: d.folder.Ignored(p, info.IsDir())}
		f.Bare = info.IsDir() && isOpaque(d.root, at(p))
		found = append(found, f)
		if info.IsDir() && f.Ignored {
			return fs.SkipDir
		}
		return nil
	})
	for _, p := range d.put {
		if _, statErr := d.root.Lstat(at(p)); statErr != nil {
			found = append(found, Found{Path: p})
		}
	}
	return found, git, err
}

// gitIn tells whether p, in the layer, is git's own folder with something in it that
// shows git at work, or what became of it.
func (d *Double) gitIn(p Path, e fs.DirEntry) bool {
	if p != MustPath(".git") {
		return false
	}
	return !e.IsDir() || isOpaque(d.root, at(p)) || slices.ContainsFunc(gitFiles[:], func(name string) bool {
		_, err := d.root.Lstat(at(MustPath(name)))
		return err == nil
	})
}

package ops

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sync"
	"time"

	"redline/internal/ledger"
	"redline/internal/workspace"
)

// View is the folder as the turn sees it at one moment, for a command that works on a
// copy in memory: an fs.FS and more, that follows no link. What the policy closes does
// not exist in it. What the command did is then brought to the turn by [Desk.Enact].
type View struct {
	desk   *Desk
	ctx    context.Context
	staged map[workspace.Path]ledger.Staged // where it differs from the disk
	inside map[workspace.Path][]workspace.Path
}

// View is how the turn sees the folder now. It is good as long as ctx lasts, and until
// the turn changes something.
func (d *Desk) View(ctx context.Context) *View {
	v := &View{desk: d, ctx: ctx, staged: map[workspace.Path]ledger.Staged{}, inside: map[workspace.Path][]workspace.Path{}}
	for _, s := range d.turn.Staged() {
		v.staged[s.Path] = s
		v.inside[s.Path.Parent()] = append(v.inside[s.Path.Parent()], s.Path)
	}
	return v
}

// Root is the absolute name of the folder.
func (d *Desk) Root() string { return d.folder.Name() }

// Changes is how many calls have changed something in the turn. A view that is older
// than the last of them is not good any more.
func (d *Desk) Changes() int { return d.turn.Changes() }

// path is a name of an fs.FS as a path that may be read.
func (v *View) path(op, name string) (workspace.Path, error) {
	if !fs.ValidPath(name) {
		return workspace.Path{}, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	p, err := workspace.ParsePath(name)
	if err != nil {
		return p, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	if verdict, _ := v.desk.policy.Check(p, workspace.Reading); verdict != workspace.Allow {
		return p, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	return p, nil
}

// Writable tells whether the policy lets a name be made, changed, moved or removed. A
// folder with something in it that is closed stays where it is: the command cannot
// see that, so it would be left behind.
func (v *View) Writable(name string) error {
	p, err := workspace.ParsePath(name)
	if err == nil {
		err = v.writable(p)
	}
	if err != nil {
		return &fs.PathError{Op: "write", Path: name, Err: denied{err}}
	}
	return nil
}

// denied is a refusal in the words of commands.
type denied struct{ why error }

func (d denied) Error() string { return "Permission denied: " + d.why.Error() }
func (d denied) Unwrap() error { return d.why }

func (v *View) writable(p workspace.Path) error {
	switch verdict, err := v.desk.policy.Check(p, workspace.Writing); {
	case verdict == workspace.Ask && approved(v.ctx):
	case verdict != workspace.Allow:
		return err
	}
	if info, err := v.desk.folder.Stat(p); err != nil || !info.IsDir() {
		return nil // a staged folder has nothing in it that is closed
	}
	closed := false
	err := v.desk.folder.Walk(v.ctx, workspace.WalkOptions{Under: p, Unlisted: true, Closed: true, Depth: 1}, func(_ int, d *workspace.Visited) error {
		for _, e := range d.Entries {
			child := &entry{dir: p, name: e.Name}
			if verdict, _ := v.desk.policy.Check(child.path(), workspace.Reading); verdict != workspace.Allow || child.path().IsRoot() {
				closed = true
			}
		}
		return nil
	})
	if closed {
		return fmt.Errorf("%s holds files that are closed to tools, hidden or like secrets, so it stays where it is", p)
	}
	return err
}

// plain is an error of the folder in the words of package fs.
func plain(op, name string, err error) error {
	switch workspace.CodeOf(err) {
	case workspace.NotFound, workspace.DanglingLink, workspace.NotDirectory, workspace.IsLink, workspace.OutsideFolder:
		err = fs.ErrNotExist
	case workspace.Permission:
		err = fs.ErrPermission
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// Lstat tells what is at a name.
func (v *View) Lstat(name string) (fs.FileInfo, error) {
	p, err := v.path("lstat", name)
	if err != nil {
		return nil, err
	}
	if s, ok := v.staged[p]; ok {
		return v.stagedInfo(p, s)
	}
	info, err := v.desk.folder.Stat(p)
	if err != nil {
		return nil, plain("lstat", name, err)
	}
	return fileInfo{name: path.Base(name), info: info}, nil
}

func (v *View) stagedInfo(p workspace.Path, s ledger.Staged) (fs.FileInfo, error) {
	info := workspace.Info{Mode: s.Mode.Perm()}
	switch s.Kind {
	case ledger.None:
		return nil, &fs.PathError{Op: "lstat", Path: p.String(), Err: fs.ErrNotExist}
	case ledger.Dir:
		info.Mode = fs.ModeDir | 0o755
	default:
		if s.Kind == ledger.Link {
			info.Mode = fs.ModeSymlink | 0o777
		}
		data, err := v.desk.turn.StagedContent(v.ctx, s)
		if err != nil {
			return nil, plain("lstat", p.String(), err)
		}
		info.Size = int64(len(data))
	}
	return fileInfo{name: p.Base(), info: info}, nil
}

// Stat is Lstat: no link is followed.
func (v *View) Stat(name string) (fs.FileInfo, error) { return v.Lstat(name) }

// ReadLink is what a symbolic link says.
func (v *View) ReadLink(name string) (string, error) {
	p, err := v.path("readlink", name)
	if err != nil {
		return "", err
	}
	if s, ok := v.staged[p]; ok {
		if s.Kind != ledger.Link {
			return "", &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
		}
		target, err := v.desk.turn.StagedContent(v.ctx, s)
		return string(target), err
	}
	target, err := v.desk.folder.Readlink(p)
	if err != nil {
		return "", plain("readlink", name, err)
	}
	return target, nil
}

// ReadFile is the content of a file.
func (v *View) ReadFile(name string) ([]byte, error) {
	p, err := v.path("open", name)
	if err != nil {
		return nil, err
	}
	if s, ok := v.staged[p]; ok {
		return v.stagedFile(name, s)
	}
	snapshot, err := v.desk.folder.Read(p)
	if err != nil {
		return nil, plain("open", name, err)
	}
	return snapshot.Data, nil
}

func (v *View) stagedFile(name string, s ledger.Staged) ([]byte, error) {
	if s.Kind != ledger.File {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	data, err := v.desk.turn.StagedContent(v.ctx, s)
	if err != nil {
		return nil, plain("open", name, err)
	}
	return data, nil
}

// Open opens a file for reading.
func (v *View) Open(name string) (fs.File, error) {
	p, err := v.path("open", name)
	if err != nil {
		return nil, err
	}
	if s, ok := v.staged[p]; ok {
		data, err := v.stagedFile(name, s)
		if err != nil {
			return nil, err
		}
		info, err := v.stagedInfo(p, s)
		if err != nil {
			return nil, err
		}
		return &stagedFile{bytes.NewReader(data), info}, nil
	}
	f, _, err := v.desk.folder.Open(p)
	if err != nil {
		return nil, plain("open", name, err)
	}
	return f, nil
}

// stagedFile is an open file that is not on the disk.
type stagedFile struct {
	*bytes.Reader
	info fs.FileInfo
}

func (f *stagedFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *stagedFile) Close() error               { return nil }

// ReadDir lists a folder, sorted by name.
func (v *View) ReadDir(name string) ([]fs.DirEntry, error) {
	p, err := v.path("open", name)
	if err != nil {
		return nil, err
	}
	if s, ok := v.staged[p]; ok && s.Kind != ledger.Dir {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	var list []fs.DirEntry
	err = v.desk.folder.Walk(v.ctx, workspace.WalkOptions{Under: p, Policy: v.desk.policy, Unlisted: true, Depth: 1}, func(_ int, d *workspace.Visited) error {
		list = v.entries(d.Path, d.Entries)
		return nil
	})
	if _, staged := v.staged[p]; staged && missing(err) {
		err = nil // the disk has no folder there, or something else
	}
	if err != nil {
		return nil, plain("open", name, err)
	}
	if len(v.inside[p]) == 0 {
		return list, nil
	}
	return v.overlaid(p, list), nil
}

// missing tells whether an error says that there is no such folder on the disk.
func missing(err error) bool {
	switch workspace.CodeOf(err) {
	case workspace.NotFound, workspace.NotDirectory, workspace.IsLink, workspace.DanglingLink:
		return true
	}
	return false
}

// overlaid is a list of the disk with what is staged in the folder.
func (v *View) overlaid(p workspace.Path, list []fs.DirEntry) []fs.DirEntry {
	list = slices.DeleteFunc(list, func(e fs.DirEntry) bool { _, ok := v.staged[e.(*entry).path()]; return ok })
	for _, child := range v.inside[p] {
		s := v.staged[child]
		if !s.Exists() {
			continue
		}
		if verdict, _ := v.desk.policy.Check(child, workspace.Reading); verdict != workspace.Allow {
			continue
		}
		e := &entry{view: v, dir: p, name: child.Base()}
		switch s.Kind {
		case ledger.Dir:
			e.mode = fs.ModeDir
		case ledger.Link:
			e.mode = fs.ModeSymlink
		}
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return list
}

// Workers is one more than the largest worker of Walk.
func (v *View) Workers() int { return workspace.Workers() }

// visitor is told of a folder during a walk: its entries, and what reads a file of it,
// into buf if it fits. It returns the folders to enter.
type visitor = func(worker int, dir string, entries []fs.DirEntry, read func(name string, buf []byte) ([]byte, error)) (enter []fs.DirEntry, err error)

// Walk visits the folder dir and each one below it once, from several goroutines at the
// same time and in no order.
func (v *View) Walk(ctx context.Context, dir string, visit visitor) error {
	p, err := v.path("open", dir)
	if err != nil {
		return err
	}
	if _, ok := v.staged[p]; ok {
		return v.walkStaged(ctx, dir, visit)
	}
	w := &walk{view: v, visit: visit}
	err = v.desk.folder.Walk(ctx, workspace.WalkOptions{Under: p, Policy: v.desk.policy, Unlisted: true, Closed: true}, w.folder)
	if workspace.CodeOf(err) != "" {
		return plain("open", dir, err)
	}
	for _, dir := range w.staged {
		if err != nil {
			break
		}
		err = v.walkStaged(ctx, dir, visit)
	}
	return err
}

// walk is a walk over the disk, with what is staged in the place of what is there.
type walk struct {
	view  *View
	visit visitor

	mu     sync.Mutex
	staged []string // folders to enter that are not on the disk
}

func (w *walk) folder(worker int, d *workspace.Visited) error {
	v := w.view
	list := v.entries(d.Path, d.Entries)
	overlaid := len(v.inside[d.Path]) > 0
	if overlaid {
		list = v.overlaid(d.Path, list)
	}
	read := func(name string, buf []byte) ([]byte, error) {
		file := path.Join(d.Path.String(), name)
		if overlaid {
			if p, err := workspace.ParsePath(file); err == nil && v.staged[p].Exists() {
				return v.stagedFile(file, v.staged[p])
			}
		}
		data, _, err := d.Read(workspace.Entry{Name: name}, buf)
		if err != nil {
			return nil, plain("open", file, err)
		}
		return data, nil
	}
	enter, err := w.visit(worker, d.Path.String(), list, read)
	if err != nil {
		return err
	}
	d.Entries = d.Entries[:0:0]
	for _, e := range enter {
		child := entry{dir: d.Path, name: e.Name()}
		if _, ok := v.staged[child.path()]; overlaid && ok {
			w.mu.Lock()
			w.staged = append(w.staged, path.Join(d.Path.String(), e.Name()))
			w.mu.Unlock()
			continue
		}
		d.Entries = append(d.Entries, workspace.Entry{Name: e.Name(), Type: workspace.DirType})
	}
	return nil
}

// walkStaged is a walk of a folder that is not on the disk, or not as it is there.
func (v *View) walkStaged(ctx context.Context, dir string, visit visitor) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	list, err := v.ReadDir(dir)
	if err != nil {
		return err
	}
	enter, err := visit(0, dir, list, func(name string, _ []byte) ([]byte, error) { return v.ReadFile(path.Join(dir, name)) })
	if err != nil {
		return err
	}
	for _, e := range enter {
		if err := v.walkStaged(ctx, path.Join(dir, e.Name()), visit); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// entries are the entries of a folder as those of package fs. What has a name that no
// path can have, such as one with a line break, is left out: nothing could be done
// with it.
func (v *View) entries(dir workspace.Path, list []workspace.Entry) []fs.DirEntry {
	all := make([]entry, len(list))
	out := make([]fs.DirEntry, 0, len(list))
	for i, e := range list {
		all[i] = entry{view: v, dir: dir, name: e.Name, mode: e.Type}
		if usual(e.Name) || !all[i].path().IsRoot() {
			out = append(out, &all[i])
		}
	}
	return out
}

// usual tells whether a name is surely a good one: letters, digits, and "-", "." and "_"
// behind the first of them. It is for speed.
func usual(name string) bool {
	for i := range len(name) {
		switch c := name[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case i > 0 && (c == '-' || c == '.' || c == '_'):
		default:
			return false
		}
	}
	return name != ""
}

// entry is an fs.DirEntry.
type entry struct {
	view *View
	dir  workspace.Path
	name string
	mode fs.FileMode
}

// path is the path of the entry; the zero Path if no path can have the name.
func (e *entry) path() workspace.Path {
	p, _ := workspace.ParsePath(path.Join(e.dir.String(), e.name))
	return p
}

func (e *entry) Name() string      { return e.name }
func (e *entry) IsDir() bool       { return e.mode.IsDir() }
func (e *entry) Type() fs.FileMode { return e.mode }
func (e *entry) Info() (fs.FileInfo, error) {
	return e.view.Lstat(path.Join(e.dir.String(), e.name))
}

// fileInfo is an fs.FileInfo.
type fileInfo struct {
	name string
	info workspace.Info
}

func (i fileInfo) Name() string       { return i.name }
func (i fileInfo) Size() int64        { return i.info.Size }
func (i fileInfo) Mode() fs.FileMode  { return i.info.Mode }
func (i fileInfo) ModTime() time.Time { return time.Unix(0, i.info.Stamp.Modified) }
func (i fileInfo) IsDir() bool        { return i.info.IsDir() }
func (i fileInfo) Sys() any           { return nil }

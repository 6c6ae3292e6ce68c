package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"
)

// Double stands in for the folder while a command runs: a copy of it or, where the
// system can mount one over the other, a layer that holds only what differs.
type Double struct {
	folder *Folder
	name   string   // of the copy or the layer
	root   *os.Root // of the same
	layer  bool
	put    []Path    // by the caller: a layer does not tell when they are gone
	before StatCache // of a copy
	git    GitStamps
}

// CopyLimit is how much of a folder is copied.
type CopyLimit struct {
	Bytes int64
	Files int
}

// TooLarge is the code for a folder that is over the limit of a copy.
const TooLarge Code = "too_large"

// Copy makes a double: everything that is in the folder, with modes and times, in an
// empty folder outside of it. What the file system can hold twice without copying it
// does not count as bytes. Redline's own folder, devices and what cannot be read are
// left out.
func (f *Folder) Copy(ctx context.Context, name string, limit CopyLimit) (*Double, error) {
	d, err := f.newDouble(name, false)
	if err != nil {
		return nil, err
	}
	c := &copying{double: d, limit: limit}
	err = f.Walk(ctx, WalkOptions{Unlisted: true, Closed: true, Policy: Without(".redline")}, c.visit)
	if err == nil {
		err = c.finish()
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func (f *Folder) newDouble(name string, layer bool) (*Double, error) {
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	d := &Double{folder: f, name: name, root: root, layer: layer}
	d.dress(Path{})
	return d, nil
}

// Close releases the double; it stays where it is.
func (d *Double) Close() error { return d.root.Close() }

// Name is where the double is.
func (d *Double) Name() string { return d.name }

// dress gives a folder of the double the mode and owner that it has in the folder
// itself, as far as we may.
func (d *Double) dress(p Path) {
	mode := fs.FileMode(0o755)
	if info, err := d.folder.Stat(p); err == nil && info.IsDir() {
		mode = info.Mode.Perm()
		_ = d.root.Lchown(at(p), info.uid, info.gid)
	}
	_ = d.root.Chmod(at(p), mode)
}

// at is the name of a path for the system.
func at(p Path) string { return filepath.FromSlash(p.String()) }

// copying is a copy in the making.
type copying struct {
	double *Double
	limit  CopyLimit
	files  atomic.Int64
	bytes  atomic.Int64
}

// visit copies the files of one folder. Folders stay open for writing until all are
// there.
func (c *copying) visit(_ int, v *Visited) error {
	if err := c.double.root.MkdirAll(at(v.Path), 0o700); err != nil {
		return fail(v.Path, err)
	}
	for _, e := range v.Entries {
		if e.IsDir() {
			continue
		}
		if n := c.files.Add(1); n > int64(c.limit.Files) {
			return &Error{Code: TooLarge, Path: ".", Reason: fmt.Sprintf("the folder has more than %d files", c.limit.Files)}
		}
		err := c.entry(v, e)
		if errors.Is(err, NotFound) || errors.Is(err, Permission) {
			continue // gone meanwhile, or closed to us
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *copying) entry(v *Visited, e Entry) error {
	p := v.Child(e)
	if e.IsLink() {
		target, err := c.double.folder.Readlink(p)
		if err != nil {
			return err
		}
		return fail(p, c.double.root.Symlink(target, at(p)))
	}
	from, info, err := v.Open(e)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := c.double.root.OpenFile(at(p), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fail(p, err)
	}
	err = c.content(to, from, info)
	if err == nil {
		_ = to.Chown(info.uid, info.gid) // only root may
		err = to.Chmod(info.Mode.Perm())
	}
	if err = errors.Join(err, to.Close()); err != nil {
		return fail(p, err)
	}
	// Programs such as make go by the times.
	return fail(p, c.double.root.Chtimes(at(p), time.Time{}, time.Unix(0, info.Stamp.Modified)))
}

// content gives a file the content of another one, shared if the file system can.
func (c *copying) content(to, from *os.File, info Info) error {
	if reflink(to, from) == nil {
		return nil
	}
	if c.bytes.Add(info.Size) > c.limit.Bytes {
		return &Error{Code: TooLarge, Path: ".", Reason: fmt.Sprintf("the folder has more than %d MB", c.limit.Bytes>>20)}
	}
	_, err := io.Copy(to, from)
	return err
}

// finish gives the folders their modes and times.
func (c *copying) finish() error {
	d := c.double
	var dirs []Path
	err := fs.WalkDir(d.root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			dirs = append(dirs, pathOf(name))
		}
		return err
	})
	for i := len(dirs) - 1; i >= 0 && err == nil; i-- { // inner ones first
		d.dress(dirs[i])
		if info, statErr := d.folder.Stat(dirs[i]); statErr == nil {
			_ = d.root.Chtimes(at(dirs[i]), time.Time{}, time.Unix(0, info.Stamp.Modified))
		}
	}
	return err
}

// pathOf is the path of a name that a walk of a file system tells.
func pathOf(name string) Path {
	if name == "." {
		return Path{}
	}
	return Path{name}
}

// Put makes p a file, a folder or a link in the double, whatever is there, by the
// type in mode. data is the content or the target.
func (d *Double) Put(p Path, mode fs.FileMode, data []byte) error {
	if err := d.parents(p); err != nil {
		return err
	}
	d.put = append(d.put, p)
	name := at(p)
	info, err := d.root.Lstat(name)
	if mode.IsDir() {
		if err == nil && !info.IsDir() {
			err = errors.Join(d.root.Remove(name), fs.ErrNotExist)
		}
		if errors.Is(err, fs.ErrNotExist) {
			if err = d.root.Mkdir(name, 0o755); err == nil {
				d.dress(p)
			}
		}
		return fail(p, err)
	}
	if err == nil {
		if err := d.root.RemoveAll(name); err != nil {
			return fail(p, err)
		}
	}
	if mode&fs.ModeSymlink != 0 {
		return fail(p, d.root.Symlink(string(data), name))
	}
	if err := d.root.WriteFile(name, data, 0o600); err != nil {
		return fail(p, err)
	}
	return fail(p, d.root.Chmod(name, mode.Perm()))
}

// parents makes the folders on the way to p.
func (d *Double) parents(p Path) error {
	parent := p.Parent()
	if _, err := d.root.Lstat(at(parent)); parent.IsRoot() || err == nil {
		return nil
	}
	if err := d.parents(parent); err != nil {
		return err
	}
	if err := d.root.Mkdir(at(parent), 0o755); err != nil {
		return fail(parent, err)
	}
	d.dress(parent)
	return nil
}

// Remove makes p be gone in the double, with all that is in it.
func (d *Double) Remove(p Path) error {
	if info, err := d.root.Lstat(at(p.Parent())); err == nil && !info.IsDir() {
		return nil // what held it is gone
	}
	if err := d.root.RemoveAll(at(p)); err != nil {
		return fail(p, err)
	}
	if _, err := d.folder.Stat(p); !d.layer || err != nil {
		return nil // there is nothing below to hide
	}
	if err := d.parents(p); err != nil {
		return err
	}
	return fail(p, whiteout(d.root, at(p)))
}

package workspace

import (
	"errors"
	"io/fs"

	"redline/internal/text"
)

// Readlink is the target of the symbolic link p, as it is written there.
func (f *Folder) Readlink(p Path) (string, error) {
	var target string
	err := f.at(p, func(d *dir, name string) (err error) {
		target, err = d.root.Readlink(name)
		return err
	})
	return target, err
}

// Symlink puts back a symbolic link at p, with the folders on the way to it. It
// is for links that were there before: nothing is ever opened through one.
func (f *Folder) Symlink(target string, p Path) error {
	if _, err := f.makeDirs(p.Parent()); err != nil {
		return withPath(p, err)
	}
	return f.at(p, func(d *dir, name string) error { return d.root.Symlink(target, name) })
}

// Withdraw removes the file p, or the link p to a target with that hash. It is
// for taking back what the caller made and still holds: anything else there is
// a conflict.
func (f *Folder) Withdraw(p Path, hash text.Hash) error {
	return f.at(p, func(d *dir, name string) error {
		content, err := d.contentOf(name)
		if errors.Is(err, fs.ErrNotExist) {
			return &Error{Code: Conflict, Path: p.String(), Reason: "the file is gone"}
		}
		if err != nil {
			return err
		}
		if text.Sum(content) != hash {
			return &Error{Code: Conflict, Path: p.String(), Reason: "the file has changed"}
		}
		if err := d.root.Remove(name); err != nil {
			return err
		}
		f.own.removed(p)
		return nil
	})
}

// contentOf is what a file holds, or where a link leads.
func (d *dir) contentOf(name string) ([]byte, error) {
	info, err := d.lstat(name)
	if err != nil {
		return nil, err
	}
	if info.Mode&fs.ModeSymlink != 0 {
		target, err := d.root.Readlink(name)
		return []byte(target), err
	}
	data, _, err := d.read(name, nil)
	return data, err
}

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
		target, err = d.readlink(name)
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
	return f.at(p, func(d *dir, name string) error { return d.symlink(target, name) })
}

// Withdraw removes the file p, or the link p to a target with that hash. It is
// for taking back what the caller made and still holds: anything else there is
// a conflict.
func (f *Folder) Withdraw(p Path, hash text.Hash) error {
	return f.at(p, func(d *dir, name string) error {
		_, content, err := d.look(name)
		if errors.Is(err, fs.ErrNotExist) {
			return &Error{Code: Conflict, Path: p.String(), Reason: "the file is gone"}
		}
		if err != nil {
			return err
		}
		if text.Sum(content) != hash {
			return &Error{Code: Conflict, Path: p.String(), Reason: "the file has changed"}
		}
		if err := d.remove(name); err != nil {
			return err
		}
		f.own.removed(p)
		return nil
	})
}

// look tells about name, with the content of a file or the target of a link.
func (d *dir) look(name string) (Info, []byte, error) {
	data, info, err := d.read(name, nil) // most things are files: try that first
	if err == nil {
		return info, data, nil
	}
	info, statErr := d.lstat(name)
	switch {
	case statErr != nil:
		return Info{}, nil, statErr
	case info.IsDir():
		return info, nil, nil
	case info.Mode&fs.ModeSymlink != 0:
		target, err := d.readlink(name)
		return info, []byte(target), err
	}
	return Info{}, nil, err
}

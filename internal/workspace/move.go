package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

func readOnlyFile() error {
	return &Error{Code: Permission, Reason: "the file is read-only; make it writable first"}
}

// MakeDir creates the folder p, and those on the way to it. It returns the
// ones that were not there, outermost first.
func (f *Folder) MakeDir(p Path) ([]Path, error) {
	if info, err := f.Stat(p); err == nil {
		if info.IsDir() {
			return nil, &Error{Code: Exists, Path: p.String(), Reason: "the folder exists"}
		}
		return nil, &Error{Code: Exists, Path: p.String(), Reason: "a file with that name exists"}
	}
	made, err := f.makeDirs(p)
	if err != nil {
		return nil, errors.Join(withPath(p, err), f.unmake(made))
	}
	return made, nil
}

// makeDirs creates p and its parents where they are missing. On an error it
// returns what it had made.
func (f *Folder) makeDirs(p Path) ([]Path, error) {
	var made []Path
	d, err := f.top()
	if err != nil {
		return nil, fail(p, err)
	}
	defer func() { d.Close() }()
	at := Path{}
	for _, name := range p.components() {
		at = at.child(name)
		sub, err := d.open(name)
		if errors.Is(err, fs.ErrNotExist) {
			if err = d.mkdir(name); err == nil {
				made = append(made, at)
				f.own.wrote(at, Info{Mode: fs.ModeDir}, noHash)
				sub, err = d.open(name)
			}
		}
		if err != nil {
			return made, fail(p, codeError(p, err))
		}
		d.Close()
		d = sub
	}
	return made, nil
}

// unmake removes the folders that makeDirs made, the inner ones first.
func (f *Folder) unmake(made []Path) error {
	var errs []error
	for _, p := range slices.Backward(made) {
		errs = append(errs, f.RemoveDir(p))
	}
	return errors.Join(errs...)
}

// RemoveDir removes the folder p, which must be empty.
func (f *Folder) RemoveDir(p Path) error {
	return f.at(p, func(d *dir, name string) error {
		info, err := d.lstat(name)
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return NotDirectory
		}
		if err := d.removeDir(name); err != nil {
			return err
		}
		f.own.removed(p)
		return nil
	})
}

// Chmod sets the permission bits of the file p.
func (f *Folder) Chmod(p Path, mode fs.FileMode) error {
	return f.at(p, func(d *dir, name string) error {
		file, _, err := d.openRead(name)
		if err != nil {
			return err
		}
		defer file.Close()
		return file.Chmod(mode.Perm())
	})
}

// Move gives the file or folder p the name q, with the folders on the way to
// it, and returns the folders that it made. It never overwrites; a change of
// case alone works on systems that take both names for one.
func (f *Folder) Move(p, q Path) ([]Path, error) {
	switch {
	case p.IsRoot():
		return nil, &Error{Code: InvalidPath, Path: p.String(), Reason: "the folder itself cannot be moved"}
	case p == q:
		return nil, &Error{Code: Exists, Path: q.String(), Reason: "it is there already"}
	case q.Within(p):
		return nil, &Error{Code: InvalidPath, Path: q.String(), Reason: fmt.Sprintf("%s cannot be moved into itself", Display(p.String()))}
	}
	if _, err := f.Stat(p); err != nil {
		return nil, err
	}
	made, err := f.makeDirs(q.Parent())
	if err == nil {
		err = f.move(p, q)
	}
	if err != nil {
		return nil, errors.Join(withPath(q, err), f.unmake(made))
	}
	return made, nil
}

func (f *Folder) move(p, q Path) error {
	from, err := f.dir(p.Parent())
	if err != nil {
		return err
	}
	defer from.Close()
	return f.at(q, func(to *dir, newName string) error {
		info, err := from.lstat(p.Base())
		if err != nil {
			return err
		}
		if err := from.moveNew(p.Base(), to, newName); err != nil {
			return err
		}
		f.own.removed(p)
		f.moved(q, info)
		return nil
	})
}

// moveNew renames unless the new name is taken by something else.
func (d *dir) moveNew(name string, to *dir, newName string) error {
	err := d.renameNew(name, to, newName)
	if err == nil || !unsupported(err) && !errors.Is(err, fs.ErrExist) {
		return err
	}
	there, e := to.lstat(newName)
	switch {
	case errors.Is(e, fs.ErrNotExist) && unsupported(err):
		return d.rename(name, to, newName)
	case e != nil:
		return errors.Join(err, e)
	}
	here, e := d.lstat(name)
	if e == nil && here.Stamp == there.Stamp && sameLetters(name, newName) {
		return d.rename(name, to, newName) // one file on a system that ignores case
	}
	return &Error{Code: Exists, Reason: "a file with that name exists"}
}

// sameLetters tells whether two names differ in case or Unicode form alone.
func sameLetters(a, b string) bool {
	return strings.EqualFold(norm.NFC.String(a), norm.NFC.String(b))
}

package workspace

import (
	"os"

	"redline/internal/text"
)

// MaxFile is the size of the largest file that Read takes as a whole. Larger
// ones are opened and read in parts.
const MaxFile = 256 << 20

// at opens the directory that holds p and calls use with it and p's last name.
func (f *Folder) at(p Path, use func(d *dir, name string) error) error {
	if p.IsRoot() {
		return codeError(p, IsDirectory)
	}
	d, err := f.dir(p.Parent())
	if err != nil {
		return withPath(p, err)
	}
	defer d.Close()
	return fail(p, codeError(p, use(d, p.Base())))
}

// withPath makes an error about p's parent one about p.
func withPath(p Path, err error) error {
	if e, ok := err.(*Error); ok {
		c := *e
		c.Path = p.String()
		return &c
	}
	return err
}

// Stat tells about p without following a link.
func (f *Folder) Stat(p Path) (Info, error) {
	if p.IsRoot() {
		d, err := f.top()
		if err != nil {
			return Info{}, fail(p, err)
		}
		defer d.Close()
		info, err := d.lstat(".")
		return info, fail(p, err)
	}
	var info Info
	err := f.at(p, func(d *dir, name string) (err error) {
		info, err = d.lstat(name)
		return err
	})
	return info, err
}

// Read reads the whole file p.
func (f *Folder) Read(p Path) (*Snapshot, error) {
	var s *Snapshot
	err := f.at(p, func(d *dir, name string) error {
		data, info, err := d.read(name, nil)
		if err != nil {
			return err
		}
		s = &Snapshot{Path: p, Data: data, Hash: text.Sum(data), Mode: info.Mode.Perm(), Info: info}
		return nil
	})
	return s, err
}

// Open opens the file p for reading in parts. The caller closes it.
func (f *Folder) Open(p Path) (*os.File, Info, error) {
	var file *os.File
	var info Info
	err := f.at(p, func(d *dir, name string) (err error) {
		file, info, err = d.openRead(name)
		return err
	})
	return file, info, err
}

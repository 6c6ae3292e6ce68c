package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
)

// dir is an os.Root. A link that took the place of a file or directory in
// between is found by comparing the two.
type dir struct{ root *os.Root }

func openTop(root *os.Root) (*dir, error) {
	top, err := root.OpenRoot(".")
	return &dir{top}, err
}

func (d *dir) Close() error { return d.root.Close() }

func (d *dir) open(name string) (*dir, error) {
	info, err := d.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, IsLink
	case !info.IsDir():
		return nil, NotDirectory
	}
	sub, err := d.root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if opened, err := sub.Stat("."); err != nil || !os.SameFile(info, opened) {
		sub.Close()
		if err == nil {
			err = IsLink
		}
		return nil, err
	}
	return &dir{sub}, nil
}

func (d *dir) entries() ([]fs.DirEntry, error) {
	self, err := d.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer self.Close()
	return self.ReadDir(-1)
}

// sync: directories cannot be synced here.
func (d *dir) sync() error { return nil }

func (d *dir) create(name string, mode fs.FileMode) (*os.File, error) {
	return d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
}

func (d *dir) mkdir(name string) error { return d.root.Mkdir(name, 0o777) }

func (d *dir) remove(name string) error { return d.root.Remove(name) }

func (d *dir) removeDir(name string) error { return d.root.Remove(name) }

func (d *dir) symlink(target, name string) error { return d.root.Symlink(target, name) }

func (d *dir) link(name, newName string) error { return d.root.Link(name, newName) }

func (d *dir) readlink(name string) (string, error) { return d.root.Readlink(name) }

func (d *dir) lstat(name string) (Info, error) {
	fi, err := d.root.Lstat(name)
	if err != nil {
		return Info{}, err
	}
	return infoOf(fi), nil
}

func (d *dir) openRead(name string) (*os.File, Info, error) {
	f, err := d.root.Open(name)
	if err != nil {
		return nil, Info{}, err
	}
	opened, err := f.Stat()
	if err == nil {
		var named os.FileInfo
		if named, err = d.root.Lstat(name); err == nil && !os.SameFile(opened, named) {
			err = IsLink
		}
	}
	info := Info{}
	if err == nil {
		info = infoOf(opened)
		err = info.wantFile()
	}
	if err != nil {
		f.Close()
		return nil, Info{}, err
	}
	return f, info, nil
}

func (d *dir) read(name string, buf []byte) ([]byte, Info, error) {
	f, info, err := d.openRead(name)
	if err != nil {
		return nil, Info{}, err
	}
	defer f.Close()
	data, err := readSized(info.Size, buf, f.Read)
	return data, info, err
}

func (d *dir) readHead(name string, buf []byte) ([]byte, Info, error) {
	f, info, err := d.openRead(name)
	if err != nil {
		return nil, Info{}, err
	}
	defer f.Close()
	data, err := fill(info.Size, buf, f.Read)
	return data, info, err
}

func (d *dir) rename(name string, to *dir, newName string) error {
	return os.Rename(filepath.Join(d.root.Name(), name), filepath.Join(to.root.Name(), newName))
}

func infoOf(fi os.FileInfo) Info {
	return Info{
		Mode:  fi.Mode(),
		Size:  fi.Size(),
		Stamp: Stamp{Size: fi.Size(), Modified: fi.ModTime().UnixNano()},
	}
}

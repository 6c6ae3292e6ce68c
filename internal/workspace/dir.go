package workspace

import (
	"io"
	"io/fs"
	"os"
)

// dir is one open directory of the folder. Names given to its methods are
// single components, so they cannot lead out of it, and no method follows a
// symbolic link. Whoever moves the directory meanwhile takes the handle along:
// it stays the same directory.
type dir struct {
	root *os.Root
	self *os.File // the directory itself
}

func openDir(root *os.Root) (*dir, error) {
	self, err := root.Open(".")
	if err == nil {
		self, err = plainFile(self)
	}
	if err != nil {
		root.Close()
		return nil, err
	}
	return &dir{root, self}, nil
}

func (d *dir) Close() error {
	err := d.self.Close()
	if e := d.root.Close(); err == nil {
		err = e
	}
	return err
}

// open opens the directory name in d.
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
	root, err := d.root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	sub, err := openDir(root)
	if err != nil {
		return nil, err
	}
	// os.Root follows links inside the directory: make sure that it met none.
	if opened, err := sub.self.Stat(); err != nil || !os.SameFile(info, opened) {
		sub.Close()
		if err == nil {
			err = IsLink
		}
		return nil, err
	}
	return sub, nil
}

// sync makes the names in d durable.
func (d *dir) sync() error {
	err := d.self.Sync()
	if err != nil && syncUnsupported(err) {
		return nil
	}
	return err
}

// readSized reads size bytes, and whatever has been appended since. buf is
// used if it is large enough.
func readSized(size int64, buf []byte, read func([]byte) (int, error)) ([]byte, error) {
	if need := int(size) + 1; cap(buf) < need {
		buf = make([]byte, 0, need)
	}
	buf = buf[:0]
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err == io.EOF || err == nil && int64(len(buf)) == size {
			return buf, nil // at the size, one read for the end is spared
		}
		if err != nil {
			return nil, err
		}
	}
}

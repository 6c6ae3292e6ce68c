package workspace

import (
	"os"
	"path/filepath"
)

// The calls that Unix makes directly, through os.Root. A link that took the
// place of a file in between is found by comparing the two.

func plainFile(f *os.File) (*os.File, error) { return f, nil }

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

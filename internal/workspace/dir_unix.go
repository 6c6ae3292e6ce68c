//go:build unix

package workspace

import (
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// dir is a descriptor. os.Root opens the first of them, the folder itself; from
// there on it goes by openat and O_NOFOLLOW, which is what os.Root does, without
// its following of links inside and at a fraction of its calls.
type dir struct {
	num  int
	name string // where it was when it was opened: for messages, and as a hint below
}

// openTop opens the folder itself.
func openTop(root *os.Root) (*dir, error) {
	self, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer self.Close()
	num, err := unix.FcntlInt(self.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	return &dir{num, root.Name()}, err
}

func (d *dir) Close() error { return unix.Close(d.num) }

func (d *dir) open(name string) (*dir, error) {
	var num int
	err := retry(func() (err error) {
		num, err = unix.Openat(d.num, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		return err
	})
	if err == unix.ENOTDIR || err == unix.ELOOP { // the systems disagree which of them a link is
		if info, e := d.lstat(name); e == nil && info.Mode&fs.ModeSymlink != 0 {
			return nil, IsLink
		}
		return nil, NotDirectory
	}
	if err != nil {
		return nil, err
	}
	return &dir{num, d.name + "/" + name}, nil
}

// entries reads the directory through a descriptor of its own, whose place in
// the list nobody else moves. A file system that does not tell types with the
// names makes os look them up by path; what is opened later goes by descriptor
// all the same.
func (d *dir) entries() ([]fs.DirEntry, error) {
	num, err := unix.Openat(d.num, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(num), d.name)
	defer file.Close()
	return file.ReadDir(-1)
}

func (d *dir) sync() error {
	err := unix.Fsync(d.num)
	if err == unix.EINVAL || err == unix.ENOTSUP {
		return nil // no such thing on this file system
	}
	return err
}

func (d *dir) create(name string, mode fs.FileMode) (*os.File, error) {
	var num int
	err := retry(func() (err error) {
		num, err = unix.Openat(d.num, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, uint32(mode.Perm()))
		return err
	})
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(num), name), nil
}

func (d *dir) mkdir(name string) error { return unix.Mkdirat(d.num, name, 0o777) }

func (d *dir) remove(name string) error { return unix.Unlinkat(d.num, name, 0) }

func (d *dir) removeDir(name string) error { return unix.Unlinkat(d.num, name, unix.AT_REMOVEDIR) }

func (d *dir) symlink(target, name string) error { return unix.Symlinkat(target, d.num, name) }

func (d *dir) link(name, newName string) error { return unix.Linkat(d.num, name, d.num, newName, 0) }

func (d *dir) readlink(name string) (string, error) {
	buf := make([]byte, maxPath+1)
	n, err := unix.Readlinkat(d.num, name, buf)
	if err != nil {
		return "", err
	}
	return string(buf[:n]), nil
}

func (d *dir) lstat(name string) (Info, error) {
	var st unix.Stat_t
	if err := retry(func() error { return unix.Fstatat(d.num, name, &st, unix.AT_SYMLINK_NOFOLLOW) }); err != nil {
		return Info{}, err
	}
	return infoOf(&st), nil
}

// openRead opens a regular file. It does not wait for the other end of a FIFO.
func (d *dir) openRead(name string) (*os.File, Info, error) {
	fd, info, err := d.openat(name)
	if err != nil {
		return nil, Info{}, err
	}
	return os.NewFile(uintptr(fd), name), info, nil
}

func (d *dir) openat(name string) (int, Info, error) {
	var fd int
	err := retry(func() (err error) {
		fd, err = unix.Openat(d.num, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		return err
	})
	if err != nil {
		return -1, Info{}, err
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		unix.Close(fd)
		return -1, Info{}, err
	}
	info := infoOf(&st)
	if err := info.wantFile(); err != nil {
		unix.Close(fd)
		return -1, Info{}, err
	}
	return fd, info, nil
}

// read reads a whole regular file into buf, or into a new slice if it does not
// fit. It makes no os.File: twenty thousand of them cost more than the reading.
func (d *dir) read(name string, buf []byte) ([]byte, Info, error) {
	fd, info, err := d.openat(name)
	if err != nil {
		return nil, Info{}, err
	}
	defer unix.Close(fd)
	data, err := readSized(info.Size, buf, reader(fd))
	return data, info, err
}

func (d *dir) readHead(name string, buf []byte) ([]byte, Info, error) {
	fd, info, err := d.openat(name)
	if err != nil {
		return nil, Info{}, err
	}
	defer unix.Close(fd)
	data, err := fill(info.Size, buf, reader(fd))
	return data, info, err
}

func reader(fd int) func([]byte) (int, error) {
	return func(b []byte) (n int, err error) {
		err = retry(func() error { n, err = unix.Read(fd, b); return err })
		if err == nil && n == 0 {
			err = io.EOF
		}
		return n, err
	}
}

// rename moves name to newName in to.
func (d *dir) rename(name string, to *dir, newName string) error {
	return retry(func() error { return unix.Renameat(d.num, name, to.num, newName) })
}

func retry(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}

func infoOf(st *unix.Stat_t) Info {
	mode := fs.FileMode(st.Mode & 0o777)
	for _, bit := range []struct {
		has  bool
		mode fs.FileMode
	}{
		{st.Mode&unix.S_ISUID != 0, fs.ModeSetuid},
		{st.Mode&unix.S_ISGID != 0, fs.ModeSetgid},
		{st.Mode&unix.S_ISVTX != 0, fs.ModeSticky},
	} {
		if bit.has {
			mode |= bit.mode
		}
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFDIR:
		mode |= fs.ModeDir
	case unix.S_IFLNK:
		mode |= fs.ModeSymlink
	default:
		mode |= fs.ModeIrregular
	}
	return Info{
		Mode: mode,
		Size: st.Size,
		Stamp: Stamp{
			Device: uint64(st.Dev), Inode: st.Ino, Size: st.Size,
			Modified: st.Mtim.Nano(), Changed: st.Ctim.Nano(),
		},
		uid: int(st.Uid), gid: int(st.Gid),
	}
}

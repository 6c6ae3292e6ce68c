//go:build unix

package workspace

import (
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// The calls that os.Root has no name for, on one name in one open directory.
// None of them follows a symbolic link.

func (d *dir) fd() int { return int(d.self.Fd()) }

// plainFile takes the mark of its os.Root off an open directory. With it,
// ReadDir asks the system about every single entry; without, it takes the types
// that come with the names.
func plainFile(f *os.File) (*os.File, error) {
	defer f.Close()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

func (d *dir) lstat(name string) (Info, error) {
	var st unix.Stat_t
	if err := retry(func() error { return unix.Fstatat(d.fd(), name, &st, unix.AT_SYMLINK_NOFOLLOW) }); err != nil {
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
		fd, err = unix.Openat(d.fd(), name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
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
	data, err := readSized(info.Size, buf, func(b []byte) (n int, err error) {
		err = retry(func() error { n, err = unix.Read(fd, b); return err })
		if err == nil && n == 0 {
			err = io.EOF
		}
		return n, err
	})
	return data, info, err
}

// rename moves name to newName in to.
func (d *dir) rename(name string, to *dir, newName string) error {
	return retry(func() error { return unix.Renameat(d.fd(), name, to.fd(), newName) })
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

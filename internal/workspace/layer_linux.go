package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// Names of the attributes by which an overlay that a user has mounted marks a folder
// whose lower layers do not show, and one to try.
const (
	opaque   = "user.overlay.opaque"
	tryXattr = "user.redline"
)

// Layer makes a double of an empty folder outside, which is to be the upper layer of
// an overlay over this one. The file system must know extended attributes and the
// marks for what is gone.
func (f *Folder) Layer(name string) (*Double, error) {
	d, err := f.newDouble(name, true)
	if err != nil {
		return nil, err
	}
	err = unix.Setxattr(name, tryXattr, []byte("1"), 0)
	if err == nil {
		err = unix.Removexattr(name, tryXattr)
	}
	const probe = "probe"
	if err == nil {
		err = whiteout(d.root, probe)
	}
	if err == nil {
		err = d.root.Remove(probe)
	}
	if err != nil {
		_ = d.Close()
		return nil, fail(Path{}, err)
	}
	return d, nil
}

// whiteout marks a name as gone.
func whiteout(root *os.Root, name string) error {
	dir, err := root.Open(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer dir.Close()
	return unix.Mknodat(int(dir.Fd()), filepath.Base(name), unix.S_IFCHR, 0)
}

func isWhiteout(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.Mode()&fs.ModeCharDevice != 0 && stat.Rdev == 0
}

// isOpaque tells whether what is in a folder below this one does not show.
func isOpaque(root *os.Root, name string) bool {
	dir, err := root.Open(name)
	if err != nil {
		return false
	}
	defer dir.Close()
	var value [1]byte
	n, err := unix.Fgetxattr(int(dir.Fd()), opaque, value[:])
	return err == nil && n == 1 && value[0] == 'y'
}

// reflink makes a file share the content of another one until one is written.
func reflink(to, from *os.File) error { return unix.IoctlFileClone(int(to.Fd()), int(from.Fd())) }

//go:build unix

package workspace

import (
	"os"

	"golang.org/x/sys/unix"
)

// writable says why the file name must not be replaced: renaming over it would
// get past its permissions.
func (d *dir) writable(name string, info Info) error {
	if info.Mode.Perm()&0o222 != 0 {
		err := unix.Faccessat(d.num, name, unix.W_OK, unix.AT_EACCESS)
		if err != unix.EACCES && err != unix.EPERM {
			return nil
		}
	}
	return readOnlyFile()
}

// keepAttributes gives the file that replaces name its mode, owner and
// extended attributes. Owner and attributes are kept where we may set them.
func keepAttributes(d *dir, name string, was Info, file *os.File) error {
	if os.Geteuid() != was.uid || os.Getegid() != was.gid {
		_ = file.Chown(was.uid, was.gid)
	}
	copyXattrs(d, name, file)
	const special = os.ModeSetuid | os.ModeSetgid | os.ModeSticky
	return file.Chmod(was.Mode & (os.ModePerm | special)) // after Chown, which clears bits
}

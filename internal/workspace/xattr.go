//go:build linux || darwin

package workspace

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// copyXattrs copies tags, access lists and the like from name to file, as far
// as the system lets us.
func copyXattrs(d *dir, name string, file *os.File) {
	from, _, err := d.openat(name)
	if err != nil {
		return
	}
	defer unix.Close(from)
	size, err := unix.Flistxattr(from, nil)
	if err != nil || size == 0 {
		return
	}
	list := make([]byte, size)
	if size, err = unix.Flistxattr(from, list); err != nil {
		return
	}
	to := int(file.Fd())
	for key := range strings.SplitSeq(strings.TrimSuffix(string(list[:size]), "\x00"), "\x00") {
		n, err := unix.Fgetxattr(from, key, nil)
		if err != nil {
			continue
		}
		value := make([]byte, n)
		if n, err = unix.Fgetxattr(from, key, value); err == nil {
			_ = unix.Fsetxattr(to, key, value[:n], 0)
		}
	}
}

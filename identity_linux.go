package redline

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// identity is what stays the same about a folder when it is renamed: its number
// on its disk and, since numbers are used again, when it was made. A disk that
// does not tell the latter leaves only the path.
func identity(folder string) (string, error) {
	var s unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, folder, 0, unix.STATX_INO|unix.STATX_BTIME, &s); err != nil {
		return "", fmt.Errorf("look at %s: %w", folder, err)
	}
	if s.Mask&unix.STATX_BTIME == 0 {
		return "path " + folder, nil
	}
	return fmt.Sprintf("inode %d:%d %d %d.%d", s.Dev_major, s.Dev_minor, s.Ino, s.Btime.Sec, s.Btime.Nsec), nil
}

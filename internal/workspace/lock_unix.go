//go:build unix

package workspace

import (
	"os"

	"golang.org/x/sys/unix"
)

// openLock opens the folder's own descriptor, which is what is locked.
func openLock(root *os.Root) (*os.File, error) { return root.Open(".") }

func tryLock(file *os.File) (bool, error) {
	err := retry(func() error { return unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) })
	if err == unix.EWOULDBLOCK {
		return false, nil
	}
	return err == nil, err
}

func unlockFile(file *os.File) error { return unix.Flock(int(file.Fd()), unix.LOCK_UN) }

package workspace

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// openLock opens a file that stands for the folder: a directory itself cannot
// be locked here.
func openLock(root *os.Root) (*os.File, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(cache, "redline", "locks")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	id := sha256.Sum256([]byte(root.Name()))
	return os.OpenFile(filepath.Join(dir, fmt.Sprintf("%x.lock", id[:12])), os.O_RDWR|os.O_CREATE, 0o600)
}

func tryLock(file *os.File) (bool, error) {
	err := windows.LockFileEx(windows.Handle(file.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
	if err == windows.ERROR_LOCK_VIOLATION {
		return false, nil
	}
	return err == nil, err
}

func unlockFile(file *os.File) error {
	return windows.UnlockFileEx(windows.Handle(file.Fd()), 0, 1, 0, new(windows.Overlapped))
}

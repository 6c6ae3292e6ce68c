// Package flock locks open files, so that a lock ends with the process that has it.
package flock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// far is a byte far behind the end of every file: locked bytes cannot be read by others
// here, and readers must not be kept out.
func far() *windows.Overlapped { return &windows.Overlapped{OffsetHigh: 0x7fffffff} }

// Try locks the file, and reports false if another handle has locked it.
func Try(file *os.File) (bool, error) {
	err := windows.LockFileEx(windows.Handle(file.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, far())
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

// Release unlocks the file, which stays open. Closing it does so, too.
func Release(file *os.File) error {
	return windows.UnlockFileEx(windows.Handle(file.Fd()), 0, 1, 0, far())
}

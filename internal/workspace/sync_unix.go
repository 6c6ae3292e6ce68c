//go:build unix

package workspace

import (
	"errors"

	"golang.org/x/sys/unix"
)

// syncUnsupported tells whether a file system has no fsync for directories.
func syncUnsupported(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP)
}

// isCrossDevice tells whether a rename failed because the two names lie on
// different file systems.
func isCrossDevice(err error) bool { return errors.Is(err, unix.EXDEV) }

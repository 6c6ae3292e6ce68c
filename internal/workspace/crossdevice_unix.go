//go:build unix

package workspace

import (
	"errors"

	"golang.org/x/sys/unix"
)

// isCrossDevice tells whether a rename failed because the two names lie on
// different file systems.
func isCrossDevice(err error) bool { return errors.Is(err, unix.EXDEV) }

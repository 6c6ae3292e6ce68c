//go:build unix

// Package flock locks open files, so that a lock ends with the process that has it.
package flock

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Try locks the file, and reports false if another handle has locked it.
func Try(file *os.File) (bool, error) {
	for {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return false, nil
		default:
			return err == nil, err
		}
	}
}

// Release unlocks the file, which stays open. Closing it does so, too.
func Release(file *os.File) error { return unix.Flock(int(file.Fd()), unix.LOCK_UN) }

//go:build unix

package jsonl

import (
	"errors"

	"golang.org/x/sys/unix"
)

// alive tells whether there is a process, whoever's it is.
func alive(pid int) bool {
	err := unix.Kill(pid, 0)
	return err == nil || errors.Is(err, unix.EPERM)
}

package redline

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// confinement is what there is to confine commands with, and whether it works.
func confinement() (text string, ok bool) {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return "the system has no Landlock to confine commands with: " + errno.Error(), false
	}
	return fmt.Sprintf("the system has Landlock to confine commands with (ABI %d)", abi), true
}

//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package console

import (
	"os"

	"golang.org/x/sys/unix"
)

// flush drops what the terminal has read and nobody has taken.
func flush(f *os.File) {
	const input = 1 // FREAD
	_ = unix.IoctlSetPointerInt(int(f.Fd()), unix.TIOCFLUSH, input)
}

package console

import (
	"os"

	"golang.org/x/sys/unix"
)

// flush drops what the terminal has read and nobody has taken.
func flush(f *os.File) { _ = unix.IoctlSetInt(int(f.Fd()), unix.TCFLSH, unix.TCIFLUSH) }

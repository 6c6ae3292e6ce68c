//go:build unix

package server

import (
	"os"
	"syscall"
)

// ownAlone tells whether a folder is the user's, and closed to others.
func ownAlone(info os.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Getuid() && info.Mode().Perm()&0o077 == 0
}

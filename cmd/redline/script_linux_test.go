package main

import (
	"os"
	"sync"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

// canMount tells whether a small disk can be made here.
var canMount = sync.OnceValue(func() bool {
	dir, err := os.MkdirTemp("", "disk")
	if err != nil {
		return false
	}
	defer os.Remove(dir)
	if syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k") != nil {
		return false
	}
	return syscall.Unmount(dir, 0) == nil
})

// mountDisk makes a folder a disk of its own, of so many KB.
func mountDisk(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, 2)
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o755))
	ts.Check(syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+args[1]+"k"))
	ts.Defer(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
}

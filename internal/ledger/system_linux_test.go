package ledger_test

import "golang.org/x/sys/unix"

func mountSmall(dir string) error { return unix.Mount("tmpfs", dir, "tmpfs", 0, "size=2m") }

func remountReadOnly(dir string) error {
	return unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, "")
}

func unmountSmall(dir string) { _ = unix.Unmount(dir, unix.MNT_DETACH) }

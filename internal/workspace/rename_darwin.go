package workspace

import "golang.org/x/sys/unix"

// exchange swaps two names of d in one step.
func (d *dir) exchange(a, b string) error {
	return retry(func() error { return unix.RenameatxNp(d.fd(), a, d.fd(), b, unix.RENAME_SWAP) })
}

// renameNew moves name to newName in to unless that exists.
func (d *dir) renameNew(name string, to *dir, newName string) error {
	return retry(func() error {
		return unix.RenameatxNp(d.fd(), name, to.fd(), newName, unix.RENAME_EXCL)
	})
}

package workspace

import "golang.org/x/sys/unix"

// exchange swaps two names of d in one step.
func (d *dir) exchange(a, b string) error {
	return retry(func() error { return unix.RenameatxNp(d.num, a, d.num, b, unix.RENAME_SWAP) })
}

// renameNew moves name to newName in to unless that exists.
func (d *dir) renameNew(name string, to *dir, newName string) error {
	return retry(func() error {
		return unix.RenameatxNp(d.num, name, to.num, newName, unix.RENAME_EXCL)
	})
}

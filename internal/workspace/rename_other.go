//go:build !linux && !darwin

package workspace

import "errors"

// exchange is not to be had here: the caller compares and then renames.
func (d *dir) exchange(a, b string) error { return errors.ErrUnsupported }

func (d *dir) renameNew(name string, to *dir, newName string) error { return errors.ErrUnsupported }

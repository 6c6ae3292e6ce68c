//go:build unix

package workspace

import "os"

// openLock opens the folder's own descriptor, which is what is locked.
func openLock(root *os.Root) (*os.File, error) { return root.Open(".") }

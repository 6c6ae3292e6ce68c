//go:build !linux

package workspace

import (
	"errors"
	"io/fs"
	"os"
)

// Layer makes a double of an empty folder outside, which is to be the upper layer of
// an overlay over this one: not on this system.
func (f *Folder) Layer(string) (*Double, error) { return nil, errors.ErrUnsupported }

func whiteout(*os.Root, string) error { return errors.ErrUnsupported }

func isWhiteout(fs.FileInfo) bool { return false }

func isOpaque(*os.Root, string) bool { return false }

// reflink makes a file share the content of another one until one is written.
func reflink(to, from *os.File) error { return errors.ErrUnsupported }

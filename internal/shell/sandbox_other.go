//go:build !linux

package shell

import (
	"errors"
	"runtime"
)

// Confinement tells whether commands can be confined here, and what of a [Sandbox]
// is missing.
func Confinement() (missing []string, err error) {
	return nil, errors.New("--sandbox needs Linux 6.2 or later with Landlock; on " + runtime.GOOS + " commands cannot be confined: leave it out only if you trust what will be run")
}

// Mount tells whether a command can find a stage under the name of its folder.
func Mount(dir string, s Stage) error {
	return errors.New("folders cannot be mounted on " + runtime.GOOS)
}

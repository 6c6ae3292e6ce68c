//go:build !linux || !(amd64 || arm64)

package shell

import (
	"errors"
	"runtime"
)

// Confinement tells whether commands can be confined here, and what of a [Sandbox]
// is missing.
func Confinement() (missing []string, err error) {
	return nil, errors.New("--sandbox needs Linux 6.2 or later with Landlock, on amd64 or arm64; on " + runtime.GOOS + "/" + runtime.GOARCH +
		" commands cannot be confined: leave it out only if you trust what will be run")
}

// Mount tells whether a command can find a stage under the name of its folder: it
// tries.
func Mount(string, Stage) error { return namespaces() }

func namespaces() error {
	return errors.New("a command cannot have its own view of the files on " + runtime.GOOS + "/" + runtime.GOARCH)
}

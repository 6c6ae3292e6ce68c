package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"redline/internal/flock"
)

// Private is a folder of Redline's own, for one command and its user alone. It is
// locked while it is in use, so that what a killed process left can be told from
// what a living one needs.
type Private struct {
	name string
	lock *os.File
}

// privatePrefix begins the names of such folders, and privateLock is the file in
// them that is locked.
const (
	privatePrefix = "redline-private-"
	privateLock   = "lock"
)

// MakePrivate makes a private folder below another one, which is made as well; "" is
// the system's for temporary files.
func MakePrivate(below string) (*Private, error) {
	if below == "" {
		below = os.TempDir()
	} else if err := os.MkdirAll(below, 0o700); err != nil {
		return nil, err
	}
	below, err := filepath.EvalSymlinks(below)
	if err != nil {
		return nil, err
	}
	for {
		name, err := os.MkdirTemp(below, privatePrefix)
		if err != nil {
			return nil, err
		}
		lock, err := lockPrivate(name, os.O_CREATE)
		if err != nil {
			return nil, errors.Join(err, os.RemoveAll(name))
		}
		if lock != nil {
			return &Private{name, lock}, nil
		}
		// A sweep took it for one that is left, before it was locked.
	}
}

// lockPrivate locks a private folder. It returns nil if somebody else has, or it is
// gone.
func lockPrivate(name string, flag int) (*os.File, error) {
	path := filepath.Join(name, privateLock)
	file, err := os.OpenFile(path, os.O_RDWR|flag, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	locked, err := flock.Try(file)
	if err == nil && locked {
		here, hereErr := file.Stat()
		there, thereErr := os.Stat(path)
		if hereErr == nil && thereErr == nil && os.SameFile(here, there) {
			return file, nil
		}
	}
	return nil, errors.Join(err, file.Close())
}

// Make makes a folder in it and returns its absolute name.
func (p *Private) Make(name string) (string, error) {
	dir := filepath.Join(p.name, name)
	return dir, os.Mkdir(dir, 0o700)
}

// Close removes the folder with everything in it.
func (p *Private) Close() error {
	entries, err := os.ReadDir(p.name)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	for _, e := range entries { // the lock last: it says that somebody is at work
		if e.Name() != privateLock {
			err = errors.Join(err, removeAll(filepath.Join(p.name, e.Name())))
		}
	}
	return errors.Join(err, p.lock.Close(), removeAll(p.name))
}

// SweepPrivate removes the private folders that killed processes have left below a
// folder, and tells how many.
func SweepPrivate(below string) (int, error) {
	entries, err := os.ReadDir(below)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	swept := 0
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), privatePrefix) {
			continue
		}
		name := filepath.Join(below, e.Name())
		lock, lockErr := lockPrivate(name, 0)
		if lock != nil {
			lockErr = (&Private{name, lock}).Close()
			swept++
		}
		err = errors.Join(err, lockErr)
	}
	return swept, err
}

// removeAll removes a tree, also one with folders that are closed to us: a command
// may have left them so.
func removeAll(name string) error {
	err := os.RemoveAll(name)
	if err == nil || !errors.Is(err, fs.ErrPermission) {
		return err
	}
	_ = filepath.WalkDir(name, func(path string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil // RemoveAll tells
	})
	return os.RemoveAll(name)
}

package redline

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// stateRoot is where Redline keeps what is its own.
func stateRoot(o Options) (string, error) {
	if o.State != "" {
		return filepath.Abs(o.State)
	}
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "redline"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", errors.New("no home folder is known for Redline's own state: set XDG_STATE_HOME")
	}
	return filepath.Join(home, ".local", "state", "redline"), nil
}

// statePlace is where the state of all folders is, and that of one, whose links are
// resolved.
func statePlace(folder string, o Options) (root, state string, err error) {
	if root, err = stateRoot(o); err != nil {
		return "", "", err
	}
	if err := checkApart(root, folder); err != nil {
		return "", "", err
	}
	state, err = stateDir(root, folder)
	return root, state, err
}

// stateDir is where the state of one folder is. Its name is made of an identity that
// stays when the folder is renamed or moved on its disk.
func stateDir(root, folder string) (string, error) {
	id, err := identity(folder)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(id))
	return filepath.Join(root, fmt.Sprintf("%x", sum[:10])), nil
}

// checkApart refuses a state folder inside of the folder: it would be part of
// what it keeps.
func checkApart(root, folder string) error {
	rel, err := filepath.Rel(folder, root)
	if err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return fmt.Errorf("the state of Redline (%s) cannot be inside of the folder: set XDG_STATE_HOME to another place", root)
	}
	return nil
}

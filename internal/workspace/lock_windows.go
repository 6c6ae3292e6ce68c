package workspace

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
)

// openLock opens a file that stands for the folder: a directory itself cannot
// be locked here.
func openLock(root *os.Root) (*os.File, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(cache, "redline", "locks")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	id := sha256.Sum256([]byte(root.Name()))
	return os.OpenFile(filepath.Join(dir, fmt.Sprintf("%x.lock", id[:12])), os.O_RDWR|os.O_CREATE, 0o600)
}

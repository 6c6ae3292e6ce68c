package jsonl

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Export writes a transcript to a file where the user wants it. It replaces another
// file only with over. What could not be written wholly does not stay.
func Export(name string, over bool, transcript func(io.Writer) error) (err error) {
	var f *os.File
	if over {
		f, err = os.CreateTemp(filepath.Dir(name), ".redline-export-*")
	} else {
		f, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	}
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	err = errors.Join(transcript(f), f.Close())
	if err == nil && over {
		if err = os.Chmod(f.Name(), 0o644); err == nil {
			err = os.Rename(f.Name(), name)
		}
	}
	if err != nil {
		return fmt.Errorf("export: %w", errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}

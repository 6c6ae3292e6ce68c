package workspace

import (
	"fmt"
	"io"
)

// dir is one open directory of the folder, a type that each system has its own
// of. Names given to its methods are single components, so they cannot lead out
// of it, and no method follows a symbolic link. Whoever moves the directory
// meanwhile takes the handle along: it stays the same directory.
//
//	open        a directory in it
//	lstat       what a name is
//	openRead    a regular file, for reading; read reads it as a whole, readHead
//	            as much of it as fits
//	create      a new file, which must not exist
//	mkdir, symlink, link, readlink, remove, removeDir, rename
//	renameNew   rename unless the new name is taken
//	exchange    swap two names in one step
//	entries     the names in it with their types; names without
//	sync        make its names durable

// names are the names in d.
func (d *dir) names() ([]string, error) {
	entries, err := d.entries()
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, err
}

// fill reads until buf is full or the file ends, sparing the read for the end
// where size tells it.
func fill(size int64, buf []byte, read func([]byte) (int, error)) ([]byte, error) {
	got := 0
	for got < len(buf) && (got == 0 || int64(got) != size) {
		n, err := read(buf[got:])
		got += n
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	return buf[:got], nil
}

// readSized reads size bytes, and whatever has been appended since. buf is
// used if it is large enough.
func readSized(size int64, buf []byte, read func([]byte) (int, error)) ([]byte, error) {
	if size > MaxFile {
		return nil, &Error{Code: UnsupportedFile, Reason: fmt.Sprintf("%d MB, over the limit of %d MB", size>>20, MaxFile>>20)}
	}
	if need := int(size) + 1; cap(buf) < need {
		buf = make([]byte, 0, need)
	}
	buf = buf[:0]
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err == io.EOF || err == nil && int64(len(buf)) == size {
			return buf, nil // at the size, one read for the end is spared
		}
		if err != nil {
			return nil, err
		}
	}
}

package workspace

import (
	"io/fs"

	"redline/internal/text"
)

// Info is what the system tells of a file without reading it.
type Info struct {
	Mode  fs.FileMode // type and permission bits
	Size  int64
	Stamp Stamp

	uid, gid int
}

// IsDir tells whether it is a folder.
func (i Info) IsDir() bool { return i.Mode.IsDir() }

// IsRegular tells whether it is a plain file.
func (i Info) IsRegular() bool { return i.Mode.IsRegular() }

// wantFile says why a file cannot be read.
func (i Info) wantFile() error {
	switch {
	case i.Mode.IsRegular():
		return nil
	case i.Mode.IsDir():
		return IsDirectory
	case i.Mode&fs.ModeSymlink != 0:
		return IsLink
	}
	return NotRegular
}

// Stamp tells, most of the time, whether a file is still the one that was
// read: a file with another stamp may have changed. It is a hint for what to
// read again, never proof for a write.
type Stamp struct {
	Device, Inode     uint64
	Size              int64
	Modified, Changed int64 // nanoseconds since 1970; Changed is the inode's time
}

// sameContent leaves out the time of the last rename, which is no change of
// the content.
func (s Stamp) sameContent(t Stamp) bool {
	s.Changed, t.Changed = 0, 0
	return s == t
}

// Snapshot is a file at one moment.
type Snapshot struct {
	Path Path
	Data []byte
	Hash text.Hash
	Mode fs.FileMode // permission bits
	Info Info
}

// Document is the snapshot as text, or an UnsupportedFile error.
func (s *Snapshot) Document() (*text.Document, error) {
	if err := text.Check(s.Data); err != nil {
		return nil, &Error{Code: UnsupportedFile, Path: s.Path.String(), Reason: err.Error() + "; the file is left as it is", Err: err}
	}
	return text.New(s.Data), nil
}

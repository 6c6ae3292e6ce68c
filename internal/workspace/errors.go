package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
)

// Code says what is wrong with a path or a file, for callers that translate it.
type Code string

// The codes of this package.
const (
	InvalidPath     Code = "invalid_path"          // not a name a file here can have
	TooLong         Code = "path_too_long"         // a component over 255 bytes, or the whole over 4,096
	OutsideFolder   Code = "outside_folder"        // leads out of the folder, by "..", absolute or by a link
	Internal        Code = "internal_path"         // closed by policy: Redline's or git's own files
	Hidden          Code = "hidden_path"           // closed by policy: a hidden file
	Sensitive       Code = "sensitive_path"        // closed by policy: looks like a secret
	SystemFile      Code = "system_path"           // closed by policy: litter of an operating system
	Ruled           Code = "denied"                // closed by a rule of the user
	NotFound        Code = "not_found"             // no such file or folder
	Exists          Code = "already_exists"        // something is there already
	IsDirectory     Code = "is_directory"          // a folder where a file is meant
	NotDirectory    Code = "not_a_directory"       // a file where a folder is meant
	NotRegular      Code = "not_a_regular_file"    // a device, FIFO or socket
	IsLink          Code = "is_link"               // a symbolic link where none may be
	DanglingLink    Code = "dangling_link"         // a link to nothing
	Permission      Code = "permission_denied"     // read-only, or not ours
	UnsupportedFile Code = "unsupported_file_type" // binary, or not UTF-8
	Conflict        Code = "conflict"              // the file is not what the caller thinks it is
	NotEmpty        Code = "directory_not_empty"   // a folder with something in it
	Locked          Code = "locked"                // another process is writing
	NoSpace         Code = "no_space"              // disk or quota full
	ReadOnly        Code = "read_only"             // the file system is mounted read-only
	Failed          Code = "io_error"              // anything else that the system reports
)

// Error is any failure of this package.
type Error struct {
	Code   Code
	Path   string // as the caller gave it
	Reason string // for a person, without the path
	Rule   string // for policy codes: the pattern that closed the path
	Key    string // for policy codes: the setting that holds the pattern
	Err    error
}

func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: ", Display(e.Path))
	switch {
	case e.Reason != "":
		b.WriteString(e.Reason)
	case e.Err != nil:
		b.WriteString(reasonOf(e.Err))
	case reasons[e.Code] != "":
		b.WriteString(reasons[e.Code])
	default:
		b.WriteString(strings.ReplaceAll(string(e.Code), "_", " "))
	}
	if e.Key != "" {
		fmt.Fprintf(&b, " (rule %q of %s)", e.Rule, e.Key)
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// Is lets errors.Is(err, workspace.NotFound) work.
func (e *Error) Is(target error) bool {
	c, ok := target.(Code)
	return ok && c == e.Code
}

// Error makes a Code a target for errors.Is.
func (c Code) Error() string { return string(c) }

// CodeOf is the code of err, or "" when it is not from this package.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// reasonOf is the system's own word for err, without the operation and path
// that os puts before it.
func reasonOf(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// fail gives a system error its code.
func fail(p Path, err error) error {
	if err == nil {
		return nil
	}
	var known *Error
	if errors.As(err, &known) {
		if known.Path == "" {
			known.Path = p.String()
		}
		return err
	}
	code := Failed
	for _, m := range systemCodes {
		if errors.Is(err, m.err) {
			code = m.code
			break
		}
	}
	return &Error{Code: code, Path: p.String(), Err: err}
}

// systemCodes is in order of preference: some errors match several.
var systemCodes = []struct {
	err  error
	code Code
}{
	{fs.ErrNotExist, NotFound},
	{syscall.ENOTEMPTY, NotEmpty},
	{fs.ErrExist, Exists},
	{syscall.EROFS, ReadOnly},
	{fs.ErrPermission, Permission},
	{syscall.EISDIR, IsDirectory},
	{syscall.ENOTDIR, NotDirectory},
	{syscall.ENAMETOOLONG, TooLong},
	{syscall.ENOSPC, NoSpace},
	{syscall.EDQUOT, NoSpace},
	{syscall.ELOOP, IsLink},
	{syscall.ENXIO, NotRegular}, // opening a socket
}
